"""What people reported of other tools' approvals, as it comes out here; the numbers are those of the reports."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from graph.approval import Person
from graph.intake import Intake
from graph.policy import Policy
from graph.runtime import open_store

NOTES = "C0NOTES"
THREE = {
    "RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2,U0STRANGER",
    "RINGI_SELF_APPROVAL": "yes",
    "RINGI_APPROVALS": "2",
}


async def decides(member, card, act="approve", words=""):
    await member.click(card, act)
    return await member.submit(await member.modal("decide"), {"reason": words})


def live_cards(member, reading):
    """Return every message anywhere that this person could approve by."""
    places = [NOTES, "C0GENERAL", member.dm]
    return [m for place in places for m in member.messages(place) if "approve" in reading.buttons(m)]


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"  # LangGraph leaves a coroutine behind when it is cancelled
)
async def test_the_time_a_model_has_is_not_the_time_people_have(town, asked, reading):
    """R37: a call is cut off after a second, posting is slower than that, and the question waits all the same."""
    async with town.bot(RINGI_CLAUDE_TIMEOUT_SECONDS="1") as engine:
        one, two = await town.member(1), await town.member(2)
        town.slack.faults.slow["chat.postMessage"] = 1.5
        card = await asked(one)
        town.slack.faults.slow.clear()
        now = engine.store.now
        engine.store.now = lambda: now() + timedelta(days=7)
        await engine.sweep()
        assert (await engine.store.runs())[0].state == "waiting"
        assert (await decides(two, card)).ok
        assert (await town.outcome()).result.outcome == "approved"


async def test_a_question_without_a_deadline_is_answered_a_week_later(town, asked, reading):
    """R35: no deadline was set, so none passes; it was remembered once."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
    noon = datetime.now(UTC).replace(hour=3) + timedelta(days=7)  # in Tokyo, where Member 2 is
    async with town.bot() as engine:
        engine.store.now = lambda: noon
        engine.wake()
        one, two = await town.member(1), await town.member(2)
        await two.sees(lambda: reading.find(two.thread(card["ts"], NOTES), "still open"), 30)
        assert (await decides(two, one.message(card["ts"], NOTES))).ok
        assert (await town.outcome()).result.outcome == "approved"


async def test_what_was_ended_elsewhere_waits_for_nobody(town, asked, told, reading):
    """R38: it leaves the list and the Home tab of who should have decided, and its card asks no more."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        run = (await town.engine.store.runs())[0]
        await two.open_home()
        await two.sees(lambda: two.home and "判断待ち 1件" in reading.words(two.home))
        said = await town.ringi("cancel", run.id[:8])
        assert "Withdrawn" in said, said
        await two.sees(lambda: "判断待ちはありません" in reading.words(two.home))
        closed = await one.sees(lambda: reading.find(one.messages(NOTES), "Withdrawn: 2 links in daily"))
        assert closed["ts"] == card["ts"]
        assert live_cards(one, reading) == []
        assert "判断待ち" not in reading.words(await told(two, "/linkcheck status")).splitlines()[0]


async def test_two_of_three_are_two_people_and_one_rejection_ends_it(town, asked, reading):
    """R42: the same person twice is one; the card counts, and says what a rejection does before somebody rejects."""
    async with town.bot(**THREE):
        one, two, three = [await town.member(n) for n in (1, 2, 3)]
        card = await asked(one)
        assert (await decides(one, card, words="Fine.")).ok
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "*1 of 2 approvals*"))
        assert "1 more approval needed. One reject ends it." in reading.words(card)
        await one.click(card, "approve")
        await one.sees(lambda: reading.find(one.ephemeral(NOTES), "You have approved this already."))
        assert one.views == []
        assert (await town.engine.store.runs())[0].state == "waiting"
        assert (await decides(three, card, "reject", "Not these.")).ok
        assert (await town.outcome()).result.outcome == "rejected"
        record = town.record()
        assert "Rejected by `Member 3`" in record
        assert "  - Approved by `Member 1`" in record
        await two.sees(lambda: reading.find(two.messages(NOTES), "Rejected: 2 links in daily"))
        assert live_cards(two, reading) == []


async def test_lines_that_change_between_draft_and_click_are_asked_again_and_only_they(town, asked, reading):
    """R43: what was approved as it stood stays approved; what changed is no part of it and comes as a new card."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        town.write({"daily/2026-11-05.md": "We [[Move to new office]] next year.\n"})
        assert (await decides(two, card)).ok
        second = await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 2*"), 20)
        said = reading.words(second)
        assert "only what changed after the approval by <@U0MEMBER2>" in said
        assert "[[Move to new office]]" in said
        assert "[[Projct plan]]" not in said
        assert list(town.records.glob("*.md")) == []
        assert (await decides(two, second, "reject", "Not that one.")).ok
        run = await town.outcome()
        assert (run.result.outcome, run.result.counts["approved"]) == ("approved-in-part", 1)


async def test_lines_that_change_between_click_and_record_are_asked_again(town, asked, reading):
    """R43: decided while no bot ran; before it came back, the note was rewritten."""
    async with town.bot():
        one = await town.member(1)
        await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
    settings, _ = town.settings()
    operator = Person(id="operator", name="operator", surface="terminal", verified=False)
    async with open_store(settings) as store:
        (request,) = await store.requests((await store.runs())[0].id)
        await Intake(store, Policy()).decide(request.id, 1, "approve", operator)
    town.write({"daily/2026-11-03.md": "See [[Projct plan]] and more.\n"})
    async with town.bot():
        one = await town.member(1)
        second = await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 2*"), 20)
        assert "[[Projct plan]]" in reading.words(second)
        assert "[[Move to new office]]" not in reading.words(second)
        assert list(town.records.glob("*.md")) == []


async def test_everything_that_is_decided_is_two_taps_away_and_what_is_left_out_is_counted(
    town, asked, reading
):
    """R44: Everything, then its last page; the card counts what it leaves out, by verdict, and the file has it all."""
    (town.vault / "daily/2026-11-03.md").unlink()
    (town.vault / "daily/2026-11-05.md").unlink()
    names = [f"Nobody ever wrote this note, number {n:02}, and its name is long" for n in range(60)]
    town.write({"daily/many.md": "".join(f"- [[{name}]]\n\n" for name in names)})
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        said = reading.words(card)
        shown = [name for name in names if f"[[{name}]]" in said]
        assert 2 <= len(shown) <= 5
        hidden = 60 - len(shown)
        assert f"{hidden} more, not shown: {hidden} missing notes" in said
        await two.click(card, "everything")
        view = await two.modal("everything")
        seen, where = reading.words(view), view["private_metadata"]
        while "all_next" in str(view["blocks"]):
            await two.click(view, "all_next")
            view = await two.sees(
                lambda before=where: next((v for v in two.views if v["private_metadata"] != before), None)
            )
            seen, where = seen + reading.words(view), view["private_metadata"]
        assert [name for name in names if f"[[{name}]]" not in seen] == []
        [report] = await one.sees(
            lambda: [f for m in one.thread(card["ts"], NOTES) for f in m.get("files") or []], 20
        )
        text = one.file(report).decode()
        assert [name for name in names if name not in text] == []


async def test_cards_deleted_by_hand_are_listed_and_posted_again_when_they_have_news(
    town, asked, told, reading
):
    """S53: the message is a view of rows; without it the Home tab decides, and what others have to see comes anew."""
    async with town.bot(**THREE):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        for message in one.messages(NOTES):
            town.slack.delete(message)
        assert "daily · 2件" in reading.words(await told(two, "/linkcheck status"))
        await one.open_home()
        tab = await one.sees(lambda: one.home)
        await one.click(tab, "home_decide")
        assert (await one.submit(await one.modal("decide"), {"choice": "approve", "reason": "Fine."})).ok
        again = await two.sees(lambda: next(iter(live_cards(two, reading)), None), 30)
        assert again["ts"] != card["ts"]
        assert "*1 of 2 approvals*" in reading.words(again)
        assert (await decides(two, again, words="Seen again.")).ok
        assert (await town.outcome()).result.outcome == "approved"


@pytest.mark.parametrize("surface", ["slack", "terminal"])
async def test_the_record_names_who_decided_where_and_whether_that_is_certain(town, asked, reading, surface):
    """R45."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        run = (await town.engine.store.runs())[0]
        if surface == "slack":
            assert (await decides(two, card, words="Checked.")).ok
        else:
            await town.ringi("resume", run.id[:8], "approve", "Checked.")
        await town.outcome()
        text = town.record()
        said = yaml.safe_load(text.split("---")[1])
        assert said["decided_in"] == surface
        assert said["verified"] is (surface == "slack")
        assert said["decided"] is not None
        assert len(said["decided_by"]) == 1
        assert said["decided_by_id"] == (["T0TEAM/U0MEMBER2"] if surface == "slack" else [])
        assert "Checked." in text
        assert ("(not verified)" in text) is (surface == "terminal")


async def test_a_request_is_one_card_however_many_may_decide_it(town, asked, reading):
    """S49: one place to look at, in which everybody sees that it is done."""
    async with town.bot(RINGI_APPROVERS="U0MEMBER1,U0MEMBER2", RINGI_SELF_APPROVAL="yes"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        for member in (one, two):
            assert [m["ts"] for m in live_cards(member, reading)] == [card["ts"]]
        assert (await decides(two, card)).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "))
        assert live_cards(one, reading) == live_cards(two, reading) == []


async def test_the_card_says_what_is_asked_by_whom_until_when_and_in_which_revision(town, asked, reading):
    """S51: expiry, requester, folder, counts, revision; the notification alone says most of it."""
    async with town.bot(RINGI_DRAFTER="claude", RINGI_DEADLINE_HOURS="4"):
        one, two = await town.member(1), await town.member(2)
        first = await asked(one)
        assert (await decides(two, first, "send_back", "Look again.")).ok
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 2*"), 20)
        said = reading.words(card)
        assert said.startswith("2 links in daily lead nowhere\n*2 missing notes*\n")
        assert "Asked by <@U0MEMBER1> · for <@U0MEMBER2>" in said
        assert "*Decide by <!date^" in said
        assert "*Revision 2* · sent back by <@U0MEMBER2>" in said
        assert card["text"].startswith("Revision 2: 2 links in daily")
        assert " By " in card["text"]
        assert card["text"].endswith("(asked by @Member 1)")


async def test_a_check_of_the_whole_vault_warns_on_the_card_and_in_the_modal(town, asked, reading):
    """S52: what goes further than it looks is said where it is approved."""
    async with town.bot(RINGI_DRAFTER="claude"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one, ".")
        assert "*Warning* Claude could read every note of the vault." in reading.words(card)
        await two.click(card, "approve")
        assert "Claude は保管庫のすべてのノートを読める状態でした。" in reading.words(
            await two.modal("decide")
        )


async def test_a_duplicate_of_what_came_as_a_retry_first_changes_nothing_however_late(town, asked, reading):
    """R49: first delivered as a retry; the same again once five other things have happened."""
    async with town.bot() as engine:
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        sockets = town.slack.sockets
        await two.click(card, "approve")
        click = sockets.sent[-1]
        modal = await two.modal("decide")
        await two.close(modal)
        for _ in range(5):
            await two.click(card, "everything")
            await two.close(await two.modal("everything"))
        assert await sockets.send(click | {"retry_attempt": 1, "retry_reason": "timeout"})
        await asyncio.sleep(0.3)  # nothing is to be seen, and there is nothing to wait for
        assert two.views == []
        assert two.ephemeral(NOTES) == []
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        submission = sockets.sent[-1]
        run = await town.outcome()
        assert await sockets.send(submission | {"retry_attempt": 1, "retry_reason": "timeout"})
        assert len(await engine.store.decisions(run.id)) == 1
        assert two.views == []
