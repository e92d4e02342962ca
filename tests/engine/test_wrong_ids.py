"""What was said about something else: unknown, ended, replaced, another team's, another version's. Nothing runs."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from graph.errors import (
    AlreadyDecided,
    NotAllowed,
    NotRetryable,
    NotRunning,
    OtherVersion,
    Replaced,
    RunEnded,
    UnknownRequest,
    UnknownRun,
)
from graph.store.tables import messages, requests

NOBODY = "00000000-0000-4000-8000-000000000000"
GARBAGE = ("", "x", "f" * 36, NOBODY, f"{NOBODY}:1", "' OR 1=1 --", "🙂" * 40, "\0", "\udc80")


async def everything(engine, chore):
    """Return all that an act could leave behind: rows, history, what steps did, records, whose threads there are."""
    store = engine.store
    runs = await store.runs()
    return (
        [(run.id, run.state, run.changed) for run in runs],
        [(event.what, event.run_id) for run in runs for event in await store.events(run.id)],
        [(message.key, message.wanted) for run in runs for message in await store.messages(run.id)],
        [order.id for order in await store.orders()],
        list(chore.did),
        chore.records(),
    )


async def has_a_thread(engine, run_id):
    async with engine._threads.own("look") as held:
        place = {"configurable": {"thread_id": run_id, "checkpoint_ns": ""}}
        return await held.saver.aget_tuple(place) is not None


async def asked(engine, start, source):
    run = await start(engine, source=f"slack:T0TEAM:{source}")
    await engine.settled(run.id)
    return run, (await engine.store.requests(run.id))[-1]


async def test_an_id_of_nothing_is_refused_and_leaves_nothing(engine, chore, people, start):
    """L1, L8: no row, no line of history, no thread, whatever stands in the id's place."""
    await asked(engine, start, "asked")
    before = await everything(engine, chore)
    intake = engine.intake
    for wrong in GARBAGE:
        for act in (intake.check(wrong, 1, people.two), intake.decide(wrong, 1, "approve", people.two)):
            with pytest.raises(UnknownRequest):
                await act
        with pytest.raises(UnknownRequest):
            await intake.late_words(wrong, people.two, "too late")
        for act in (intake.cancel, intake.stop, intake.retry, intake.end):
            with pytest.raises(UnknownRun):
                await act(wrong, people.one)
        await intake.refused_click(wrong, people.stranger, "approve")
    for wrong in (NOBODY, "f" * 36):
        with pytest.raises(UnknownRun):
            await engine.advance(wrong)
        assert not await has_a_thread(engine, wrong)
    assert await everything(engine, chore) == before


async def test_what_is_over_or_replaced_is_refused_and_leaves_nothing(engine, chore, people, start):
    """L9, L11: done, withdrawn, cancelled, sent back, a revision that never was, another team's member."""
    intake = engine.intake
    done, approved = await asked(engine, start, "done")
    await intake.decide(approved.id, 1, "approve", people.two)
    withdrawn, given_up = await asked(engine, start, "withdrawn")
    await intake.cancel(withdrawn.id, people.one)
    again, old = await asked(engine, start, "again")
    await intake.decide(old.id, 1, "send_back", people.two, "Again.")
    for run in (done, withdrawn, again):
        await engine.settled(run.id)
    cancelled = await start(engine, source="slack:T0TEAM:cancelled")
    await intake.cancel(cancelled.id, people.one)
    await engine.settled(cancelled.id)
    new = (await engine.store.requests(again.id))[-1]
    before = await everything(engine, chore)
    from_elsewhere = people.two.model_copy(update={"id": "T0OTHER/U0MEMBER2"})

    for wrong, error in (
        ((approved.id, 1), AlreadyDecided),
        ((given_up.id, 1), AlreadyDecided),
        ((old.id, 1), AlreadyDecided),
        ((new.id, 1), Replaced),
        ((new.id, 3), Replaced),
    ):
        with pytest.raises(error):
            await intake.check(*wrong, people.one)
        for kind in ("approve", "reject", "send_back"):
            with pytest.raises(error):
                await intake.decide(*wrong, kind, people.one, "words")
    for act in (intake.check(new.id, 2, from_elsewhere), intake.decide(new.id, 2, "approve", from_elsewhere)):
        with pytest.raises(NotAllowed):
            await act
    for run in (done, withdrawn, cancelled):
        for act, error in (
            (intake.cancel, RunEnded),
            (intake.stop, RunEnded),
            (intake.retry, NotRetryable),
            (intake.end, NotRetryable),
        ):
            with pytest.raises(error):
                await act(run.id, people.one)
    for act, error in ((intake.stop, NotRunning), (intake.retry, NotRetryable), (intake.end, NotRetryable)):
        with pytest.raises(error):
            await act(again.id, people.one)
    for act in (intake.cancel, intake.stop, intake.retry, intake.end):
        with pytest.raises(NotAllowed):
            await act(again.id, from_elsewhere)
    assert await everything(engine, chore) == before


@pytest.mark.parametrize("gone", ["version", "workflow"])
async def test_a_run_of_another_version_waits_untouched_until_its_own_is_back(
    engine, chore, people, start, gone
):
    """L32: the node that waits may be gone, or mean something else; nothing runs on the wrong graph."""
    run, request = await asked(engine, start, "waits")
    before = await everything(engine, chore)
    find = engine._workflow
    if gone == "version":
        chore.version = 2
    else:

        def lacks(name):
            raise KeyError(name)

        engine._workflow = engine.intake._workflow = lacks
    intake = engine.intake
    for act in (
        intake.check(request.id, 1, people.two),
        intake.decide(request.id, 1, "approve", people.two),
        intake.cancel(run.id, people.one),
    ):
        with pytest.raises(OtherVersion) as refused:
            await act
        assert (refused.value.run.version, refused.value.known) == (1, 2 if gone == "version" else None)
    await engine.advance(run.id)
    engine.wake(run.id)
    assert (await engine.settled(run.id)).state == "waiting"
    assert await everything(engine, chore) == before

    chore.version, engine._workflow, intake._workflow = 1, find, find
    await intake.decide(request.id, 1, "approve", people.two)
    assert (await engine.settled(run.id)).state == "done"
    assert len(chore.records()) == 1


async def test_a_decision_that_another_version_took_stands_until_that_version_is_back(
    engine, chore, people, start
):
    """L32: killed between the decision and the record, then upgraded, then taken back."""
    run, request = await asked(engine, start, "decided")
    await engine.intake.decide(request.id, 1, "approve", people.two)
    chore.version = 2
    with pytest.raises(OtherVersion):
        await engine.settled(run.id)
    assert (await engine.store.run(run.id)).state == "resuming"
    assert chore.records() == []
    chore.version = 1
    assert (await engine.settled(run.id)).state == "done"
    assert len(chore.records()) == 1


async def test_the_clock_takes_no_question_from_people_that_only_another_version_can_end(
    engine, chore, people, start
):
    """L32: it expires where it can be recorded; until then it rests and is not tried without end."""
    run, request = await asked(engine, start, "late")
    async with engine.store._database.begin() as connection:
        long_ago = engine.store.now() - timedelta(hours=1)
        late = sa.update(requests).where(requests.c.id == request.id)
        await connection.execute(late.values(deadline=long_ago))
        await connection.execute(sa.update(messages).values(channel="C0NOTES", ts="1.0"))
    chore.version = 2
    with pytest.raises(OtherVersion):
        await engine.advance(run.id)
    with pytest.raises(OtherVersion):
        await engine.intake.decide(request.id, 1, "approve", people.two)
    assert (await engine.store.run(run.id)).state == "waiting"
    assert await engine.store.decisions(run.id) == []
    chore.version = 1
    await engine.advance(run.id)
    assert [d.kind for d in await engine.store.decisions(run.id)] == ["expired"]


async def test_a_run_that_had_not_begun_is_begun_by_the_version_that_is_here(engine, chore, people, start):
    run = await start(engine)
    chore.version = 2
    settled = await engine.settled(run.id)
    assert (settled.state, settled.version) == ("waiting", 2)


async def test_a_question_that_its_thread_has_lost_is_no_end(engine, chore, start):
    """L32: a graph without the node that waits, under the same version, looks finished to LangGraph."""
    run, _ = await asked(engine, start, "lost")
    build = chore.build

    def without_the_node():
        graph = build()
        del graph.nodes["review"]
        graph.branches.pop("review")
        graph.branches["draft"].clear()
        graph.add_edge("draft", "record")
        return graph

    chore.build = without_the_node
    engine._parts.graphs._compiled.clear()
    await engine.advance(run.id)
    assert (await engine.store.run(run.id)).state == "waiting"
    assert chore.records() == []
