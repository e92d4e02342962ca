"""A record to read in Slack: what was decided first, the properties for programs last and quiet.

A record is Markdown with front matter, whatever its workflow. Slack shows plain text, so headings become Slack's, a
callout a block of its own, a list's dashes dots (a numbered item its number, else `- 2` reads as minus two), and the marks
of code and bold go; nothing of the text is lost but what is counted at the end.
"""

from __future__ import annotations

import re

from bot import limits
from bot.slack import blocks as b
from bot.slack.fit import brief, clean, cut_units
from bot.slack.texts import Texts

BLOCKS = 60
CHARACTERS = 60_000
_FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
_HEADING = re.compile(r"#{1,6} +(.*)")
_QUOTE = re.compile(r"^> ?(?:\[![a-z]+\][-+]? *)?")
_NUMBERED = re.compile(r"^- \*\*(\d+)\*\* +")
_DASH = re.compile(r"^( *)- +")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def record(texts: Texts, name: str, text: str) -> b.Block:
    """Return a modal with a record's text, cut on line ends with a count of what is missing."""
    found = _FRONT_MATTER.match(text)
    body = text[found.end() :] if found else text
    shown, rest = _body(body)
    blocks = [b.quiet_plain(brief(name)), *shown]
    if rest:
        blocks.append(b.quiet_plain(texts.record_cut.format(n=f"{rest:,}")))
    if found:
        lines = "\n".join(clean(line) for line in found[1].splitlines())
        blocks += [b.divider(), b.quiet_plain(f"{texts.record_properties}\n{lines}")]
    return {
        "type": "modal",
        "callback_id": "record",
        "title": b.plain_text(texts.record_title, limits.VIEW_TITLE),
        "close": b.plain_text(texts.close, limits.VIEW_CLOSE),
        "blocks": blocks,
    }


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


def _body(body: str) -> tuple[list[b.Block], int]:
    """Return blocks, and how many characters of the body are not in them."""
    blocks: list[b.Block] = []
    now: list[str] = []
    size = done = all_of_it = 0
    quoted = False

    def close() -> None:
        nonlocal size
        if text := "\n".join(now).strip("\n"):
            blocks.append(b.plain(text))
        now.clear()
        size = 0

    for line in body.split("\n"):
        heading = _HEADING.fullmatch(line)
        shown = cut_units(clean(readable(heading[1] if heading else line)), limits.SECTION_TEXT)
        if now and now[-1] and _NUMBERED.match(line):
            shown = "\n" + shown  # room between one item, with what is known of it, and the next
        length = limits.length(shown) + 1
        if heading or line.startswith(">") != quoted or size + length > limits.SECTION_TEXT:
            close()
        quoted = line.startswith(">")
        if len(blocks) >= BLOCKS or all_of_it + length > CHARACTERS:
            return blocks, len(body) - done
        if heading:
            blocks.append(b.header(shown or " "))
        else:
            now.append(shown)
            size += length
        all_of_it += length
        done += len(line) + 1
    close()
    return blocks, 0
