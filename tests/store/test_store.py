"""What can be asked of the tables."""

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.approval import Review
from graph.engine.projection import request_id, waiting
from graph.errors import AmbiguousRun, NotAllowed, UnknownChoice, UnknownRun
from graph.store.behind import LOOKED_OVER


async def test_a_run_is_found_by_the_beginning_of_its_id(store, start):
    run = await start()
    assert await store.run(run.id) == run
    assert await store.run(run.id[:8]) == run
    for wrong in (run.id[:5], "ffffff00", "%%%%%%", "______", run.id[:6].upper() + "Z"):
        with pytest.raises(UnknownRun):
            await store.run(wrong)


async def test_a_beginning_that_fits_several_runs_lists_them_newest_first(store, start):
    first = await start()
    async with store.write() as write:
        later = first.created + timedelta(seconds=1)
        await write.add_run(replace(first, id=first.id[:8] + "-other", source="x", created=later))
    with pytest.raises(AmbiguousRun) as several:
        await store.run(first.id[:8])
    assert several.value.matches == [first.id[:8] + "-other", first.id]


async def test_times_come_back_aware_and_json_as_it_was(store, start):
    run = await start()
    again = await store.run(run.id)
    assert again.created.utcoffset() == timedelta(0)
    assert again.input == {"folder": "daily"}
    [event] = await store.events(run.id)
    assert (event.what, event.person, event.data) == ("accepted", run.requester, {})


async def test_who_may_not_start_leaves_no_row(store, intake, people):
    from types import SimpleNamespace

    with pytest.raises(NotAllowed):
        await intake.start(
            SimpleNamespace(name="chore", version=1),
            {},
            source="s",
            requester=people.stranger,
            language="en",
            zone="UTC",
            place=None,
        )
    assert await store.runs() == []


async def _asked(store, run, revision=1):
    review = Review(revision=revision, content={"items": ["a"] * 100})
    await waiting(store, run, {f"interrupt{revision}": review.model_dump(mode="json")}, {})
    return request_id(run.id, f"interrupt{revision}")


async def test_messages_that_are_behind_come_in_order_and_replies_once_their_thread_is_posted(
    store, intake, people, start
):
    first, second = await start("s1"), await start("s2")
    card = await _asked(store, first)
    await intake.decide(card, 1, "send_back", people.two, "again")
    assert [(b.key, b.posted, b.state) for b in await store.behind(store.now())] == [
        (f"progress:{first.id}", False, "resuming"),
        (f"progress:{second.id}", False, "queued"),
        (f"card:{card}", False, "resuming"),
    ]
    await store.shown(f"card:{card}", 1, "digest", "C0NOTES", "1.0")
    assert [(b.key, b.posted) for b in await store.behind(store.now())][2:] == [
        (f"card:{card}", True),
        (f"outcome:{card}", False),
    ]


async def test_runs_are_read_whole_as_if_each_had_been_read_by_itself(store, intake, people, start):
    first, second = await start("s1"), await start("s2")
    one = await _asked(store, first)
    await intake.decide(one, 1, "send_back", people.two, "again")
    await _asked(store, first, revision=2)
    found = await store.whole([first.id, second.id, "unknown"])
    assert set(found) == {first.id, second.id}
    for run_id, whole in found.items():
        assert whole.run == await store.run(run_id)
        assert list(whole.requests) == await store.requests(run_id)
        assert list(whole.decisions) == await store.decisions(run_id)
        assert list(whole.messages) == await store.messages(run_id)
        assert list(whole.orders) == await store.orders(run_id)
        assert whole.continued_by is None
    assert [r.revision for r in found[first.id].requests] == [1, 2]


async def test_a_click_reads_a_review_in_brief_and_what_needs_all_of_it_reads_it_all(
    store, intake, people, start
):
    run, other = await start("s1"), await start("s2")
    content = {"items": [str(n) for n in range(100)]}
    review = Review(revision=1, content=content, choices={name: [] for name in content["items"]})
    short = Review(revision=1, content={"items": ["0"], "rest": 99}, choices={})
    asked = {"interrupt1": review.model_dump(mode="json")}
    for one in (run, other):
        await waiting(store, one, asked, {}, brief=lambda whole: short if whole == review else whole)
    card, second = (request_id(one.id, "interrupt1") for one in (run, other))
    assert (await store.standing(card))[1].review == short
    assert (await intake.check(card, 1, people.two))[1].review == short
    assert (await store.last_request(run.id))[0].review == short
    assert await store.review(card) == review
    assert [one.review for one in await store.requests(run.id)] == [review]
    await intake.choose(card, 1, people.two, {"7": "leave"})
    with pytest.raises(UnknownChoice):
        await intake.choose(card, 1, people.two, {"100": "leave"})
    said = dict.fromkeys(content["items"], "agree") | {"7": "leave"}
    with pytest.raises(UnknownChoice):
        await intake.decide(card, 1, "approve", people.two, items={"0": "leave"})
    assert (await intake.decide(card, 1, "approve", people.two, items=said)).items == said
    await intake.decide(second, 1, "approve", people.two)
    found = await store.whole([run.id, other.id])
    assert found[run.id].requests[0].review == review  # what was said of each item is counted on its card
    assert found[other.id].requests[0].review == short
    assert (await store.whole([run.id], brief=True))[run.id].requests[0].review == short
    assert await store.review("unknown") is None


async def test_of_a_thousand_that_wait_only_the_one_that_is_decided_has_something_to_do(
    store, intake, people, start
):
    """R40: what others wait for is not looked at before a decision is carried out."""
    run = await start()
    card = await _asked(store, run)
    async with store.write() as write:
        for n in range(1_000):
            other = replace(run, id=f"{n:08}{run.id[8:]}", source=f"slack:T0TEAM:{n + 2}", state="waiting")
            await write.add_run(other)
    assert (await store.to_do())[0] == []
    await intake.decide(card, 1, "approve", people.two)
    assert (await store.to_do())[0] == [run.id]


async def test_a_message_is_shown_until_its_rows_change(store, start):
    run = await start()
    key = f"progress:{run.id}"
    tried = await store.trying(key)
    assert (tried.tries, tried.ts) == (1, None)
    await store.shown(key, tried.wanted, "digest", "C0NOTES", "1.0")
    assert await store.behind(store.now()) == []
    await _asked(store, run)
    changed = await store.message(key)
    assert (changed.wanted, changed.shown, changed.tries, changed.ts) == (2, 1, 0, "1.0")


async def test_a_refused_message_waits_for_its_next_try_and_a_given_up_one_for_a_retry(store, start):
    run = await start()
    key, now = f"progress:{run.id}", store.now()
    await store.not_shown(key, "ratelimited", now + timedelta(seconds=30))
    assert await store.behind(now) == []
    assert [b.key for b in await store.behind(now + timedelta(seconds=31))] == [key]
    await store.not_shown(key, "is_archived", None)
    assert await store.behind(now + timedelta(days=1)) == []
    async with store.write() as write:
        await write.try_again(run.id)
    assert [b.key for b in await store.behind(now)] == [key]
    assert (await store.message(key)).problem is None


async def test_a_clock_that_is_set_back_delays_no_message(store, start):
    run = await start()
    key, now = f"progress:{run.id}", store.now()
    await store.not_shown(key, "ratelimited", now + timedelta(seconds=30))
    assert [b.key for b in await store.behind(now - timedelta(hours=3))] == [key]


async def test_what_is_not_shown_can_be_asked_for_by_run_and_the_card_counts_most(store, start):
    run, other = await start("s1"), await start("s2")
    card = await _asked(store, run)
    await store.not_shown(f"progress:{run.id}", "ServerDisconnectedError", store.now())
    await store.not_shown(f"card:{card}", "is_archived", None)
    assert await store.problems() == {run.id: "is_archived"}
    assert await store.problems([other.id]) == {}
    await store.shown(f"card:{card}", 9, "digest", "C0NOTES", "1.0")
    assert await store.problems() == {run.id: "ServerDisconnectedError"}


async def test_a_message_deleted_in_slack_is_posted_anew(store, start):
    run = await start()
    key = f"progress:{run.id}"
    await store.shown(key, 1, "digest", "C0NOTES", "1.0")
    await store.lost(key)
    assert [(b.key, b.posted) for b in await store.behind(store.now())] == [(key, False)]
    message = await store.message(key)
    assert (message.ts, message.digest, message.tries) == (None, None, 0)


async def test_words_that_came_late_are_kept_once(store, intake, people, start):
    run = await start()
    card = await _asked(store, run)
    await intake.decide(card, 1, "reject", people.two, "no")
    await intake.late_words(card, people.one, "but yes")
    await intake.late_words(card, people.one, "again")
    [late] = [m for m in await store.messages(run.id) if m.key.startswith("late:")]
    assert (late.thread, late.data["words"]) == (f"card:{card}", "but yes")
    with pytest.raises(NotAllowed):
        await intake.late_words(card, people.stranger, "me too")


async def test_a_refused_click_is_in_the_history(store, intake, people, start):
    run = await start()
    card = await _asked(store, run)
    await intake.refused_click(card, people.stranger, "approve")
    await intake.refused_click(run.id, people.stranger, "cancel")
    await intake.refused_click("unknown", people.stranger, "cancel")
    refused = [e for e in await store.events(run.id) if e.what == "refused-click"]
    assert [(e.person, e.data) for e in refused] == [
        (people.stranger, {"wanted": "approve"}),
        (people.stranger, {"wanted": "cancel"}),
    ]


async def test_a_projection_repeated_changes_nothing(store, start):
    run = await start()
    card = await _asked(store, run)
    before = (await store.messages(run.id), await store.events(run.id), await store.request(card))
    await _asked(store, run)
    assert (await store.messages(run.id), await store.events(run.id), await store.request(card)) == before


async def test_a_new_question_replaces_the_open_one(store, intake, people, start):
    from graph.errors import Replaced

    run = await start()
    old = await _asked(store, run, 1)
    new = await _asked(store, run, 2)
    assert [r.state for r in await store.requests(run.id)] == ["superseded", "open"]
    for act in (intake.check(old, 1, people.two), intake.decide(old, 1, "approve", people.two)):
        with pytest.raises(Replaced) as replaced:
            await act
        assert replaced.value.revision == 2
    assert (await intake.check(new, 2, people.two))[1].id == new


async def test_the_relay_is_told_after_the_commit_and_only_if_a_message_may_differ(
    store, intake, people, start
):
    told = []
    store.on_change = lambda: told.append(1)
    run = await start()
    assert len(told) == 1
    await intake.refused_click(run.id, people.stranger, "cancel")
    assert len(told) == 1

    async def fails():
        async with store.write() as write:
            await write.set_run(run.id, state="done")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fails()
    assert (len(told), (await store.run(run.id)).state) == (1, "queued")


async def test_of_cards_that_wait_only_some_are_looked_over_at_once_and_after_all_others(store, start):
    for n in range(LOOKED_OVER + 5):
        run = await start(f"slack:T0TEAM:{n}")
        card = await _asked(store, run)
        await store.shown(f"card:{card}", 1, "digest", "C0NOTES", "1.0")
    async with store.write() as write:
        await write.bump_waiting()
    behind = await store.behind(store.now())
    cards = [one for one in behind if one.key.startswith("card:")]
    assert len(cards) == LOOKED_OVER
    assert behind[-LOOKED_OVER:] == cards
    assert len(behind) == LOOKED_OVER + LOOKED_OVER + 5
