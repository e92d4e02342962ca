"""Reject, send back, withdraw: what each asks for, what it leaves behind."""

from __future__ import annotations

import asyncio

import pytest

NOTES = "C0NOTES"


async def test_a_rejection_needs_words_and_blanks_are_no_words(town, asked, reading):
    """S35, L16: asked again beside the field, naming who will read them; then on the card and in the record."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "reject")
        modal = await two.modal("decide")
        refused = await two.submit(modal, {"reason": "   \n "})
        # Member 2 reads Japanese.
        assert refused.errors == {
            "reason.reject.1": "理由をひとこと書いてください。Member 1 さんに届きます。"
        }
        assert (await two.submit(two.views[-1], {"reason": "Wrong folder."})).ok
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Rejected: 2 links in daily"))
        run = await town.outcome()
        assert run.result.outcome == "rejected"
        assert "Wrong folder." in reading.words(done)
        assert "Wrong folder." in town.record()


async def test_a_closed_modal_changes_nothing(town, asked, reading):
    """S37, R30."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "reject")
        await two.close(await two.modal("decide"))
        assert (await town.engine.store.runs())[0].state == "waiting"
        assert reading.buttons(one.message(card["ts"])) == [
            *("approve", "reject", "send_back", "items", "everything")
        ]


async def test_send_back_twice_reaches_the_model_word_for_word_and_asks_anew(town, asked, reading):
    """S34: each revision is a new card; the older ones point to it and answer that they were replaced."""
    async with town.bot(RINGI_DRAFTER="claude"):
        one, two = await town.member(1), await town.member(2)
        first = await asked(one)
        await two.click(first, "send_back")
        assert (await two.submit(await two.modal("decide"), {"reason": "Moves are no notes: ignore."})).ok
        town.claude.verdict = "ignore"
        second = await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 2*"), 20)
        assert "Moves are no notes: ignore." in town.claude.prompts[-1]
        assert "“Moves are no notes: ignore.”" in reading.words(second)
        replaced = await one.sees(lambda: reading.find(one.messages(NOTES), "Replaced by revision 2"))
        assert replaced["ts"] == first["ts"]
        assert reading.buttons(replaced) == ["goto_card"]
        assert replaced["blocks"][1]["accessory"]["url"].endswith(second["ts"].replace(".", ""))
        outcome = await one.sees(lambda: one.thread(first["ts"], NOTES))
        assert "*sent back* by <@U0MEMBER2>" in reading.words(outcome[0])

        await two.click(second, "send_back")
        assert (await two.submit(await two.modal("decide"), {"reason": "Plans too."})).ok
        third = await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 3*"), 20)
        await two.click(third, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": ""})).ok
        run = await town.outcome()
        assert run.interventions == 3
        record = town.record()
        assert "Moves are no notes: ignore." in record
        assert "Plans too." in record


async def test_a_submission_for_a_replaced_revision_is_refused_without_using_up_the_new_card(
    town, asked, reading
):
    """S34, R30."""
    async with town.bot(
        RINGI_DRAFTER="claude", RINGI_APPROVERS="U0MEMBER1,U0MEMBER2", RINGI_SELF_APPROVAL="yes"
    ):
        one, two = await town.member(1), await town.member(2)
        first = await asked(one)
        await one.click(first, "approve")
        late = await one.modal("decide")
        await two.click(first, "send_back")
        assert (await two.submit(await two.modal("decide"), {"reason": "Again, please."})).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 2*"), 20)
        answer = await one.submit(late, {"reason": "Fine."})
        assert answer.view["callback_id"] == "late_words"
        assert "sent this back" in reading.words(answer.view)
        assert (await town.engine.store.runs())[0].state == "waiting"


async def test_the_requester_withdraws_from_the_status_and_the_card_closes(town, asked, told, reading):
    """S45."""
    async with town.bot():
        one = await town.member(1)
        card = await asked(one)
        status = await told(one, "/linkcheck status")
        assert "You asked: 1" in reading.words(status)
        await one.click(status, "cancel")
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Withdrawn: 2 links in daily"))
        assert done["ts"] == card["ts"]
        assert (await town.outcome()).result.outcome == "withdrawn"
        assert "withdrawn" in town.record()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"  # LangGraph leaves a coroutine behind when it is cancelled
)
async def test_only_the_requester_may_cancel(town, reading):
    async with town.bot(RINGI_DRAFTER="claude"):
        town.claude.held = asyncio.Event()
        one, two = await town.member(1), await town.member(2)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        progress = await one.sees(lambda: reading.find(one.messages(NOTES), "Checking links in daily"))
        await two.click(progress, "cancel")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "この操作は依頼した人だけができます。"))
        await one.click(progress, "cancel")
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Cancelled: links in daily"))
        assert reading.buttons(done) == []
        assert "Nobody was asked, nothing was recorded." in reading.words(done)
        await town.outcome("cancelled")
        assert not list(town.records.glob("*.md"))
