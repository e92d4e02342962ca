"""What people do reaches the app as Slack would send it, and what the app answers is what they see."""

from __future__ import annotations

import asyncio
import logging

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.emulator import Emulator


def plain(text):
    return {"type": "plain_text", "text": text}


def button(action_id, value="r1:1"):
    return {"type": "button", "action_id": action_id, "text": plain(action_id), "value": value}


def buttons(*action_ids, block_id="decide.1"):
    return {"type": "actions", "block_id": block_id, "elements": [button(a) for a in action_ids]}


def field(block_id, *, optional=True, **element):
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain("Why"),
        "optional": optional,
        "element": {"type": "plain_text_input", "action_id": "words", **element},
    }


def modal(*blocks, callback_id="decide", **more):
    return {
        "type": "modal",
        "callback_id": callback_id,
        "private_metadata": "r1:1",
        "title": plain("Reason"),
        "submit": plain("Send"),
        "blocks": list(blocks),
        **more,
    }


VERDICTS = {
    "type": "input",
    "block_id": "item",
    "label": plain("Item"),
    "element": {
        "type": "static_select",
        "action_id": "verdict",
        "options": [
            {"text": plain("Typo"), "value": "typo"},
            {"text": plain("Ignore"), "value": "ignore"},
        ],
    },
}


def opens(app, action_id, view):
    """Let a button open a modal."""

    @app.action(action_id)
    async def open_it(ack, body, client):
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=view)


@pytest.fixture
def bodies(app):
    """Everything the app was sent, oldest first."""
    seen = []

    @app.middleware
    async def remember(body, next):  # noqa: A002 - Bolt passes arguments by name
        seen.append(body)
        await next()

    return seen


# -- commands ------------------------------------------------------------------------------------------


async def test_a_command_carries_who_where_and_how_to_answer(slack, app, bodies, member2):
    @app.command("/check")
    async def check(ack):
        await ack()

    assert (await member2.command("notes-care", "/check  日報 フォルダ ")).ok
    [body] = bodies
    assert body["command"] == "/check"
    assert body["text"] == "日報 フォルダ"
    assert (body["team_id"], body["user_id"], body["channel_id"]) == ("T0TEAM", "U0MEMBER2", "C0NOTES")
    assert (body["channel_name"], body["user_name"], body["api_app_id"]) == ("notes-care", "member2", "A0APP")
    assert body["is_enterprise_install"] == "false"
    assert body["response_url"].startswith(slack.api_url.removesuffix("api/") + "commands/")
    assert len(body["trigger_id"].split(".")) == 3


async def test_a_command_works_where_the_app_is_no_member_and_the_reply_address_does_too(app, member1):
    """S50: the command may be typed where the app cannot post."""

    @app.command("/check")
    async def check(ack, respond):
        await ack()
        await respond("Please invite me.")

    assert (await member1.command("elsewhere", "/check x")).ok
    [said] = await member1.sees(lambda: member1.ephemeral("elsewhere"))
    assert said["text"] == "Please invite me."


async def test_an_app_that_does_not_ack_is_an_error_for_the_person(slack, app, member1):
    slack.sockets.ack_seconds = 0.2

    @app.command("/check")
    async def check(ack):
        await asyncio.sleep(0.5)
        await ack("too late")

    answer = await member1.command("notes-care", "/check x")
    assert answer.error == "/check failed because the app did not respond."
    assert answer.ack is None
    await asyncio.sleep(0.6)
    assert member1.ephemeral("notes-care") == []


async def test_without_a_connection_the_person_hears_so_at_once(slack, member1):
    answer = await member1.command("notes-care", "/check x")
    assert "the app did not respond" in answer.error


async def test_an_ack_that_is_no_message_is_an_error_for_the_person(app, member1):
    @app.command("/check")
    async def check(ack):
        await ack(blocks=[{"type": "section", "text": plain("x" * 3001)}])

    answer = await member1.command("notes-care", "/check x")
    assert answer.error == "/check failed with the error “invalid_command_response”."


async def test_only_commands_of_the_manifest_are_known():
    manifest = {"features": {"slash_commands": [{"command": "/check", "description": "Checks"}]}}
    async with Emulator(manifest) as slack:
        person = await slack.person("U0MEMBER1")
        assert (await person.command("notes-care", "/other")).error == "/other is not a valid command."


async def test_what_a_person_writes_is_escaped_and_seen_by_all(member1, member2):
    assert (await member1.say("general", "a < b & <!channel>")).ok
    [seen] = member2.messages("general")
    assert seen["text"] == "a &lt; b &amp; &lt;!channel&gt;"


# -- clicks --------------------------------------------------------------------------------------------


async def test_a_click_carries_message_button_and_place(app, bodies, client, member1):
    @app.action("approve")
    async def approve(ack):
        await ack()

    root = await client.chat_postMessage(channel="C0NOTES", text="root")
    await client.chat_postMessage(
        channel="C0NOTES", text="card", blocks=[buttons("approve", "reject")], thread_ts=root["ts"]
    )
    [card] = member1.thread(root["ts"])
    assert (await member1.click(card, "approve")).ok
    [body] = bodies
    assert body["type"] == "block_actions"
    assert body["user"] == {
        "id": "U0MEMBER1",
        "username": "member1",
        "name": "member1",
        "team_id": "T0TEAM",
    }
    assert body["team"]["id"] == "T0TEAM"
    assert body["container"] == {
        "type": "message",
        "message_ts": card["ts"],
        "channel_id": "C0NOTES",
        "is_ephemeral": False,
        "thread_ts": root["ts"],
    }
    assert body["channel"] == {"id": "C0NOTES", "name": "notes-care"}
    assert body["message"]["text"] == "card"
    assert body["message"]["bot_id"] == "B0BOT"
    [action] = body["actions"]
    assert {k: action[k] for k in ("type", "action_id", "block_id", "value")} == {
        "type": "button",
        "action_id": "approve",
        "block_id": "decide.1",
        "value": "r1:1",
    }


async def test_a_button_that_is_not_there_cannot_be_pressed(app, client, member1):
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    [card] = member1.messages("notes-care")
    with pytest.raises(LookupError, match="There is no 'reject' to press; there is approve"):
        await member1.click(card, "reject")


async def test_a_click_on_an_old_look_of_a_card_presses_what_stands_there_now(app, client, member1):
    """S3: the card was updated while the finger was on its way."""
    posted = await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    [card] = member1.messages("notes-care")
    await client.chat_update(channel="C0NOTES", ts=posted["ts"], text="Approved.")
    with pytest.raises(LookupError):
        await member1.click(card, "approve")


async def test_a_click_the_app_does_not_know_is_an_error_for_the_person(slack, app, client, member1, caplog):
    caplog.set_level(logging.CRITICAL)
    slack.sockets.ack_seconds = 0.3
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("unknown")])
    [card] = member1.messages("notes-care")
    assert (await member1.click(card, "unknown")).error == "the app did not respond"


async def test_a_choice_in_a_menu_carries_the_option_the_app_offered(app, bodies, client, member1):
    @app.action("verdict")
    async def verdict(ack):
        await ack()

    menu = {"type": "actions", "block_id": "menu", "elements": [VERDICTS["element"]]}
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[menu])
    [card] = member1.messages("notes-care")
    await member1.click(card, "verdict", choose="Ignore")
    assert bodies[0]["actions"][0]["selected_option"]["value"] == "ignore"
    assert bodies[0]["state"]["values"]["menu"]["verdict"]["selected_option"]["value"] == "ignore"


async def test_an_ephemeral_message_can_be_pressed_replaced_and_deleted_by_its_one_reader(
    app, bodies, client, member1, member2
):
    @app.action("again")
    async def again(ack, respond):
        await ack()
        await respond("Replaced.", replace_original=True)

    await client.chat_postEphemeral(
        channel="C0NOTES", user="U0MEMBER1", text="psst", blocks=[buttons("again")]
    )
    [shown] = member1.ephemeral("notes-care")
    await member1.click(shown, "again")
    await member1.sees(lambda: member1.ephemeral("notes-care")[0]["text"] == "Replaced.")
    assert bodies[0]["container"]["is_ephemeral"]
    assert "message" not in bodies[0]
    await AsyncWebhookClient(bodies[0]["response_url"]).send(delete_original=True)
    assert member1.ephemeral("notes-care") == []


# -- modals --------------------------------------------------------------------------------------------


async def test_every_field_is_in_the_state_even_if_nobody_touched_it(app, bodies, client, member1):
    opens(app, "approve", modal(field("one", initial_value="as it was"), field("two"), VERDICTS))

    @app.view("decide")
    async def decide(ack):
        await ack()

    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    await member1.click(member1.messages("notes-care")[0], "approve")
    view = await member1.modal("decide")
    assert (await member1.submit(view, {"item": "Typo"})).ok
    sent = bodies[-1]["view"]
    assert sent["state"]["values"] == {
        "one": {"words": {"type": "plain_text_input", "value": "as it was"}},
        "two": {"words": {"type": "plain_text_input", "value": None}},
        "item": {
            "verdict": {
                "type": "static_select",
                "selected_option": VERDICTS["element"]["options"][0]
                | {"text": {"type": "plain_text", "text": "Typo", "emoji": True}},
            }
        },
    }
    assert (sent["callback_id"], sent["private_metadata"], sent["root_view_id"]) == (
        "decide",
        "r1:1",
        sent["id"],
    )
    assert sent["previous_view_id"] is None
    assert {"hash", "team_id", "app_id", "bot_id", "app_installed_team_id"} <= set(sent)


async def test_what_slacks_own_app_refuses_never_reaches_the_app(app, bodies, client, member1):
    opens(app, "approve", modal(field("reason", optional=False), field("note", max_length=5), VERDICTS))
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    await member1.click(member1.messages("notes-care")[0], "approve")
    view = await member1.modal("decide")
    answer = await member1.submit(view, {"note": "longer than five"})
    assert answer.errors == {
        "reason": "Please complete this required field.",
        "note": "Please enter no more than 5 characters.",
        "item": "Please complete this required field.",
    }
    assert [b["type"] for b in bodies] == ["block_actions"]
    assert len(member1.views) == 1


async def test_two_people_have_modals_of_their_own(app, client, member1, member2):
    opens(app, "approve", modal(field("reason")))

    @app.view("decide")
    async def decide(ack):
        await ack()

    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    [card] = member1.messages("notes-care")
    await asyncio.gather(member1.click(card, "approve"), member2.click(card, "approve"))
    one, two = await member1.modal(), await member2.modal()
    assert one["id"] != two["id"]
    with pytest.raises(LookupError, match="not open"):
        await member2.submit(one)
    assert (await member1.submit(one)).ok
    assert (member1.views, len(member2.views)) == ([], 1)


async def test_an_ack_can_replace_push_and_clear(app, client, member1):
    opens(app, "approve", modal(field("a"), callback_id="first"))

    @app.view("first")
    async def first(ack):
        await ack(response_action="update", view=modal(field("b"), callback_id="second"))

    @app.view("second")
    async def second(ack):
        await ack(response_action="push", view=modal(field("c"), callback_id="third"))

    @app.view("third")
    async def third(ack):
        await ack(response_action="clear")

    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    await member1.click(member1.messages("notes-care")[0], "approve")
    opened = await member1.modal("first")
    replaced = (await member1.submit(opened)).view
    assert (replaced["id"], replaced["callback_id"]) == (opened["id"], "second")
    assert replaced["hash"] != opened["hash"]
    pushed = (await member1.submit(replaced)).view
    assert (pushed["previous_view_id"], pushed["root_view_id"]) == (opened["id"], opened["id"])
    assert len(member1.views) == 2
    assert (await member1.submit(pushed)).ok
    assert member1.views == []


@pytest.mark.parametrize(
    "body",
    [
        {"response_action": "errors", "errors": {"nowhere": "This field does not exist."}},
        {"response_action": "shout"},
        {"response_action": "update", "view": modal(field("b"), title=plain("x" * 25))},
    ],
)
async def test_an_ack_that_makes_no_sense_is_trouble_for_the_person_and_the_modal_stays(
    app, client, member1, body
):
    """S33: an invalid ack body shows “We had some trouble connecting”."""
    opens(app, "approve", modal(field("reason")))

    @app.view("decide")
    async def decide(ack):
        await ack(**body)

    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    await member1.click(member1.messages("notes-care")[0], "approve")
    answer = await member1.submit(await member1.modal())
    assert answer.error == "We had some trouble connecting. Try again?"
    assert len(member1.views) == 1


async def test_a_closed_modal_is_heard_of_only_if_the_app_asked(app, bodies, client, member1):
    """S37: closing leaves nothing behind."""
    opens(app, "quiet", modal(field("a")))
    opens(app, "loud", modal(field("a"), notify_on_close=True))

    @app.view_closed("decide")
    async def closed(ack):
        await ack()

    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("quiet", "loud")])
    [card] = member1.messages("notes-care")
    await member1.click(card, "quiet")
    await member1.close(await member1.modal())
    assert [b["type"] for b in bodies] == ["block_actions"]
    await member1.click(card, "loud")
    await member1.close(await member1.modal())
    assert bodies[-1]["type"] == "view_closed"
    assert bodies[-1]["is_cleared"] is False
    assert member1.views == []


async def test_a_press_in_a_modal_carries_what_is_typed_and_an_update_keeps_it(app, bodies, client, member1):
    view = modal(field("reason"), buttons("more", block_id="nav"))
    opens(app, "approve", view)

    @app.action("more")
    async def more(ack, body, client):
        await ack()
        await client.views_update(
            view_id=body["view"]["id"], hash=body["view"]["hash"], view=modal(field("reason"), field("extra"))
        )

    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[buttons("approve")])
    await member1.click(member1.messages("notes-care")[0], "approve")
    shown = await member1.modal()
    await member1.click(shown, "more", typed={"reason": "half a sen"})
    assert bodies[-1]["view"]["state"]["values"]["reason"]["words"]["value"] == "half a sen"
    assert bodies[-1]["container"] == {"type": "view", "view_id": shown["id"]}
    after = await member1.sees(
        lambda: next((v for v in member1.views if "extra" in v["state"]["values"]), None)
    )
    assert after["state"]["values"]["reason"]["words"]["value"] == "half a sen"
    assert after["state"]["values"]["extra"]["words"]["value"] is None
    with pytest.raises(SlackApiError) as refused:
        await client.views_update(view_id=shown["id"], hash=shown["hash"], view=view)
    assert refused.value.response["error"] == "hash_conflict"


# -- triggers ------------------------------------------------------------------------------------------


async def test_a_trigger_opens_one_modal_and_dies_after_three_seconds(slack, app, bodies, client, member1):
    """S32: single use, three seconds."""

    @app.command("/check")
    async def check(ack):
        await ack()

    await member1.command("notes-care", "/check x")
    trigger = bodies[0]["trigger_id"]
    await client.views_open(trigger_id=trigger, view=modal(field("a")))
    errors = []
    await member1.command("notes-care", "/check x")
    slack.expire_triggers()
    for used in (trigger, bodies[1]["trigger_id"], "1.2.3"):
        with pytest.raises(SlackApiError) as refused:
            await client.views_open(trigger_id=used, view=modal(field("a")))
        errors.append(refused.value.response["error"])
    assert errors == ["exchanged_trigger_id", "expired_trigger_id", "invalid_trigger_id"]


async def test_triggers_age_by_the_clock():
    now = [1_796_000_000.0]
    async with Emulator(clock=lambda: now[0]) as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        trigger = slack.workspace.new_trigger("U0MEMBER1")
        now[0] += 3.1
        with pytest.raises(SlackApiError) as refused:
            await client.views_open(trigger_id=trigger, view=modal(field("a")))
        assert refused.value.response["error"] == "expired_trigger_id"


async def test_views_that_slack_would_not_show_are_refused(slack, client):
    def trigger(view=None):
        return slack.workspace.new_trigger("U0MEMBER1", view)

    errors = []
    root = (await client.views_open(trigger_id=trigger(), view=modal(field("a"), external_id="x")))["view"]
    await client.views_push(trigger_id=trigger(root["id"]), view=modal(field("a")))
    await client.views_push(trigger_id=trigger(root["id"]), view=modal(field("a")))
    for wrong in (
        client.views_push(trigger_id=trigger(root["id"]), view=modal(field("a"))),
        client.views_push(trigger_id=trigger(), view=modal(field("a"))),
        client.views_open(trigger_id=trigger(), view=modal(field("a"), external_id="x")),
        client.views_open(
            trigger_id=trigger(), view=modal(*[field(str(n), initial_value="字" * 2000) for n in range(50)])
        ),
        client.views_open(trigger_id=trigger(), view=modal(field("a"), title=plain("x" * 25))),
        client.views_update(view_id="V0GONE", view=modal(field("a"))),
    ):
        with pytest.raises(SlackApiError) as refused:
            await wrong
        errors.append(refused.value.response["error"])
    assert errors == [
        "push_limit_reached",
        "not_found",
        "duplicate_external_id",
        "view_too_large",
        "invalid_arguments",
        "not_found",
    ]


# -- reply addresses -----------------------------------------------------------------------------------


async def test_a_reply_address_works_five_times(slack, app, bodies, member1, member2):
    @app.command("/check")
    async def check(ack):
        await ack()

    await member1.command("notes-care", "/check x")
    reply = AsyncWebhookClient(bodies[0]["response_url"])
    for number in range(4):
        assert (await reply.send(text=str(number))).body == "ok"
    await reply.send(text="for all", response_type="in_channel")
    refused = await reply.send(text="one too many")
    assert (refused.status_code, refused.body) == (404, "used_url")
    assert [m["text"] for m in member1.ephemeral("notes-care")] == ["0", "1", "2", "3"]
    assert [m["text"] for m in member2.messages("notes-care")] == ["for all"]


async def test_a_reply_address_is_too_old_after_thirty_minutes():
    now = [1_796_000_000.0]
    async with Emulator(clock=lambda: now[0]) as slack:
        slack.workspace.open_im("U0MEMBER1")
        url = slack._replies.address(slack.workspace.new_reply_address("U0MEMBER1", "C0NOTES"), "commands")
        now[0] += 1801
        async with aiohttp.ClientSession() as http, http.post(url, json={"text": "late"}) as reply:
            assert (reply.status, await reply.text()) == (404, "expired_url")
