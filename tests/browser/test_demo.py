"""The main job as a newcomer lives it: `ringi demo` on a phone, from a typed command to the record.

Where nothing may be skipped (`RINGI_TEST_REQUIRE=all`), the pictures in docs/images are taken anew; elsewhere they
go to a temporary folder, so that a test run leaves the checkout as it was.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
import pytest_asyncio

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
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


@pytest_asyncio.fixture(loop_scope="session")
async def demo(chromium, tmp_path):
    """A running `ringi demo`: the address it printed, and the folder its records go to."""
    surroundings = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=surroundings
        | {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), "COLUMNS": "200", "PYTHONUNBUFFERED": "1"},
    )
    said = b""
    async with asyncio.timeout(60):
        while not (address := re.search(rb"http://127\.0\.0\.1:\d+/\?key=[\w-]+", said)):
            line = await process.stdout.readline()
            assert line, f"ringi demo ended: {said.decode()}"
            said += line
    yield address[0].decode(), tmp_path
    process.terminate()
    async with asyncio.timeout(20):
        await process.communicate()
    assert process.returncode == 0


@pytest.fixture
def pictures(tmp_path):
    taken = IMAGES if os.environ.get("RINGI_TEST_REQUIRE") == "all" else tmp_path / "images"
    taken.mkdir(parents=True, exist_ok=True)

    async def take(page, name: str) -> None:
        path = taken / f"{name}.png"
        await page.evaluate(
            "Promise.all(document.getAnimations().map(({finished}) => finished.catch(() => null)))"
        )
        await page.screenshot(path=path)
        assert path.stat().st_size < 300_000

    return take


def records(folder: Path) -> list[Path]:
    return sorted(folder.glob("ringi-demo-*/records/**/*.md"))


@pytest.mark.parametrize("words", [ENGLISH, JAPANESE], ids=["english", "japanese"])
async def test_a_person_asks_decides_on_a_phone_and_reads_the_record(demo, visit, pictures, words):
    address, folder = demo
    page = await visit(words["member"], "C0NOTES", url=address, device_scale_factor=1.5)
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
    await pictures(asking, "desk.sent-back")


async def test_someone_who_may_not_decide_is_told_so_alone(demo, visit):
    address, folder = demo
    asking = await visit("U0MEMBER1", "C0NOTES", url=address)
    stranger = await visit("U0STRANGER", "C0NOTES", url=address)
    for page in (asking, stranger):
        page.set_default_timeout(30_000)
    await asking.locator("#say").fill("/linkcheck notes")
    await asking.locator(".send").click()
    await stranger.locator(".messages .button", has_text="Approve").click()
    await stranger.locator("#channel .private").wait_for()
    assert not await stranger.get_by_role("dialog").count()
    assert await asking.locator(".messages .button", has_text="Approve").is_visible()
    assert records(folder) == []
