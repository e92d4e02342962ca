"""What a thread has come to, as rows: each in one transaction, each harmless when repeated."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from graph.approval import ENDED, HOLD, PAUSED, Failure, Person, Progress, Result, Review, Run
from graph.intake.voting import expire
from graph.memory import Approved
from graph.store import Store, Write
from graph.store.rows import plain


def request_id(run_id: str, interrupt_id: str) -> str:
    """Return the id of the request that puts an interrupt to people: the same in every process."""
    return str(uuid.uuid5(uuid.UUID(run_id), interrupt_id))


async def at_work(store: Store, run_id: str) -> None:
    """Note that the first step has begun, or one that was ended with the program begins again."""
    async with store.write() as write:
        run = await write.run(run_id)
        if run is not None and run.state == "queued":
            await write.set_run(run_id, state="running", progress=None)
        elif run is not None and run.is_paused:
            await write.set_progress(run_id, None)


async def begun_by(store: Store, run_id: str, version: int) -> None:
    """Note which version of its workflow begins a run that another one accepted."""
    async with store.write() as write:
        await write.set_run(run_id, version=version)


async def held(store: Store, run_id: str) -> None:
    """Note that the next step waits for new checks to be released; how far the run was stays beside it."""
    async with store.write() as write:
        run = await write.run(run_id)
        if run is not None and run.state not in ENDED and not run.on_hold:
            counts = run.progress.counts if run.progress else {}
            await write.set_run(run_id, progress=plain(Progress(step=HOLD, counts=counts)))


async def released(store: Store, run_id: str) -> None:
    """Note that it waits no longer."""
    async with store.write() as write:
        run = await write.run(run_id)
        if run is not None and run.on_hold:
            await write.set_run(run_id, progress=None)


async def paused(store: Store, run_id: str) -> None:
    """Note that the step at work was ended because the program ends; how far it was stays beside it."""
    async with store.write() as write:
        run = await write.run(run_id)
        if run is not None and run.state in {"queued", "running", "resuming"} and not run.on_hold:
            counts = run.progress.counts if run.progress else {}
            await write.set_progress(run_id, plain(Progress(step=PAUSED, counts=counts)))


async def waiting(  # noqa: PLR0913 - what the rows of a question hold
    store: Store,
    run: Run,
    asked: Mapping[str, Any],
    counts: dict[str, int],
    *,
    hours: float = 0,
    brief: Callable[[Review], Review] | None = None,
) -> bool:
    """Put what the thread asks to people: request, state and card appear together.

    Args:
        store: the tables.
        run: its row.
        asked: what the thread asks, by interrupt.
        counts: numbers of the thread so far.
        hours: until it expires where there is no card; else they count from the card's post. 0 = it never does.
        brief: makes a review brief; None = each is small.

    Returns:
        Whether the run now waits. False: someone decided meanwhile.

    Raises:
        pydantic.ValidationError: what the thread asks is no `Review`.
    """
    reviews = {interrupt_id: Review.model_validate(value) for interrupt_id, value in asked.items()}
    ids = {interrupt_id: request_id(run.id, interrupt_id) for interrupt_id in reviews}
    briefs = {interrupt_id: brief(review) for interrupt_id, review in reviews.items()} if brief else {}
    async with store.write() as write:
        news = 0
        deadline = write.at + timedelta(hours=hours) if hours and run.place is None else None
        for interrupt_id, review in reviews.items():
            one = ids[interrupt_id]
            short = briefs.get(interrupt_id)
            if await write.add_request(one, run.id, interrupt_id, review, brief=short, deadline=deadline):
                await write.add_message(f"card:{one}", run)
                await write.event(run.id, None, "asked", revision=review.revision)
                news += 1
                continue
            found = await write.standing(one)
            if found is not None and found[2] is not None:
                return False
            if found is not None and found[1].state != "open":
                await write.set_request(one, "open")
                await write.count_anew(
                    one, write.at + timedelta(hours=hours) if hours else None, found[1].remind_at
                )
                news += 1
        news += await write.supersede(run.id, keep=list(ids.values()))
        now = await write.run(run.id)
        if news or now is None or now.state != "waiting":
            await write.set_run(
                run.id, state="waiting", counts=counts, progress=None, retry_at=None, retries=0
            )
    return True


async def expired(store: Store, run_id: str) -> None:
    """Let the run's open request expire, unless someone was quicker."""
    async with store.write() as write:
        run, last = await write.run(run_id), await write.last_request(run_id)
        if run is not None and last is not None:
            await expire(write, (run, *last))


async def ended(
    store: Store, run: Run, result: Result, counts: dict[str, int], approved: Sequence[Approved] = ()
) -> None:
    """Note how the graph ended, and remember what people approved in it."""
    async with store.write() as write:
        now = await write.run(run.id)
        if now is None or now.state in ENDED:
            return
        recorded_failure = result.outcome == "failed"
        await write.supersede(run.id)
        await write.set_run(
            run.id,
            state="failed" if recorded_failure else "done",
            result=plain(result),
            failure=plain(result.failure),
            counts=counts,
            ended=write.at,
            retry_offered=recorded_failure,
            retry_at=None,
            retries=0,
            **({} if recorded_failure else {"progress": None}),
        )
        await _outcome(write, now, "failed" if recorded_failure else None)
        await _files(write, now, result)
        await write.keep_approved(run.id, approved)
        await write.event(run.id, None, "ended", outcome=result.outcome)
        if run.continues:
            await write.bump(run.continues)


async def failed(store: Store, run: Run, failure: Failure, counts: dict[str, int], **more: Any) -> None:
    """Note that the run stopped without a record; `more` are further columns of its row."""
    async with store.write() as write:
        await write_failed(write, run, failure, counts, **more)


async def write_failed(  # noqa: PLR0913 - what the row says about a failure
    write: Write,
    run: Run,
    failure: Failure,
    counts: dict[str, int],
    *,
    by: Person | None = None,
    retry_offered: bool = True,
) -> None:
    """Do what `failed` does, inside a transaction under way."""
    now = await write.run(run.id)
    if now is None or now.state in ENDED:
        return
    await write.supersede(run.id)
    await write.set_run(
        run.id,
        state="failed",
        failure=plain(failure),
        counts=counts,
        ended=write.at,
        retry_offered=retry_offered,
        retry_at=None,
        **({} if by is None else {"ended_by": plain(by)}),
    )
    if failure.kind != "cannot-post":  # nobody could see it
        await _outcome(write, now, "failed")
    await write.event(run.id, by, "failed", kind=failure.kind, step=failure.step, reference=failure.reference)


async def postponed(store: Store, run: Run, step: str, pauses: Sequence[float]) -> datetime | None:
    """Note that the step after a decision failed and when it is tried again; None if it was tried often enough."""
    async with store.write() as write:
        tries = await write.retries(run.id)
        if tries >= len(pauses):
            return None
        at = write.at + timedelta(seconds=pauses[tries])
        await write.set_run(run.id, state="resuming", retry_at=at, retries=tries + 1)
        await write.event(run.id, None, "postponed", step=step, until=at.isoformat())
        return at


async def write_cancelled(write: Write, run: Run, person: Person, counts: dict[str, int]) -> None:
    """Note that a run ended before anyone was asked."""
    await write.set_run(
        run.id, state="cancelled", ended=write.at, ended_by=plain(person), counts=counts, retry_at=None
    )
    if person.id != run.requester.id:
        await write.add_message(f"outcome:{run.id}", run, thread=f"progress:{run.id}")
    await write.event(run.id, person, "cancelled")


async def _files(write: Write, run: Run, result: Result) -> None:
    """Let what the run leaves be handed over where it was asked about."""
    last = await write.last_request(run.id)
    if last is None or result.outcome == "failed":
        return
    for what, name in (("record", result.record), ("patch", result.patch)):
        if name is not None:
            await write.add_message(f"file:{run.id}:{what}", run, thread=f"card:{last[0].id}")


async def _outcome(write: Write, run: Run, what: str | None) -> None:
    """Let the outcome be said in the thread where people look for it."""
    last = await write.last_request(run.id)
    withdrawn_while_redrafting = run.ended_by is not None and run.ended_by.id == run.requester.id
    if what is None and last is not None and last[1] is not None and last[1].kind != "send_back":
        await write.add_message(f"outcome:{last[0].id}", run, thread=f"card:{last[0].id}")
    elif what is not None or not withdrawn_while_redrafting:
        await write.add_message(f"outcome:{run.id}", run, thread=f"progress:{run.id}")
