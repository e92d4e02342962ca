"""Two truths about running, compared: what the rows say goes on now, and what somebody works on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from graph.approval import Run
from graph.store import jobs
from graph.store.store import Store

PATIENCE = timedelta(seconds=90)
"""Longer than a sweep needs: a row is there a moment before somebody comes for it."""


async def idle(store: Store, moves: Callable[[str], bool]) -> list[Run]:
    """Return the runs that have something to do while nobody does it, oldest first. The next sweep goes on with them.

    Args:
        store: the tables. Where processes share them, the locks that runs are moved under are looked at too.
        moves: tells of a run whether this process, or one that cannot be looked into, moves it.
    """
    run_ids, _ = await store.to_do()
    left = [run_id for run_id in run_ids if not moves(run_id)]
    database = store._database  # noqa: SLF001 - a part of the store, in a file of its own
    if left and database.dialect.name == "postgresql":
        async with database.connect() as connection:
            left = await jobs.forgotten(connection, left)
    found = await store.whole(left, brief=True) if left else {}
    since = store.now() - PATIENCE
    return [found[run_id].run for run_id in left if run_id in found and found[run_id].run.changed < since]
