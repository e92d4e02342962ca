"""Modals of the local Slack: filling in, being refused, going back, and where the focus is."""

from __future__ import annotations

import pytest
import pytest_asyncio
from playwright.async_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def reason(*, optional: bool = True, block_id: str = "reason.1", **element) -> dict:
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain("Reason"),
        "optional": optional,
        "hint": plain("Goes on the card."),
        "element": {
            "type": "plain_text_input",
            "action_id": "reason",
            "multiline": True,
            "max_length": 3000,
            **element,
        },
    }


def modal(*blocks: dict, title: str = "Approve link check", submit: str = "Approve all 12") -> dict:
    return {
        "type": "modal",
        "callback_id": "decide",
        "title": plain(title),
        "submit": plain(submit),
        "close": plain("Back"),
        "blocks": list(blocks),
    }


class Desk:
    """An app whose card opens `view`, and what was submitted to it; `answer` is how it acknowledges."""

    def __init__(self) -> None:
        self.view: dict = modal(reason())
        self.answer: dict = {}
        self.given: list[dict] = []


@pytest_asyncio.fixture(loop_scope="session")
async def desk(app, client):
    desk = Desk()

    @app.action("approve")
    async def approve(ack, body):
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=desk.view)

    @app.view("decide")
    async def decide(ack, view):
        desk.given.append(view["state"]["values"])
        await ack(**desk.answer)

    button = {"type": "button", "action_id": "approve", "text": plain("Approve"), "style": "primary"}
    await client.chat_postMessage(
        channel="C0NOTES", text="-", blocks=[{"type": "actions", "elements": [button]}]
    )
    return desk


async def opened(visit, user: str = "U0MEMBER1", **more):
    page = await visit(user, "C0NOTES", **more)
    await page.locator(".messages").get_by_role("button", name="Approve").click()
    await page.get_by_role("dialog").wait_for()
    return page


async def test_a_modal_fills_a_phone_and_stands_centred_on_a_desktop(desk, visit):
    phone, wide = await opened(visit), await opened(visit, "U0MEMBER2", desk=True)
    box = await phone.get_by_role("dialog").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 844)
    box = await wide.get_by_role("dialog").bounding_box()
    assert (box["x"] + box["width"] / 2, box["width"]) == (640, 540)
    assert abs(box["y"] + box["height"] / 2 - 400) < 2


async def test_what_was_typed_reaches_the_app_and_the_modal_closes(desk, visit):
    page = await opened(visit)
    await page.get_by_label("Reason").fill("Checked against the plan")
    await page.get_by_role("button", name="Approve all 12").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    value = {"type": "plain_text_input", "value": "Checked against the plan"}
    assert desk.given == [{"reason.1": {"reason": value}}]


async def test_an_empty_required_field_is_refused_beside_it_in_the_readers_language(desk, visit):
    desk.view = modal(reason(optional=False))
    page = await opened(visit, "U0MEMBER2")
    await page.get_by_role("button", name="Approve all 12").click()
    assert await page.get_by_role("dialog").locator(".error").inner_text() == "入力してください。"
    field = page.get_by_label("Reason")
    assert await field.get_attribute("aria-invalid") == "true"
    assert await field.evaluate("node => node === document.activeElement")
    assert desk.given == []


async def test_the_apps_own_refusal_stands_under_its_field_until_one_types(desk, visit):
    desk.answer = {"response_action": "errors", "errors": {"reason.1": "Say why in a few words."}}
    page = await opened(visit)
    field = page.get_by_label("Reason")
    await field.fill("   ")
    await page.get_by_role("button", name="Approve all 12").click()
    error = page.get_by_role("dialog").locator(".error")
    await error.get_by_text("Say why in a few words.").wait_for()
    assert await error.get_attribute("id") in (await field.get_attribute("aria-describedby")).split()
    assert await field.input_value() == "   "
    await field.press_sequentially("W")
    assert await error.inner_text() == ""
    assert await field.get_attribute("aria-invalid") is None


async def test_a_silent_app_leaves_the_modal_and_its_words(desk, slack, visit):
    page = await opened(visit)
    await page.get_by_label("Reason").fill("Checked")
    slack.drop_connections()
    slack.sockets.ack_seconds = 0.3
    await page.get_by_role("button", name="Approve all 12").click()
    await (
        page.get_by_role("dialog")
        .get_by_role("alert")
        .get_by_text("We had some trouble connecting.")
        .wait_for()
    )
    assert await page.get_by_label("Reason").input_value() == "Checked"


async def test_escape_and_back_close_and_give_the_focus_back_to_the_button(desk, visit):
    page = await opened(visit, desk=True)
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert await page.evaluate("document.activeElement.textContent") == "Approve"
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Back").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert desk.given == []


async def test_a_phone_keeps_its_keyboard_away_when_a_modal_closes_over_the_message_field(desk, visit):
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.locator("#say").focus()
    await page.evaluate("document.querySelector('.messages .button').click()")  # without taking the focus
    await page.get_by_role("dialog").wait_for()
    await page.get_by_role("dialog").get_by_role("button", name="Back").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert await page.evaluate("document.activeElement.tagName") == "BODY"


async def test_the_focus_goes_to_the_button_that_was_drawn_anew_or_else_to_its_message(
    desk, client, slack, visit
):
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    await page.get_by_role("button", name="Approve").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").wait_for()
    [card] = slack.workspace.messages["C0NOTES"]
    more = [{"type": "section", "text": plain("another line")}, *card.blocks]
    await client.chat_update(channel="C0NOTES", ts=card.ts, text="-", blocks=more)
    await page.locator(".messages", has_text="another line").wait_for()
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert await page.evaluate("document.activeElement.textContent") == "Approve"
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").wait_for()
    await client.chat_update(channel="C0NOTES", ts=card.ts, text="decided meanwhile", blocks=[])
    await page.locator(".messages", has_text="decided meanwhile").wait_for()
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog").wait_for(state="hidden")
    assert "decided meanwhile" in await page.evaluate("document.activeElement.textContent")


async def test_a_modal_of_words_alone_is_scrolled_by_keys(slack, client, visit):
    words = [{"type": "section", "text": plain(f"line {number}")} for number in range(60)]
    view = {"type": "modal", "title": plain("Record"), "blocks": words}
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    await client.views_open(trigger_id=slack.workspace.new_trigger("U0MEMBER1"), view=view)
    await page.get_by_role("dialog", name="Record").wait_for()
    body = page.locator(".modal-body")
    while not await body.evaluate("node => node === document.activeElement"):
        await page.keyboard.press("Tab")
    await page.keyboard.press("End")
    await expect(page.get_by_text("line 59")).to_be_in_viewport()


async def test_tab_stays_inside_the_modal(desk, visit):
    page = await opened(visit, desk=True)
    for key in ["Tab"] * 6 + ["Shift+Tab"] * 6:
        await page.keyboard.press(key)
        assert await page.evaluate("document.activeElement.closest('dialog') !== null")


async def test_focus_on_load_is_followed_and_else_a_phone_keeps_its_keyboard_away(desk, visit):
    page = await opened(visit)
    assert await page.evaluate("document.activeElement.id") == "modal-title"
    desk.view = modal(reason(focus_on_load=True))
    other = await opened(visit, "U0MEMBER2")
    assert await other.evaluate("document.activeElement.tagName") == "TEXTAREA"


async def test_the_counter_speaks_near_the_end_and_refuses_beyond_it(desk, visit):
    desk.view = modal(reason(max_length=120))
    page = await opened(visit)
    field, counter = page.get_by_label("Reason"), page.locator(".counter")
    await field.fill("a" * 10)
    assert await counter.inner_text() == ""
    await field.fill("a" * 118)
    assert await counter.inner_text() == "2 characters left"
    await field.fill("a" * 123)
    assert await counter.inner_text() == "3 characters too many"
    await page.get_by_role("button", name="Approve all 12").click()
    assert await page.get_by_role("dialog").locator(".error").inner_text() == "3 characters too many"
    assert desk.given == []


async def test_typed_words_stay_while_the_app_changes_the_view(desk, client, slack, visit):
    page = await opened(visit, desk=True)
    await page.get_by_label("Reason").fill("half a sen")
    shown = (await slack.person("U0MEMBER1")).views[-1]
    note = {"type": "section", "text": plain("Someone approved meanwhile.")}
    await client.views_update(view_id=shown["id"], view=modal(note, reason(), title="Decided"))
    await page.get_by_text("Someone approved meanwhile.").wait_for()
    assert await page.get_by_label("Reason").input_value() == "half a sen"
    assert await page.evaluate("document.activeElement.tagName") == "TEXTAREA"


async def test_another_page_of_a_modal_begins_at_its_top_and_a_longer_one_stays_where_it_was(
    desk, client, slack, visit
):
    def pages(number: int, lines: int = 40) -> dict:
        rows = [{"type": "section", "text": plain(f"Page {number}, line {n}")} for n in range(lines)]
        return {"type": "modal", "title": plain("Everything"), "blocks": rows}

    desk.view = pages(1)
    page = await opened(visit)
    body = page.locator(".modal-body")
    shown = (await slack.person("U0MEMBER1")).views[-1]
    await body.evaluate("node => { node.scrollTop = node.scrollHeight; }")
    await client.views_update(view_id=shown["id"], view=pages(1, 45))
    await page.get_by_text("Page 1, line 44").wait_for()
    assert await body.evaluate("node => node.scrollTop") > 0
    await client.views_update(view_id=shown["id"], view=pages(2))
    await page.get_by_text("Page 2, line 0").wait_for()
    assert await body.evaluate("node => node.scrollTop") == 0


async def test_the_apps_update_after_a_submission_is_shown_in_the_same_dialog(desk, visit):
    late = {
        "type": "modal",
        "title": plain("Already decided"),
        "blocks": [{"type": "section", "text": plain("By Member 2.")}],
    }
    desk.answer = {"response_action": "update", "view": late}
    page = await opened(visit)
    await page.get_by_role("button", name="Approve all 12").click()
    await page.get_by_role("dialog", name="Already decided").get_by_text("By Member 2.").wait_for()
    await page.get_by_role("button", name="Close").click()
    await page.get_by_role("dialog").wait_for(state="hidden")


async def test_selects_radio_buttons_and_checkboxes_are_filled_and_sent(desk, visit):
    options = [{"text": plain(name), "value": name.lower()} for name in ("Approve", "Reject")]
    desk.view = modal(
        {
            "type": "input",
            "block_id": "s",
            "label": plain("Decision"),
            "element": {"type": "static_select", "action_id": "a", "options": options},
        },
        {
            "type": "input",
            "block_id": "r",
            "label": plain("Sure"),
            "element": {"type": "radio_buttons", "action_id": "a", "options": options},
        },
        {
            "type": "input",
            "block_id": "c",
            "label": plain("Which"),
            "element": {"type": "checkboxes", "action_id": "a", "options": options},
        },
        submit="Decide",
    )
    page = await opened(visit)
    await page.get_by_label("Decision").select_option(label="Reject")
    await page.get_by_role("radiogroup", name="Sure").get_by_label("Approve").check()
    await page.get_by_role("group", name="Which").get_by_label("Reject").check()
    await page.get_by_role("button", name="Decide").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    values = {block: field["a"] for block, field in desk.given[0].items()}
    assert values["s"]["selected_option"]["value"] == "reject"
    assert values["r"]["selected_option"]["value"] == "approve"
    assert [option["value"] for option in values["c"]["selected_options"]] == ["reject"]


async def test_two_people_have_their_own_modals(desk, visit):
    one, two = await opened(visit), await opened(visit, "U0MEMBER2")
    await two.get_by_role("button", name="Back").click()
    await two.get_by_role("dialog").wait_for(state="hidden")
    await one.get_by_label("Reason").fill("still here")
    assert await one.get_by_role("dialog").is_visible()
