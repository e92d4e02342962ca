"""Several people have to approve, and a question that nobody answers in time."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from graph.approval import Person
from graph.errors import AlreadyDecided, AlreadyVoted
from graph.intake import Intake
from graph.policy import Policy

MEMBER_3 = Person(id="T0TEAM/U0MEMBER3", name="Member 3", surface="slack", verified=True)
EVERYONE = frozenset({"U0MEMBER1", "U0MEMBER2", "U0MEMBER3"})


@pytest.fixture
def policy():
    return Policy(
        starters=EVERYONE,
        approvers=EVERYONE,
        approvals=2,
        self_approval=True,
        operator="U0MEMBER1",
        team="T0TEAM",
    )


@pytest.fixture
def asking(start):
    """Start a run, let it ask; return it with its request."""

    async def asked(engine, place="C0NOTES", source="slack:T0TEAM:1"):
        run = await start(engine, place=place, source=source)
        await engine.settled(run.id)
        [request] = await engine.store.requests(run.id)
        return run, request

    return asked


async def test_the_second_approval_decides_and_the_record_is_told_both(engine, chore, people, asking):
    run, request = await asking(engine)
    before = (await engine.store.message(f"card:{request.id}")).wanted
    assert await engine.intake.decide(request.id, 1, "approve", people.one, "Fine.") is None
    assert (await engine.settled(run.id)).state == "waiting"
    assert (await engine.store.message(f"card:{request.id}")).wanted == before + 1
    said = await engine.intake.decide(request.id, 1, "approve", people.two, "Checked.")
    assert (said.kind, said.person, said.reason) == ("approve", people.two, "Checked.")
    assert (await engine.settled(run.id)).state == "done"
    [record] = chore.records()
    votes = record["answers"][0]["votes"]
    assert [(v["person"]["name"], v["reason"]) for v in votes] == [
        ("Member 1", "Fine."),
        ("Member 2", "Checked."),
    ]


@pytest.mark.parametrize("kind", ["reject", "send_back"])
async def test_one_reject_or_send_back_is_enough_and_what_was_approved_before_is_told(
    engine, chore, people, asking, kind
):
    run, request = await asking(engine)
    await engine.intake.decide(request.id, 1, "approve", people.one, "Fine.")
    said = await engine.intake.decide(request.id, 1, kind, people.two, "No.")
    assert said.kind == kind
    await engine.settled(run.id)
    answer = next(iter((await engine.store.decided_interrupts(run.id)).values()))[0]
    assert [(v.kind, v.reason) for v in answer.votes] == [("approve", "Fine."), (kind, "No.")]


async def test_a_vote_is_not_changed_nor_given_twice_in_the_terminal(engine, people, asking):
    """The operator is that member: their vote in the terminal and their vote in Slack are one."""
    run, request = await asking(engine)
    await engine.intake.decide(request.id, 1, "approve", people.operator, "Fine.")
    for kind in ("approve", "reject"):
        with pytest.raises(AlreadyVoted) as refused:
            await engine.intake.decide(request.id, 1, kind, people.one, "Again.")
        assert refused.value.vote.person == people.operator
    with pytest.raises(AlreadyVoted):
        await engine.intake.check(request.id, 1, people.one)
    await engine.intake.check(request.id, 1, people.two)
    assert (await engine.store.run(run.id)).state == "waiting"
    assert [vote.reason for vote in await engine.store.votes_on(request.id)] == ["Fine."]


async def test_two_approvals_at_the_same_moment_are_two_votes_and_one_decision(engine, people, asking):
    for turn in range(2):
        run, request = await asking(engine, source=f"slack:T0TEAM:{turn}")
        came = await asyncio.gather(
            *(
                engine.intake.decide(request.id, 1, "approve", one, one.name)
                for one in (people.one, people.two)
            )
        )
        assert sorted(said is None for said in came) == [False, True]
        assert (await engine.settled(run.id)).state == "done"
        [decision] = await engine.store.decisions(run.id)
        assert {vote.person for vote in decision.votes} == {people.one, people.two}


async def test_where_two_approvals_differ_an_item_is_left_out(engine, people, asking):
    _, request = await asking(engine)
    ours = {"a": "agree", "b": "other"}
    theirs = {"a": "leave", "b": "other"}
    await engine.intake.decide(request.id, 1, "approve", people.one, items=ours)
    said = await engine.intake.decide(request.id, 1, "approve", people.two, items=theirs)
    assert said.items == {"a": "leave", "b": "other"}
    assert [vote.items for vote in await engine.store.votes_on(request.id)] == [ours, theirs]


async def test_who_agrees_with_the_whole_agrees_with_each_item(engine, people, asking):
    _, request = await asking(engine)
    await engine.intake.decide(request.id, 1, "approve", people.one)
    items = {"a": "agree", "b": "other"}
    assert (await engine.intake.decide(request.id, 1, "approve", people.two, items=items)).items == {
        "a": "agree",
        "b": "leave",
    }


async def test_approvals_given_already_stand_at_the_next_start_if_fewer_are_asked_for(
    *, engine_on, policy, chore, people, asking, until
):
    """Nobody would be left to approve it: everyone who may has."""
    async with engine_on(policy=replace(policy, approvals=3)) as engine:
        run, request = await asking(engine)
        open_still, other = await asking(engine, source="slack:T0TEAM:2")
        await engine.intake.decide(
            request.id, 1, "approve", people.one, "Fine.", items={"a": "leave", "b": "agree"}
        )
        await engine.intake.decide(request.id, 1, "approve", people.two, "Checked.")
        await engine.intake.decide(other.id, 1, "approve", people.one)
        assert (await engine.store.run(run.id)).state == "waiting"
    async with engine_on(policy=policy) as engine:
        await until(lambda: engine_done(engine, run))
        [decision] = await engine.store.decisions(run.id)
        assert (decision.kind, decision.person, decision.reason) == ("approve", people.two, "Checked.")
        assert decision.items == {"a": "leave", "b": "agree"}
        assert (await engine.store.run(run.id)).interventions == 1
        [record] = chore.records()
        assert [v["reason"] for v in record["answers"][0]["votes"]] == ["Fine.", "Checked."]
        assert (await engine.store.run(open_still.id)).state == "waiting"
        assert await engine.intake.count_again() == []


async def test_whoever_approves_once_more_completes_what_is_enough_by_now(engine_on, policy, people, asking):
    """As from a terminal whose settings ask for fewer than the server's; a second no is none."""
    async with engine_on(policy=replace(policy, approvals=3)) as engine:
        run, request = await asking(engine)
        await engine.intake.decide(request.id, 1, "approve", people.one, "Fine.")
        await engine.intake.decide(request.id, 1, "approve", people.two, "Checked.")
        fewer = Intake(engine.store, policy)
        await fewer.check(request.id, 1, people.one)
        with pytest.raises(AlreadyVoted):
            await fewer.decide(request.id, 1, "reject", people.one, "No.")
        said = await fewer.decide(request.id, 1, "approve", people.one, "Again.")
        assert (said.person, said.reason) == (people.two, "Checked.")
        assert [vote.reason for vote in await engine.store.votes_on(request.id)] == ["Fine.", "Checked."]
        assert (await engine.settled(run.id)).state == "done"


async def test_a_question_whose_time_was_up_is_not_approved_by_asking_fewer(
    *, engine_on, settings, policy, clock, people, asking, until
):
    late = settings.model_copy(update={"deadline_hours": 1.0})
    async with engine_on(settings=late, policy=policy) as engine:
        engine.store.now = clock
        run, request = await asking(engine, place=None)
        await engine.intake.decide(request.id, 1, "approve", people.one, "Fine.")
        clock.goes(hours=2)
        assert await Intake(engine.store, replace(policy, approvals=1)).count_again() == [run.id]
        assert (await engine.store.decision(request.id)).kind == "expired"


# -- time -------------------------------------------------------------------------------------------------


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.at = datetime.now(UTC)

    def __call__(self):
        return self.at

    def goes(self, **by):
        self.at += timedelta(**by)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def patient(engine_on, settings, clock):
    """Open an engine whose questions expire after an hour, by a clock of the test's own."""

    def opened(**more):
        return engine_on(settings=settings.model_copy(update={"deadline_hours": 1.0}), **more)

    return opened


async def _stands_in_slack(store, request):
    """Do what the relay does when it posts a card."""
    times = replace(request, deadline=store.now() + timedelta(hours=1))
    await store.trying(f"card:{request.id}", times)
    await store.shown(f"card:{request.id}", 1, "", "C0NOTES", "1.000001")


async def test_nobody_answers_in_time_and_the_run_ends_as_expired(
    *, patient, chore, clock, people, asking, until
):
    async with patient() as engine:
        engine.store.now = clock
        run, request = await asking(engine)
        assert request.deadline is None  # it counts from the card's post
        await _stands_in_slack(engine.store, request)
        clock.goes(minutes=59)
        await engine.sweep()
        assert (await engine.settled(run.id)).state == "waiting"
        await engine.intake.decide(request.id, 1, "approve", people.one, "Fine.")
        clock.goes(minutes=1)
        await engine.sweep()
        await until(lambda: engine_done(engine, run))
        [decision] = await engine.store.decisions(run.id)
        assert (decision.kind, decision.person.surface) == ("expired", "clock")
        answer = chore.records()[0]["answers"][0]
        assert (answer["kind"], [vote["reason"] for vote in answer["votes"]]) == ("expired", ["Fine."])
        with pytest.raises(AlreadyDecided):
            await engine.intake.decide(request.id, 1, "approve", people.two, "Too late.")


async def engine_done(engine, run):
    return (await engine.store.run(run.id)).state == "done"


async def test_time_begins_only_once_the_card_stands_in_slack(patient, clock, asking):
    """Slack is away: each try to post counts anew, and nobody is late for what nobody could see."""
    async with patient() as engine:
        engine.store.now = clock
        run, request = await asking(engine)
        times = replace(request, deadline=clock() + timedelta(hours=1))
        await engine.store.trying(f"card:{request.id}", times)
        clock.goes(hours=5)
        await engine.sweep()
        assert (await engine.settled(run.id)).state == "waiting"
        await _stands_in_slack(engine.store, request)
        assert (await engine.store.requests(run.id))[0].deadline == clock() + timedelta(hours=1)
        await engine.sweep()
        assert (await engine.store.run(run.id)).state == "waiting"


async def test_a_run_without_a_card_expires_over_a_restart(patient, clock, asking, until):
    async with patient() as engine:
        engine.store.now = clock
        run, request = await asking(engine, place=None)
        assert request.deadline == clock() + timedelta(hours=1)
    clock.goes(hours=-24)  # somebody sets the clock back: it is early still
    async with patient(everyone=False) as engine:
        engine.store.now = clock
        await engine.sweep()
        assert (await engine.settled(run.id)).state == "waiting"
        clock.goes(hours=26)
        await engine.sweep()
        await until(lambda: engine_done(engine, run))


async def test_who_decides_too_late_is_told_so_even_where_no_clock_runs(
    *, patient, clock, store_on, policy, people, asking
):
    """The terminal beside no server: the first one to touch the run lets it expire."""
    async with patient() as engine:
        engine.store.now = clock
        run, request = await asking(engine, place=None)
    clock.goes(hours=2)
    async with store_on() as store:
        store.now = clock
        with pytest.raises(AlreadyDecided) as late:
            await Intake(store, policy).decide(request.id, 1, "reject", people.two, "No.")
        assert late.value.decision.kind == "expired"
        assert (await store.run(run.id)).state == "resuming"
        assert await store.votes_on(request.id) == ()


async def test_the_clock_and_a_person_at_the_same_moment_make_one_decision(
    patient, clock, people, asking, until
):
    async with patient() as engine:
        engine.store.now = clock
        for turn in range(2):
            run, request = await asking(engine, place=None, source=f"terminal:{turn}")
            clock.goes(hours=2)
            came = await asyncio.gather(
                engine.sweep(),
                engine.intake.decide(request.id, 1, "reject", people.two, "No."),
                return_exceptions=True,
            )
            assert isinstance(came[1], AlreadyDecided)
            await until(lambda run=run: engine_done(engine, run))
            [decision] = await engine.store.decisions(run.id)
            assert decision.kind == "expired"


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
async def test_of_several_processes_one_lets_it_expire(patient, chore, clock, asking, until):
    async with patient() as one, patient() as other:
        one.store.now = other.store.now = clock
        run, _ = await asking(one, place=None)
        clock.goes(hours=2)
        await asyncio.gather(one.sweep(), other.sweep())
        await until(lambda: engine_done(other, run))
        assert [decision.kind for decision in await one.store.decisions(run.id)] == ["expired"]
        assert chore.did.count("effect") == 1
