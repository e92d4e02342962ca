"""Which runs to move, and when. What one of them needs next is `course.py`'s matter.

A command, a click, a timer and a restart are the same call; calling it too often changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from graph.approval import ENDED, Run
from graph.engine import retention
from graph.engine.course import Course, Parts, log_error
from graph.engine.faults import WORDS_AT_MOST
from graph.engine.places import Places
from graph.engine.thread import Graphs
from graph.intake import Intake
from graph.settings import Settings
from graph.store import Store
from graph.store.checkpoints import Threads
from graph.store.idle import idle
from graph.workflow import Claude, Workflow

log = logging.getLogger(__name__)

RECORD_PAUSES = (5.0, 60.0, 300.0, 1800.0)
"""Seconds until the step after a decision is tried again by itself, one number a try."""
WATCH_SECONDS = 1.0
SWEEP_SECONDS = 30.0
_DRAIN_SECONDS = 15.0
_REST_SECONDS = (5.0, 60.0, 300.0, 1800.0)
"""Seconds a run rests after the database failed it, one number a time: what a step did is lost then, and a step
that asked Claude would ask, and pay, again."""


class Jobs(Protocol):
    """What carries "move this run" between processes."""

    async def leave(self, run_ids: Sequence[str]) -> None:
        """Leave a job for each of these runs that no process holds and no job waits for."""
        ...

    async def leave_slow(self, run_id: str) -> None:
        """Leave a job for the slow step that a run needs next."""
        ...

    async def clean(self) -> None:
        """Take away the jobs of processes that are gone."""
        ...


@dataclass(slots=True)
class _Moving:
    """A run that this process is moving, or tries to.

    Attributes:
        slow: also through slow steps; else it is left to a job for them.
        elsewhere: another process holds it.
    """

    slow: bool
    task: asyncio.Task[None] | None = None
    again: bool = False
    elsewhere: bool = False
    trouble: Exception | None = None


class Engine:
    """What moves runs: one per database, or any number where the database takes jobs.

    Attributes:
        jobs: carries runs between processes. None = this process moves what it wakes itself.
        store: the tables.
        intake: the acts of people on them.
        settings: of the run; what reads a workflow's input needs them too.
    """

    def __init__(  # noqa: PLR0913 - the parts it is put together from, once, in runtime.py
        self,
        store: Store,
        intake: Intake,
        settings: Settings,
        *,
        claude: Claude,
        threads: Threads,
        workflow: Callable[[str], Workflow],
        pauses: Sequence[float] = RECORD_PAUSES,
    ) -> None:
        self.store = store
        self.intake = intake
        self.settings = settings
        self._threads = threads
        self._workflow = workflow
        self._closing = asyncio.Event()
        self._parts = Parts(
            store=store,
            intake=intake,
            settings=settings,
            claude=claude,
            graphs=Graphs(),
            places=Places(settings.runs_at_once),
            pauses=pauses,
            closing=self._closing,
            wake=self.wake,
        )
        self.jobs: Jobs | None = None
        self._moving: dict[str, _Moving] = {}
        self._courses: dict[str, Course] = {}
        self._aside: set[asyncio.Task[None]] = set()
        self._alarms: dict[str | None, asyncio.TimerHandle] = {}
        self._resting: dict[str, tuple[int, float]] = {}
        self._idle: set[str] = set()

    def wake(self, run_id: str | None = None) -> None:
        """See soon whether a run, or any run, has something to do. Never raises, never blocks."""
        if self._closing.is_set():
            return
        if run_id is None:
            self._beside(self.sweep())
        elif run_id in self._moving:
            self._moving[run_id].again = True
            self._beside(self._reach_into(run_id))
        elif self.jobs is None:
            self._begin(run_id, slow=True)
        else:
            self._beside(self._go_on_here(run_id))

    async def _go_on_here(self, run_id: str) -> None:
        """Carry a decision out in the process that took it, sooner than the job that was left with it gets round.

        Whoever comes second finds the run held, or nothing left to do. What is slow is shared out by jobs alone.
        """
        run = await self.store.run(run_id)
        if run.state == "resuming" and run_id not in self._moving and not self._closing.is_set():
            self._begin(run_id, slow=False)

    async def carry(self, run_id: str, *, slow: bool) -> None:
        """Move a run because a job says so; returns when it moves no further here."""
        if self._closing.is_set():
            return
        moving = self._moving.get(run_id)
        if moving is None:
            moving = self._begin(run_id, slow=slow)
        else:
            moving.again, moving.slow = True, moving.slow or slow
            await self._reach_into(run_id)
        if moving.task is not None:
            await asyncio.wait({moving.task})

    async def sweep(self) -> None:
        """Wake every run that has something to do, and set the alarm for the next that will."""
        run_ids, next_at = await self.store.to_do()
        # One under way sees for itself what comes next; only what ends it has to reach into it.
        await self._reach_into(*run_ids)
        others = [one for one in run_ids if one not in self._moving and not self._rests(one)]
        if self.jobs is not None:
            await self.jobs.leave(others)
        else:
            for run_id in others:
                self.wake(run_id)
        self._set_alarm(None, next_at)

    async def watch(self, changed: Callable[[], None] = lambda: None) -> None:
        """Notice for ever what other processes write, and what a lost wake left behind.

        Args:
            changed: called when rows may have changed; must not block.
        """
        loop = asyncio.get_running_loop()
        swept = loop.time()
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                late = loop.time() - swept > SWEEP_SECONDS
                if late:
                    await self._compare()
                if late and self.jobs is not None:
                    await self.jobs.clean()
                news = await self.store.changed()
                if news:
                    changed()
                if news or late:
                    await self.sweep()
                if late:
                    swept = loop.time()
            except Exception as error:  # noqa: BLE001 - the next look may succeed
                log_error("watch failed", error)

    async def idle(self) -> list[Run]:
        """Return the runs that have something to do while nobody does it, oldest first."""
        return await idle(self.store, self._moving.__contains__)

    async def _compare(self) -> None:
        """Log what the rows say goes on while nobody works on it, once each; the sweep that follows repairs it."""
        before, self._idle = self._idle, {run.id for run in await self.idle()}
        for run_id in self._idle - before:
            log.warning("nobody works on it", extra={"run": run_id})

    async def forget(self, before: datetime) -> int:
        """Forget the runs that ended before a time, with all that belongs to them but their records."""
        return await retention.forget(self.store, self._threads, before)

    async def forget_regularly(self, days: int) -> None:
        """Forget, now and again and again, what ended so many days ago; in one process at a time."""
        await self.alone("forget", lambda: retention.regularly(self.store, self._threads, days))

    async def alone(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do work that only one process of this database does at a time; see `Threads.alone`."""
        await self._threads.alone(name, work)

    def moves(self, run_id: str) -> bool:
        """Tell whether this process holds a run."""
        return run_id in self._courses

    async def advance(self, run_id: str, *, slow: bool = True) -> bool:
        """Move a run as far as it goes: until it waits for people, for a time, or has ended.

        Args:
            run_id: full id.
            slow: also through slow steps; else they are left to a job for them.

        Returns:
            Whether this process could: False if another one holds the run.
        """
        async with self._threads.own(run_id) as held:
            if held is None:
                return False
            course = self._courses[run_id] = Course(run_id, self._parts, self._workflow, held, slow=slow)
            try:
                await course.go()
            finally:
                del self._courses[run_id]
        self._set_alarm(run_id, course.again_at)
        if self.jobs is not None:
            await self._after_letting_go(run_id, course)
        return True

    async def _after_letting_go(self, run_id: str, course: Course) -> None:
        """Look once more: whoever wanted the run while it was held here has given way, and relies on it."""
        if course.left_slow and self.jobs is not None:
            await self.jobs.leave_slow(run_id)
        elif run_id in self._moving and not self._closing.is_set() and await self.store.is_due(run_id):
            self._moving[run_id].again = True

    async def settled(self, run_id: str) -> Run:
        """Move a run and return it once it waits, for people or for new checks to be released, or has ended.

        Raises:
            Exception: what kept this process from moving it (the database, not a step: those end in `failed`).
        """
        while True:
            run = await self.store.run(run_id)
            moving = self._moving.get(run_id)
            if moving is None and (run.state in ENDED or run.state == "waiting"):
                return run
            if moving is None and run.on_hold and not await self.store.is_due(run_id):
                return run
            if moving is None and not self._closing.is_set():
                moving = self._begin(run_id, slow=True)
            if moving is None or moving.task is None:
                return run
            await asyncio.wait({moving.task})
            if moving.trouble is not None:
                raise moving.trouble
            if run.retry_at is not None or moving.elsewhere:
                await asyncio.sleep(0.1)

    async def cannot_post(self, run_id: str, words: str) -> Run:
        """End a run whose first message has no place, before it asks anyone; return it as it is then.

        A run that has asked already is left alone. A retry starts it over once there is a place.
        """
        run = await self.store.run(run_id)
        if run.state not in {"queued", "running"}:
            return run
        async with self.store.write() as write:
            await write.refuse_place(run_id, words[:WORDS_AT_MOST])
        self.wake(run_id)
        return await self.settled(run_id)

    async def close(self) -> None:
        """Come to rest: slow steps are ended (they go on at the next start), quick ones may finish."""
        self._closing.set()
        for alarm in self._alarms.values():
            alarm.cancel()
        for course in self._courses.values():
            course.end_slow_work()
        tasks = {moving.task for moving in self._moving.values() if moving.task} | self._aside
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_DRAIN_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _begin(self, run_id: str, *, slow: bool) -> _Moving:
        moving = self._moving[run_id] = _Moving(slow=slow)
        moving.task = asyncio.create_task(self._move(run_id, moving), name=f"run {run_id}")
        return moving

    async def _move(self, run_id: str, moving: _Moving) -> None:
        try:
            while True:
                moving.again = False
                moving.elsewhere = not await self.advance(run_id, slow=moving.slow)
                self._resting.pop(run_id, None)
                if not moving.again or moving.elsewhere:
                    return
        except Exception as error:  # noqa: BLE001 - raised by `settled`; a later sweep tries again
            moving.trouble = error
            log_error("run not moved", error, run=run_id)
            self._let_rest(run_id)
        finally:
            del self._moving[run_id]

    def _let_rest(self, run_id: str) -> None:
        """Leave a run alone for a while, unless someone asks for it."""
        loop = asyncio.get_running_loop()
        times = self._resting.get(run_id, (0, 0.0))[0]
        pause = _REST_SECONDS[min(times, len(_REST_SECONDS) - 1)]
        self._resting[run_id] = times + 1, loop.time() + pause
        if not self._closing.is_set():
            loop.call_later(pause, self.wake, run_id if self.jobs is None else None)

    def _rests(self, run_id: str) -> bool:
        return asyncio.get_running_loop().time() < self._resting.get(run_id, (0, 0.0))[1]

    async def _reach_into(self, *run_ids: str) -> None:
        """End the slow steps at work of runs that someone ended, that have no place to be shown, or are held no more."""
        slow = {one: course for one in run_ids if (course := self._courses.get(one)) and course.works_slowly}
        told = await self.store.told_to_end(slow) if slow else set()
        for run_id, course in slow.items():
            if run_id in told or not await course.still_held():
                course.end_slow_work()

    def _beside(self, coroutine: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await coroutine
            except Exception as error:  # noqa: BLE001 - a wake never raises; the next sweep tries again
                log_error("look for work failed", error)

        task = asyncio.create_task(guarded())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    def _set_alarm(self, run_id: str | None, at: datetime | None) -> None:
        """Look at a run, or for any work, at this time; the newest word on it counts."""
        if (earlier := self._alarms.pop(run_id, None)) is not None:
            earlier.cancel()
        if at is not None and not self._closing.is_set():
            pause = max(0.0, (at - self.store.now()).total_seconds())
            whom = run_id if self.jobs is None else None  # a sweep leaves the job
            self._alarms[run_id] = asyncio.get_running_loop().call_later(pause, self.wake, whom)
