"""Item by item: what a person chose is kept for them alone, and a decision says something of every item."""

from __future__ import annotations

import asyncio

import pytest

from graph.errors import AlreadyDecided, NotAllowed, Replaced, UnknownChoice


@pytest.fixture
async def asked(engine, start):
    run = await start(engine)
    await engine.settled(run.id)
    return (await engine.store.requests(run.id))[0]


async def test_choices_are_kept_per_person_and_newer_ones_win(engine, asked, people):
    intake = engine.intake
    await intake.choose(asked.id, 1, people.one, {"a": "leave", "b": "agree"})
    await intake.choose(asked.id, 1, people.one, {"a": "other"})
    await intake.choose(asked.id, 1, people.two, {"b": "leave"})
    assert (await intake.check(asked.id, 1, people.one))[2].items == {"a": "other", "b": "agree"}
    assert (await intake.check(asked.id, 1, people.two))[2].items == {"b": "leave"}


async def test_words_that_were_typed_are_kept_with_the_choices_until_others_are(engine, asked, people):
    intake = engine.intake
    await intake.choose(asked.id, 1, people.one, {}, "Half a\0 sentence")
    await intake.choose(asked.id, 1, people.one, {"a": "leave"})
    kept = (await intake.check(asked.id, 1, people.one))[2]
    assert (kept.items, kept.reason) == ({"a": "leave"}, "Half a\ufffd sentence")
    assert (await intake.check(asked.id, 1, people.two))[2].reason == ""
    await intake.choose(asked.id, 1, people.one, {}, "")
    assert (await intake.check(asked.id, 1, people.one))[2].reason == ""


async def test_taps_at_the_same_time_lose_nothing(engine, asked, people):
    both = [engine.intake.choose(asked.id, 1, people.one, {name: "leave"}) for name in ("a", "b")]
    await asyncio.gather(*both)
    assert (await engine.intake.check(asked.id, 1, people.one))[2].items == {"a": "leave", "b": "leave"}


@pytest.mark.parametrize("items", [{"c": "agree"}, {"a": "typo"}, {"a": ""}])
async def test_what_was_not_asked_is_not_kept(engine, asked, people, items):
    with pytest.raises(UnknownChoice):
        await engine.intake.choose(asked.id, 1, people.one, items)


async def test_only_those_who_may_decide_now_can_choose(engine, asked, people):
    with pytest.raises(NotAllowed):
        await engine.intake.choose(asked.id, 1, people.stranger, {"a": "leave"})
    with pytest.raises(Replaced):
        await engine.intake.choose(asked.id, 2, people.one, {"a": "leave"})
    await engine.intake.decide(asked.id, 1, "approve", people.two)
    with pytest.raises(AlreadyDecided):
        await engine.intake.choose(asked.id, 1, people.one, {"a": "leave"})


async def test_a_decision_carries_what_was_said_of_every_item_to_the_thread(engine, asked, chore, people):
    said = {"a": "other", "b": "leave"}
    decision = await engine.intake.decide(asked.id, 1, "approve", people.two, items=said)
    await engine.settled(asked.run_id)
    assert decision.items == said
    assert [answer["items"] for answer in chore.records()[0]["answers"]] == [said]


async def test_to_agree_with_every_item_is_to_approve_the_whole(engine, asked, people):
    decision = await engine.intake.decide(
        asked.id, 1, "approve", people.two, items={"a": "agree", "b": "agree"}
    )
    assert decision.items is None


@pytest.mark.parametrize(
    ("kind", "items"),
    [
        ("approve", {"a": "agree"}),  # nothing is agreed with in silence
        ("approve", {"a": "leave", "b": "leave"}),
        ("approve", {"a": "agree", "b": "typo"}),
        ("approve", {"a": "agree", "b": "agree", "c": "agree"}),
        ("reject", {"a": "agree", "b": "leave"}),
    ],
)
async def test_items_that_do_not_fit_decide_nothing(engine, asked, people, kind, items):
    with pytest.raises(UnknownChoice):
        await engine.intake.decide(asked.id, 1, kind, people.two, "No.", items=items)
    assert await engine.store.decision(asked.id) is None
