"""Which runs to move, and what a run needs next.

`advance` is level-triggered: it looks at the thread and the tables and does the next thing, as long as there is
one. A command, a click, a timer and a restart are the same call; calling it too often changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graph.approval import ENDED, Answer, Decision, Failure, Progress, Run
from graph.engine import orders, projection
from graph.engine.places import Places
from graph.engine.reports import Reporter
from graph.engine.thread import Look, Thread
from graph.errors import RingiError
from graph.intake import Intake
from graph.settings import Settings
from graph.store import Store
from graph.store.checkpoints import Threads
from graph.workflow import Claude, Context, Workflow

log = logging.getLogger(__name__)

RECORD_PAUSES = (5.0, 60.0, 300.0, 1800.0)
"""Seconds until the step after a decision is tried again by itself, one number a try."""
_WORDS_AT_MOST = 500
_DRAIN_SECONDS = 15.0

Act = Callable[[Context], Awaitable[None]]


@dataclass(slots=True)
class _Work:
    """A call of LangGraph under way."""

    task: asyncio.Task[None]
    slow: bool
    ended_by_us: bool = False

    def end(self) -> None:
        """End it; its child processes end with it."""
        self.ended_by_us = True
        self.task.cancel()


@dataclass(slots=True)
class _Moving:
    """A run that is being moved by this process."""

    task: asyncio.Task[None] | None = None
    again: bool = False
    trouble: Exception | None = field(default=None)


class Engine:
    """What moves runs; one per database.

    Attributes:
        store: the tables.
        intake: the acts of people on them.
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
        self._settings = settings
        self._claude = claude
        self._threads = threads
        self._workflow = workflow
        self._pauses = pauses
        self._places = Places(settings.runs_at_once)
        self._moving: dict[str, _Moving] = {}
        self._work: dict[str, _Work] = {}
        self._unpostable: dict[str, str] = {}
        self._aside: set[asyncio.Task[None]] = set()
        self._alarm: asyncio.TimerHandle | None = None
        self._closing = False

    # Which runs to move

    def wake(self, run_id: str | None = None) -> None:
        """See soon whether a run, or any run, has something to do. Never raises, never blocks."""
        if self._closing:
            return
        if run_id is None:
            self._beside(self.sweep())
        elif run_id in self._moving:
            self._moving[run_id].again = True
            self._beside(self._end_if_ordered(run_id))
        else:
            moving = self._moving[run_id] = _Moving()
            moving.task = asyncio.create_task(self._move(run_id, moving), name=f"run {run_id}")

    async def sweep(self) -> None:
        """Wake every run that has something to do, and set the alarm for the next that will."""
        run_ids, next_at = await self.store.to_do()
        for run_id in run_ids:
            # One under way sees for itself what comes next; only an order has to reach into it.
            if run_id in self._moving:
                await self._end_if_ordered(run_id)
            else:
                self.wake(run_id)
        self._set_alarm(next_at)

    async def settled(self, run_id: str) -> Run:
        """Move a run and return it once it waits for people or has ended.

        Raises:
            Exception: what kept this process from moving it (the database, not a step: those end in `failed`).
        """
        while True:
            run = await self.store.run(run_id)
            moving = self._moving.get(run_id)
            if moving is None and (run.state in ENDED or run.state == "waiting"):
                return run
            if moving is None:
                self.wake(run_id)
                moving = self._moving.get(run_id)
            if moving is None or moving.task is None:
                return run
            await asyncio.wait({moving.task})
            if moving.trouble is not None:
                raise moving.trouble
            if run.retry_at is not None:
                await asyncio.sleep(0.05)

    async def cannot_post(self, run_id: str, words: str) -> Run:
        """End a run whose first message has no place, before it drafts anything; return it as it is then.

        A run that is past drafting is left alone. A retry starts it over once the place can be posted in.
        """
        self._unpostable[run_id] = words[:_WORDS_AT_MOST]
        self.wake(run_id)
        return await self.settled(run_id)

    async def close(self) -> None:
        """Come to rest: slow steps are ended (they go on at the next start), quick ones may finish."""
        self._closing = True
        if self._alarm is not None:
            self._alarm.cancel()
        for work in self._work.values():
            if work.slow:
                work.end()
        tasks = {moving.task for moving in self._moving.values() if moving.task} | self._aside
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_DRAIN_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _beside(self, coroutine: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await coroutine
            except Exception as error:  # noqa: BLE001 - `wake` never raises; the next sweep tries again
                _log_error("look for work failed", error)

        task = asyncio.create_task(guarded())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _move(self, run_id: str, moving: _Moving) -> None:
        try:
            while True:
                moving.again = False
                await self.advance(run_id)
                if not moving.again:
                    return
        except Exception as error:  # noqa: BLE001 - `settled` raises it, the next sweep tries again
            moving.trouble = error
            _log_error("run not moved", error, run=run_id)
        finally:
            del self._moving[run_id]

    async def _end_if_ordered(self, run_id: str) -> None:
        """End the slow step at work if someone cancelled or stopped the run."""
        work = self._work.get(run_id)
        if work is None or not work.slow:
            return
        if run_id in self._unpostable or orders.ends_child(await self.store.orders(run_id)):
            work.end()

    def _set_alarm(self, at: datetime | None) -> None:
        if at is None or self._closing:
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + max(0.0, (at - self.store.now()).total_seconds())
        if (
            self._alarm is not None
            and not self._alarm.cancelled()
            and loop.time() < self._alarm.when() <= when
        ):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = loop.call_at(when, self.wake)

    # What a run needs next

    async def advance(self, run_id: str) -> None:
        """Move a run as far as it goes: until it waits for people, for a time, or has ended."""
        async with self._threads.own(run_id) as saver:
            run = await self.store.run(run_id)
            workflow = self._workflow(run.workflow)
            thread = Thread(workflow, run_id, saver, self._settings.claude_parallel)
            while await self._next(run, workflow, thread):
                run = await self.store.run(run_id)

    async def _next(self, run: Run, workflow: Workflow, thread: Thread) -> bool:
        """Do the next thing; tell whether there may be another."""
        now = self.store.now()
        ordered = [order for order in await self.store.orders(run.id) if order.due <= now]
        if ordered:
            return await self._obey(ordered[0], run, workflow, thread)
        if run.state in ENDED:
            return False
        if run.retry_at is not None and run.retry_at > now:
            self._set_alarm(run.retry_at)
            return False
        words = self._unpostable.pop(run.id, None)
        if words is not None and run.state in {"queued", "running"}:
            await projection.failed(self.store, run, Failure(kind="cannot-post", step="", words=words), {})
            return False
        look = await thread.look()
        if look.finished:
            result = workflow.result(look.values)
            await projection.ended(self.store, run, result, workflow.counts(look.values))
            return False
        if look.begun and run.version != workflow.version:
            return await self._outdated(run, workflow, look)
        decided = await self.store.decided_interrupts(run.id)
        act, slow = await self._act(run, workflow, thread, look, decided)
        if act is None:
            return not await projection.waiting(self.store, run, look.asked, workflow.counts(look.values))
        if slow and self._closing:
            return False
        try:
            return await self._do(run, act, slow=slow)
        except Exception as error:  # noqa: BLE001 - whatever a step raises, the run is what has failed
            return await self._failed(run, workflow, thread, error)

    async def _act(
        self,
        run: Run,
        workflow: Workflow,
        thread: Thread,
        look: Look,
        decided: dict[str, tuple[Decision, int]],
    ) -> tuple[Act | None, bool]:
        """Return what to do with the thread and whether that may be slow; None = people are to be asked."""
        if not look.begun:
            return await self._beginning(run, workflow, thread), True
        if look.asked:
            answers = {one: _answer(*decided[one]) for one in look.asked if one in decided}
            if not answers:
                return None, False
            slow = any(answer["kind"] == "send_back" for answer in answers.values())
            return (lambda context: thread.resume(answers, context)), slow
        return thread.go_on, not _ends(run, decided) or bool(workflow.slow & set(look.steps))

    async def _beginning(self, run: Run, workflow: Workflow, thread: Thread) -> Act:
        """Return how a run starts: from its input, or from what the run before it had finished."""
        seed = await self._seed(run, workflow) if run.continues else None
        if seed is None:
            return lambda context: thread.begin(run.input, context)

        async def carry_on(context: Context) -> None:
            await thread.write(*seed, mark="continued")
            await thread.go_on(context)

        return carry_on

    async def _seed(self, run: Run, workflow: Workflow) -> tuple[dict[str, Any], str] | None:
        old = await self.store.run(run.continues or "")
        if old.version != workflow.version:
            return None
        async with self._threads.peek() as saver:
            look = await Thread(workflow, old.id, saver, 1).look()
        return workflow.seed(look.values) if look.begun else None

    async def _do(self, run: Run, act: Act, *, slow: bool) -> bool:
        """Call LangGraph; tell whether to look again. What a step raises comes out here."""
        reporter = Reporter(self.store, run.id)
        context = Context(run=run, settings=self._settings, claude=self._claude, report=reporter)

        async def in_place() -> None:
            if not slow:
                return await act(context)
            async with self._places.one(
                lambda ahead: reporter(Progress(step="queue", counts={"ahead": ahead}))
            ):
                if run.state == "queued":
                    await projection.at_work(self.store, run.id)
                return await act(context)

        work = self._work[run.id] = _Work(asyncio.create_task(in_place()), slow)
        try:
            await asyncio.wait({work.task})
        finally:
            if not work.task.done():  # this task was cancelled: so is what it waited for
                work.task.cancel()
                await asyncio.gather(work.task, return_exceptions=True)
            del self._work[run.id]
            await reporter.close(last=work.ended_by_us)
        if work.task.cancelled():
            if not work.ended_by_us:
                raise RingiError("A step was cancelled from inside.")
            return not self._closing
        work.task.result()
        return True

    async def _obey(self, order: Any, run: Run, workflow: Workflow, thread: Thread) -> bool:
        if order.kind == "retry":
            going_on = await orders.obey(self.store, self.intake, order, run)
            if going_on is not None and going_on != run.id:
                self.wake(going_on)
        else:
            await orders.end(self.store, order, run, workflow, thread)
        return True

    async def _failed(self, run: Run, workflow: Workflow, thread: Thread, error: Exception) -> bool:
        """Note an exception; tell whether to look again."""
        reference = secrets.token_hex(4)
        look = await thread.look()
        step = look.failed or next(iter(look.steps), "")
        _log_error("step failed", error, run=run.id, step=step, reference=reference)
        decided = await self.store.decided_interrupts(run.id)
        final = _ends(run, decided) and step not in workflow.slow
        if final and not isinstance(error, RingiError):
            at = await projection.postponed(self.store, run, step, self._pauses)
            if at is not None:
                self._set_alarm(at)
                return False
        words = str(error) if isinstance(error, RingiError) else f"{type(error).__name__}: {error}"
        failure = Failure(kind="exception", step=step, words=words[:_WORDS_AT_MOST], reference=reference)
        counts = workflow.counts(look.values) if look.begun else {}
        await projection.failed(self.store, run, failure, counts)
        return False

    async def _outdated(self, run: Run, workflow: Workflow, look: Look) -> bool:
        """End a run that this version of its workflow cannot carry on."""
        words = f"{run.workflow} {run.version} began this run; this is {workflow.version}, which cannot carry it on."
        failure = Failure(kind="exception", step=next(iter(look.steps), ""), words=words)
        await projection.failed(self.store, run, failure, {}, retry_offered=False)
        return False


def _ends(run: Run, decided: dict[str, tuple[Decision, int]]) -> bool:
    """Tell whether a decision that ends the run stands, or someone withdrew it while a revision was drafted."""
    last = next(reversed(decided.values()), None)
    return run.ended_by is not None or (last is not None and last[0].kind != "send_back")


def _answer(decision: Decision, revision: int) -> dict[str, Any]:
    """Return what the thread is resumed with."""
    return Answer(
        kind=decision.kind,
        reason=decision.reason,
        person=decision.person,
        revision=revision,
        at=decision.at,
        items=decision.items,
    ).model_dump(mode="json")


def _log_error(message: str, error: BaseException, **extra: Any) -> None:
    """Log where an error came from, not what it says: that may quote notes or reasons."""
    where = [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    log.error(message, extra={"error": type(error).__name__, "where": where[-8:], **extra})
