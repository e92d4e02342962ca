"""The jobs that carry "move this run" between processes: Procrastinate's tables, reached in plain SQL.

A job is only a hint. It is left in the transaction that gives a run something to do; if one is lost, the sweep
leaves another. Names the queues for the worker in `graph/engine/worker.py`; imports nothing of Procrastinate
before its tables are made.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

TASK = "ringi.move"
QUICK, SLOW = "ringi", "ringi-slow"
"""What follows a decision never waits for a place, so slow steps have a queue of their own."""

# One waiting job per run and queue. It is no lock of the run: a job that is being worked on does not count.
_DEFER = sa.text("""
SELECT procrastinate_defer_jobs_v1(array_agg(
    ROW(:queue, :task, 0, NULL, :key || run, jsonb_build_object('run_id', run), NULL)
    ::procrastinate_job_to_defer_v1))
FROM unnest(CAST(:runs AS text[])) AS run
WHERE NOT EXISTS (
    SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' AND queueing_lock = :key || run)
HAVING count(*) > 0
""")
# An advisory lock shows as two halves of its key.
_FORGOTTEN = sa.text("""
SELECT run FROM unnest(CAST(:runs AS text[])) AS run
WHERE hashtextextended(run, 0) NOT IN (
    SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
AND NOT EXISTS (
    SELECT 1 FROM procrastinate_jobs WHERE status = 'todo' AND queueing_lock IN (:quick || run, :slow || run))
""")
_SWEEPING = sa.text("SELECT pg_try_advisory_xact_lock(hashtextextended('ringi:sweep', 0))")


async def defer(connection: AsyncConnection, run_id: str, slow: bool) -> None:  # noqa: FBT001 - the shape of `Defer`
    """Leave a job that moves a run, unless one waits already; in the caller's transaction."""
    await _defer(connection, [run_id], SLOW if slow else QUICK)


async def defer_forgotten(database: AsyncEngine, run_ids: Collection[str]) -> None:
    """Leave jobs for those of these runs that no process holds and no job waits for.

    Their jobs were lost, or whoever moved them is gone.
    """
    if not run_ids:
        return
    async with database.begin() as connection:
        if not (await connection.execute(_SWEEPING)).scalar_one():
            return
        if left := await forgotten(connection, run_ids):
            await _defer(connection, left, QUICK)


async def forgotten(connection: AsyncConnection, run_ids: Collection[str]) -> list[str]:
    """Return those of these runs that no process holds and no job waits for, in the order given."""
    which = {"runs": list(run_ids), "quick": f"{QUICK}:", "slow": f"{SLOW}:"}
    found = set((await connection.execute(_FORGOTTEN, which)).scalars())
    return [run_id for run_id in run_ids if run_id in found]


async def _defer(connection: AsyncConnection, run_ids: list[str], queue: str) -> None:
    given = {"queue": queue, "key": f"{queue}:", "task": TASK, "runs": run_ids}
    try:
        async with connection.begin_nested():
            await connection.execute(_DEFER, given)
    except IntegrityError:
        return  # someone left the same job in this moment; what else there was is left by the next sweep


async def make_tables(connection: AsyncConnection) -> None:
    """Create Procrastinate's tables, or bring them to the version that is installed; in the caller's transaction.

    Procrastinate keeps no note of what was applied, so the name of its newest migration stands as a comment.
    Source: https://procrastinate.readthedocs.io/en/stable/howto/production/migrations.html
    """
    from procrastinate.schema import SchemaManager

    migrations = _migrations(Path(SchemaManager.get_migrations_path()))
    newest = max(migrations)
    note = sa.text("SELECT obj_description(to_regclass('procrastinate_jobs'), 'pg_class')")
    there = (await connection.execute(sa.text("SELECT to_regclass('procrastinate_jobs')"))).scalar_one()
    applied = (await connection.execute(note)).scalar_one() if there else None
    raw = (await connection.get_raw_connection()).driver_connection
    if raw is None or applied == newest:
        return
    if there is None:
        await raw.execute(SchemaManager.get_schema(), prepare=False)
    else:
        for name, statements in sorted(migrations.items()):
            if applied is not None and name > applied:
                await raw.execute(statements, prepare=False)
    await raw.execute(f"COMMENT ON TABLE procrastinate_jobs IS '{newest}'")


def _migrations(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.glob("*.sql")}
