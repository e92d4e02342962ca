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
async def test_a_person_asks_decides_on_a_phone_and_reads_the_record(demo, visit, pictures, words):
    address, folder = demo
    page = await visit(words["member"], url=address, device_scale_factor=1.5)
    page.set_default_timeout(30_000)
    messages, dialog = page.locator("#channel .messages"), page.get_by_role("dialog")

    await page.locator("#say").fill("/linkcheck notes")
    await page.locator(".send").click()
    await messages.get_by_text(words["progress"]).wait_for()
    await pictures(page, f"progress.{words['language']}")

    await messages.get_by_role("heading", name=words["question"]).wait_for()
    await page.mouse.click(200, 20)  # away from the field, as a thumb is
    await pictures(page, f"card.{words['language']}")
    approve = messages.locator(".button", has_text=words["approve"]).first
    assert await approve.is_visible()
    await approve.click()

    await dialog.wait_for()
    await dialog.get_by_role("textbox").fill(words["reason"])
    await pictures(page, f"reason.{words['language']}")
    await dialog.get_by_role("button", name=words["submit"]).click()
    await dialog.wait_for(state="hidden")

    await messages.get_by_role("heading", name=words["outcome"]).wait_for()
    card = messages.locator(".message", has=page.get_by_role("heading", name=words["outcome"]))
    await card.get_by_text(words["reason"]).wait_for()
    assert await card.locator(".block.actions").count() == 0
    replies = card.locator(".replies")
    await replies.wait_for()
    await pictures(page, f"outcome.{words['language']}")

    await card.locator(".button", has_text=words["show"]).click()
    shown = page.get_by_role("dialog", name=words["record"])
    await shown.get_by_text("workflow: linkcheck").wait_for()
    [record] = records(folder)
    written = record.read_text("utf-8")
    assert words["reason"] in written
    assert "outcome: approved" in written
    assert record.name in await shown.inner_text()
    await pictures(page, f"record.{words['language']}")
    await shown.get_by_role("button", name=words["close"]).last.click()

    await replies.click()
    await page.locator("#thread").get_by_text(words["told"], exact=True).wait_for()


async def test_two_people_at_a_desk_one_asks_and_the_other_sends_it_back_with_words(demo, visit, pictures):
    address, _ = demo
    asking = await visit("U0MEMBER1", url=address, desk=True)
    deciding = await visit("U0MEMBER2", url=address, desk=True)
    for page in (asking, deciding):
        page.set_default_timeout(30_000)
    await asking.locator("#say").fill("/linkcheck notes")
    await asking.keyboard.press("Enter")
    card = deciding.locator(
        "#channel .message", has=deciding.get_by_role("heading", name="12 links in notes lead nowhere")
    )
    await card.locator(".button", has_text="Send back").click()
    dialog = deciding.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("  ")
    await dialog.locator(".modal-submit").click()
    await dialog.locator(".error", has_text=re.compile(r"\S")).wait_for()
    await pictures(deciding, "desk.refused")
    await dialog.get_by_role("textbox").fill("The handbook is another vault.")
    await dialog.locator(".modal-submit").click()
    await dialog.wait_for(state="hidden")
    again = asking.locator("#channel .message", has_text="Revision 2 · sent back by @Member 2")
    await again.get_by_text("“The handbook is another vault.”").wait_for()
    await again.locator(".button", has_text="Approve").wait_for()
    # It says that it was sent back until the newer card stands, and then which card took its place.
    older = re.compile("Sent back: 12 links in notes|Replaced by revision 2: notes")
    await asking.get_by_role("heading", name=older).wait_for()
    await pictures(asking, "desk.sent-back")


async def test_someone_who_may_not_decide_is_told_so_alone(demo, visit):
    address, folder = demo
    asking = await visit("U0MEMBER1", url=address)
    stranger = await visit("U0STRANGER", url=address)
    for page in (asking, stranger):
        page.set_default_timeout(30_000)
    await asking.locator("#say").fill("/linkcheck notes")
    await asking.locator(".send").click()
    await stranger.locator(".messages .button", has_text="Approve").click()
    await stranger.locator("#channel .private").wait_for()
    assert not await stranger.get_by_role("dialog").count()
    assert await asking.locator(".messages .button", has_text="Approve").is_visible()
    assert records(folder) == []


async def test_item_by_item_over_three_pages_on_a_phone(demo, visit, pictures):
    """Look at everything, change one, leave one out, close in the middle, come back, decide: by tapping alone."""
    address, folder = demo
    page = await visit("U0MEMBER1", url=address, device_scale_factor=1.5)
    page.set_default_timeout(30_000)
    messages, dialog = page.locator("#channel .messages"), page.get_by_role("dialog")
    await page.locator("#say").fill("/linkcheck notes")
    await page.locator(".send").click()
    await messages.get_by_role("heading", name=ENGLISH["question"]).wait_for()
    await page.mouse.click(200, 20)

    await messages.locator(".button", has_text="Everything").click()
    await dialog.get_by_text("1–5 of 12").wait_for()
    await pictures(page, "everything.en")
    await dialog.get_by_role("button", name="Next").click()
    await dialog.get_by_text("6–10 of 12").wait_for()
    await dialog.get_by_role("button", name="Close").last.click()

    await messages.locator(".button", has_text="Item by item").click()
    await dialog.get_by_text("Page 1 of 3").wait_for()
    await dialog.locator("select").first.select_option(label="Ignore")
    await pictures(page, "items.en")
    await dialog.locator(".modal-submit").click()
    await dialog.get_by_text("Page 2 of 3").wait_for()
    await dialog.get_by_role("button", name="Close").last.click()
    await messages.locator(".button", has_text="Item by item").click()
    await dialog.get_by_text("6–10 of 12 · 1 changed on other pages").wait_for()
    await dialog.locator("select").nth(2).select_option(label="Leave out")
    await dialog.locator(".modal-submit").click()
    await dialog.get_by_text("Page 3 of 3").wait_for()
    await dialog.locator(".modal-submit").click()
    await dialog.get_by_text("You approve 11 of 12").wait_for()
    await dialog.get_by_role("textbox").fill("The last one is being moved.")
    await pictures(page, "items-summary.en")
    await dialog.get_by_role("button", name="Approve 11 of 12").click()
    await dialog.wait_for(state="hidden")
    await messages.get_by_role("heading", name="Approved 11 of 12: links in notes").wait_for()
    await messages.get_by_text("1 changed, 1 left out").wait_for()
    [record] = records(folder)
    assert "outcome: approved-in-part" in record.read_text("utf-8")
