"""The panel *break things*: out of the way until opened, and what it does to the app's messages, to the page, to people."""

from __future__ import annotations

import pytest
from playwright.async_api import expect
from slack_sdk.errors import SlackApiError

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_panel_is_closed_until_someone_opens_it_and_says_what_is_on(slack, client, visit):
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    slow = page.get_by_role("button", name="Answer every call slowly")
    assert await slow.count() == 0
    await page.get_by_text("Break things").click()
    await slow.click()
    await page.get_by_role("button", name="Answer every call slowly", pressed=True).wait_for()
    await page.get_by_role("button", name="Answer the next call with 429").click()
    await page.locator("summary .break-count").get_by_text("2 on").wait_for()
    assert slack.breaking.state()["limit"] == 1
    await page.get_by_role("button", name="Mend all of it").click()
    await page.locator("summary .break-count").wait_for(state="hidden")
    assert not any(slack.breaking.state().values())


async def test_a_channel_is_archived_from_a_phone_and_nobody_can_write_there_then(slack, client, visit):
    await client.chat_postMessage(channel="C0NOTES", text="the card")
    page = await visit("U0MEMBER2", "C0NOTES")
    await page.get_by_role("button", name="戻る").tap()
    await page.get_by_text("わざと壊す").tap()
    await page.get_by_role("button", name="アプリの最後のメッセージを消す").tap()
    await page.get_by_role("button", name="#notes-care をアーカイブ").tap()
    await page.get_by_role("button", name="#notes-care をアーカイブ", pressed=True).wait_for()
    with pytest.raises(SlackApiError, match="is_archived"):
        await client.chat_postMessage(channel="C0NOTES", text="another")
    await page.locator("[data-channel=C0NOTES]").tap()
    await page.get_by_text("このチャンネルはアーカイブされています。").wait_for()
    assert await page.locator("#say").is_hidden()
    assert await page.locator(".message").count() == 0


async def test_one_is_someone_else_with_one_press_or_in_a_window_beside(slack, client, visit):
    await client.chat_postEphemeral(channel="C0NOTES", user="U0MEMBER2", text="for the second")
    page = await visit("U0MEMBER1", "C0NOTES", desk=True)
    await page.get_by_text("Break things").click()
    async with page.expect_popup() as opened:
        await page.get_by_role("button", name="A second person in a window beside").click()
    beside = await opened.value
    await beside.click("[data-user=U0MEMBER2]")
    await beside.get_by_text("for the second").wait_for()
    assert await page.get_by_text("for the second").count() == 0
    await page.get_by_role("button", name="Be Member 2").click()
    await page.get_by_text("for the second").wait_for()
    await expect(beside.get_by_text("for the second")).to_have_count(1)
