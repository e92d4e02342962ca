"""Where the app meets people besides a channel: its Home tab, threads, shortcuts."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def row(text: str, action_id: str = "decide") -> dict:
    button = {"type": "button", "action_id": action_id, "text": plain("Decide"), "value": text}
    return {"type": "section", "block_id": text, "text": plain(text), "accessory": button}


def home(*blocks: dict) -> dict:
    return {"type": "home", "blocks": list(blocks)}


async def until(found, seconds: float = 20.0):
    async with asyncio.timeout(seconds):
        while not (value := found()):  # noqa: ASYNC110 - the app is in this process and rings no bell
            await asyncio.sleep(0.03)
        return value


@pytest.fixture
def looks(app):
    """An app that shows a Home tab when someone looks at it; returns the tabs it heard of."""
    heard = []

    @app.event("app_home_opened")
    async def opened(event, client):
        heard.append(event["tab"])
        if event["tab"] == "home":
            field = {"type": "plain_text_input", "action_id": "words"}
            search = {"type": "input", "block_id": "search", "label": plain("Search"), "element": field}
            await client.views_publish(user_id=event["user"], view=home(search, row("daily"), row("ideas")))

    @app.action("decide")
    async def decide(ack, body):
        await ack()
        heard.append(body["view"]["state"]["values"]["search"]["words"]["value"])

    return heard


async def test_the_home_tab_is_opened_with_a_thumb_and_the_app_hears_of_it(looks, visit):
    page = await visit("U0MEMBER2")
    await page.locator("[data-channel^=D0]").tap()
    assert await page.get_by_role("tab", name="メッセージ").get_attribute("aria-selected") == "true"
    await page.get_by_role("tab", name="ホーム").tap()
    await page.get_by_role("tabpanel", name="ホーム").get_by_role("button", name="Decide").first.wait_for()
    assert await page.locator("#say").is_hidden()
    await page.get_by_role("tab", name="メッセージ").tap()
    await page.locator("#say").wait_for()
    await page.get_by_role("tab", name="ホーム").tap()
    await until(lambda: looks == ["messages", "home", "messages", "home"])


async def test_what_is_typed_on_a_home_tab_stays_while_other_things_happen_and_is_sent_along(
    looks, client, visit
):
    page = await visit("U0MEMBER1", desk=True)
    await page.locator("[data-channel^=D0]").click()
    await page.get_by_role("tab", name="Messages").focus()
    await page.keyboard.press("ArrowLeft")
    field = page.get_by_label("Search")
    await field.fill("half a wo")
    await client.chat_postMessage(channel="C0NOTES", text="something else <@U0MEMBER1>")
    await page.locator("[data-channel=C0NOTES] .count").wait_for()
    assert await field.evaluate("node => node === document.activeElement")
    await client.views_publish(
        user_id="U0MEMBER1",
        view=home(
            {
                "type": "input",
                "block_id": "search",
                "label": plain("Search"),
                "element": {"type": "plain_text_input", "action_id": "words"},
            },
            row("daily"),
            row("new"),
        ),
    )
    await page.get_by_text("new", exact=True).wait_for()
    assert await field.input_value() == "half a wo"
    assert await field.evaluate("node => node === document.activeElement")
    await page.get_by_role("button", name="Decide").first.click()
    await until(lambda: looks[-1] == "half a wo")


async def test_a_home_tab_nobody_filled_says_so(visit):
    page = await visit("U0MEMBER1")
    await page.locator("[data-channel^=D0]").click()
    await page.get_by_role("tab", name="Home").click()
    await page.get_by_text("The app has shown nothing here yet.").wait_for()


async def test_a_thread_is_begun_and_answered_and_the_app_hears_it(app, client, visit):
    heard = []

    @app.event("message")
    async def message(event):
        heard.append((event["text"], event.get("thread_ts")))

    card = await client.chat_postMessage(channel="C0NOTES", text="the card")
    one, two = await visit("U0MEMBER1", "C0NOTES"), await visit("U0MEMBER2", "C0NOTES", desk=True)
    await one.get_by_role("button", name="Reply in a thread").tap()
    await one.locator("#answer").fill("Is this right?")
    await one.locator("#thread").get_by_role("button", name="Send").tap()
    await one.locator("#thread").get_by_text("Is this right?").wait_for()
    await two.get_by_role("button", name="1件の返信").click()
    await two.locator("#answer").fill("はい")
    await two.keyboard.press("Enter")
    await one.locator("#thread").get_by_text("はい").wait_for()
    await until(lambda: len(heard) == 2)
    assert heard == [("Is this right?", card["ts"]), ("はい", card["ts"])]
    await expect(two.locator("#channel .message")).to_have_count(1)


async def test_a_command_in_a_thread_is_refused_and_comes_back_into_the_field(client, visit):
    await client.chat_postMessage(channel="C0NOTES", text="the card")
    page = await visit("U0MEMBER1", "C0NOTES")
    await page.get_by_role("button", name="Reply in a thread").tap()
    await page.locator("#answer").fill("/linkcheck daily")
    await page.keyboard.press("Enter")
    await page.get_by_text("/linkcheck is not supported in threads. Sorry!").wait_for()
    assert await page.locator("#answer").input_value() == "/linkcheck daily"


async def test_a_shortcut_is_chosen_from_the_composers_menu(app, client, visit):
    @app.shortcut("check")
    async def check(ack, body):
        await ack()
        view = {"type": "modal", "title": plain("Check links"), "blocks": [row("daily")]}
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    page = await visit("U0MEMBER1", "C0NOTES")
    await page.get_by_role("button", name="Shortcuts").tap()
    item = page.get_by_role("menuitem", name="Check links")
    assert "In a folder" in await item.inner_text()
    await item.tap()
    await page.get_by_role("dialog", name="Check links").wait_for()


async def test_a_user_group_is_shown_by_name_and_counts_as_a_mention_for_its_members(client, visit):
    one, three = await visit("U0MEMBER1"), await visit("U0STRANGER")
    await client.chat_postMessage(channel="C0NOTES", text="<!subteam^S0APPROVERS> please decide")
    await one.locator("[data-channel=C0NOTES] .count").wait_for()
    await three.locator("[data-channel=C0NOTES].unread").wait_for()
    assert await three.locator("[data-channel=C0NOTES] .count").count() == 0
    await one.click("[data-channel=C0NOTES]")
    assert await one.locator(".mention.mine").inner_text() == "@approvers"
