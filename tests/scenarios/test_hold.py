"""New checks on hold, in Slack: who turns the switch, what waits, what does not, and what each is told."""

from __future__ import annotations

import asyncio

NOTES = "C0NOTES"


async def decide(approver, card, kind, words=""):
    await approver.click(card, kind)
    assert (await approver.submit(await approver.modal("decide"), {"reason": words})).ok


async def sees(reading, member, part):
    """Wait for a message that says this; a loaded machine takes its time."""
    return await member.sees(lambda: reading.find(member.messages(NOTES), part), timeout=60)


def said(reading, member):
    return reading.words(member.ephemeral(NOTES)[-1])


async def test_a_new_check_is_recorded_waits_and_begins_at_the_release(town, told, reading):
    async with town.bot():
        starter, approver = await town.member(1), await town.member(2)
        await approver.command(NOTES, "/linkcheck hold")
        assert "新しいチェックを保留にしました" in said(reading, approver)

        await starter.command(NOTES, "/linkcheck daily")
        receipt = said(reading, starter)
        assert "Recorded: links in daily." in receipt
        assert "Waiting: new checks are on hold since" in receipt
        assert "by <@U0MEMBER2>" in receipt
        message = await sees(reading, starter, "On hold: links in daily")
        assert "*Recorded, waiting* · new checks are on hold since" in reading.words(message)
        assert reading.buttons(message) == ["cancel"]

        status = reading.words(await told(starter, "/linkcheck status"))
        assert "*New checks are on hold* since" in status
        assert "waiting: 1" in status
        assert "on hold, goes on after release" in status

        await approver.command(NOTES, "/linkcheck release")
        assert "待機していたもの 1件" in said(reading, approver)
        await sees(reading, starter, "2 links in daily lead nowhere")


async def test_a_send_back_waits_and_says_so_while_approve_is_recorded_at_once(town, asked, reading):
    async with town.bot(RINGI_DRAFTER="claude"):
        starter, approver = await town.member(1), await town.member(2)
        card = await asked(starter)
        await approver.command(NOTES, "/linkcheck hold")
        await decide(approver, card, "send_back", "policies live elsewhere")
        waiting = await sees(reading, starter, "judged again as revision 2 after release")
        assert "new checks are on hold since" in reading.words(waiting)
        assert waiting["text"].endswith("On hold.")
        await sees(reading, starter, "On hold: links in daily")
        assert len(town.claude.prompts) == 1

        (run,) = await town.engine.store.runs()
        await approver.command(NOTES, "/linkcheck release")
        second = await sees(reading, starter, "*Revision 2*")
        assert len(town.claude.prompts) == 2
        await approver.command(NOTES, "/linkcheck hold")
        await decide(approver, second, "approve")
        assert (await town.outcome("done")).id == run.id


async def test_a_batch_that_has_not_begun_waits_and_the_call_under_way_ends_as_usual(town, reading):
    """R39: nothing says on hold before it is. The settings are read when the bot starts, so one link makes one batch here."""
    async with town.bot(RINGI_DRAFTER="claude", RINGI_BATCH="1"):
        starter, approver = await town.member(1), await town.member(2)
        town.claude.held = asyncio.Event()
        await starter.command(NOTES, "/linkcheck daily")
        await starter.sees(lambda: len(town.claude.prompts) == 1, timeout=60)
        await approver.command(NOTES, "/linkcheck hold")
        assert "実行中のものはそのまま続きます" in said(reading, approver)
        assert not reading.find(starter.messages(NOTES), "On hold")
        town.claude.held.set()
        message = await sees(reading, starter, "On hold: links in daily")
        assert "1 of 2 links are judged and kept. It goes on by itself after release." in reading.words(
            message
        )
        assert len(town.claude.prompts) == 1

        await approver.command(NOTES, "/linkcheck release")
        await sees(reading, starter, "2 links in daily")
        assert len(town.claude.prompts) == 2


async def test_the_switch_outlives_a_restart_and_turning_it_twice_changes_nothing(town, reading):
    async with town.bot():
        approver = await town.member(2)
        await approver.command(NOTES, "/linkcheck release")
        assert "保留中ではありません" in said(reading, approver)
        await approver.command(NOTES, "/linkcheck hold")
    async with town.bot():
        starter, approver = await town.member(1), await town.member(2)
        await approver.command(NOTES, "/linkcheck hold")
        assert "すでに保留中です" in said(reading, approver)
        await starter.command(NOTES, "/linkcheck daily")
        message = await sees(reading, starter, "On hold: links in daily")
        await starter.click(message, "cancel")
        await sees(reading, starter, "Cancelled: links in daily")


async def test_only_approvers_turn_the_switch_and_a_stranger_learns_nothing(town, told, reading):
    async with town.bot():
        starter, stranger = await town.member(1), await town.member(3)
        for way in ("hold", "release"):
            await starter.command(NOTES, f"/linkcheck {way}")
            assert "Those listed in RINGI_APPROVERS can" in said(reading, starter)
            answer = await told(stranger, f"/linkcheck {way}")
            assert "Only people whom ringi's settings name" in reading.words(answer)
        assert await town.engine.store.hold() is None


async def test_a_form_sent_while_checks_are_on_hold_is_not_called_started(town, reading):
    async with town.bot():
        starter, approver = await town.member(1), await town.member(2)
        await approver.command(NOTES, "/linkcheck hold")
        await starter.command(NOTES, "/linkcheck")
        await starter.submit(await starter.modal("start"), {"what": "daily", "judge": "rules"})
        receipt = await starter.modal("notice")
        assert "Recorded: links in daily." in reading.words(receipt)
        assert receipt["title"]["text"] == "Recorded"
