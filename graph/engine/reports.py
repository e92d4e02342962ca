"""Progress of a step, from its many small reports to at most one row write a second."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from graph.approval import HOLD, Progress
from graph.store import Store
from graph.store.rows import plain

log = logging.getLogger(__name__)


class Reporter:
    """What a step calls to say how far it is: cheap, from any thread, as often as it likes.

    The newest report wins; reports that come faster than `every` seconds are left out.

    Attributes:
        said: the newest report of the step itself, whoever else reported since.
    """

    def __init__(self, store: Store, run_id: str, every: float = 1.0) -> None:
        self._store = store
        self._run_id = run_id
        self._every = every
        self._loop = asyncio.get_running_loop()
        self._latest: Progress | None = None
        self._written = self._loop.time() - every
        self._on_hold = False
        self.said: Progress | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, progress: Progress) -> None:
        """Say how far the step is."""
        self._latest = progress
        if progress.step != HOLD:
            self.said = progress
        with suppress(RuntimeError):  # a thread that outlived the loop has nobody left to tell
            self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if not self._closing.is_set() and (self._task is None or self._task.done()):
            self._task = self._loop.create_task(self._write())

    async def _write(self) -> None:
        while self._latest is not None:
            pause = self._written + self._every - self._loop.time()
            if pause > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), pause)
            if self._closing.is_set():
                return
            progress, self._latest = self._latest, None
            try:
                async with self._store.write() as write:
                    await write.set_progress(self._run_id, plain(progress))
                    if self._on_hold or progress.step == HOLD:  # cards say so too
                        await write.bump(self._run_id)
                self._on_hold = progress.step == HOLD
            except Exception as error:  # noqa: BLE001 - progress is a courtesy; the step must not die of it
                log.warning(
                    "progress not written", extra={"run": self._run_id, "error": type(error).__name__}
                )
            self._written = self._loop.time()

    async def close(self, *, last: bool = False) -> None:
        """Write nothing more, or only the newest report; a write under way is finished."""
        newest = self._latest
        self._closing.set()
        if self._task is not None:
            await self._task
        if last and newest is not None and self._latest is not None:
            async with self._store.write() as write:
                await write.set_progress(self._run_id, plain(newest))
