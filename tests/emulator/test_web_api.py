"""The Web API refuses what Slack refuses, by Slack's names."""

from __future__ import annotations

import time

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator
from bot.emulator.web_api import Rate


def section(text, **more):
    return {"type": "section", "text": {"type": "plain_text", "text": text}, **more}


def error(refused):
    return refused.value.response["error"]


async def test_a_call_without_a_token_or_with_a_foreign_one_is_refused(slack):
    with pytest.raises(SlackApiError) as refused:
        await AsyncWebClient(base_url=slack.api_url).auth_test()
    assert error(refused) == "not_authed"
    with pytest.raises(SlackApiError) as refused:
        await AsyncWebClient("xoxb-foreign", base_url=slack.api_url).auth_test()
    assert error(refused) == "invalid_auth"


async def test_each_token_opens_only_its_own_methods(slack, client):
    with pytest.raises(SlackApiError) as refused:
        await client.apps_connections_open(app_token=slack.bot_token)
    assert error(refused) == "not_allowed_token_type"
    with pytest.raises(SlackApiError) as refused:
        await AsyncWebClient(slack.app_token, base_url=slack.api_url).auth_test()
    assert error(refused) == "not_allowed_token_type"


async def test_two_starts_have_different_tokens():
    one, two = Emulator(), Emulator()
    assert one.bot_token != two.bot_token
    assert one.app_token != two.app_token
    assert one._page.key != two._page.key


async def test_a_method_that_does_not_exist_is_refused(client):
    with pytest.raises(SlackApiError) as refused:
        await client.api_call("chat.shout")
    assert error(refused) == "unknown_method"


async def test_a_missing_scope_is_named():
    async with Emulator(scopes=["chat:write"]) as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        with pytest.raises(SlackApiError) as refused:
            await client.users_info(user="U0MEMBER1")
        assert error(refused) == "missing_scope"
        assert refused.value.response["needed"] == "users:read"
        assert refused.value.response["provided"] == "chat:write"
        assert (await client.auth_test()).headers["X-OAuth-Scopes"] == "chat:write"


async def test_arguments_come_as_a_form_as_json_or_in_the_query(slack):
    bearer = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession(headers=bearer) as http:
        said = {"channel": "C0NOTES", "text": "hello"}
        for given in ({"data": said}, {"json": said}, {"params": said}):
            async with http.post(f"{slack.api_url}chat.postMessage", **given) as reply:
                assert (await reply.json())["ok"], given
        async with http.get(f"{slack.api_url}users.info", params={"user": "U0MEMBER1"}) as reply:
            assert (await reply.json())["user"]["real_name"] == "Member 1"
        async with http.post(
            f"{slack.api_url}chat.postMessage", data="{", headers={"Content-Type": "application/json"}
        ) as reply:
            assert (await reply.json())["error"] == "invalid_json"


async def test_a_user_has_a_zone_and_says_the_locale_only_if_asked(client):
    member = (await client.users_info(user="U0MEMBER2"))["user"]
    assert (member["tz"], member["tz_offset"]) == ("Asia/Tokyo", 32400)
    assert "locale" not in member
    assert (await client.users_info(user="U0MEMBER2", include_locale=True))["user"]["locale"] == "ja-JP"
    with pytest.raises(SlackApiError) as refused:
        await client.users_info(user="U0NOBODY")
    assert error(refused) == "user_not_found"


@pytest.mark.parametrize(
    ("channel", "why"),
    [("C0NOWHERE", "channel_not_found"), ("C0ELSEWHERE", "not_in_channel"), ("C0GENERAL", "is_archived")],
)
async def test_a_post_is_refused_where_the_app_cannot_write(slack, client, channel, why):
    """S26, S50: the app hears why it cannot post instead of waiting on a card nobody sees."""
    slack.archive("general")
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=channel, text="hello")
    assert error(refused) == why


async def test_a_post_to_a_person_opens_the_direct_messages_with_them(client, member1):
    posted = await client.chat_postMessage(channel="U0MEMBER1", text="hello")
    assert posted["channel"] == member1.dm
    assert [m["text"] for m in member1.messages()] == ["hello"]
    with pytest.raises(SlackApiError) as refused:
        await client.chat_update(channel="U0MEMBER1", ts=posted["ts"], text="bye")
    assert error(refused) == "channel_not_found"
    assert (await client.conversations_open(users="U0MEMBER1"))["channel"]["id"] == member1.dm


async def test_an_update_with_text_alone_drops_the_blocks_and_keeps_the_metadata(client, member1):
    about = {"event_type": "card", "event_payload": {"id": "r1"}}
    posted = await client.chat_postMessage(channel="C0NOTES", text="a", blocks=[section("b")], metadata=about)
    assert posted["message"]["blocks"][0]["block_id"]
    await client.chat_update(channel="C0NOTES", ts=posted["ts"], text="c")
    assert [(m["text"], m["blocks"]) for m in member1.messages("notes-care")] == [("c", [])]
    [plain] = (await client.conversations_history(channel="C0NOTES"))["messages"]
    assert "metadata" not in plain
    [whole] = (await client.conversations_history(channel="C0NOTES", include_all_metadata=True))["messages"]
    assert whole["metadata"] == about


async def test_an_update_of_the_metadata_alone_keeps_what_is_shown(client, member1):
    posted = await client.chat_postMessage(channel="C0NOTES", text="a", blocks=[section("b")])
    about = {"event_type": "card", "event_payload": {"id": "r1"}}
    await client.api_call("chat.update", json={"channel": "C0NOTES", "ts": posted["ts"], "metadata": about})
    [shown] = member1.messages("notes-care")
    assert (shown["text"], len(shown["blocks"])) == ("a", 1)


async def test_metadata_slack_cannot_read_is_dropped_with_a_warning(client):
    posted = await client.chat_postMessage(
        channel="C0NOTES", text="a", metadata={"event_type": "a card", "event_payload": {}}
    )
    assert posted["warning"] == "metadata_invalid"
    assert "metadata" not in posted["message"]


async def test_an_update_of_what_is_gone_or_not_ours_is_refused(slack, client, member1):
    """S31: a deleted message or an archived channel answers with a name, not with silence."""
    posted = await client.chat_postMessage(channel="C0NOTES", text="a")
    await member1.say("notes-care", "mine")
    mine = member1.messages("notes-care")[-1]
    with pytest.raises(SlackApiError) as refused:
        await client.chat_update(channel="C0NOTES", ts=mine["ts"], text="yours")
    assert error(refused) == "cant_update_message"
    slack.delete({"channel": "C0NOTES", "ts": posted["ts"]})
    with pytest.raises(SlackApiError) as refused:
        await client.chat_update(channel="C0NOTES", ts=posted["ts"], text="b")
    assert error(refused) == "message_not_found"
    slack.archive("notes-care")
    other = slack.workspace.messages["C0NOTES"][0]
    with pytest.raises(SlackApiError) as refused:
        await client.chat_update(channel="C0NOTES", ts=other.ts, text="b")
    assert error(refused) == "is_archived"


async def test_an_ephemeral_message_is_seen_by_one_and_can_not_be_updated(client, member1, member2):
    shown = await client.chat_postEphemeral(channel="C0NOTES", user="U0MEMBER1", text="psst")
    assert [m["text"] for m in member1.ephemeral("notes-care")] == ["psst"]
    assert member2.ephemeral("notes-care") == []
    assert (await client.conversations_history(channel="C0NOTES"))["messages"] == []
    with pytest.raises(SlackApiError) as refused:
        await client.chat_update(channel="C0NOTES", ts=shown["message_ts"], text="loud")
    assert error(refused) == "message_not_found"


async def test_replies_stand_in_their_thread_and_not_in_the_channel(client, member1):
    root = await client.chat_postMessage(channel="C0NOTES", text="root")
    await client.chat_postMessage(channel="C0NOTES", text="reply", thread_ts=root["ts"])
    assert [m["text"] for m in member1.messages("notes-care")] == ["root"]
    assert [m["text"] for m in member1.thread(root["ts"])] == ["reply"]
    thread = (await client.conversations_replies(channel="C0NOTES", ts=root["ts"]))["messages"]
    assert [m["text"] for m in thread] == ["root", "reply"]
    assert thread[0]["reply_count"] == 1
    with pytest.raises(SlackApiError) as refused:
        await client.conversations_replies(channel="C0NOTES", ts="1.000001")
    assert error(refused) == "thread_not_found"


async def test_history_comes_newest_first_in_pages(slack, client):
    slack.rates.clear()
    for number in range(5):
        await client.chat_postMessage(channel="C0NOTES", text=str(number))
    first = await client.conversations_history(channel="C0NOTES", limit=3)
    assert [m["text"] for m in first["messages"]] == ["4", "3", "2"]
    assert first["has_more"]
    cursor = first["response_metadata"]["next_cursor"]
    second = await client.conversations_history(channel="C0NOTES", limit=3, cursor=cursor)
    assert [m["text"] for m in second["messages"]] == ["1", "0"]
    since = first["messages"][1]["ts"]
    assert [
        m["text"] for m in (await client.conversations_history(channel="C0NOTES", oldest=since))["messages"]
    ] == ["4"]


async def test_a_channel_says_who_is_in_it_and_whether_the_app_is(client):
    assert (await client.conversations_info(channel="C0NOTES"))["channel"]["is_member"]
    assert not (await client.conversations_info(channel="C0ELSEWHERE"))["channel"]["is_member"]
    members = (await client.conversations_members(channel="C0NOTES"))["members"]
    assert members == ["U0BOT", "U0MEMBER1", "U0MEMBER2", "U0STRANGER"]


async def test_the_permalink_leads_to_this_slacks_page(slack, client):
    posted = await client.chat_postMessage(channel="C0NOTES", text="a")
    link = (await client.chat_getPermalink(channel="C0NOTES", message_ts=posted["ts"]))["permalink"]
    assert link.startswith(slack.api_url.removesuffix("api/") + "archives/C0NOTES/p")


async def test_more_updates_than_slack_allows_are_told_when_to_come_back(slack, client):
    posted = await client.chat_postMessage(channel="C0NOTES", text="a")
    slack.rates["chat.update"] = Rate(per_minute=50, burst=3)
    for _ in range(3):
        await client.chat_update(channel="C0NOTES", ts=posted["ts"], text="b")
    with pytest.raises(SlackApiError) as refused:
        await client.chat_update(channel="C0NOTES", ts=posted["ts"], text="c")
    assert error(refused) == "ratelimited"
    assert refused.value.response.status_code == 429
    assert int(refused.value.response.headers["Retry-After"]) >= 1
    assert slack.workspace.messages["C0NOTES"][0].text == "b"


async def test_posts_are_counted_by_channel(slack, client):
    slack.rates["chat.postMessage"] = Rate(per_minute=60, burst=1)
    await client.chat_postMessage(channel="C0NOTES", text="a")
    await client.chat_postMessage(channel="C0GENERAL", text="a")
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel="C0NOTES", text="b")
    assert error(refused) == "ratelimited"


async def test_a_lost_reply_is_a_post_that_stands_and_an_error_for_the_app(slack, client, member1):
    """S28: the server accepts the post and drops the reply."""
    slack.lose_next_reply("chat.postMessage")
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await client.chat_postMessage(channel="C0NOTES", text="once")
    assert [m["text"] for m in member1.messages("notes-care")] == ["once"]


async def test_the_library_with_its_own_retry_posts_twice_when_a_reply_is_lost(slack, member1):
    """S28: Slack's library retries a cut connection by default, and Slack has no key against the second post."""
    slack.lose_next_reply("chat.postMessage")
    await AsyncWebClient(slack.bot_token, base_url=slack.api_url).chat_postMessage(
        channel="C0NOTES", text="x"
    )
    assert [m["text"] for m in member1.messages("notes-care")] == ["x", "x"]


async def test_faults_happen_once_and_then_the_call_works(slack, client):
    slack.faults.limit_next("chat.postMessage", retry_after=7)
    slack.faults.break_next("chat.postMessage", 503)
    slack.faults.refuse_next("chat.postMessage", "msg_too_long")
    seen = []
    for _ in range(3):
        with pytest.raises(SlackApiError) as refused:
            await client.chat_postMessage(channel="C0NOTES", text="a")
        seen.append((refused.value.response.status_code, error(refused)))
    assert seen == [(429, "ratelimited"), (503, "internal_error"), (200, "msg_too_long")]
    assert (await client.chat_postMessage(channel="C0NOTES", text="a"))["ok"]


async def test_what_is_refused_for_good_is_refused_until_it_is_healed(slack, client):
    slack.faults.refuse("is_archived", "chat.postMessage")
    for _ in range(3):
        with pytest.raises(SlackApiError) as refused:
            await client.chat_postMessage(channel="C0NOTES", text="a")
        assert error(refused) == "is_archived"
    await client.auth_test()
    slack.faults.refuse("token_revoked")
    with pytest.raises(SlackApiError) as refused:
        await client.auth_test()
    assert error(refused) == "token_revoked"
    slack.faults.heal()
    assert (await client.chat_postMessage(channel="C0NOTES", text="a"))["ok"]


async def test_a_slack_that_went_away_answers_nothing_and_cuts_every_socket(slack, client, app, member1):
    slack.go_away()
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C0NOTES", text="a")
    assert slack.sockets.connections == 0
    slack.come_back()
    await client.chat_postMessage(channel="C0NOTES", text="b")
    assert [m["text"] for m in member1.messages("notes-care")] == ["b"]
    await slack.sockets.connected()


async def test_a_slow_method_takes_its_time(slack, client):
    slack.faults.slow["chat.postMessage"] = 0.2
    begun = time.monotonic()
    await client.chat_postMessage(channel="C0NOTES", text="a")
    assert time.monotonic() - begun >= 0.2


async def test_a_message_slack_would_refuse_is_refused_with_its_place(client):
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel="C0NOTES", text="a", blocks=[section("x" * 3001)])
    assert error(refused) == "invalid_blocks"
    assert refused.value.response["response_metadata"]["messages"] == [
        "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"
    ]


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"text": ""}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "a", "blocks": [section("x" * 2_500) for _ in range(5)]}, "msg_blocks_too_long"),
        ({"text": "a", "blocks": [section("x") for _ in range(51)]}, "invalid_blocks"),
    ],
)
async def test_too_little_and_too_much_are_refused(client, message, why):
    """S40, S41: the sum over all blocks and their number have limits too."""
    with pytest.raises(SlackApiError) as refused:
        await client.api_call("chat.postMessage", json={"channel": "C0NOTES", **message})
    assert error(refused) == why


@pytest.mark.parametrize(
    ("method", "arguments", "why"),
    [
        ("chat.postMessage", {"channel": "C0NOTES", "text": "a", "blocks": "[{"}, "invalid_blocks_format"),
        ("chat.postMessage", {"channel": "C0NOTES", "text": "a", "blocks": "{}"}, "invalid_blocks_format"),
        ("chat.postMessage", {"channel": "C0NOTES", "text": "a", "blocks": "[5]"}, "invalid_blocks"),
        ("chat.postMessage", {"text": "a"}, "channel_not_found"),
        (
            "chat.postMessage",
            {"channel": "C0NOTES", "text": "a", "thread_ts": "1.000000"},
            "thread_not_found",
        ),
        ("chat.postEphemeral", {"channel": "C0NOTES", "text": "a"}, "invalid_arguments"),
        ("conversations.history", {"channel": "C0NOTES", "limit": "many"}, "invalid_arguments"),
        ("conversations.history", {"channel": "C0NOTES", "cursor": "x"}, "invalid_cursor"),
        ("views.open", {"view": "{}"}, "invalid_arguments"),
        ("views.open", {"trigger_id": "1.2.3", "view": "x"}, "invalid_arguments"),
        ("views.update", {"view": "{}"}, "invalid_arguments"),
        ("views.publish", {"user_id": "U0NOBODY", "view": "{}"}, "user_not_found"),
    ],
)
async def test_arguments_that_make_no_sense_are_refused_by_name(client, method, arguments, why):
    with pytest.raises(SlackApiError) as refused:
        await client.api_call(method, params=arguments)
    assert error(refused) == why
