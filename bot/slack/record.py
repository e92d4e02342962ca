"""A record to read in Slack: what was decided first, the properties for programs last and quiet.

A record is Markdown with front matter, whatever its workflow. Slack shows plain text, so headings become Slack's, a
callout a block of its own, a list's dashes dots (a numbered item its number, else `- 2` reads as minus two), and the marks
of code and bold go; nothing of the text is lost, in pages where it is long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot import limits
from bot.slack import blocks as b
from bot.slack.fit import brief, clean, parts
from bot.slack.texts import Texts

BLOCKS = 40  #: of a page, and
CHARACTERS = 12_000
_FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
_HEADING = re.compile(r"#{1,6} +(.*)")
_QUOTE = re.compile(r"^> ?(?:\[![a-z]+\][-+]? *)?")
_NUMBERED = re.compile(r"^- \*\*(\d+)\*\* +")
_DASH = re.compile(r"^( *)- +")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def record(texts: Texts, name: str, text: str, run_id: str, number: int = 1) -> b.Block:
    """Return a modal with a page of a record's text, by number from 1; the nearest page if there is none of that number."""
    found = _FRONT_MATTER.match(text)
    every = _body(text[found.end() :] if found else text)
    if found:
        lines = "\n".join(clean(line) for line in found[1].splitlines())
        every += [b.divider(), b.quiet_plain(f"{texts.record_properties}\n{lines}")]
    pages = _pages(every)
    number = min(max(number, 1), len(pages))
    blocks = [b.quiet_plain(brief(name))]
    if len(pages) > 1:
        blocks.append(b.quiet(texts.record_page.format(p=number, pages=len(pages))))
    blocks += pages[number - 1]
    turns = [b.button("record_prev", texts.record_previous, run_id)] if number > 1 else []
    turns += [b.button("record_next", texts.record_next, run_id)] if number < len(pages) else []
    blocks += [b.actions(f"record.nav.{number}", *turns)] if turns else []
    return {
        "type": "modal",
        "callback_id": "record",
        "private_metadata": f"{run_id}:{number}",
        "title": b.plain_text(texts.record_title, limits.VIEW_TITLE),
        "close": b.plain_text(texts.close, limits.VIEW_CLOSE),
        "blocks": blocks,
    }


def page_turned(view: Mapping[str, Any], action: str) -> int:
    """Return the number of the page that a button of this view leads to."""
    _, _, now = str(view.get("private_metadata") or "").partition(":")
    return (int(now) if now.isdecimal() else 1) + (1 if action == "record_next" else -1)


def _pages(blocks: Sequence[b.Block]) -> list[list[b.Block]]:
    """Lay blocks out in pages; at least one, and no headline stands alone at the end of one."""
    pages: list[list[b.Block]] = [[]]
    size = 0
    for block in blocks:
        length = limits.characters([block])
        if pages[-1] and (len(pages[-1]) >= BLOCKS or size + length > CHARACTERS):
            alone = pages[-1].pop() if pages[-1][-1]["type"] == "header" and len(pages[-1]) > 1 else None
            pages.append([alone] if alone else [])
            size = limits.characters(pages[-1])
        pages[-1].append(block)
        size += length
    return pages


def readable(line: str) -> str:
    """Return a line of Markdown without the marks that only a renderer needs; what is code stays as it is."""
    line = _DASH.sub(r"\1• ", _NUMBERED.sub(r"\1. ", _QUOTE.sub("", line)))
    shown, at = [], 0
    for span in _CODE.finditer(line):
        shown += [line[at : span.start()].replace("**", ""), _inside(span[2])]
        at = span.end()
    return "".join(shown) + line[at:].replace("**", "")


def _inside(code: str) -> str:
    """Return what a code span holds; one blank on each side belongs to its marks."""
    padded = code.startswith(" ") and code.endswith(" ") and code.strip()
    return code[1:-1] if padded else code


def _body(body: str) -> list[b.Block]:
    """Return all of it as blocks."""
    blocks: list[b.Block] = []
    now: list[str] = []
    size = 0
    quoted = False

    def close() -> None:
        nonlocal size
        if text := "\n".join(now).strip("\n"):
            blocks.append(b.plain(text))
        now.clear()
        size = 0

    for line in body.split("\n"):
        heading = _HEADING.fullmatch(line)
        shown = clean(readable(heading[1] if heading else line))
        if now and now[-1] and _NUMBERED.match(line):
            shown = "\n" + shown  # room between one item, with what is known of it, and the next
        if heading or line.startswith(">") != quoted:
            close()
        quoted = line.startswith(">")
        if heading:
            blocks.append(b.header(shown or " "))
            continue
        for part in parts(shown, limits.SECTION_TEXT - 1):
            length = limits.length(part) + 1
            if size + length > limits.SECTION_TEXT:
                close()
            now.append(part)
            size += length
    close()
    return blocks
