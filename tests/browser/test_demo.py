"""The main job as a newcomer lives it: `ringi demo` on a phone, from a typed command to the record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
ENGLISH = {
    "language": "en",
    "member": "U0MEMBER1",
    "progress": re.compile("^Check(ing|ed) links in notes$"),
    "question": "12 links in notes lead nowhere",
    "approve": "Approve",
    "reason": "Checked against the plan.",
    "submit": "Approve all 12",
    "outcome": "Approved: 12 links in notes",
    "show": "Show record",
    "record": "Record",
    "close": "Close",
    "told": "approved",
}
JAPANESE = {
    "language": "ja",
    "member": "U0MEMBER2",
    "progress": re.compile("^notes のリンクを確認(中|しました)$"),
    "question": "notes のリンク切れ 12件",
    "approve": "承認",
    "reason": "計画と照らして確認しました。",
    "submit": "12件を承認",
    "outcome": "承認：notes のリンク切れ 12件",
    "show": "記録を見る",
    "record": "記録",
    "close": "閉じる",
    "told": "承認されました",
}


def records(folder: Path) -> list[Path]:
    return sorted(folder.glob("ringi-demo-*/records/**/*.md"))


@pytest.mark.parametrize("words", [ENGLISH, JAPANESE], ids=["english", "japanese"])
async def test_a_person_asks_decides_on_a_phone_and_reads_the_record(demo, visit, words):
    address, folder = demo
    page = await visit(words["member"], url=address, device_scale_factor=1.5)
    page.set_default_timeout(30_000)
    messages, dialog = page.locator("#channel .messages"), page.get_by_role("dialog")

    await page.locator("#say").fill("/linkcheck notes")
    await page.locator(".send").click()
    await messages.get_by_text(words["progress"]).wait_for()

    await messages.get_by_role("heading", name=words["question"]).wait_for()
    await page.mouse.click(200, 20)  # away from the field, as a thumb is
    approve = messages.locator(".button", has_text=words["approve"]).first
    assert await approve.is_visible()
    await approve.click()

    await dialog.wait_for()
    await dialog.get_by_role("textbox").fill(words["reason"])
    await dialog.get_by_role("button", name=words["submit"]).click()
    await dialog.wait_for(state="hidden")

    await messages.get_by_role("heading", name=words["outcome"]).wait_for()
    card = messages.locator(".message", has=page.get_by_role("heading", name=words["outcome"]))
    await card.get_by_text(words["reason"]).wait_for()
    await expect(card.locator(".block.actions")).to_have_count(0)
    replies = card.locator(".replies")
    await replies.wait_for()

    await card.locator(".button", has_text=words["show"]).click()
    shown = page.get_by_role("dialog", name=words["record"])
    await shown.get_by_text("workflow: linkcheck").wait_for()
    [record] = records(folder)
    written = record.read_text("utf-8")
    assert words["reason"] in written
    assert "outcome: approved" in written
    assert record.name in await shown.inner_text()
    await shown.get_by_role("button", name=words["close"]).last.click()

    await replies.click()
    await page.locator("#thread").get_by_text(words["told"], exact=True).wait_for()


async def test_a_newcomer_is_asked_in_the_browsers_language_and_begins_on_home(demo, chromium):
    """A check that is begun where there is no channel has its card in #notes-care, and the form says so."""
    address, _ = demo
    context = await chromium.new_context(locale="ja-JP", **PHONE)
    page = await context.new_page()
    page.set_default_timeout(30_000)
    await page.goto(address)
    await page.get_by_role("dialog", name="どのメンバーとして使いますか？").wait_for()
    await page.tap("[data-user=U0MEMBER2]")
    await page.get_by_role("button", name="戻る").tap()
    await page.tap("[data-channel^=D0]")
    await page.get_by_role("tab", name="ホーム").tap()
    await page.locator("#home").get_by_role("button", name="リンクを確認").tap()
    form = page.get_by_role("dialog", name="リンクを確認")
    await form.get_by_text("カードは #notes-care に届きます。").wait_for()
    await form.get_by_role("combobox", name="フォルダ").tap()
    await page.get_by_role("option", name="notes", exact=True).tap()
    await form.get_by_role("button", name="開始").tap()
    await page.get_by_role("dialog", name="開始しました").get_by_role("link", name="開く").tap()
    await page.locator("#channel").get_by_role("heading", name="notes のリンク切れ 12件").wait_for()
    await context.close()
