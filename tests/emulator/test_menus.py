"""Menus: those that ask the app while someone types, and those whose choice the app hears of at once."""

from __future__ import annotations

import asyncio

import pytest

FOLDERS = ["daily", "daily/2026", "projects", "日報"]


def plain(text):
    return {"type": "plain_text", "text": text}


def option(text, value=None):
    return {"text": plain(text), "value": value or text}


def folder(**more):
    return {
        "type": "input",
        "block_id": "folder",
        "label": plain("Folder"),
        "element": {"type": "external_select", "action_id": "name", **more},
    }


def form(*blocks, **more):
    return {
        "type": "modal",
        "callback_id": "start",
        "title": plain("Check links"),
        "submit": plain("Start"),
        "blocks": list(blocks),
        **more,
    }


@pytest.fixture
def bodies(app):
    """Everything the app was sent, oldest first."""
    seen = []

    @app.middleware
    async def remember(body, next):  # noqa: A002 - Bolt passes arguments by name
        seen.append(body)
        await next()

    return seen


@pytest.fixture
def lists_folders(app):
    @app.options("name")
    async def folders(ack, payload):
        await ack(options=[option(f) for f in FOLDERS if payload["value"] in f])


@pytest.fixture
def opened(slack, client, member1):
    """Let a modal be open for the first member: `await opened(view)`."""

    async def open_it(view):
        await client.views_open(trigger_id=slack.workspace.new_trigger("U0MEMBER1"), view=view)
        return member1.views[-1]

    return open_it


async def test_an_app_serves_the_options_while_someone_types(slack, opened, bodies, lists_folders, member1):
    view = await opened(form(folder(min_query_length=0), private_metadata="r1"))
    assert [o["value"] for o in (await member1.options(view, "name")).options] == FOLDERS
    assert [o["value"] for o in (await member1.options(view, "name", "dai")).options] == FOLDERS[:2]
    asked = bodies[-1]
    assert asked["type"] == "block_suggestion"
    assert (asked["action_id"], asked["block_id"], asked["value"]) == ("name", "folder", "dai")
    assert asked["container"] == {"type": "view", "view_id": view["id"]}
    assert asked["view"]["private_metadata"] == "r1"
    assert asked["user"]["id"] == "U0MEMBER1"
    assert "trigger_id" not in asked
    envelope = slack.sockets.sent[-1]
    assert (envelope["type"], envelope["accepts_response_payload"]) == ("interactive", True)


async def test_the_option_that_was_chosen_reaches_the_app_as_it_was_served(
    app, opened, bodies, lists_folders, member1
):
    @app.view("start")
    async def start(ack):
        await ack()

    view = await opened(form(folder(min_query_length=0)))
    assert (await member1.submit(view, {"folder": "日報"})).ok
    chosen = bodies[-1]["view"]["state"]["values"]["folder"]["name"]
    assert chosen == {
        "type": "external_select",
        "selected_option": {"text": {"type": "plain_text", "text": "日報", "emoji": True}, "value": "日報"},
    }


async def test_what_the_app_never_served_cannot_be_chosen(slack, opened, bodies, lists_folders, member1):
    view = await opened(form(folder(min_query_length=0)))
    with pytest.raises(LookupError, match="no option 'secrets'"):
        await member1.submit(view, {"folder": "secrets"})
    forged = {"folder": {"name": {"selected_option": option("secrets")}}}
    answer = await slack.interactions.submit("U0MEMBER1", view["id"], forged)
    assert answer.errors == {"folder": "Please complete this required field."}


async def test_what_was_chosen_before_stands_there_without_asking_the_app(app, opened, bodies, member1):
    @app.view("start")
    async def start(ack):
        await ack()

    view = await opened(form(folder(initial_option=option("daily"))))
    assert (await member1.submit(view)).ok
    assert [b["type"] for b in bodies] == ["view_submission"]
    assert bodies[0]["view"]["state"]["values"]["folder"]["name"]["selected_option"]["value"] == "daily"


async def test_the_app_is_not_asked_before_enough_is_typed(app, opened, bodies, lists_folders, member1):
    view = await opened(form(folder()))
    with pytest.raises(LookupError, match="Type 3 characters or more"):
        await member1.options(view, "name", "da")
    assert bodies == []
    assert (await member1.options(view, "name", "pro")).options[0]["value"] == "projects"


async def test_options_may_come_in_groups(app, opened, member1):
    @app.options("name")
    async def folders(ack):
        await ack(option_groups=[{"label": plain("Lately"), "options": [option("daily")]}])

    view = await opened(form(folder(min_query_length=0)))
    [group] = (await member1.options(view, "name")).groups
    assert (group["label"]["text"], group["options"][0]["value"]) == ("Lately", "daily")


@pytest.mark.parametrize(
    "answer",
    [
        {"options": [option("x" * 76, "x")]},
        {"options": [option("x", "x" * 151)]},
        {"options": [option(str(n)) for n in range(101)]},
        {"options": [{"text": {"type": "mrkdwn", "text": "*x*"}, "value": "x"}]},
        {"option_groups": [{"label": plain("empty"), "options": []}]},
        {},
    ],
)
async def test_options_that_slack_would_not_take_are_not_shown(app, opened, member1, answer):
    @app.options("name")
    async def folders(ack):
        await ack(**answer)

    view = await opened(form(folder(min_query_length=0)))
    found = await member1.options(view, "name")
    assert (found.options, found.error) == ([], "The app sent no options. Try again?")


async def test_an_app_that_serves_nothing_in_time_is_said_so(slack, opened, app, member1):
    slack.sockets.ack_seconds = 0.2

    @app.options("name")
    async def folders(ack):
        await asyncio.sleep(0.4)
        await ack(options=[])

    view = await opened(form(folder(min_query_length=0)))
    assert (await member1.options(view, "name")).error == "The app sent no options. Try again?"
    await asyncio.sleep(0.4)


async def test_a_menu_in_a_message_asks_and_tells_the_app_too(app, bodies, lists_folders, client, member1):
    @app.action("name")
    async def chosen(ack):
        await ack()

    menu = {"type": "multi_external_select", "action_id": "name", "min_query_length": 0}
    block = {"type": "section", "block_id": "s", "text": plain("Folders"), "accessory": menu}
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[block])
    [card] = member1.messages("notes-care")
    assert (await member1.click(card, "name", choose=["daily", "projects"])).ok
    assert [b["type"] for b in bodies] == ["block_suggestion", "block_suggestion", "block_actions"]
    assert bodies[0]["message"]["ts"] == card["ts"]
    assert bodies[0]["channel"]["id"] == "C0NOTES"
    [action] = bodies[-1]["actions"]
    assert [o["value"] for o in action["selected_options"]] == ["daily", "projects"]
    assert bodies[-1]["state"]["values"]["s"]["name"]["selected_options"] == action["selected_options"]


async def test_a_choice_that_is_sent_at_once_pages_a_modal_and_what_is_gone_begins_anew(app, opened, member1):
    """A page of items and a second one; what was chosen on a page is kept by the app, not by Slack."""

    def page(number):
        choice = {
            "type": "static_select",
            "action_id": "verdict",
            "options": [option("agree"), option("leave")],
            "initial_option": option("agree"),
        }
        block = {
            "type": "input",
            "block_id": f"item.{number}",
            "label": plain(f"Item {number}"),
            "dispatch_action": True,
            "element": choice,
        }
        return form(block, callback_id=f"page.{number}")

    seen = []

    @app.action("verdict")
    async def verdict(ack, payload):
        await ack()
        seen.append((payload["block_id"], payload["selected_option"]["value"]))

    @app.view("page.1")
    async def first(ack):
        await ack(response_action="update", view=page(2))

    @app.view("page.2")
    async def second(ack):
        await ack(response_action="update", view=page(1))

    view = await opened(page(1))
    assert (await member1.click(view, "verdict", choose="leave")).ok
    await member1.sees(lambda: seen)
    assert seen == [("item.1", "leave")]
    two = (await member1.submit(view)).view
    assert (two["id"], two["callback_id"], list(two["state"]["values"])) == (view["id"], "page.2", ["item.2"])
    one = (await member1.submit(two)).view
    assert one["state"]["values"]["item.1"]["verdict"]["selected_option"]["value"] == "agree"


async def test_an_overflow_menu_sends_its_choice_and_keeps_none(app, bodies, client, member1):
    @app.action("more")
    async def more(ack):
        await ack()

    menu = {"type": "overflow", "action_id": "more", "options": [option("Delete"), option("Rename")]}
    block = {"type": "section", "block_id": "row", "text": plain("row"), "accessory": menu}
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=[block])
    [card] = member1.messages("notes-care")
    assert (await member1.click(card, "more", choose="Rename")).ok
    [action] = bodies[0]["actions"]
    assert (action["type"], action["selected_option"]["value"]) == ("overflow", "Rename")
    assert bodies[0]["state"]["values"] == {}
    with pytest.raises(LookupError, match="there is Delete, Rename"):
        await member1.click(card, "more", choose="Burn")


async def test_boxes_and_radio_buttons_send_what_is_ticked(app, bodies, client, member1):
    @app.action("which")
    async def which(ack):
        await ack()

    @app.action("one")
    async def one(ack):
        await ack()

    boxes = {"type": "checkboxes", "action_id": "which", "options": [option("a"), option("b"), option("c")]}
    radio = {"type": "radio_buttons", "action_id": "one", "options": [option("x"), option("y")]}
    blocks = [{"type": "actions", "block_id": "row", "elements": [boxes, radio]}]
    await client.chat_postMessage(channel="C0NOTES", text="card", blocks=blocks)
    [card] = member1.messages("notes-care")
    await member1.click(card, "which", choose=["a", "c"])
    await member1.click(card, "one", choose="y")
    assert [o["value"] for o in bodies[0]["actions"][0]["selected_options"]] == ["a", "c"]
    assert bodies[1]["actions"][0]["selected_option"]["value"] == "y"


async def test_no_more_can_be_chosen_than_the_menu_says(app, opened, lists_folders, member1):
    many = folder(min_query_length=0, max_selected_items=1)
    many["element"]["type"] = "multi_external_select"
    view = await opened(form(many))
    answer = await member1.submit(view, {"folder": ["daily", "projects"]})
    assert answer.errors == {"folder": "Please choose no more than 1."}


async def test_closing_with_the_cross_closes_all_and_each_view_that_asked_is_told(
    slack, opened, app, bodies, member1
):
    @app.view_closed("start")
    async def closed(ack):
        await ack()

    root = await opened(form(folder(), notify_on_close=True))
    slack.modals.push(
        slack.workspace.new_trigger("U0MEMBER1", root["id"]), form(folder(), notify_on_close=True)
    )
    assert len(member1.views) == 2
    assert (await member1.close(member1.views[-1])).ok
    assert [v["id"] for v in member1.views] == [root["id"]]
    slack.modals.push(
        slack.workspace.new_trigger("U0MEMBER1", root["id"]), form(folder(), notify_on_close=True)
    )
    assert (await member1.close(member1.views[-1], everything=True)).ok
    assert member1.views == []
    assert [(b["type"], b["is_cleared"]) for b in bodies] == [
        ("view_closed", False),
        ("view_closed", True),
        ("view_closed", True),
    ]
    assert bodies[-1]["view"]["id"] == root["id"]
