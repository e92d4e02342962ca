"""The page of the local Slack: what stands on it, and what typing, tapping and tabbing do."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HOSTILE = '"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>\'`&lt;b&gt;{{7*7}}${7*7}'


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def section(text: str, **more) -> dict:
    return {"type": "section", "text": {"type": "plain_text", "text": text}, **more}


def button(action_id: str, text: str, **more) -> dict:
    return {"type": "button", "action_id": action_id, "text": plain(text), "value": "1", **more}


def actions(*buttons: dict) -> dict:
    return {"type": "actions", "elements": list(buttons)}


FOCUSED = """() => {
  const node = document.activeElement, style = getComputedStyle(node);
  return [node.getAttribute("aria-label") ?? node.textContent.replace("#", ""), `${style.outlineStyle} ${style.outlineWidth}`];
}"""


# The banner tells of it, and leaves the channel's name, the way back and the message field in sight.
TOLD_ABOVE = """() => {
  const [told, bar, field] = ["#offline", "#channel .bar", "#say"].map((one) => document.querySelector(one).getBoundingClientRect());
  return document.querySelector("#offline").textContent.startsWith("接続が切れました。")
    && told.height > 0 && told.bottom <= bar.top && field.bottom <= innerHeight;
}"""


async def until(found, seconds: float = 20.0):
    async with asyncio.timeout(seconds):
        while not (value := await found()):  # noqa: ASYNC110 - asks the browser, which sends no event for this
            await asyncio.sleep(0.03)
        return value


async def test_hostile_text_stays_text_everywhere(slack, client, visit):
    slack.workspace.users["U0MEMBER1"].name = HOSTILE
    slack.workspace.channels["C0NOTES"].name = HOSTILE
    option = {"text": plain(HOSTILE[:70]), "value": "v", "description": plain(HOSTILE[:70])}
    blocks = [
        {"type": "header", "text": plain(HOSTILE)},
        section(
            HOSTILE,
            fields=[plain(HOSTILE)],
            accessory=button("a", HOSTILE[:70], accessibility_label=HOSTILE[:70]),
        ),
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": f"*{HOSTILE}* `{HOSTILE}` <https://x.org/|{HOSTILE}>"},
        },
        {"type": "context", "elements": [plain(HOSTILE)]},
        actions({"type": "radio_buttons", "action_id": "r", "options": [option]}),
    ]
    await client.chat_postMessage(channel="C0NOTES", text=HOSTILE, blocks=blocks)
    await (await slack.person("U0MEMBER1")).say("C0NOTES", HOSTILE)
    page = await visit("U0MEMBER1", "C0NOTES")
    assert await page.locator(".messages h2").inner_text() == HOSTILE
    assert await page.locator(".messages .context").inner_text() == HOSTILE
    assert HOSTILE in await page.locator(".message .blocks").last.inner_text()
    assert await page.locator("img, iframe, object, #channel script").count() == 0
    assert await page.evaluate("window.pwned") is None


async def test_the_page_loads_nothing_from_elsewhere(slack, client, visit):
    page = await visit("U0MEMBER1", "C0NOTES")
    loaded = await page.evaluate(
        "performance.getEntriesByType('resource').map(({name}) => new URL(name).origin)"
    )
    assert set(loaded) == {await page.evaluate("location.origin")}


async def test_people_of_two_languages_see_the_page_in_theirs(slack, client, visit):
    await client.chat_postMessage(channel="C0NOTES", text="hello")
    english, japanese = await visit("U0MEMBER1", "C0NOTES"), await visit("U0MEMBER2", "C0NOTES")
    assert await english.locator("#say").get_attribute("placeholder") == "Message #notes-care"
    assert await japanese.locator("#say").get_attribute("placeholder") == "#notes-care へのメッセージ"
    assert await english.locator(".badge").inner_text() == "APP"
    assert await japanese.locator(".badge").inner_text() == "アプリ"
    assert await japanese.evaluate("document.documentElement.lang") == "ja-JP"


async def test_a_private_message_is_seen_by_one_person_and_marked(slack, client, visit):
    one, two = await visit("U0MEMBER1", "C0NOTES"), await visit("U0MEMBER2", "C0NOTES")
    await client.chat_postEphemeral(channel="C0NOTES", user="U0MEMBER2", text="for you alone")
    await two.locator(".messages").get_by_text("for you alone").wait_for()
    assert await two.locator(".only-you").inner_text() == "あなただけに表示されています"
    assert await one.locator(".messages").get_by_text("for you alone").count() == 0


async def test_what_mentions_me_is_counted_until_i_read_it(slack, client, visit):
    page = await visit("U0MEMBER1")
    await client.chat_postMessage(channel="C0NOTES", text="something")
    await client.chat_postMessage(channel="C0NOTES", text="<@U0MEMBER1> please decide")
    entry = page.locator("[data-channel=C0NOTES]")
    await entry.locator(".count").wait_for()
    assert await entry.locator(".count").inner_text() == "1"
    assert await entry.locator(".quiet").inner_text() == "2 unread"
    await entry.click()
    await page.get_by_role("button", name="Back").click()
    await entry.wait_for()
    assert await entry.locator(".count, .quiet").count() == 0


async def test_replies_are_counted_and_open_as_a_thread(slack, client, visit):
    root = await client.chat_postMessage(channel="C0NOTES", text="the card")
    for text in ("approved", "the record"):
        await client.chat_postMessage(channel="C0NOTES", text=text, thread_ts=root["ts"])
    page = await visit("U0MEMBER1", "C0NOTES")
    await expect(page.locator("#channel .message")).to_have_count(1)
    await page.get_by_role("button", name="2 replies").click()
    texts = page.locator("#thread .message .text")
    await expect(texts).to_have_text(["the card", "approved", "the record"], use_inner_text=True)
    await page.locator("#thread").get_by_role("button", name="Back").click()
    await page.locator("#channel .message").wait_for()


async def test_an_edited_message_keeps_the_focus_on_its_button(slack, client, visit):
    posted = await client.chat_postMessage(
        channel="C0NOTES", text="-", blocks=[section("1 read"), actions(button("cancel", "Cancel run"))]
    )
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    await page.get_by_role("button", name="Cancel run").focus()
    await client.chat_update(
        channel="C0NOTES",
        ts=posted["ts"],
        text="-",
        blocks=[section("2 read"), actions(button("cancel", "Cancel run"))],
    )
    await page.locator(".messages").get_by_text("2 read").wait_for()
    assert await page.evaluate("document.activeElement.textContent") == "Cancel run"


async def test_a_slash_command_is_suggested_completed_and_sent_by_keys(slack, app, visit):
    heard = []

    @app.command("/linkcheck")
    async def linkcheck(ack, command):
        heard.append(command["text"])
        await ack("Started.")

    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    field = page.locator("#say")
    await field.press_sequentially("/li")
    assert (
        await page.get_by_role("option").inner_text()
        == "/linkcheck [folder] | status | help\nCheck the links of a folder"
    )
    option = await page.get_by_role("option", selected=True).get_attribute("id")
    assert await field.get_attribute("aria-activedescendant") == option
    await field.press("Enter")
    assert await field.input_value() == "/linkcheck "
    await field.press_sequentially("notes")
    await field.press("Enter")
    await page.locator(".messages").get_by_text("Started.").wait_for()
    assert (heard, await field.input_value()) == (["notes"], "")


async def test_what_is_typed_right_after_choosing_who_one_is_is_not_lost(slack, app, visit):
    """The channel is in sight before the page knows what this person sees; it belongs to the first person until then."""
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.locator("#channel .switcher").wait_for()
    closed = await page.evaluate("""() => {
        document.querySelector("#channel .switcher").click();
        document.querySelector("[data-user=U0MEMBER2]").click();
        return document.querySelector("#say").disabled;
    }""")
    assert closed
    await page.locator("#say").fill("hello")
    await page.keyboard.press("Enter")
    await expect(page.locator("#channel .message", has_text="hello")).to_contain_text("Member 2")


async def test_enter_that_confirms_a_japanese_candidate_sends_nothing(slack, app, visit):
    page = await visit("U0MEMBER2", "C0NOTES")
    field = page.locator("#say")
    await field.fill("かいぎ")
    await field.evaluate(
        "node => node.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    assert await field.input_value() == "かいぎ"
    assert list(slack.workspace.messages.get("C0NOTES", [])) == []


async def test_a_silent_app_is_told_and_the_command_stays_typed(slack, visit):
    slack.sockets.ack_seconds = 0.3
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.locator("#say").fill("/linkcheck notes")
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("alert").get_by_text("The app did not respond.").wait_for()
    assert await page.locator("#say").input_value() == "/linkcheck notes"


async def test_a_silent_app_is_told_after_a_click(slack, client, visit):
    slack.sockets.ack_seconds = 0.3
    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[actions(button("approve", "Approve"))])
    page = await visit("U0MEMBER2", "C0NOTES")
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("alert").get_by_text("アプリから時間内に応答がありませんでした。").wait_for()


async def test_a_button_that_asks_first_is_pressed_only_after_yes(slack, app, client, visit):
    pressed = []

    @app.action("end")
    async def end(ack, body):
        pressed.append(body["user"]["id"])
        await ack()

    confirm = {
        "title": plain("End the run?"),
        "text": plain("Nothing is recorded."),
        "confirm": plain("End"),
        "deny": plain("Keep"),
    }
    await client.chat_postMessage(
        channel="C0NOTES", text="-", blocks=[actions(button("end", "End run", confirm=confirm))]
    )
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.get_by_role("button", name="End run").click()
    await page.get_by_role("button", name="Keep").click()
    assert pressed == []
    await page.get_by_role("button", name="End run").click()
    await page.get_by_role("button", name="End", exact=True).click()

    async def heard():
        return pressed == ["U0MEMBER1"]

    await until(heard)


async def test_a_page_that_lost_its_connection_comes_back_as_the_same_person(slack, client, visit):
    page = await visit("U0MEMBER2", "C0NOTES")
    await page.locator("#say").fill("half a sen")
    lost = asyncio.create_task(page.wait_for_function(TOLD_ABOVE))
    await slack._page.close()
    assert await lost
    await client.chat_postMessage(channel="C0NOTES", text="while away")
    await page.locator(".messages").get_by_text("while away").wait_for()
    assert await page.locator("#say").get_attribute("placeholder") == "#notes-care へのメッセージ"
    assert not await page.locator("dialog[open]").count()
    await page.keyboard.type("tence")  # nobody has to go back into the field
    assert await page.locator("#say").input_value() == "half a sentence"


async def test_a_link_to_a_message_opens_it_in_the_page(slack, client, visit):
    card = await client.chat_postMessage(channel="C0GENERAL", text="the card itself")
    link = (await client.chat_getPermalink(channel="C0GENERAL", message_ts=card["ts"]))["permalink"]
    await client.chat_postMessage(
        channel="C0NOTES",
        text="-",
        blocks=[section("12 links", accessory=button("go", "Go to card", url=link))],
    )
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.get_by_role("link", name="Go to card").click()
    await page.locator(".messages").get_by_text("the card itself").wait_for()
    assert len(page.context.pages) == 1


async def test_a_link_in_a_modal_leads_out_of_it_to_the_message(slack, app, client, visit):
    card = await client.chat_postMessage(channel="C0GENERAL", text="the card itself")
    link = (await client.chat_getPermalink(channel="C0GENERAL", message_ts=card["ts"]))["permalink"]

    @app.action("show")
    async def show(ack, body):
        await ack()
        view = {
            "type": "modal",
            "title": plain("Started"),
            "blocks": [actions(button("go", "Open", url=link))],
        }
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    @app.action("go")
    async def went(ack):
        await ack()

    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[actions(button("show", "Show"))])
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.locator(".messages").get_by_role("button", name="Show").click()
    await page.get_by_role("dialog").get_by_role("link", name="Open").click()
    await page.get_by_role("dialog").wait_for(state="hidden")
    await page.locator(".messages").get_by_text("the card itself").wait_for()
    assert not await page.locator(".toast").count()


async def test_the_message_field_is_whole_after_a_look_at_the_home_tab(slack, visit):
    page = await visit("U0MEMBER1", "C0GENERAL")
    height = (await page.locator("#say").bounding_box())["height"]
    await page.locator("#channel .back").click()
    await page.locator("[data-channel^=D0]").click()
    await page.get_by_role("tab", name="Home").click()
    await page.locator("#say").wait_for(state="hidden")
    await page.locator("#channel .back").click()
    await page.locator("[data-channel=C0GENERAL]").click()
    assert (await page.locator("#say").bounding_box())["height"] == height > 30


async def test_what_is_typed_is_seen_whole_again_after_a_look_at_the_home_tab(slack, visit):
    page = await visit("U0MEMBER1")
    await page.locator("[data-channel^=D0]").click()
    await page.locator("#say").fill("one\ntwo\nthree")
    height = (await page.locator("#say").bounding_box())["height"]
    await page.get_by_role("tab", name="Home").click()
    await page.locator("#say").wait_for(state="hidden")
    await page.get_by_role("tab", name="Messages").click()
    assert (await page.locator("#say").bounding_box())["height"] == height > 60


async def test_a_card_fits_a_phone_and_its_buttons_fit_a_thumb(slack, client, visit):
    long = "A_name_without_any_blank_that_is_much_longer_than_a_phone_is_wide_" * 2
    blocks = [
        {"type": "header", "text": plain(long)},
        section(long, accessory=button("record", "Show record")),
        {"type": "context", "elements": [plain(long)]},
        actions(
            button("approve", "Approve", style="primary"),
            button("reject", "Reject", style="danger"),
            button("send_back", "Send back"),
        ),
        actions(button("long", long[:75])),
    ]
    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=blocks)
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.get_by_role("button", name="Approve").wait_for()
    beyond = "[...document.querySelectorAll('#channel *')].filter(n => n.getBoundingClientRect().right > 390.5).map(n => n.className)"
    assert await page.evaluate(beyond) == []
    heights = await page.locator(".block.actions .button").evaluate_all(
        "all => all.map(n => n.getBoundingClientRect().height)"
    )
    assert min(heights) >= 42


async def test_all_that_can_be_pressed_has_a_name_and_can_be_reached_by_keys(slack, client, visit):
    await client.chat_postMessage(
        channel="C0NOTES",
        text="-",
        blocks=[actions(button("approve", "Approve", accessibility_label="Approve link check of daily"))],
    )
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    names = await page.locator("button:visible, textarea:visible").evaluate_all(
        "all => all.map(n => n.getAttribute('aria-label') ?? n.textContent.trim())"
    )
    assert "Approve link check of daily" in names
    assert all(names)
    rings = {}
    for _ in range(20):
        await page.keyboard.press("Tab")
        name, ring = await page.evaluate(FOCUSED)
        rings[name] = ring
    assert rings["Approve link check of daily"] == "solid 3px"
    assert {"Message #notes-care", "Send", "notes-care"} <= rings.keys()
