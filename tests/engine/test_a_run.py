"""A run from its start to its end."""

import pytest

from graph.errors import AlreadyDecided, NotAllowed, ReasonNeeded, Replaced, RunEnded, UnknownRequest


async def test_an_approved_run_ends_with_its_record(engine, chore, people, start):
    run = await start(engine)
    waiting = await engine.settled(run.id)
    assert waiting.state == "waiting"
    assert waiting.counts == {"candidates": 2, "drafts": 1}
    [request] = await engine.store.requests(run.id)
    assert (request.revision, request.state) == (1, "open")
    assert request.review.content == {"items": ["a", "b"], "draft": "draft 1"}

    decision = await engine.intake.decide(request.id, 1, "approve", people.two, "Checked")
    done = await engine.settled(run.id)

    assert (done.state, done.result.outcome, done.interventions) == ("done", "approved", 1)
    [record] = chore.records()
    assert [(a["kind"], a["reason"], a["person"]["name"]) for a in record["answers"]] == [
        ("approve", "Checked", "Member 2")
    ]
    assert await engine.store.decision(request.id) == decision
    assert [m.key for m in await engine.store.messages(run.id)] == [
        f"progress:{run.id}",
        f"card:{request.id}",
        f"outcome:{request.id}",
        f"file:{run.id}:record",
    ]
    assert [e.what for e in await engine.store.events(run.id)] == ["accepted", "asked", "decided", "ended"]


async def test_a_send_back_asks_again_with_the_words(engine, chore, people, start):
    run = await start(engine)
    await engine.settled(run.id)
    [first] = await engine.store.requests(run.id)
    await engine.intake.decide(first.id, 1, "send_back", people.two, "9 is a policy")
    assert (await engine.store.run(run.id)).state == "resuming"

    await engine.settled(run.id)

    first, second = await engine.store.requests(run.id)
    assert (first.state, second.state, second.revision) == ("decided", "open", 2)
    assert second.review.content["draft"] == "draft 2 9 is a policy"
    assert chore.did.count("collect") == 1
    await engine.intake.decide(second.id, 2, "reject", people.two, "no")
    done = await engine.settled(run.id)
    assert (done.state, done.result.outcome, done.interventions) == ("done", "rejected", 2)
    assert [d.kind for d in await engine.store.decisions(run.id)] == ["send_back", "reject"]
    assert [m.key.partition(":")[0] for m in await engine.store.messages(run.id)] == [
        "progress", "card", "outcome", "card", "outcome", "file",
    ]  # fmt: skip


async def test_a_run_without_findings_ends_and_says_so(engine, chore, start):
    chore.found = []
    run = await start(engine)
    done = await engine.settled(run.id)
    assert (done.state, done.result.outcome) == ("done", "no-candidates")
    keys = [(m.key, m.thread) for m in await engine.store.messages(run.id)]
    assert keys == [(f"progress:{run.id}", None), (f"outcome:{run.id}", f"progress:{run.id}")]
    assert await engine.store.requests(run.id) == []


async def test_a_run_without_a_place_has_no_messages(engine, people, start):
    run = await start(engine, requester=people.operator, place=None)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "approve", people.operator)
    assert (await engine.settled(run.id)).state == "done"
    assert await engine.store.messages(run.id) == []


async def test_a_word_that_does_not_count_is_refused_with_the_reason(engine, people, start):
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    with pytest.raises(UnknownRequest):
        await engine.intake.decide("no-such-request", 1, "approve", people.two)
    with pytest.raises(NotAllowed) as refused:
        await engine.intake.decide(request.id, 1, "approve", people.stranger)
    assert refused.value.allowed == ("U0MEMBER1", "U0MEMBER2")
    for kind in ("reject", "send_back"):
        with pytest.raises(ReasonNeeded):
            await engine.intake.decide(request.id, 1, kind, people.two, " \n\u3000")
    with pytest.raises(Replaced) as replaced:
        await engine.intake.decide(request.id, 2, "approve", people.two)
    assert replaced.value.revision == 1

    await engine.intake.decide(request.id, 1, "reject", people.two, "no")
    with pytest.raises(AlreadyDecided) as late:
        await engine.intake.decide(request.id, 1, "approve", people.one)
    assert (late.value.decision.kind, late.value.decision.person) == ("reject", people.two)
    with pytest.raises(AlreadyDecided):
        await engine.intake.check(request.id, 1, people.one)
    with pytest.raises(RunEnded):
        await engine.intake.cancel(run.id, people.one)


async def test_the_same_delivery_starts_one_run(engine, start):
    first = await start(engine, source="slack:T0TEAM:same")
    again = await start(engine, source="slack:T0TEAM:same")
    assert first.id == again.id
    assert len(await engine.store.runs()) == 1
