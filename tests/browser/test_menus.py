"""What is chosen on the page: menus that ask the app, several choices, boxes, overflow; by finger, by mouse, by keys."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio
from playwright.async_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FOLDERS = ["daily", "daily/2026", "projects", "日報"]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def option(text: str, **more) -> dict:
    return {"text": plain(text), "value": text, **more}


def field(label: str, element: dict, **more) -> dict:
    return {"type": "input", "block_id": label.lower(), "label": plain(label), "element": element, **more}


def folder(**more) -> dict:
    element = {"type": "external_select", "action_id": "name", "placeholder": plain("Type to search")}
    return field("Folder", element | {"min_query_length": 0} | more)


def form(*blocks: dict, callback_id: str = "start", **more) -> dict:
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain("Check links"),
        "submit": plain("Start"),
        "blocks": list(blocks),
        **more,
    }


class Desk:
    """An app that opens `view`, serves folders, and keeps what it heard."""

    def __init__(self) -> None:
        self.view = form(folder())
        self.asked: list[str] = []
        self.pressed: list[dict] = []
        self.given: list[dict] = []


@pytest_asyncio.fixture(loop_scope="session")
async def desk(app, client):
    desk = Desk()

    @app.action("open")
    async def open_it(ack, body):
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=desk.view)

    @app.options("name")
    async def folders(ack, payload):
        desk.asked.append(payload["value"])
        found = [option(f) for f in FOLDERS if payload["value"] in f]
        lately = {"label": plain("Lately"), "options": found[:1]}
        rest = {"label": plain("All"), "options": found}
        await ack(option_groups=[lately, rest] if found else [])

    @app.action({"action_id": "pressed"})
    async def pressed(ack, payload):
        await ack()
        desk.pressed.append(payload)

    @app.view("start")
    async def start(ack, view):
        desk.given.append(view["state"]["values"])
        await ack()

    button = {"type": "button", "action_id": "open", "text": plain("Open")}
    await client.chat_postMessage(
        channel="C0NOTES", text="-", blocks=[{"type": "actions", "elements": [button]}]
    )
    return desk


async def opened(visit, user: str = "U0MEMBER1", **more):
    page = await visit(user, "C0NOTES", **more)
    await page.locator(".messages").get_by_role("button", name="Open").click()
    await page.get_by_role("dialog").wait_for()
    return page


async def until(found, seconds: float = 20.0):
    async with asyncio.timeout(seconds):
        while not (value := found()):  # noqa: ASYNC110 - the app is in this process and rings no bell
            await asyncio.sleep(0.03)
        return value


async def test_a_folder_is_looked_up_by_typing_and_taken_with_a_thumb(desk, visit):
    page = await opened(visit)
    box = page.get_by_role("combobox", name="Folder")
    assert await box.get_attribute("placeholder") == "Type to search"
    await box.tap()
    await page.get_by_role("option", name="日報").wait_for()
    await expect(page.get_by_role("group", name="Lately").get_by_role("option")).to_have_count(1)
    await box.fill("proj")
    await page.get_by_role("option", name="daily").first.wait_for(state="hidden")
    await page.get_by_role("group", name="All").get_by_role("option", name="projects").tap()
    assert await box.input_value() == "projects"
    await expect(page.get_by_role("listbox")).to_have_count(0)
    await page.get_by_role("button", name="Start").tap()
    await page.get_by_role("dialog").wait_for(state="hidden")
    [given] = desk.given
    assert given["folder"]["name"]["selected_option"]["value"] == "projects"
    assert desk.asked == ["", "proj"]


async def test_a_folder_is_chosen_by_keys_alone_and_escape_leaves_the_modal_open(desk, visit):
    page = await opened(visit, desk=True)
    box = page.get_by_role("combobox", name="Folder")
    await box.focus()
    await page.keyboard.press("ArrowDown")
    await page.get_by_role("option", name="日報").wait_for()
    assert await box.get_attribute("aria-expanded") == "true"
    await page.keyboard.press("Escape")
    assert await box.get_attribute("aria-expanded") == "false"
    assert await page.get_by_role("dialog").is_visible()
    await page.keyboard.type("daily/")
    row = page.get_by_role("option", name="daily/2026").first
    await row.wait_for()
    assert await box.get_attribute("aria-activedescendant") == await row.get_attribute("id")
    await page.keyboard.press("Enter")
    assert await box.input_value() == "daily/2026"
    await page.keyboard.press("Control+Enter")
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert desk.given[0]["folder"]["name"]["selected_option"]["value"] == "daily/2026"


async def test_words_that_chose_nothing_go_and_the_last_choice_stays(desk, visit):
    desk.view = form(folder(initial_option=option("daily")))
    page = await opened(visit)
    box = page.get_by_role("combobox", name="Folder")
    assert await box.input_value() == "daily"
    await box.fill("nowhere")
    await page.get_by_text("Nothing found.").wait_for()
    await page.locator("#modal-title").click()
    assert await box.input_value() == "daily"
    await box.fill("")
    await page.locator("#modal-title").click()
    await page.get_by_role("button", name="Start").click()
    assert await page.get_by_role("dialog").locator(".error").inner_text() == "Please fill this in."


async def test_a_menu_says_how_much_to_type_and_what_went_wrong_in_the_readers_language(slack, desk, visit):
    desk.view = form(
        folder(min_query_length=2), field("Other", {"type": "external_select", "action_id": "unserved"})
    )
    slack.sockets.ack_seconds = 0.3
    page = await opened(visit, "U0MEMBER2")
    await page.get_by_role("combobox", name="Folder").click()
    await page.get_by_text("2文字以上入力してください。").wait_for()
    await page.get_by_role("combobox", name="Other").fill("anything")
    await page.get_by_text("アプリから選択肢が届きませんでした。もう一度お試しください。").wait_for()


async def test_several_people_are_chosen_and_taken_out_again(desk, visit):
    desk.view = form(field("Approvers", {"type": "multi_users_select", "action_id": "who"}))
    page = await opened(visit)
    box = page.get_by_role("combobox", name="Approvers")
    for name in ("Member 2", "Member 3"):
        await box.click()
        await page.get_by_role("option", name=name).click()
    await page.get_by_role("button", name="Remove Member 3").click()
    await page.get_by_role("button", name="Start").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert desk.given[0]["approvers"]["who"]["selected_users"] == ["U0MEMBER2"]


async def test_boxes_and_radio_buttons_are_named_described_and_told(desk, visit):
    radio = {
        "type": "radio_buttons",
        "action_id": "drafter",
        "options": [
            {
                "text": {"type": "mrkdwn", "text": "*Claude*"},
                "value": "claude",
                "description": plain("Reads the notes"),
            },
            option("Rules"),
        ],
    }
    boxes = {"type": "checkboxes", "action_id": "pressed", "options": [option("Ask again about all")]}
    desk.view = form(field("Judge", radio), {"type": "actions", "block_id": "more", "elements": [boxes]})
    page = await opened(visit)
    claude = page.get_by_role("radio", name="Claude", exact=True)
    described = await claude.get_attribute("aria-describedby")
    assert await page.locator(f"[id='{described}']").inner_text() == "Reads the notes"
    assert await page.get_by_role("radiogroup", name="Judge").locator("strong").inner_text() == "Claude"
    await page.get_by_text("Reads the notes").click()
    assert await claude.is_checked()
    await page.get_by_role("checkbox", name="Ask again about all").check()
    [ticked] = await until(lambda: desk.pressed)
    assert [o["value"] for o in ticked["selected_options"]] == ["Ask again about all"]
    await page.get_by_role("button", name="Start").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert desk.given[0]["judge"]["drafter"]["selected_option"]["value"] == "claude"


async def test_an_overflow_menu_opens_below_its_button_and_is_walked_by_keys(client, desk, visit):
    menu = {"type": "overflow", "action_id": "pressed", "options": [option("Rename"), option("Delete")]}
    block = {"type": "section", "text": plain("row"), "accessory": menu}
    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[block])
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    button = page.get_by_role("button", name="More")
    await button.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("menuitem", name="Rename").wait_for()
    await page.get_by_role("button", name="More", expanded=True).wait_for()
    await page.keyboard.press("Escape")
    await page.get_by_role("menu").wait_for(state="hidden")
    await page.keyboard.press("Enter")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    [chosen] = await until(lambda: desk.pressed)
    assert chosen["selected_option"]["value"] == "Delete"
    assert await button.evaluate("node => node === document.activeElement")


async def test_a_choice_one_takes_back_when_asked_is_neither_shown_nor_sent(client, desk, visit):
    confirm = {
        "title": plain("Sure?"),
        "text": plain("This is for all."),
        "confirm": plain("Do it"),
        "deny": plain("No"),
    }
    menu = {
        "type": "static_select",
        "action_id": "pressed",
        "options": [option("On"), option("Off")],
        "initial_option": option("On"),
        "confirm": confirm,
    }
    await client.chat_postMessage(
        channel="C0NOTES",
        text="-",
        blocks=[{"type": "section", "text": plain("New checks"), "accessory": menu}],
    )
    page = await visit("U0MEMBER1", "C0NOTES")
    choice = page.get_by_role("combobox", name="New checks")
    await choice.select_option("Off")
    await page.get_by_role("button", name="No").click()
    assert await choice.evaluate("node => node.selectedOptions[0].textContent") == "On"
    await choice.select_option("Off")
    await page.get_by_role("button", name="Do it").click()
    [sent] = await until(lambda: desk.pressed)
    assert sent["selected_option"]["value"] == "Off"


async def test_pages_of_a_modal_turn_in_place_and_begin_anew(app, client, visit):
    """The view's own buttons turn it by `views.update`; what was typed stays while its field stays."""

    def page_of(number: int) -> dict:
        words = {"type": "plain_text_input", "action_id": "words", "initial_value": f"page {number}"}
        turn = {"type": "button", "action_id": "turn", "text": plain("Next"), "value": str(3 - number)}
        return form(
            field("Always", {"type": "plain_text_input", "action_id": "always"}, optional=True),
            field(f"Note{number}", words),
            {"type": "actions", "block_id": "nav", "elements": [turn]},
        )

    @app.action("turn")
    async def turn(ack, body, payload):
        await ack()
        await client.views_update(view_id=body["view"]["id"], view=page_of(int(payload["value"])))

    @app.command("/linkcheck")
    async def begin(ack, body):
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=page_of(1))

    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    await page.locator("#say").fill("/linkcheck")
    await page.keyboard.press("Enter")
    await page.get_by_label("Always").fill("kept")
    await page.get_by_label("Note1").fill("typed on the first page")
    await page.get_by_role("button", name="Next").click()
    await page.get_by_label("Note2").wait_for()
    assert await page.get_by_label("Always").input_value() == "kept"
    assert await page.get_by_role("button", name="Next").evaluate("node => node === document.activeElement")
    await page.keyboard.press("Enter")
    await page.get_by_label("Note1").wait_for()
    assert await page.get_by_label("Note1").input_value() == "page 1"
    assert await page.get_by_label("Always").input_value() == "kept"


async def test_the_cross_closes_the_whole_stack_and_the_button_one_view(slack, app, client, visit):
    closed = []

    @app.view_closed("start")
    async def heard(ack, body):
        await ack()
        closed.append(body["is_cleared"])

    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    words = field("Reason", {"type": "plain_text_input", "action_id": "words"}, optional=True)

    def trigger(view=None):
        return slack.workspace.new_trigger("U0MEMBER1", view)

    root = await client.views_open(
        trigger_id=trigger(), view=form(words, notify_on_close=True, close=plain("Cancel"))
    )
    for title in ("Second", "Third"):
        view = form(words, notify_on_close=True, title=plain(title), close=plain("Return"))
        await client.views_push(trigger_id=trigger(root["view"]["id"]), view=view)
    await page.get_by_role("dialog", name="Third").get_by_role("button", name="Return").click()
    await page.get_by_role("dialog", name="Second").get_by_role("button", name="Close", exact=True).click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    await until(lambda: len(closed) == 3)
    assert closed == [False, True, True]
