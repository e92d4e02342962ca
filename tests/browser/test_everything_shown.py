"""Whatever the API takes is shown on the page, or docs/emulator.md says that it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from bot.emulator import block_kit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DOCS = (Path(__file__).parents[2] / "docs" / "emulator.md").read_text(encoding="utf-8")


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def options(*names: str) -> list[dict]:
    return [{"text": plain(name), "value": name} for name in names]


PICTURE = {"image_url": "https://example.org/a.png", "alt_text": "a chart"}
NEEDED = {  # what an element needs beside its name
    "button": {"text": plain("Press")},
    "overflow": {"options": options("Rename")},
    "static_select": {"options": options("daily")},
    "multi_static_select": {"options": options("daily")},
    "radio_buttons": {"options": options("Claude", "Rules")},
    "checkboxes": {"options": options("Ask again")},
    "number_input": {"is_decimal_allowed": False},
}
BLOCKS = {
    "section": {"text": plain("words")},
    "header": {"text": plain("words")},
    "context": {"elements": [plain("words")]},
    "divider": {},
    "actions": {"elements": [{"type": "button", "text": plain("Press"), "action_id": "b"}]},
    "input": {"label": plain("Words"), "element": {"type": "plain_text_input", "action_id": "i"}},
    "image": PICTURE,
    "rich_text": {
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "words"}]}]
    },
    "markdown": {"text": "**words**"},
    "table": {"rows": [[{"type": "raw_text", "text": "words"}]]},
}


WORD_ONLY = ".unknown, .picture"


def element(kind: str) -> dict:
    return {"type": kind, "action_id": kind, **NEEDED.get(kind, {})}


def field(kind: str) -> dict:
    return {"type": "input", "block_id": kind, "label": plain(kind), "element": element(kind)}


async def test_all_that_the_api_takes_is_shown_or_named_as_not_shown(slack, client, visit):
    assert BLOCKS.keys() == block_kit.BLOCKS.keys()
    page = await visit("U0MEMBER1", "C0NOTES")
    hidden = set()
    for kind, more in BLOCKS.items():
        if kind == "input":
            continue  # belongs into the modal below, with every element there is
        posted = await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[{"type": kind, **more}])
        message = page.locator(f"[data-ts='{posted['ts']}']")
        await message.wait_for()
        if await message.locator(WORD_ONLY).count():
            hidden.add(kind)
    for kind in block_kit.PRESSED | block_kit.MENUS:
        row = {"type": "actions", "elements": [element(kind)]}
        posted = await client.chat_postMessage(channel="C0NOTES", text="-", blocks=[row])
        message = page.locator(f"[data-ts='{posted['ts']}']")
        await message.wait_for()
        if await message.locator(WORD_ONLY).count():
            hidden.add(kind)
    fields = [field(kind) for kind in block_kit.FIELDS | block_kit.MENUS]
    view = {"type": "modal", "title": plain("All of it"), "submit": plain("Send"), "blocks": fields}
    await client.views_open(trigger_id=slack.workspace.new_trigger("U0MEMBER1"), view=view)
    await page.get_by_role("dialog", name="All of it").wait_for()
    for kind in block_kit.FIELDS | block_kit.MENUS:
        if await page.locator(f"[data-block='{kind}'].unknown").count():
            hidden.add(kind)
    said = re.search(r"^\* The page has only a word in place of (.+?);", DOCS, re.MULTILINE)[1]
    assert set(re.findall(r"`(\w+)`", said)) == hidden


async def test_a_picture_is_its_description(client, visit):
    image = {"type": "image", **PICTURE}
    blocks = [
        {"type": "section", "text": plain("12 links"), "accessory": image},
        {"type": "context", "elements": [image, plain("lately")]},
        image,
    ]
    await client.chat_postMessage(channel="C0NOTES", text="-", blocks=blocks)
    page = await visit("U0MEMBER1", "C0NOTES")
    await expect(page.locator(".picture")).to_have_text(["[a chart]"] * 3, use_inner_text=True)


async def test_rich_text_is_read_as_it_is_built(slack, client, visit):
    """Marks, links, people, lists in lists, quotes and code; a person named in it is told."""

    def line(*elements) -> dict:
        return {"type": "rich_text_section", "elements": list(elements)}

    def text(words: str, **style) -> dict:
        return {"type": "text", "text": words, "style": style} if style else {"type": "text", "text": words}

    parts = [
        line(
            text("bold", bold=True),
            text(" and <b>both</b> ", bold=True, italic=True),
            {"type": "link", "url": "https://example.org/", "text": "the page"},
            {"type": "link", "url": "javascript:alert(1)", "text": "press"},
            {"type": "user", "user_id": "U0MEMBER1"},
            {"type": "emoji", "name": "wave", "unicode": "1f44b"},
            {"type": "date", "timestamp": 1796101500, "format": "{date_num} {time}", "fallback": "then"},
        ),
        {"type": "rich_text_list", "style": "ordered", "offset": 2, "elements": [line(text("third"))]},
        {
            "type": "rich_text_list",
            "style": "bullet",
            "indent": 1,
            "elements": [line(text("one")), line(text("two"))],
        },
        {"type": "rich_text_quote", "elements": [text("said")]},
        {"type": "rich_text_preformatted", "elements": [text("x = 1\ny")]},
    ]
    page = await visit("U0MEMBER1", "C0GENERAL")
    await client.chat_postMessage(
        channel="C0NOTES", text="-", blocks=[{"type": "rich_text", "elements": parts}]
    )
    await page.locator("#channel .back").click()
    await page.locator("[data-channel=C0NOTES] .count").wait_for()
    await page.locator("[data-channel=C0NOTES]").click()
    rich = page.locator(".rich")
    read = """node => { const copy = node.cloneNode(true);
      for (const part of copy.querySelectorAll("*")) for (const {name} of [...part.attributes])
        if (!["href", "start"].includes(name)) part.removeAttribute(name);
      return copy.innerHTML; }"""
    assert await rich.evaluate(read) == (
        "<p><strong>bold</strong><strong><em> and &lt;b&gt;both&lt;/b&gt; </em></strong>"
        '<a href="https://example.org/">the page</a><span>press</span><span>@Member 1</span>👋'
        "<time>2026-12-01 05:05</time></p>"
        '<ol start="3"><li>third</li></ol><ul><li>one</li><li>two</li></ul>'
        "<blockquote>said</blockquote><pre>x = 1\ny</pre>"
    )
