"""The panel *break things*: what a person breaks on the page is what an app meets."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

pytestmark = pytest.mark.slow  # real processes, and their time-outs


def plain(text):
    return {"type": "plain_text", "text": text}


VIEW = {"type": "modal", "title": plain("x"), "blocks": [{"type": "section", "text": plain("x")}]}


async def broken(browser, what, **more):
    answer = await browser.ask(do="break", what=what, **more)
    assert answer["ok"], answer
    await browser.until(lambda state: True)


async def test_nothing_is_broken_at_first_and_the_page_sees_what_is(browser):
    assert browser.state["broken"] == {
        "slow": False,
        "away": False,
        "silent": False,
        "expire": False,
        "limit": 0,
        "lose": 0,
    }
    await browser.ask(do="break", what="limit")
    await browser.ask(do="break", what="expire")
    state = await browser.until(lambda s: s["broken"]["expire"] and s["broken"]["limit"] == 1)
    assert not state["broken"]["lose"]
    await browser.ask(do="break", what="mend")
    state = await browser.until(lambda s: not s["broken"]["expire"])
    assert not any(state["broken"].values())


async def test_only_what_is_in_the_panel_can_be_broken(browser):
    for what in ("everything", "", None):
        answer = await browser.ask(do="break", what=what)
        assert (answer["ok"], answer["error"]) == (False, "This Slack cannot break that.")
    assert (await browser.ask(do="break", what="archive", channel="C0NOWHERE"))[
        "error"
    ] == "channel_not_found"
    assert (await browser.ask(do="break", what="archive", channel="D0MEMBER1"))[
        "error"
    ] == "Direct messages cannot be archived."
    assert (await browser.ask(do="break", what="again"))["error"] == "Nothing was delivered yet."


async def test_the_next_call_is_limited_once_whichever_it_is(browser, client):
    await broken(browser, "limit")
    with pytest.raises(SlackApiError) as refused:
        await client.users_info(user="U0MEMBER1")
    assert (refused.value.response.status_code, refused.value.response["error"]) == (429, "ratelimited")
    assert refused.value.response.headers["Retry-After"] == "5"
    assert (await client.users_info(user="U0MEMBER1"))["ok"]
    await browser.until(lambda s: s["broken"]["limit"] == 0)


async def test_the_answer_to_the_next_post_is_lost_but_the_message_is_there(browser, client, member1):
    await broken(browser, "lose")
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C0NOTES", text="card")
    assert [m["text"] for m in member1.messages("notes-care")] == ["card"]


async def test_triggers_are_too_old_until_it_is_mended(browser, slack, client):
    await broken(browser, "expire")
    with pytest.raises(SlackApiError) as refused:
        await client.views_open(trigger_id=slack.workspace.new_trigger("U0MEMBER1"), view=VIEW)
    assert refused.value.response["error"] == "expired_trigger_id"
    await broken(browser, "expire")
    assert (await client.views_open(trigger_id=slack.workspace.new_trigger("U0MEMBER1"), view=VIEW))["ok"]


async def test_every_call_is_slow_until_it_is_mended(browser, slack, client):
    await broken(browser, "slow")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await client.api_test()
    await broken(browser, "slow")
    async with asyncio.timeout(2):
        await client.api_test()


async def test_a_channel_is_archived_and_opened_again_and_the_last_message_deleted(browser, client, member1):
    await client.chat_postMessage(channel="C0NOTES", text="first")
    await client.chat_postMessage(channel="C0NOTES", text="second")
    await member1.say("notes-care", "mine")
    await broken(browser, "delete", channel="C0NOTES")
    assert [m["text"] for m in member1.messages("notes-care")] == ["first", "mine"]
    await broken(browser, "archive", channel="C0NOTES")
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel="C0NOTES", text="card")
    assert refused.value.response["error"] == "is_archived"
    await broken(browser, "archive", channel="C0NOTES")
    assert (await client.chat_postMessage(channel="C0NOTES", text="card"))["ok"]


async def test_the_app_is_asked_to_reconnect_cut_off_and_sent_the_last_envelope_again(browser, slack, app):
    runs = []

    @app.command("/check")
    async def check(ack, body):
        runs.append(body["text"])
        await ack()

    for what in ("disconnect", "cut"):
        await broken(browser, what)
        await slack.sockets.connected()
        assert (await browser.ask(do="say", channel="C0NOTES", text=f"/check {what}"))["ok"]
    await broken(browser, "again")
    assert runs == ["disconnect", "cut", "cut"]


async def test_a_slack_that_is_gone_answers_nothing_until_it_is_mended(browser, slack, app, client):
    await broken(browser, "away")
    assert slack.sockets.connections == 0
    with pytest.raises(aiohttp.ClientError):
        await client.api_test()
    await broken(browser, "mend")
    await slack.sockets.connected()
    assert (await client.api_test())["ok"]


async def test_a_line_that_says_nothing_is_given_up_by_the_library(browser, slack, app):
    before = slack.sockets._links[0]
    await broken(browser, "silent")
    await slack.workspace.until(lambda: before not in slack.sockets._links, 10)
    await broken(browser, "mend")
    await slack.sockets.connected()
