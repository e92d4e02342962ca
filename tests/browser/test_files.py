"""Files on the page: what they are called, how they begin, reading all of one, and downloading it."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RECORD = "# Links in 日報\n" + "".join(f"* `[[Note {n}]]` <b>&amp;</b>\n" for n in range(1, 41))


async def test_a_record_is_read_whole_on_a_phone_and_goes_away_with_escape(client, visit):
    await client.files_upload_v2(
        channel="C0NOTES", content=RECORD, filename="2026-12-01 日報.md", initial_comment="The *record*"
    )
    page = await visit("U0MEMBER1", "C0NOTES")
    card = page.get_by_role("figure", name="File 2026-12-01 日報.md")
    assert await card.locator(".description").inner_text() == "Markdown · 1 KB · 41 lines"
    assert (await card.locator("pre").inner_text()).startswith("# Links in 日報\n* `[[Note 1]]` <b>&amp;</b>")
    assert await page.locator(".message strong").first.inner_text() == "record"
    await card.get_by_role("button", name="Show all of it").tap()
    whole = page.get_by_role("dialog", name="2026-12-01 日報.md")
    await whole.get_by_text("[[Note 40]]").wait_for()
    assert await whole.locator("pre").inner_text() == RECORD
    box = await whole.bounding_box()
    assert (box["width"], box["height"]) == (390, 844)
    await page.keyboard.press("Escape")
    await whole.wait_for(state="hidden")


async def test_a_file_is_downloaded_under_its_own_name(client, visit, tmp_path):
    await client.files_upload_v2(channel="C0NOTES", content=RECORD, filename="2026-12-01-linkcheck.patch")
    page = await visit("U0MEMBER2", "C0NOTES", desk=True)
    async with page.expect_download() as started:
        await page.get_by_role("link", name="2026-12-01-linkcheck.patch をダウンロード").click()
    download = await started.value
    assert download.suggested_filename == "2026-12-01-linkcheck.patch"
    await download.save_as(tmp_path / "saved")
    assert (tmp_path / "saved").read_text(encoding="utf-8") == RECORD
