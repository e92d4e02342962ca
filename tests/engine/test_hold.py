"""New checks on hold: what has not begun waits, what is at work goes on, decisions are carried out."""

import asyncio
from types import SimpleNamespace

import pytest

from graph.errors import NotAllowed
from graph.policy import Policy


async def state_of(engine, run):
    return (await engine.store.run(run.id)).state


async def test_a_new_run_is_accepted_and_begins_after_release(engine, chore, people, start):
    await engine.intake.hold(people.two)
    run = await start(engine)
    waits = await engine.settled(run.id)
    assert (waits.state, waits.on_hold, chore.did) == ("queued", True, [])

    lifted = await engine.intake.release(people.one)
    assert lifted.person == people.two
    asked = await engine.settled(run.id)
    assert (asked.state, asked.on_hold, chore.did) == ("waiting", False, ["collect", "draft"])


async def test_a_send_back_is_recorded_and_waits_while_approve_and_reject_go_through(
    engine, chore, people, start
):
    sent_back, approved, rejected = [await start(engine, source=f"slack:T0TEAM:{n}") for n in range(3)]
    for run in (sent_back, approved, rejected):
        await engine.settled(run.id)
    await engine.intake.hold(people.one)
    for run, kind in ((sent_back, "send_back"), (approved, "approve"), (rejected, "reject")):
        (request,) = await engine.store.requests(run.id)
        await engine.intake.decide(request.id, 1, kind, people.two, "policies are elsewhere")
        await engine.settled(run.id)

    assert [await state_of(engine, run) for run in (sent_back, approved, rejected)] == [
        "resuming",
        "done",
        "done",
    ]
    assert (await engine.store.run(sent_back.id)).on_hold
    assert chore.did.count("draft") == 3
    await engine.intake.release(people.one)
    assert (await engine.settled(sent_back.id)).state == "waiting"
    (_, second) = await engine.store.requests(sent_back.id)
    assert second.review.content["draft"] == "draft 2 policies are elsewhere"


async def test_a_run_at_work_is_left_alone(engine, chore, people, start, until):
    chore.hold = asyncio.Event()
    run = await start(engine)
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    await engine.intake.hold(people.one)
    engine.wake()
    chore.hold.set()
    assert (await engine.settled(run.id)).state == "waiting"


async def test_the_hold_outlives_a_restart_and_a_release_while_nobody_runs(engine_on, chore, people, start):
    async with engine_on() as engine:
        await engine.intake.hold(people.one)
        run = await start(engine)
        await engine.settled(run.id)
    async with engine_on() as engine:
        assert (await engine.settled(run.id)).on_hold
        assert (await engine.store.hold()).person == people.one
        assert chore.did == []
    async with engine_on(everyone=False) as engine:
        await engine.intake.release(people.one)
    async with engine_on() as engine:
        assert (await engine.settled(run.id)).state == "waiting"


async def test_what_waits_for_a_release_is_not_looked_at_again_and_again(engine, people, start):
    await engine.intake.hold(people.one)
    run = await start(engine)
    await engine.settled(run.id)
    assert await engine.store.to_do() == ([], None)
    assert [r.id for r in await engine.store.on_hold()] == [run.id]
    await engine.intake.cancel(run.id, people.one)
    assert (await engine.store.to_do())[0] == [run.id]
    assert (await engine.settled(run.id)).state == "cancelled"


async def test_a_run_in_line_for_a_place_says_that_it_is_on_hold(engine, chore, start, until):
    chore.hold = asyncio.Event()
    runs = [await start(engine, source=f"slack:T0TEAM:{n}") for n in range(3)]
    for run in runs:
        engine.wake(run.id)
    await until(lambda: chore.drafting == 2)
    (in_line,) = [run for run in runs if await state_of(engine, run) == "queued"]
    await engine.intake.hold(in_line.requester)
    engine.wake()
    assert (await engine.store.run(in_line.id)).is_held(await engine.store.hold())
    chore.hold.set()
    for run in runs:
        expected = "queued" if run == in_line else "waiting"
        assert (await engine.settled(run.id)).state == expected
    await engine.intake.release(in_line.requester)
    engine.wake()
    assert (await engine.settled(in_line.id)).state == "waiting"


async def test_a_retry_on_hold_waits_but_a_record_that_failed_is_written(engine, chore, people, start):
    chore.usage_limit = True
    limited = await engine.settled((await start(engine)).id)
    chore.usage_limit = False
    chore.wrong["record"] = OSError("disk full")
    engine._parts = SimpleNamespace(**{n: getattr(engine._parts, n) for n in engine._parts.__slots__})
    engine._parts.pauses = ()
    asked = await engine.settled((await start(engine, source="slack:T0TEAM:2")).id)
    (request,) = await engine.store.requests(asked.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    assert (await engine.settled(asked.id)).state == "failed"

    await engine.intake.hold(people.one)
    del chore.wrong["record"]
    going_on = await engine.intake.retry(limited.id, people.one)
    assert (await engine.settled(going_on.id)).on_hold
    await engine.intake.retry(asked.id, people.one)
    assert (await engine.settled(asked.id)).state == "done"


async def test_holding_twice_keeps_the_first_and_releasing_twice_changes_nothing(engine, people):
    first, new = await engine.intake.hold(people.one)
    assert new
    assert await engine.intake.hold(people.two) == (first, False)
    assert (await engine.intake.release(people.two)).id == first.id
    assert await engine.intake.release(people.two) is None
    assert await engine.store.hold() is None


@pytest.mark.parametrize(
    ("approvers", "may"),
    [
        ({"U0MEMBER2"}, {"U0MEMBER1": False, "U0MEMBER2": True, "U0STRANGER": False}),
        (set(), {"U0MEMBER1": True, "U0MEMBER2": False, "U0STRANGER": False}),
    ],
)
async def test_approvers_turn_the_switch_and_where_there_are_none_the_starters(
    engine_on, people, approvers, may
):
    policy = Policy(starters=frozenset({"U0MEMBER1"}), approvers=frozenset(approvers), team="T0TEAM")
    async with engine_on(policy=policy) as engine:
        for person in (people.one, people.two, people.stranger):
            for turn in (engine.intake.hold, engine.intake.release):
                if may[person.id.partition("/")[2]]:
                    await turn(person)
                else:
                    with pytest.raises(NotAllowed):
                        await turn(person)
        assert (await engine.intake.hold(people.operator))[1]
