"""What one run needs next. Level-triggered: look at the thread and the tables, do the next thing, look again."""

from __future__ import annotations

import asyncio
import logging
import secrets
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from graph.approval import ENDED, Decision, Failure, Order, Progress, Run
from graph.engine import faults, orders, projection
from graph.engine.hold import Holding
from graph.engine.places import Places
from graph.engine.reports import Reporter
from graph.engine.thread import Graphs, Look, Thread, answer_of, has_begun
from graph.errors import OtherVersion, RingiError, StoreError
from graph.intake import Intake
from graph.settings import Settings
from graph.store import Store
from graph.store.checkpoints import Held
from graph.versions import Find, known
from graph.workflow import Claude, Context, Workflow

log = logging.getLogger(__name__)
_One = TypeVar("_One")
_Other = TypeVar("_Other")

# The database is not the step's fault: the run stays as it is, and the next sweep goes on with it.
_OURS = (StoreError, SQLAlchemyError)
Act = Callable[[Context], Awaitable[None]]
Decided = dict[str, tuple[Decision, int]]


@dataclass(frozen=True, slots=True)
class Next:
    """The next thing to do with a thread.

    Attributes:
        slow: it may take long, so it needs a place and is ended when the program ends.
        launches: it begins work that a hold on new checks is meant to keep from beginning.
    """

    act: Act
    slow: bool = False
    launches: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """What every run is moved with.

    Attributes:
        graphs: of the workflows, shared by all runs.
        places: for slow work, shared by all runs.
        pauses: seconds until the step after a decision is tried again by itself, one number a try.
        closing: set once no slow step may begin any more.
        wake: see whether a run has something to do.
    """

    store: Store
    intake: Intake
    settings: Settings
    claude: Claude
    graphs: Graphs
    places: Places
    pauses: Sequence[float]
    closing: asyncio.Event
    wake: Callable[[str], None]


class Course:
    """One run, held by this process until it waits for people, for a time, or has ended.

    Attributes:
        again_at: when the run wants to be looked at again, if it waits for a time.
        left_slow: what comes next is slow, and was left to others.
    """

    def __init__(self, run_id: str, parts: Parts, workflow: Find, held: Held, *, slow: bool) -> None:
        self._run_id = run_id
        self._parts = parts
        self._store = parts.store.under(held.fence)
        self._find = workflow
        self._held = held
        self._slow = slow
        self._slow_work: asyncio.Task[None] | None = None
        self._ended_by_us = False
        self.again_at: datetime | None = None
        self.left_slow = False

    async def go(self) -> None:
        """Move the run as far as it goes.

        Raises:
            OtherVersion: another version of the program began it; it stays as it is. What waits is left in silence.
        """
        while True:
            # Side by side, for a decision waits for it; each is looked at anew after whatever is done.
            run, ordered = await _both(self._store.run(self._run_id), self._store.orders(self._run_id))
            try:
                workflow = await self._carrier(run)
            except OtherVersion:
                if run.state == "waiting" and not await self._wants(run, ordered):
                    return
                raise
            thread = self._thread(workflow, run.id)
            if await self._prepared(run, ordered, workflow, thread):
                continue
            if not await self._next(run, workflow, thread):
                return

    async def _wants(self, run: Run, ordered: Sequence[Order]) -> bool:
        """Tell whether a run that waits has something to do all the same: an order, or a deadline that has passed."""
        now = self._store.now()
        return any(order.is_due(now) for order in ordered) or await self._store.is_overdue(run.id)

    async def _carrier(self, run: Run) -> Workflow:
        """Return the workflow that began the run; one that has not begun is begun by the version that is here."""
        workflow = known(run, self._find)
        if workflow is not None and workflow.version != run.version and run.state not in ENDED:
            if await has_begun(self._held.saver, run.id):
                raise OtherVersion(run, workflow.version)
            await projection.begun_by(self._store, run.id, workflow.version)
            return workflow
        if workflow is None:
            raise OtherVersion(run, None)
        return workflow

    def end_slow_work(self) -> None:
        """End the slow step at work, if there is one; its child processes end with it."""
        if self._slow_work is not None:
            self._ended_by_us = True
            self._slow_work.cancel()

    @property
    def works_slowly(self) -> bool:
        """Tell whether a slow step is at work."""
        return self._slow_work is not None

    async def still_held(self) -> bool:
        """Tell whether this process holds the run still: a connection can be lost in the middle of a slow step."""
        return self._held.still is None or await self._held.still()

    def _thread(self, workflow: Workflow, run_id: str) -> Thread:
        parts = self._parts
        return Thread(workflow, run_id, self._held.saver, parts.settings.claude_parallel, parts.graphs)

    async def _prepared(self, run: Run, ordered: Sequence[Order], workflow: Workflow, thread: Thread) -> bool:
        """Do what comes before any step: orders of people, a time that is up, a place that cannot be posted in."""
        now = self._store.now()
        due = [order for order in ordered if order.is_due(now)]
        if due:
            await self._obey(due[0], run, workflow, thread)
            return True
        if run.state == "waiting" and await self._store.is_overdue(run.id):
            await projection.expired(self._store, run.id)
            return True
        refused = await self._store.refused_place(run.id) if run.state in {"queued", "running"} else None
        if refused is not None:
            failure = Failure(kind="cannot-post", step="", words=refused)
            await projection.failed(self._store, run, failure, {})
            return True
        return False

    async def _obey(self, order: Order, run: Run, workflow: Workflow, thread: Thread) -> None:
        if order.kind == "retry":
            going_on = await orders.retry(self._store, self._parts.intake, order, run)
            if going_on is not None and going_on.id != run.id:
                self._parts.wake(going_on.id)
        else:
            await orders.end(self._store, order, run, workflow, thread)

    async def _next(self, run: Run, workflow: Workflow, thread: Thread) -> bool:
        """Do the next thing; tell whether there may be another."""
        if run.state in ENDED:
            return False
        if run.waits_for_retry(self._store.now()):
            self.again_at = run.retry_at
            return False
        try:
            then = await self._what_next(run, workflow, thread)
            if then is None or (then.slow and self._parts.closing.is_set()) or await self._is_held(run, then):
                return False
            if then.slow and not self._slow:
                self.left_slow = True
                return False
            return await self._do(run, then)
        except _OURS:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a step raises, it is the run that has failed
            await self._failed(run, workflow, thread, error)
            return False

    async def _is_held(self, run: Run, then: Next) -> bool:
        """Tell whether the next thing waits for a release; the row says so then."""
        held = then.launches and await self._store.hold() is not None
        if held:
            await projection.held(self._store, run.id)
        elif run.on_hold:
            await projection.released(self._store, run.id)
        return held

    async def _what_next(self, run: Run, workflow: Workflow, thread: Thread) -> Next | None:
        """Return what to do with the thread; None = nothing, which is then in the rows."""
        look, decided = await _both(thread.look(), self._store.decided_interrupts(run.id))
        if await self._over(run, workflow, look):
            return None
        if not look.begun:
            return Next(await self._beginning(run, workflow, thread), slow=True, launches=True)
        if not look.asked:
            launches = bool(workflow.slow & set(look.steps))
            return Next(thread.go_on, launches or not _ends(run, decided), launches)
        answers = {
            one: answer_of(*decided[one]).model_dump(mode="json") for one in look.asked if one in decided
        }
        if answers:
            again = any(answer["kind"] == "send_back" for answer in answers.values())
            return Next(lambda context: thread.resume(answers, context), slow=again, launches=again)
        hours, counts = self._parts.settings.deadline_hours, workflow.counts(look.values)
        if await projection.waiting(self._store, run, look.asked, counts, hours=hours, brief=workflow.brief):
            return None
        return await self._what_next(run, workflow, thread)

    async def _over(self, run: Run, workflow: Workflow, look: Look) -> bool:
        """Note that the thread has ended.

        A row that waits has a question that nobody answered. If the thread has lost it (its node is gone from the
        graph), that is no end.
        """
        if look.finished and run.state == "waiting":
            log.error("question lost", extra={"run": run.id})
        elif look.finished:
            result = workflow.result(look.values)
            approved = workflow.approved(look.values) if workflow.approved else []
            await projection.ended(self._store, run, result, workflow.counts(look.values), approved)
        return look.finished

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
        old = await self._store.run(run.continues or "")
        if old.version != workflow.version:
            return None
        look = await self._thread(workflow, old.id).look()
        return workflow.seed(look.values) if look.begun else None

    async def _do(self, run: Run, then: Next) -> bool:
        """Call LangGraph; tell whether to look again. What a step raises comes out here."""
        reporter = Reporter(self._store, run.id)
        claude = Holding(self._parts.claude, self._store, reporter)
        context = Context(
            run=run, settings=self._parts.settings, claude=claude, report=reporter, memory=self._store
        )
        if not then.slow:
            try:
                await then.act(context)
            finally:
                await reporter.close()
            return True

        async def in_place() -> None:
            def wait(ahead: int) -> None:
                reporter(Progress(step="queue", counts={"ahead": ahead}))

            async with self._parts.places.one(wait):
                # Shielded: a transaction that is cancelled half-way costs its connection.
                if then.launches and await asyncio.shield(self._store.hold()) is not None:
                    return
                if run.state == "queued" or run.is_paused:
                    await asyncio.shield(projection.at_work(self._store, run.id))
                await then.act(context)

        task = self._slow_work = asyncio.create_task(in_place())
        self._ended_by_us = False
        try:
            await asyncio.wait({task})
        finally:
            self._slow_work = None
            if not task.done():  # this task was cancelled: so is what it waited for
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            await reporter.close(last=self._ended_by_us)
        if self._ended_by_us and (task.cancelled() or task.exception() is not None):
            if not self._parts.closing.is_set():
                return True
            await projection.paused(self._store, run.id)
            return False
        if task.cancelled():
            raise RingiError("A step was cancelled from inside.")
        task.result()
        return True

    async def _failed(self, run: Run, workflow: Workflow, thread: Thread, error: Exception) -> None:
        """Note an exception; the step after a decision is tried again a few times before the run has failed."""
        reference = secrets.token_hex(4)
        look = await thread.look()
        step = look.failed or next(iter(look.steps), "")
        log_error("step failed", error, run=run.id, step=step, reference=reference)
        final = _ends(run, await self._store.decided_interrupts(run.id)) and step not in workflow.slow
        if final and not isinstance(error, RingiError):
            self.again_at = await projection.postponed(self._store, run, step, self._parts.pauses)
            if self.again_at is not None:
                return
        counts = workflow.counts(look.values) if look.begun else {}
        await projection.failed(self._store, run, faults.failure(error, step, reference), counts)


def _ends(run: Run, decided: Decided) -> bool:
    """Tell whether a decision that ends the run stands, or someone withdrew it while a revision was drafted."""
    last = next(reversed(decided.values()), None)
    return run.ended_by is not None or (last is not None and last[0].kind != "send_back")


async def _both(one: Awaitable[_One], other: Awaitable[_Other]) -> tuple[_One, _Other]:
    """Await two reads at once; both have ended when this returns or raises, and none outlives its connection."""
    first, second = await asyncio.gather(one, other, return_exceptions=True)
    if isinstance(first, BaseException):
        raise first
    if isinstance(second, BaseException):
        raise second
    return first, second


def log_error(message: str, error: BaseException, **extra: Any) -> None:
    """Log where an error came from, not what it says: that may quote notes or reasons."""
    where = [
        f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    log.error(message, extra={"error": type(error).__name__, "where": where[-8:], **extra})
