"""The main job as a newcomer lives it: `ringi demo` on a phone, from a typed command to the record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

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
    assert await card.locator(".block.actions").count() == 0
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
