"""Slack away, slow or refusing; the drafter failing; what a person does then, and what nobody has to do."""

from __future__ import annotations

import asyncio
import time

import aiohttp.web
import pytest

from bot.slack.line import PAUSES
from bot.slack.sending import Sender
from graph.approval import Failure
from graph.errors import DatabaseUnusable, SettingsError

NOTES = "C0NOTES"
LEFT_BEHIND = pytest.mark.filterwarnings(  # LangGraph leaves a coroutine behind when a step is cancelled
    "ignore::pytest.PytestUnraisableExceptionWarning"
)


async def test_a_post_whose_reply_was_lost_is_found_and_not_repeated(town, asked, reading):
    """S28: one card, one stored place; it goes on to be edited."""
    async with town.bot():
        one = await town.member(1)
        town.slack.lose_next_reply("chat.postMessage", times=2)
        card = await asked(one)
        found = [m for m in one.messages(NOTES) if "approve" in reading.buttons(m)]
        assert [m["ts"] for m in found] == [card["ts"]]
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        assert len(one.messages(NOTES)) == 2


async def test_what_is_shown_but_cannot_be_noted_is_not_sent_to_slack_over_and_over(
    town, asked, reading, monkeypatch
):
    """A full disk: each pass would send it again until Slack asks to wait, and everyone's messages with it."""
    sent, edit = [], Sender.edit

    async def counted(sender, message, content):
        await edit(sender, message, content)
        sent.append(time.monotonic())

    async def full(*_args, **_values):
        raise DatabaseUnusable("ringi.sqlite", "database or disk is full")

    async with town.bot(RINGI_APPROVALS="2", RINGI_APPROVERS="U0MEMBER2,U0STRANGER") as engine:
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        await town.all_shown()
        with monkeypatch.context() as disk:
            disk.setattr(Sender, "edit", counted)
            disk.setattr(type(engine.store), "_set_message", full)
            await two.click(card, "approve")
            assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
            await one.sees(lambda: len(sent) > 2)
        assert sent[2] - sent[0] > PAUSES[0] + PAUSES[1]
        await town.all_shown()
        assert reading.find(one.messages(NOTES), "1 of 2 approvals")["ts"] == card["ts"]


@LEFT_BEHIND
async def test_a_channel_archived_under_the_command_ends_the_run_with_words(town, reading):
    """S26: refused for good at the first post, said where the command was typed."""
    async with town.bot():
        one = await town.member(1)
        town.slack.faults.refuse_next("chat.postMessage", "is_archived", times=1)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        run = await town.outcome("failed")
        assert run.failure.kind == "cannot-post"
        await one.sees(lambda: reading.find(one.ephemeral(NOTES), "The card could not be posted"))
        assert one.messages(NOTES) == []


async def test_slack_being_away_does_not_stop_the_run(town, asked):
    async with town.bot():
        one = await town.member(1)
        town.slack.faults.break_next("chat.postMessage", 503, times=1)
        await asked(one)


async def test_an_expired_trigger_asks_to_press_again_and_the_buttons_live(town, asked, reading):
    """S32."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        town.slack.faults.refuse_next("views.open", "expired_trigger_id")
        await two.click(card, "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "もう一度押してください。"))
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok


async def test_a_button_of_another_time_is_answered(town, asked, reading):
    """S25, R48."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        shown = town.slack.workspace.message(NOTES, card["ts"])
        for element in (e for block in shown.blocks for e in block.get("elements", []) if "value" in e):
            element["value"] = "00000000-0000-4000-8000-000000000000:1"
        await two.click(two.message(card["ts"]), "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "この依頼はもうありません。"))


async def test_a_fault_of_ours_is_answered_with_a_reference_and_nothing_is_recorded(town, asked, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        town.slack.faults.refuse_next("views.open", "invalid_blocks")
        await two.click(card, "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "参照番号 E-"))
        assert (await town.engine.store.runs())[0].state == "waiting"


async def test_a_card_that_someone_deleted_does_not_undo_the_decision(town, asked, reading):
    """S31: the decision stands, and nothing is tried for ever."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        town.slack.delete(card)
        assert (await two.submit(modal, {"reason": "Fine."})).ok
        run = await town.outcome()
        assert run.result.outcome == "approved"

        async def given_up():
            (message,) = [m for m in await town.engine.store.messages(run.id) if m.key.startswith("card:")]
            return message.problem == "message_not_found" and message.next_try is None

        for _ in range(200):
            if await given_up():
                return
            await asyncio.sleep(0.05)
        raise AssertionError("still tried")


async def test_a_failing_drafter_asks_nobody_and_offers_to_go_on(town, reading):
    """000-8: what it said, what is kept; *Continue now* works."""
    town.claude.failure = Failure(kind="overloaded", step="", words="Overloaded. <!channel>")
    async with town.bot(RINGI_DRAFTER="claude"):
        one = await town.member(1)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        failed = await one.sees(lambda: reading.find(one.messages(NOTES), "Stopped: links in daily"), 20)
        assert reading.buttons(failed) == ["continue_now", "end"]
        assert "It said: “Overloaded. <!channel>”" in reading.words(failed)
        await one.sees(lambda: reading.find(one.thread(failed["ts"], NOTES), "<@U0MEMBER1> *stopped*"))
        town.claude.failure = None
        await one.click(failed, "continue_now")
        await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), 20)


async def test_an_ended_offer_is_not_offered_again(town, reading):
    town.claude.failure = Failure(kind="overloaded", step="", words="Overloaded")
    async with town.bot(RINGI_DRAFTER="claude"):
        one = await town.member(1)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        failed = await one.sees(lambda: reading.find(one.messages(NOTES), "Stopped: links in daily"), 20)
        await one.click(failed, "end")
        await one.sees(
            lambda: one.message(failed["ts"]) if not reading.buttons(one.message(failed["ts"])) else None
        )


async def test_a_question_of_a_size_that_serves_nobody_is_not_asked_and_says_so(town, reading, monkeypatch):
    """001-1: looked at before it reaches a checkpoint."""
    monkeypatch.setattr("graph.approval.MOST_BYTES", 1_000)
    async with town.bot():
        one = await town.member(1)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        failed = await one.sees(lambda: reading.find(one.messages(NOTES), "Stopped: links in daily"), 20)
        said = reading.words(failed)
        assert "Too much for one question" in said
        assert "check smaller folders one by one" in said
        [run] = await town.engine.store.runs()
        assert await town.engine.store.requests(run.id) == []
        assert "approve" not in reading.buttons(failed)


async def test_five_hundred_findings_with_hostile_names_make_one_card(town, asked, reading):
    """S38, S41, S43: shown literally, nobody pinged, no link; the update fits too."""
    name = "x` <https:__evil.example> Approve here <!channel> <@U0MEMBER2>" + "é" * 60
    town.write({"big/" + "n" * 60 + ".md": "".join(f"[[{name} {n}]]\n\n" for n in range(500))})
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one, "big")
        assert "500 links in big lead nowhere" in reading.words(card)
        assert "file in the thread" in reading.words(card)
        assert len(card["blocks"]) <= 50
        await two.click(card, "reject")
        reason = "<!channel> `*_" + "理由 " * 900
        assert (await two.submit(await two.modal("decide"), {"reason": reason[:3000]})).ok
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Rejected: 500 links in big"), 20)
        assert reading.buttons(done) in (["show_record"], [])
        marked = [b["text"]["text"] for b in done["blocks"] if b.get("text", {}).get("type") == "mrkdwn"]
        assert all("<!channel>" not in text for text in marked)


async def test_tracing_variables_in_the_shell_send_nothing(town, asked, monkeypatch):
    """Law 10: LangGraph would post note text out."""
    seen = []

    async def catch(request: aiohttp.web.Request) -> aiohttp.web.Response:
        seen.append(request.path)
        return aiohttp.web.json_response({})

    app = aiohttp.web.Application()
    app.router.add_route("*", "/{rest:.*}", catch)
    runner = aiohttp.web.AppRunner(app)
    await runner.setup()
    site = aiohttp.web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2"):
        monkeypatch.setenv(name, "true")
    for name in ("LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{runner.addresses[0][1]}")
    monkeypatch.setenv("LANGSMITH_API_KEY", "key")
    try:
        async with town.bot():
            one, two = await town.member(1), await town.member(2)
            card = await asked(one)
            await two.click(card, "approve")
            assert (await two.submit(await two.modal("decide"))).ok
            await town.outcome()
    finally:
        await runner.cleanup()
    assert seen == []


async def test_a_reconnect_in_between_loses_no_click(town, asked, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await town.slack.disconnect()
        await town.slack.sockets.connected()
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await town.outcome()


@pytest.mark.parametrize("variable", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_wrong_token_fails_at_once_with_its_name(town, variable):
    wrong = {"SLACK_BOT_TOKEN": "xoxb-wrong", "SLACK_APP_TOKEN": "xapp-wrong"}[variable]
    with pytest.raises(SettingsError) as raised:
        async with town.bot(**{variable: wrong}):
            pass
    assert [name for name, _ in raised.value.problems] == [variable]


async def test_slow_look_ups_do_not_cost_the_acknowledgement(town, asked, reading):
    """S32, S33: three seconds are Slack's; names come late or not at all, decisions do not."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        town.slack.faults.slow["users.info"] = 4.0
        town.slack.faults.slow["conversations.info"] = 4.0
        answer = await one.command(NOTES, "/linkcheck daily")
        assert answer.ok
        assert answer.ack < 3000
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), 20)
        await two.click(card, "approve")
        decided = await two.submit(await two.modal("decide"), {"reason": "Fine."})
        assert decided.ok
        assert decided.ack < 3000
        await town.outcome()
