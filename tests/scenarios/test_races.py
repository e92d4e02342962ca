"""Two people, two clicks, two surfaces: one decision, and everyone is told."""

from __future__ import annotations

import asyncio

from graph.approval import Person
from graph.intake import Intake
from graph.policy import Policy
from graph.runtime import open_store

NOTES = "C0NOTES"
BOTH = {"RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2", "RINGI_SELF_APPROVAL": "yes"}


async def test_of_two_people_at_once_one_decides_and_the_other_gets_their_words_back(town, asked, reading):
    """S8, S10, S36: the loser's modal says who won and offers the words; posted, they stand in the thread."""
    async with town.bot(**BOTH):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await asyncio.gather(one.click(card, "approve"), two.click(card, "reject"))
        mine, theirs = await one.modal("decide"), await two.modal("decide")
        answers = await asyncio.gather(
            one.submit(mine, {"reason": "Good catch."}), two.submit(theirs, {"reason": "Wrong folder."})
        )
        assert all(a.ok for a in answers)
        (lost,) = [a.view for a in answers if a.view is not None]
        loser = one if answers[0].view else two
        words = "Good catch." if loser is one else "Wrong folder."
        assert lost["callback_id"] == "late_words"
        field = next(b for b in lost["blocks"] if b["type"] == "input")
        assert field["element"]["initial_value"] == words
        assert (await loser.submit(lost, {"reason": words})).ok
        await one.sees(lambda: reading.find(one.thread(card["ts"], NOTES), words) if loser else None)
        run = await town.outcome()
        assert len(await town.engine.store.decisions(run.id)) == 1
        assert len(list(town.records.glob("*.md"))) == 1


async def test_a_second_click_is_told_who_won(town, asked, reading):
    """S1, S8: nothing happens twice, and there is no red error beside a success."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await two.click(card | {"blocks": card["blocks"]}, "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "判断済みです。"))
        run = await town.outcome()
        assert len(await town.engine.store.decisions(run.id)) == 1


async def test_the_same_submission_delivered_twice_counts_once(town, asked):
    """S12."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await town.slack.redeliver()
        run = await town.outcome()
        assert len(await town.engine.store.decisions(run.id)) == 1
        assert two.views == []


async def test_one_envelope_five_times_is_one_effect_and_five_acknowledgements(town, asked, reading):
    """S12: the click opens one modal and tells nobody anything twice; the submission decides once."""
    async with town.bot() as engine:
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        sockets = town.slack.sockets
        await two.click(card, "approve")
        modal = await two.modal("decide")
        click = sockets.sent[-1]
        assert click["payload"]["type"] == "block_actions"
        assert all([await sockets.send(click) for _ in range(4)])
        assert (await two.submit(modal, {"reason": "Fine."})).ok
        submission = sockets.sent[-1]
        assert all([await sockets.send(submission) for _ in range(4)])
        run = await town.outcome()
        assert sockets.acks[click["envelope_id"]] == sockets.acks[submission["envelope_id"]] == 5
        assert len(await engine.store.decisions(run.id)) == 1
        assert len(list(town.records.glob("*.md"))) == 1
        assert two.ephemeral(NOTES) == []
        assert two.views == []


async def test_a_steering_click_five_times_is_answered_once(town, asked, told, reading):
    """S12."""
    async with town.bot():
        one = await town.member(1)
        await asked(one)
        await one.click(await told(one, "/linkcheck status"), "cancel")
        click = town.slack.sockets.sent[-1]
        for _ in range(4):
            assert await town.slack.sockets.send(click)
        await town.outcome()
        assert len([m for m in one.ephemeral(NOTES) if "Withdrawn." in reading.words(m)]) == 1
        assert not [m for m in one.ephemeral(NOTES) if "ended already" in reading.words(m)]


async def test_the_same_command_delivered_twice_starts_one_run(town):
    """R17."""
    async with town.bot():
        one = await town.member(1)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        await town.slack.redeliver()
        await town.outcome("waiting")
        assert len(await town.engine.store.runs()) == 1


async def test_a_decision_in_the_terminal_closes_the_card_in_slack(town, asked, reading):
    """S3, R22: within seconds, naming the surface; a click that was on its way is answered."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "reject")
        open_modal = await two.modal("decide")
        settings, _ = town.settings()
        operator = Person(id="operator", name="operator", surface="terminal", verified=False)
        async with open_store(settings) as store:
            (request,) = await store.requests((await store.runs())[0].id)
            await Intake(store, Policy()).decide(request.id, 1, "approve", operator, "From the terminal.")
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"), 10)
        assert done["ts"] == card["ts"]
        assert "in the terminal" in reading.words(done)
        late = await two.submit(open_modal, {"reason": "Wrong folder."})
        assert "operator が承認済みです" in reading.words(late.view)


async def test_a_click_after_a_restart_works_at_once(town, asked, reading):
    """S24, S25: same message, first click."""
    async with town.bot():
        card = await asked(await town.member(1))
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "After the restart."})).ok
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"))
        assert done["ts"] == card["ts"]


async def test_several_cards_are_decided_each_for_itself(town, asked, reading):
    """S13, S14, R46."""
    town.write({"a/x.md": "[[Aa]]\n", "b/y.md": "[[Bb]]\n", "c/z.md": "[[Cc]]\n"})
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        cards = {}
        for folder in "abc":
            assert (await one.command(NOTES, f"/linkcheck {folder}")).ok
            cards[folder] = await one.sees(
                lambda folder=folder: reading.find(one.messages(NOTES), f"1 link in {folder} leads nowhere")
            )
        for folder, act in (("c", "reject"), ("a", "approve"), ("b", "reject")):
            await two.click(cards[folder], act)
            assert (await two.submit(await two.modal("decide"), {"reason": f"About {folder}."})).ok
            word = {"approve": "Approved", "reject": "Rejected"}[act]
            done = await one.sees(
                lambda folder=folder, word=word: reading.find(
                    one.messages(NOTES), f"{word}: 1 link in {folder}"
                )
            )
            assert done["ts"] == cards[folder]["ts"]
            assert f"About {folder}." in reading.words(done)


async def test_two_updates_that_cross_end_with_who_when_why_and_the_record(town, asked, reading):
    """S6, R47: the card is drawn from rows each time, and one edit of a message is under way at a time."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        town.slack.faults.slow["chat.update"] = 0.7
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Good catch."})).ok
        await town.outcome()
        town.slack.faults.slow.clear()
        await one.sees(lambda: "Recorded · " in reading.words(one.message(card["ts"])), 20)
        await asyncio.sleep(1.0)  # what was under way has arrived
        said = reading.words(one.message(card["ts"]))
        assert "<@U0MEMBER2>" in said
        assert "Good catch." in said
        assert "Recorded · " in said
