"""Procrastinate: carries "move this run" between any number of processes on one PostgreSQL database.

It only says that a run may have something to do; the run's lock and the tables judge, and the sweep repairs what
gets lost. So a job is never retried, never failed and never kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

import procrastinate
from procrastinate.jobs import DeleteJobCondition, Status
from sqlalchemy.ext.asyncio import AsyncEngine

from graph.store import jobs
from graph.store.postgres import conninfo

log = logging.getLogger(__name__)
QUICK_AT_ONCE = 4
STALLED_SECONDS = 30.0
_AGAIN_SECONDS = 2.0
# A job that is left in the very moment a worker finds none is announced to nobody; it waits for the next look.
_POLL_SECONDS = 1.0


class Move(Protocol):
    """Move a run as far as it goes here; never raises."""

    async def __call__(self, run_id: str, *, slow: bool) -> None:
        """Also through slow steps, or only up to the next one."""
        ...


class Worker:
    """The jobs of one database, left and carried out.

    Args:
        database: its address.
        tables: the same, as a pool.
        slow_at_once: how many runs may be at slow steps in this process.
    """

    def __init__(self, database: str, tables: AsyncEngine, slow_at_once: int) -> None:
        self._tables = tables
        self._slow_at_once = slow_at_once
        connector = procrastinate.PsycopgConnector(conninfo=conninfo(database), min_size=1, max_size=4)
        self._app = procrastinate.App(connector=connector)

    async def leave(self, run_ids: Sequence[str]) -> None:
        """Leave a job for each of these runs that no process holds and no job waits for."""
        await jobs.defer_forgotten(self._tables, run_ids)

    async def leave_slow(self, run_id: str) -> None:
        """Leave a job for the slow step that a run needs next."""
        async with self._tables.begin() as connection:
            await jobs.defer(connection, run_id, True)

    async def clean(self) -> None:
        """Take away the jobs of processes that are gone; what they were about, the sweep has seen to."""
        for job in await self._app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
            if job.id is not None and job.task_name == jobs.TASK:
                await self._app.job_manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=True)

    @asynccontextmanager
    async def working(self, move: Move) -> AsyncIterator[None]:
        """Carry out jobs for as long as the block lasts; at its end those under way are waited for."""

        @self._app.task(name=jobs.TASK, pass_context=True)
        async def moved(context: procrastinate.JobContext, run_id: str) -> None:
            await move(run_id, slow=context.job.queue == jobs.SLOW)

        async with self._app.open_async():
            tasks = [
                asyncio.create_task(self._work(jobs.QUICK, QUICK_AT_ONCE), name="quick jobs"),
                asyncio.create_task(self._work(jobs.SLOW, self._slow_at_once), name="slow jobs"),
            ]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, queue: str, at_once: int) -> None:
        """Carry out the jobs of a queue; begin anew when the connection to the database was lost."""
        while True:
            try:
                await self._app.run_worker_async(
                    queues=[queue],
                    concurrency=at_once,
                    fetch_job_polling_interval=_POLL_SECONDS,
                    stalled_worker_timeout=STALLED_SECONDS,
                    delete_jobs=DeleteJobCondition.ALWAYS,
                    install_signal_handlers=False,
                )
            except Exception as error:  # noqa: BLE001 - whatever it is, this process goes on working
                log.warning("worker stopped", extra={"queue": queue, "error": type(error).__name__})
            await asyncio.sleep(_AGAIN_SECONDS)
