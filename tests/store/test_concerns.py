"""Which runs concern whom, read from the tables in pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from graph.approval import Person, Review
from graph.engine.projection import request_id, waiting
from graph.intake import Intake
from graph.policy import Policy
from graph.store.concerns import GROUPS, Slice
from graph.store.tables import requests

EVERY = {group: Slice(0, 10) for group in GROUPS}
ONE, TWO = frozenset({"U0MEMBER1"}), frozenset({"U0MEMBER2"})


@pytest.fixture
def asking(store, start):
    """Let so many runs wait, the oldest first; return their ids."""

    async def ask(many: int):
        ids = []
        for number in range(many):
            run = await start(f"slack:T0TEAM:{number}")
            review = Review(revision=1, content={})
            await waiting(store, run, {f"i{number}": review.model_dump(mode="json")}, {})
            ids.append(run.id)
        return ids

    return ask


def ids(found):
    return {group: [whole.run.id for whole in its.runs] for group, its in found.items() if its.total}


async def test_what_waits_comes_by_deadline_then_oldest_first_and_in_pages(store, people, asking):
    first, second, third = await asking(3)
    at = store.now() + timedelta(hours=1)
    async with store.write() as write:
        statement = sa.update(requests).where(requests.c.id == request_id(third, "i2"))
        await write._connection.execute(statement.values(deadline=at))
    policy = Policy(starters=ONE, approvers=TWO, team="T0TEAM")
    found = await store.concerning(policy, people.two, {"wait": Slice(0, 2)})
    assert (found["wait"].total, ids(found)) == (3, {"wait": [third, first]})
    found = await store.concerning(policy, people.two, {"wait": Slice(2, 2)})
    assert (found["wait"].total, ids(found)) == (3, {"wait": [second]})


async def test_the_requester_sees_it_among_what_they_asked_for(store, people, asking):
    asked = await asking(1)
    policy = Policy(starters=ONE, approvers=TWO, team="T0TEAM")
    assert ids(await store.concerning(policy, people.one, EVERY)) == {"mine": asked}


async def test_who_may_decide_their_own_run_is_asked_themselves(store, people, asking):
    asked = await asking(1)
    for policy in (
        Policy(starters=ONE, team="T0TEAM"),
        Policy(starters=ONE, approvers=ONE | TWO, self_approval=True, team="T0TEAM"),
    ):
        assert ids(await store.concerning(policy, people.one, EVERY)) == {"wait": asked}


async def test_what_a_person_has_approved_waits_for_the_others_alone(store, people, asking):
    asked = await asking(1)
    policy = Policy(starters=ONE, approvers=ONE | TWO, self_approval=True, approvals=2, team="T0TEAM")
    for person in (people.one, people.two):
        assert ids(await store.concerning(policy, person, EVERY)) == {"wait": asked}
    await Intake(store, policy).decide(request_id(asked[0], "i0"), 1, "approve", people.one)
    assert ids(await store.concerning(policy, people.one, EVERY)) == {"mine": asked}
    assert ids(await store.concerning(policy, people.two, EVERY)) == {"wait": asked}


async def test_others_see_nothing_of_it(store, people, asking):
    await asking(1)
    nosy = Policy(starters=ONE | TWO, team="T0TEAM")
    assert ids(await store.concerning(nosy, people.two, EVERY)) == {}
    policy = Policy(starters=ONE, approvers=TWO, team="T0TEAM")
    elsewhere = people.two.model_copy(update={"id": "T0OTHER/U0MEMBER2"})
    for stranger in (people.stranger, elsewhere):
        assert ids(await store.concerning(policy, stranger, EVERY)) == {}


async def test_the_operator_sees_what_was_started_in_the_terminal(store, people, start):
    login = Person(id="login", name="login", surface="terminal", verified=False)
    run = await start()
    async with store.write() as write:
        await write.add_run(replace(run, id="t" * 36, source="terminal:1", requester=login))
    policy = Policy(starters=TWO, operator="U0MEMBER2", team="T0TEAM")
    assert ids(await store.concerning(policy, people.two, EVERY)) == {"run": ["t" * 36]}


async def test_what_has_ended_comes_newest_first(store, people, asking):
    asked = await asking(2)
    async with store.write() as write:
        for number, run_id in enumerate(asked):
            await write.set_run(run_id, state="cancelled", ended=store.now() + timedelta(minutes=number))
    policy = Policy(starters=ONE, approvers=TWO, team="T0TEAM")
    assert ids(await store.concerning(policy, people.one, EVERY)) == {"done": asked[::-1]}


async def test_the_last_run_of_a_person_is_their_newest(store, people, asking):
    asked = await asking(2)
    assert (await store.last_run_of(people.one, "chore")).id == asked[-1]
    assert await store.last_run_of(people.two, "chore") is None
