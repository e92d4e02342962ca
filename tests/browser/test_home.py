"""From the form to the Home tab on a phone: start a check by choosing, decide it without its card."""

from __future__ import annotations

import re

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

ENGLISH = {
    "language": "en",
    "member": "U0MEMBER1",
    "home": "Home",
    "folder": "Folder",
    "form": "Check links",
    "start": "Start",
    "started": "Started",
    "close": "Close",
    "waits": "Waiting for you: 1",
    "row": "notes · 12 links",
    "decide": "Decide",
    "choose": "Approve",
    "words": "Checked against the plan.",
    "empty": "Nothing waits for you",
    "lately": re.compile("Approved by Member 1"),
}
JAPANESE = {
    "language": "ja",
    "member": "U0MEMBER2",
    "home": "ホーム",
    "folder": "フォルダ",
    "form": "リンクを確認",
    "start": "開始",
    "started": "開始しました",
    "close": "閉じる",
    "waits": "あなたの判断待ち 1件",
    "row": "notes · 12件",
    "decide": "判断",
    "choose": "承認",
    "words": "計画と照らして確認しました。",
    "empty": "判断待ちはありません",
    "lately": re.compile("承認 Member 2"),
}


@pytest.mark.parametrize("words", [ENGLISH, JAPANESE], ids=["english", "japanese"])
async def test_a_check_is_started_from_the_form_and_decided_on_the_home_tab(demo, visit, pictures, words):
    address, _ = demo
    page = await visit(words["member"], url=address, device_scale_factor=1.5)
    page.set_default_timeout(30_000)
    dialog = page.get_by_role("dialog")

    await page.locator("#say").fill("/linkcheck")
    await page.locator(".send").click()
    form = page.get_by_role("dialog", name=words["form"])
    folder = form.get_by_role("combobox", name=words["folder"])
    await folder.tap()
    await folder.fill("not")
    await page.get_by_role("option", name="notes", exact=True).tap()
    await pictures(page, f"form.{words['language']}")
    await form.get_by_role("button", name=words["start"]).click()
    receipt = page.get_by_role("dialog", name=words["started"])
    await receipt.get_by_role("button", name=words["close"]).last.click()
    await dialog.wait_for(state="hidden")

    page = await visit(words["member"], url=address, device_scale_factor=1.5)
    page.set_default_timeout(30_000)
    dialog = page.get_by_role("dialog")
    await page.locator("#channel .back").tap()
    await page.locator("[data-channel^=D0]").tap()
    await page.get_by_role("tab", name=words["home"]).click()
    home = page.locator("#home")
    await home.get_by_role("heading", name=words["waits"]).wait_for()
    await home.get_by_text(words["row"]).wait_for()
    await pictures(page, f"home.{words['language']}")
    await home.get_by_role("button", name=words["decide"]).first.click()

    modal = page.get_by_role("dialog", name=words["decide"])
    await modal.get_by_role("radio", name=words["choose"]).check()
    await modal.get_by_role("textbox").fill(words["words"])
    await pictures(page, f"decide.{words['language']}")
    await modal.locator(".modal-submit").click()
    await dialog.wait_for(state="hidden")
    await home.get_by_role("heading", name=words["empty"]).wait_for()
    await home.get_by_text(words["lately"]).wait_for()
