"""Cancel, stop, retry and end: whenever they come, a run has one outcome."""

import asyncio
from datetime import timedelta

import pytest

from graph.errors import NotAllowed, NotRetryable, NotRunning, RunEnded, StoreError
from graph.store.checkpoints import WholeWrites


async def test_a_cancel_before_anyone_was_asked_leaves_no_record(engine, chore, people, start, until):
    chore.hold = asyncio.Event()
    run = await start(engine)
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    ordered = await engine.intake.cancel(run.id, people.one)
    assert ordered.state == "running"
    engine.wake(run.id)

    ended = await engine.settled(run.id)

    assert (ended.state, ended.ended_by, ended.result) == ("cancelled", people.one, None)
    assert ended.progress.step == "draft"
    assert (chore.drafting, chore.records()) == (0, [])
    assert await engine.store.orders() == []
    # The requester knows that they cancelled; their own progress message says so.
    assert [m.key for m in await engine.store.messages(run.id)] == [f"progress:{run.id}"]


async def test_a_cancel_by_someone_else_is_told_in_the_thread(engine, chore, people, start, until):
    chore.hold = asyncio.Event()
    run = await start(engine)
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    await engine.intake.cancel(run.id, people.operator)
    engine.wake(run.id)
    await engine.settled(run.id)
    [_, outcome] = await engine.store.messages(run.id)
    assert (outcome.key, outcome.thread) == (f"outcome:{run.id}", f"progress:{run.id}")


async def test_a_cancelled_run_that_never_began_runs_nothing(engine, chore, people, start):
    run = await start(engine)
    await engine.intake.cancel(run.id, people.one)
    ended = await engine.settled(run.id)
    assert (ended.state, chore.did) == ("cancelled", [])


async def test_cancelling_what_waits_is_a_decision(engine, chore, people, start):
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    assert (await engine.intake.cancel(run.id, people.one)).state == "resuming"
    ended = await engine.settled(run.id)
    assert (ended.state, ended.result.outcome, ended.interventions) == ("done", "withdrawn", 0)
    decision = await engine.store.decision(request.id)
    assert (decision.kind, decision.person) == ("withdrawn", people.one)
    [record] = chore.records()
    assert [a["kind"] for a in record["answers"]] == ["withdrawn"]


async def test_what_sent_a_run_back_is_recorded_even_if_it_is_cancelled_before_the_thread_is_told(
    engine, chore, people, start
):
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "send_back", people.two, "again")
    await engine.intake.cancel(run.id, people.one)
    engine.wake(run.id)

    ended = await engine.settled(run.id)

    assert (ended.state, ended.result.outcome) == ("done", "withdrawn")
    [record] = chore.records()
    assert [(a["kind"], a["reason"]) for a in record["answers"]] == [
        ("send_back", "again"),
        ("withdrawn", ""),
    ]


async def test_what_sent_a_run_back_is_recorded_even_if_the_step_that_took_it_was_cut_off_before_its_checkpoint(
    engine, people, start, chore, monkeypatch
):
    """LangGraph shows what such a step wrote, but a state written from outside builds on the checkpoint before it."""
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "send_back", people.two, "again")
    with monkeypatch.context() as patch:

        async def cut_off(*_):
            raise StoreError("checkpoints")

        patch.setattr(WholeWrites, "aput", cut_off)
        with pytest.raises(StoreError):
            await engine.settled(run.id)
    await engine.intake.cancel(run.id, people.one)
    ended = await engine.settled(run.id)
    assert (ended.state, ended.result.outcome) == ("done", "withdrawn")
    [record] = chore.records()
    assert [(a["kind"], a["reason"]) for a in record["answers"]] == [
        ("send_back", "again"),
        ("withdrawn", ""),
    ]


async def test_cancelling_a_revision_being_drafted_is_recorded_without_a_decision(
    engine, chore, people, start, until
):
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    chore.hold = asyncio.Event()
    await engine.intake.decide(request.id, 1, "send_back", people.two, "again")
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    await engine.intake.cancel(run.id, people.one)
    engine.wake(run.id)

    ended = await engine.settled(run.id)

    assert (ended.state, ended.result.outcome, ended.ended_by) == ("done", "withdrawn", people.one)
    [record] = chore.records()
    assert [(a["kind"], a["revision"]) for a in record["answers"]] == [("send_back", 1), ("withdrawn", 1)]
    assert [d.kind for d in await engine.store.decisions(run.id)] == ["send_back"]
    assert chore.did.count("effect") == 1


async def test_a_run_whose_decision_stands_cannot_be_cancelled(engine, people, start):
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    with pytest.raises(RunEnded):
        await engine.intake.cancel(run.id, people.one)
    with pytest.raises(NotRunning):
        await engine.intake.stop(run.id, people.operator)
    assert (await engine.settled(run.id)).result.outcome == "approved"


async def test_only_the_requester_and_the_operator_steer(engine, people, start):
    run = await start(engine, requester=people.one)
    with pytest.raises(NotAllowed):
        await engine.intake.cancel(run.id, people.two)
    with pytest.raises(NotAllowed):
        await engine.intake.retry(run.id, people.two)


async def test_a_stopped_run_goes_on_where_it_was(engine, chore, people, start, until):
    chore.hold = asyncio.Event()
    run = await start(engine)
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    await engine.intake.stop(run.id, people.operator)
    engine.wake(run.id)
    stopped = await engine.settled(run.id)
    assert (stopped.state, stopped.failure.kind, stopped.failure.step) == ("failed", "stopped", "draft")
    assert stopped.retry_offered

    chore.hold = None
    same = await engine.intake.retry(run.id, people.one)
    assert (same.id, same.state) == (run.id, "queued")
    waiting = await engine.settled(run.id)

    assert (waiting.state, waiting.failure, waiting.ended_by) == ("waiting", None, None)
    assert chore.did.count("collect") == 1


async def test_an_exception_fails_the_run_and_a_retry_goes_on_at_that_step(
    engine, chore, people, start, caplog
):
    chore.wrong = {"draft": OSError("no such device: secret-of-a-note")}
    run = await start(engine)
    failed = await engine.settled(run.id)
    failure = failed.failure
    assert (failed.state, failure.kind, failure.step) == ("failed", "exception", "draft")
    assert failure.words == "OSError: no such device: secret-of-a-note"
    assert [r.reference for r in caplog.records if r.message == "step failed"] == [failure.reference]
    assert "secret-of-a-note" not in caplog.text
    assert (await engine.store.messages(run.id))[-1].key == f"outcome:{run.id}"

    chore.wrong = {}
    await engine.intake.retry(run.id, people.one)
    assert (await engine.settled(run.id)).state == "waiting"
    assert chore.did == ["collect", "draft", "draft"]


async def test_a_failed_run_is_left_alone_by_the_sweep(engine, chore, start):
    chore.wrong = {"draft": OSError("gone")}
    run = await start(engine)
    await engine.settled(run.id)
    await engine.sweep()
    assert chore.did == ["collect", "draft"]


async def test_a_record_that_cannot_be_written_is_tried_again_by_itself(
    engine_on, chore, people, start, until
):
    async with engine_on(pauses=(0.05, 0.1, 30)) as engine:
        run = await start(engine)
        await engine.settled(run.id)
        [request] = await engine.store.requests(run.id)
        chore.wrong = {"record": OSError("disk full")}
        await engine.intake.decide(request.id, 1, "approve", people.two)
        engine.wake(run.id)
        await until(lambda: chore.did.count("record") == 3)
        resting = await until(lambda: _resting(engine, run.id))
        assert (resting.state, resting.failure) == ("resuming", None)
    # The third pause outlives the process; so does the decision.
    chore.wrong = {}
    async with engine_on() as engine:
        assert (await engine.store.run(run.id)).retry_at == resting.retry_at
        async with engine.store.write() as write:
            await write.set_run(run.id, retry_at=engine.store.now())
        done = await engine.settled(run.id)
    assert (done.state, done.result.outcome, done.retry_at) == ("done", "approved", None)
    assert chore.did.count("effect") == 1


async def _resting(engine, run_id):
    run = await engine.store.run(run_id)
    return (
        run if run.retry_at and run.retry_at > engine.store.now() and run_id not in engine._moving else None
    )


async def test_a_record_tried_often_enough_fails_the_run_and_can_be_retried(engine_on, chore, people, start):
    async with engine_on(pauses=(0.01, 0.01)) as engine:
        run = await start(engine)
        await engine.settled(run.id)
        [request] = await engine.store.requests(run.id)
        chore.wrong = {"record": OSError("disk full")}
        await engine.intake.decide(request.id, 1, "reject", people.two, "no")
        failed = await engine.settled(run.id)
        assert (failed.state, failed.failure.step, failed.retry_offered) == ("failed", "record", True)
        assert chore.did.count("record") == 3
        chore.wrong = {}
        assert (await engine.intake.retry(run.id, people.one)).state == "resuming"
        done = await engine.settled(run.id)
        assert (await engine.store.decision(request.id)).reason == "no"
    assert (done.state, done.result.outcome) == ("done", "rejected")


async def test_a_recorded_failure_is_continued_by_a_new_run(engine, chore, people, start):
    chore.usage_limit = True
    run = await start(engine)
    failed = await engine.settled(run.id)
    assert (failed.state, failed.failure.kind, failed.result.record) == (
        "failed",
        "usage_limit",
        f"{run.id}.json",
    )

    chore.usage_limit = False
    new = await engine.intake.retry(run.id, people.one)
    assert (new.continues, new.state, new.input) == (run.id, "queued", run.input)
    waiting = await engine.settled(new.id)

    assert waiting.state == "waiting"
    assert chore.did.count("collect") == 1  # carried over, not asked twice
    assert await engine.store.continued_by(run.id) == new.id
    old = await engine.store.run(run.id)
    assert (old.state, old.retry_offered) == ("failed", False)
    with pytest.raises(NotRetryable) as refused:
        await engine.intake.retry(run.id, people.one)
    assert refused.value.continued_by == new.id


async def test_two_retries_at_once_make_one_new_run(engine, chore, people, start):
    chore.usage_limit = True
    run = await start(engine)
    await engine.settled(run.id)
    answers = await asyncio.gather(
        *(engine.intake.retry(run.id, people.one) for _ in range(5)), return_exceptions=True
    )
    assert sorted(type(a).__name__ for a in answers) == ["NotRetryable"] * 4 + ["Run"]
    assert len(await engine.store.runs()) == 2


async def test_a_retry_at_a_time_happens_then(engine, chore, people, start, until):
    chore.wrong = {"draft": OSError("gone")}
    run = await start(engine)
    await engine.settled(run.id)
    chore.wrong = {}
    at = engine.store.now() + timedelta(seconds=0.3)
    same = await engine.intake.retry(run.id, people.one, at=at)
    assert same.state == "failed"
    [order] = await engine.store.orders(run.id)
    assert (order.kind, order.due, order.person) == ("retry", at, people.one)
    await engine.sweep()

    async def goes_on():
        return (await engine.store.run(run.id)).state == "waiting"

    await until(goes_on)
    assert await engine.store.orders() == []


async def test_a_recorded_failure_is_continued_at_the_time_that_was_set(engine, chore, people, start, until):
    chore.usage_limit = True
    run = await start(engine)
    await engine.settled(run.id)
    chore.usage_limit = False
    await engine.intake.retry(run.id, people.one, at=engine.store.now() + timedelta(seconds=0.3))
    engine.wake()

    async def asks():
        new = await engine.store.continued_by(run.id)
        return new is not None and (await engine.store.run(new)).state == "waiting"

    await until(asks)
    assert chore.did.count("collect") == 1


async def test_an_offer_that_was_withdrawn_stands_no_more(engine, chore, people, start):
    chore.wrong = {"draft": OSError("gone")}
    run = await start(engine)
    await engine.settled(run.id)
    await engine.intake.retry(run.id, people.one, at=engine.store.now() + timedelta(hours=1))
    assert (await engine.intake.end(run.id, people.one)).retry_offered is False
    assert await engine.store.orders() == []
    with pytest.raises(NotRetryable):
        await engine.intake.retry(run.id, people.one)
    with pytest.raises(NotRetryable):
        await engine.intake.end(run.id, people.one)


async def test_a_run_without_a_place_to_post_ends_before_it_asks(engine, chore, people, start, until):
    chore.hold = asyncio.Event()
    run = await start(engine)
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    await engine.store.not_shown(f"progress:{run.id}", "not_in_channel", None)

    failed = await engine.cannot_post(run.id, "not_in_channel")

    assert (failed.state, failed.failure.kind, failed.failure.words) == (
        "failed",
        "cannot-post",
        "not_in_channel",
    )
    assert (chore.drafting, chore.records()) == (0, [])
    assert await engine.store.behind(engine.store.now()) == []
    chore.hold = None
    await engine.intake.retry(run.id, people.one)
    assert [b.key for b in await engine.store.behind(engine.store.now())] == [f"progress:{run.id}"]
    assert (await engine.settled(run.id)).state == "waiting"
    # Once people were asked, a message without a place does not end the run.
    assert (await engine.cannot_post(run.id, "channel_not_found")).state == "waiting"
