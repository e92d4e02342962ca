"""From a SQLite file to PostgreSQL: every row and every checkpoint, in one transaction. Imports LangGraph."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from graph.errors import DatabaseNotEmpty, StoreError
from graph.store.checkpoints import OneProcess, PackedPlainJson, open_threads
from graph.store.postgres_threads import WholePostgresWrites
from graph.store.tables import metadata, runs

_AT_ONCE = 500
_CHECKPOINTS = {"checkpoints": "checkpoints", "writes": "checkpoint_writes"}
"""LangGraph's tables: what each is called in the file, and there."""
_WRITES = (
    "SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value "
    "FROM writes ORDER BY thread_id, checkpoint_ns, checkpoint_id, task_id, idx"
)
_INTO_WRITES = (
    "INSERT INTO checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)


async def copy(path: Path, source: AsyncEngine, target: AsyncEngine, where: str) -> dict[str, int]:
    """Copy everything; return how many rows of each table there are now. All or nothing.

    Args:
        path: of the file; its process lock is held.
        source: the file.
        target: the other database, with all tables made.
        where: the target's address as it may be shown.

    Raises:
        DatabaseNotEmpty: the target has runs.
        StoreError: the counts do not agree afterwards; nothing was copied then.
    """
    async with (
        open_threads(path, asyncio.Lock()) as threads,
        source.connect() as old,
        target.begin() as new,
    ):
        if (await new.execute(sa.select(runs.c.id).limit(1))).first() is not None:
            raise DatabaseNotEmpty(where, f"There are runs in {where} already; name an empty database.")
        for table in metadata.sorted_tables:
            await _copy_table(table, old, new)
        await _copy_threads(threads, old, new)
        counts = {table.name: table.name for table in metadata.sorted_tables} | _CHECKPOINTS
        return {there: await _agree(old, here, new, there, where) for here, there in counts.items()}


async def _copy_table(table: sa.Table, old: AsyncConnection, new: AsyncConnection) -> None:
    # In the order they came up: a run that continues another comes after it.
    order = [table.c.created] if "created" in table.c else []
    rows = await old.stream(sa.select(table).order_by(*order, *table.primary_key))
    async for some in rows.mappings().partitions(_AT_ONCE):
        await new.execute(sa.insert(table), [dict(row) for row in some])
    number = table.autoincrement_column
    if number is not None and isinstance(number.type, sa.Integer):
        sequence = sa.func.pg_get_serial_sequence(table.name, number.name)
        highest = sa.select(sa.func.max(number)).scalar_subquery()
        await new.execute(
            sa.select(sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None)))
        )


async def _copy_threads(threads: OneProcess, old: AsyncConnection, new: AsyncConnection) -> None:
    """Copy checkpoints through LangGraph's savers, which lay them out differently, and writes as they are."""
    driver: psycopg.AsyncConnection[Any] | None = (await new.get_raw_connection()).driver_connection
    if driver is None:
        return
    there = WholePostgresWrites(driver, serde=PackedPlainJson())
    async for found in _checkpoints(threads):
        place = {name: found.config["configurable"][name] for name in ("thread_id", "checkpoint_ns")}
        if found.parent_config is not None:
            place["checkpoint_id"] = found.parent_config["configurable"]["checkpoint_id"]
        versions = found.checkpoint["channel_versions"]
        await there.aput({"configurable": place}, found.checkpoint, found.metadata, versions)
    rows = await old.stream(sa.text(_WRITES))
    async for some in rows.partitions(_AT_ONCE):
        async with driver.cursor() as cursor:
            await cursor.executemany(_INTO_WRITES, [tuple(row) for row in some])


async def _checkpoints(threads: OneProcess) -> AsyncIterator[Any]:
    async with threads.own("copy") as held:
        async for found in held.saver.alist(None):
            yield found


async def _agree(old: AsyncConnection, here: str, new: AsyncConnection, there: str, where: str) -> int:
    before = (await old.execute(sa.select(sa.func.count()).select_from(sa.table(here)))).scalar_one()
    after = (await new.execute(sa.select(sa.func.count()).select_from(sa.table(there)))).scalar_one()
    if before != after:
        raise StoreError(where, f"{there}: {before} rows were read, {after} arrived. Nothing was copied.")
    return int(after)
