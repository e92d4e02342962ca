"""What the app hears of by itself: looks at its Home tab, messages, mentions; and how often. And shortcuts, user groups."""

from __future__ import annotations

import asyncio

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator

MANIFEST = {
    "features": {
        "app_home": {"home_tab_enabled": True},
        "bot_user": {"display_name": "ringi"},
        "shortcuts": [
            {"name": "Check links", "type": "global", "callback_id": "check", "description": "In a folder"},
            {"name": "Check this", "type": "message", "callback_id": "this", "description": "-"},
        ],
    },
    "settings": {
        "event_subscriptions": {
            "bot_events": ["app_home_opened", "message.channels", "message.im", "app_mention"]
        }
    },
}


def plain(text):
    return {"type": "plain_text", "text": text}


def home(*words):
    button = {"type": "button", "action_id": "decide", "text": plain("Decide"), "value": "r1:1"}
    row = {"type": "section", "text": plain("daily"), "accessory": button}
    return {"type": "home", "blocks": [row, *({"type": "section", "text": plain(w)} for w in words)]}


@pytest.fixture
async def slack():
    async with Emulator(MANIFEST) as emulator:
        emulator.sockets.ack_seconds = 30.0
        emulator.events.retry_seconds = (0.0, 0.1, 0.2)
        yield emulator


@pytest.fixture
def bodies(app):
    """Everything the app was sent, oldest first."""
    seen = []

    @app.middleware
    async def remember(body, next):  # noqa: A002 - Bolt passes arguments by name
        seen.append(body)
        await next()

    return seen


def attempts(slack):
    return [(e["retry_attempt"], e["retry_reason"]) for e in slack.sockets.sent if "retry_attempt" in e]


# -- Home ----------------------------------------------------------------------------------------------


async def test_a_home_tab_is_asked_for_published_and_pressed(slack, app, bodies, member1):
    @app.event("app_home_opened")
    async def opened(event, client):
        await client.views_publish(user_id=event["user"], view=home())

    @app.action("decide")
    async def decide(ack):
        await ack()

    assert (await member1.open_home()).ok
    shown = await member1.sees(lambda: member1.home)
    assert (await member1.click(shown, "decide")).ok
    asked, pressed = bodies
    assert (asked["event"]["type"], asked["event"]["tab"]) == ("app_home_opened", "home")
    assert "view" not in asked["event"]
    assert pressed["view"]["type"] == "home"
    assert pressed["container"]["type"] == "view"
    await member1.open_home("messages")
    await member1.open_home()
    await member1.sees(lambda: len(bodies) == 4)
    assert {b["event"]["tab"]: "view" in b["event"] for b in bodies[2:]} == {"messages": False, "home": True}


async def test_each_person_has_a_home_of_their_own_and_an_old_hash_does_not_overwrite_it(
    client, member1, member2
):
    first = (await client.views_publish(user_id="U0MEMBER1", view=home()))["view"]
    assert member2.home is None
    second = (await client.views_publish(user_id="U0MEMBER1", view=home("new"), hash=first["hash"]))["view"]
    assert second["id"] == first["id"]
    with pytest.raises(SlackApiError) as refused:
        await client.views_publish(user_id="U0MEMBER1", view=home("late"), hash=first["hash"])
    assert refused.value.response["error"] == "hash_conflict"
    assert member1.home["blocks"][1]["text"]["text"] == "new"


async def test_what_slack_would_not_show_on_a_home_tab_is_refused(client):
    errors = []
    for user, view in (
        ("U0NOBODY", home()),
        ("U0MEMBER1", home(*"x" * 101)),
        ("U0MEMBER1", home() | {"title": plain("Home")}),
        ("U0MEMBER1", home() | {"blocks": [{"type": "markdown", "text": "x"}]}),
    ):
        with pytest.raises(SlackApiError) as refused:
            await client.views_publish(user_id=user, view=view)
        errors.append(refused.value.response["error"])
    assert errors == ["user_not_found", "invalid_arguments", "invalid_arguments", "invalid_arguments"]


async def test_an_app_whose_manifest_has_no_home_tab_cannot_publish_one():
    async with Emulator({"features": {"bot_user": {"display_name": "ringi"}}}) as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        with pytest.raises(SlackApiError) as refused:
            await client.views_publish(user_id="U0MEMBER1", view=home())
        assert refused.value.response["error"] == "not_enabled"


# -- once more -----------------------------------------------------------------------------------------


async def test_an_event_nobody_acks_comes_three_times_more_and_then_never(slack, app, bodies, member1):
    """S12: the same event again, with the same ids, marked as a retry."""

    slack.sockets.ack_seconds = 0.3

    @app.middleware
    async def out_of_order():
        return BoltResponse(status=503)

    await member1.open_home()
    await member1.sees(lambda: len(attempts(slack)) == 4, 10)
    await asyncio.sleep(0.6)
    assert attempts(slack) == [(0, ""), (1, "timeout"), (2, "timeout"), (3, "timeout")]
    assert len({e["envelope_id"] for e in slack.sockets.sent}) == 1
    assert [b["event"]["tab"] for b in bodies] == ["home"] * 4
    assert len({b["event_id"] for b in bodies}) == 1


async def test_an_event_that_was_acked_comes_once(slack, app, bodies, member1):
    @app.event("app_home_opened")
    async def opened():
        pass

    await member1.open_home()
    await member1.sees(lambda: bodies)
    await asyncio.sleep(0.5)
    assert attempts(slack) == [(0, "")]


async def test_what_happened_while_no_socket_was_open_comes_as_a_retry(slack, member1):
    """S14: for such an event the retry is the only delivery there is."""
    slack.events.retry_seconds = (0.0, 1.0, 10.0)
    await member1.say("general", "is anyone there?")
    app = AsyncApp(client=AsyncWebClient(slack.bot_token, base_url=slack.api_url))
    heard = []

    @app.event("message")
    async def message(event, request):
        heard.append((event["text"], request.headers.get("x-slack-retry-num")))

    web_client = AsyncWebClient(slack.app_token, base_url=slack.api_url)
    handler = AsyncSocketModeHandler(app, slack.app_token, web_client=web_client)
    await handler.connect_async()
    await member1.sees(lambda: heard)
    await handler.close_async()
    [(text, retries)] = heard
    assert text == "is anyone there?"
    assert retries in (["2"], ["3"])


async def test_commands_and_clicks_are_never_sent_again(slack, app, client, member1, caplog):
    """The person sees an error and presses again."""
    caplog.set_level("CRITICAL")
    slack.sockets.ack_seconds = 0.3
    button = {"type": "button", "action_id": "nobody", "text": plain("x")}
    await client.chat_postMessage(
        channel="C0NOTES", text="card", blocks=[{"type": "actions", "elements": [button]}]
    )
    assert not (await member1.click(member1.messages("notes-care")[0], "nobody")).ok
    assert not (await member1.command("notes-care", "/nobody")).ok
    await asyncio.sleep(0.4)
    assert [e["type"] for e in slack.sockets.sent] == ["interactive", "slash_commands"]


# -- messages ------------------------------------------------------------------------------------------


async def test_an_app_hears_messages_mentions_and_threads_where_it_is_a_member(app, bodies, client, member1):
    @app.event("message")
    async def message():
        pass

    @app.event("app_mention")
    async def mention(event, say):
        await say("Yes?", thread_ts=event["ts"])

    await member1.say("elsewhere", "not for the app")
    await member1.say(member1.dm, "hello")
    await member1.say("notes-care", "@ringi, are you there? @approvers @Member 2")
    [asked] = member1.messages("notes-care")
    assert asked["text"] == "<@U0BOT>, are you there? <!subteam^S0APPROVERS> <@U0MEMBER2>"
    [reply] = await member1.sees(lambda: member1.thread(asked["ts"]))
    assert reply["text"] == "Yes?"
    assert (await member1.say("notes-care", "thanks", thread_ts=reply["ts"])).ok
    await member1.sees(lambda: len(bodies) == 4)
    events = [b["event"] for b in bodies]
    assert sorted((e["type"], e.get("channel_type")) for e in events) == [
        ("app_mention", None),
        ("message", "channel"),
        ("message", "channel"),
        ("message", "im"),
    ]
    assert [e["thread_ts"] for e in events if e["text"] == "thanks"] == [asked["ts"]]
    assert [m["text"] for m in member1.thread(asked["ts"])] == ["Yes?", "thanks"]


async def test_commands_are_not_taken_in_threads_and_nothing_in_what_is_archived(slack, client, member1):
    card = await client.chat_postMessage(channel="C0NOTES", text="card")
    answer = await member1.say("notes-care", "/linkcheck daily", thread_ts=card["ts"])
    assert answer.error == "/linkcheck is not supported in threads. Sorry!"
    slack.archive("notes-care")
    assert (await member1.say("notes-care", "hello")).error == "This conversation is archived."


# -- shortcuts -----------------------------------------------------------------------------------------


async def test_a_shortcut_opens_a_modal_from_anywhere(app, bodies, client, member1):
    @app.shortcut("check")
    async def check(ack, body):
        await ack()
        view = {"type": "modal", "title": plain("Check links"), "blocks": home()["blocks"]}
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    assert (await member1.shortcut("check")).ok
    assert (await member1.modal())["title"]["text"] == "Check links"
    [body] = bodies
    assert (body["type"], body["callback_id"], body["user"]["id"]) == ("shortcut", "check", "U0MEMBER1")
    assert not {"channel", "response_url", "message"} & set(body)
    with pytest.raises(LookupError, match="There is no shortcut 'this'; there is check"):
        await member1.shortcut("this")


# -- user groups ---------------------------------------------------------------------------------------


async def test_a_user_group_is_looked_up_with_its_two_members(slack, client):
    [group] = (await client.usergroups_list(include_users=True, include_count=True))["usergroups"]
    assert (group["id"], group["handle"], group["user_count"]) == ("S0APPROVERS", "approvers", 2)
    assert group["users"] == ["U0MEMBER1", "U0MEMBER2"]
    assert "users" not in (await client.usergroups_list())["usergroups"][0]
    assert (await client.usergroups_users_list(usergroup="S0APPROVERS"))["users"] == group["users"]
    with pytest.raises(SlackApiError) as refused:
        await client.usergroups_users_list(usergroup="S0NONE")
    assert refused.value.response["error"] == "no_such_subteam"


async def test_a_disabled_user_group_is_found_only_by_who_asks_for_it(slack, client):
    slack.workspace.usergroups["S0APPROVERS"].disabled = True
    assert (await client.usergroups_list())["usergroups"] == []
    assert len((await client.usergroups_list(include_disabled=True))["usergroups"]) == 1
    with pytest.raises(SlackApiError, match="no_such_subteam"):
        await client.usergroups_users_list(usergroup="S0APPROVERS")
    members = await client.usergroups_users_list(usergroup="S0APPROVERS", include_disabled=True)
    assert members["users"] == ["U0MEMBER1", "U0MEMBER2"]
