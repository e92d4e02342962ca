"""Forgetting: ended runs that are old enough go with all that belongs to them, and the disk gets their space back."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

from graph.store import Store
from graph.store.checkpoints import Threads

log = logging.getLogger(__name__)

EVERY_SECONDS = 3_600.0
_AT_ONCE = 100


async def forget(store: Store, threads: Threads, before: datetime) -> int:
    """Forget the runs that ended before a time; return how many.

    First the thread, then the rows: cut off between, the rows are there still, and the next time finds them. A run
    at a time, so that nobody waits for it.
    """
    gone: set[str] = set()
    while run_ids := [run_id for run_id in await store.forgettable(before, _AT_ONCE) if run_id not in gone]:
        for run_id in run_ids:
            gone.add(run_id)
            async with threads.own(run_id) as held:
                if held is None:
                    continue
                await held.saver.adelete_thread(run_id)
                async with store.under(held.fence).write() as write:
                    await write.forget(run_id, before)
    if gone:
        await store.shrink()
        log.info("old runs forgotten", extra={"count": len(gone)})
    return len(gone)


async def regularly(store: Store, threads: Threads, days: int) -> None:
    """Forget now and each hour, for ever: what had to stay, for Slack did not show its end yet, goes the next time."""
    while True:
        try:
            await forget(store, threads, store.now() - timedelta(days=days))
        except Exception as error:  # noqa: BLE001 - the next hour may be better
            log.warning("old runs not forgotten", extra={"error": type(error).__name__})
        await asyncio.sleep(EVERY_SECONDS)
