"""Orders carried out: what another process, or a timer, told the one that owns the runs."""

from __future__ import annotations

import logging

from graph.approval import ENDED, Answer, Decision, Failure, Order, Run
from graph.engine import projection
from graph.engine.thread import Thread, answer_of
from graph.errors import Refused
from graph.intake import Intake
from graph.intake.voting import let_stand
from graph.store import Store
from graph.store.rows import plain
from graph.workflow import Workflow

log = logging.getLogger(__name__)
_WITHDRAWN = "withdrawn"


async def retry(store: Store, intake: Intake, order: Order, run: Run) -> Run | None:
    """Carry out a `retry` that is due and return the run that goes on; refused, it is done with all the same."""
    going_on = None
    try:
        going_on = await intake.retry(run.id, order.person)
    except Refused as refused:
        log.info("order refused", extra={"run": run.id, "order": order.kind, "error": type(refused).__name__})
    async with store.write() as write:
        await write.obeyed([order.id])
    return going_on


async def end(store: Store, order: Order, run: Run, workflow: Workflow, thread: Thread) -> None:
    """Carry out `cancel` or `stop`; no step of the run is at work now. What it has come to meanwhile counts."""
    look = await thread.look()
    counts = workflow.counts(look.values) if look.begun else {}
    before = await store.last_request(run.id)
    withdrawing = order.kind == "cancel" and before is not None and _sent_back(before[1])
    if before is not None and withdrawing and run.state not in ENDED and look.mark != _WITHDRAWN:
        # First the thread, then the rows: cut off between, the order is still there and the mark tells how far it got.
        # The words that sent it back count too, even if the thread has not been told of them yet.
        answers = [answer_of(*decided) for decided in (await store.decided_interrupts(run.id)).values()]
        answers.append(
            Answer(kind="withdrawn", person=order.person, revision=before[0].revision, at=store.now())
        )
        await thread.write(*workflow.withdraw(await thread.saved(), answers), mark=_WITHDRAWN)
    async with store.write() as write:
        await write.obeyed([order.id])
        now = await write.run(run.id)
        last = await write.last_request(run.id)
        if now is None or now.state in ENDED:
            await write.event(run.id, order.person, f"{order.kind}-too-late")
        elif withdrawing:
            await write.set_run(run.id, state="resuming", ended_by=plain(order.person))
            await write.event(run.id, order.person, "withdrawn")
        elif order.kind == "cancel" and last is None:
            await projection.write_cancelled(write, now, order.person, counts)
        elif order.kind == "cancel" and last is not None and last[0].state == "open":
            said = Decision(last[0].id, "withdrawn", "", order.person, write.at)
            await let_stand(write, (now, *last), said)
            await write.set_run(run.id, state="resuming")
        elif order.kind == "stop" and (last is None or _sent_back(last[1])):
            step = now.progress.step if now.progress else next(iter(look.steps), "")
            failure = Failure(kind="stopped", step=step)
            await projection.write_failed(write, now, failure, counts, by=order.person)
        else:
            await write.event(run.id, order.person, f"{order.kind}-too-late")


def _sent_back(decision: Decision | None) -> bool:
    return decision is not None and decision.kind == "send_back"
