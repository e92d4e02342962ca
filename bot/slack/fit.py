"""Fit strangers' text into Slack: make it harmless, measure it, cut it.

A column is half a Japanese character, so that both languages break alike. Clean first, then cut, then escape: an
entity is never cut in two.
"""

from __future__ import annotations

import re
import unicodedata

from bot.limits import length

ELLIPSIS = "…"
_WIDE = frozenset("WF")
# Letters and marks that are drawn as nothing, beyond the categories below.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(c) for c in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10))
}
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def clean(text: str) -> str:
    """Return one line, in NFC, with control, bidirectional, zero-width and private characters as blanks."""
    return "".join(" " if _unseen(ch) else ch for ch in unicodedata.normalize("NFC", text))


def clean_lines(text: str) -> str:
    """Clean each line by itself; outer blanks and runs of empty lines go."""
    lines = [clean(line).rstrip() for line in text.strip().splitlines()]
    return "\n".join(line for i, line in enumerate(lines) if line or (i and lines[i - 1]))


def _unseen(ch: str) -> bool:
    return unicodedata.category(ch) in _UNSEEN or ch in _INVISIBLE


def columns(text: str) -> int:
    """Count columns: two for a wide character, one for any other."""
    return sum(2 if unicodedata.east_asian_width(ch) in _WIDE else 1 for ch in text)


def lines(text: str, width: int) -> int:
    """Count the lines a text takes at a width in columns."""
    return sum(max(1, -(-columns(part) // width)) for part in text.split("\n"))


def cut(text: str, most: int) -> str:
    """Cut to at most so many columns; what was cut ends in an ellipsis."""
    width = last = 0
    for i, ch in enumerate(text):
        width += 2 if unicodedata.east_asian_width(ch) in _WIDE else 1
        if width > most:
            return text[:last].rstrip() + ELLIPSIS
        if width <= most - 1:
            last = i + 1
    return text


LINE = 240  #: columns of a line that nothing else bounds


def brief(text: str, most: int = LINE) -> str:
    """Return strangers' text for plain text: clean, cut to columns. Cheap for any length.

    Composing never makes one character of more than three, so four times the columns are enough to look at.
    """
    return cut(clean(text[: 4 * most + 8]), most)


def cut_units(text: str, most: int) -> str:
    """Cut to at most so many UTF-16 units, for Slack's own limits."""
    if length(text) <= most:
        return text
    room, kept = most - length(ELLIPSIS), []
    for ch in text:
        room -= length(ch)
        if room < 0:
            break
        kept.append(ch)
    return "".join(kept).rstrip() + ELLIPSIS


def parts(text: str, most: int) -> list[str]:
    """Return a text in parts of at most so many UTF-16 units, at least one; nothing of it is lost."""
    found, now, size = [], "", 0
    for ch in text:
        if size + length(ch) > most:
            found.append(now)
            now, size = "", 0
        now += ch
        size += length(ch)
    return [*found, now]


def cut_pair(left: str, right: str, most: int) -> tuple[str, str]:
    """Cut two texts that share so many columns; what one leaves free the other may use."""
    half = most // 2
    if columns(left) + columns(right) <= most:
        return left, right
    if columns(left) <= half:
        return left, cut(right, most - columns(left))
    if columns(right) <= half:
        return cut(left, most - columns(right)), right
    return cut(left, half), cut(right, most - half)


def cut_words(text: str, most_columns: int, most_lines: int) -> tuple[str, int]:
    """Cut a person's words, keeping their line breaks.

    Returns:
        What is left, and how many characters are missing (0 = nothing was cut).
    """
    whole = clean_lines(text)
    kept = "\n".join(whole.split("\n")[:most_lines])
    if columns(kept) > most_columns:
        kept = cut(kept, most_columns).removesuffix(ELLIPSIS)
    missing = len(whole) - len(kept)
    return (kept.rstrip() + ELLIPSIS if missing else kept), missing


def escape(text: str) -> str:
    """Escape what Slack reads as markup or as a mention.

    Source: https://docs.slack.dev/messaging/formatting-message-text#escaping
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """Undo `escape`, for text that Slack may have escaped on its way to us."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def safe(text: str, most: int = 300) -> str:
    """Return strangers' text for mrkdwn and notifications: clean, cut to columns, escaped."""
    return escape(brief(text, most))


def cut_markup(text: str, most: int) -> str:
    """Cut our own markup to UTF-16 units, never inside an entity, a mention or a date."""
    if length(text) <= most:
        return text
    return re.sub(r"(&[a-z]{0,3}|<[^<>]*)$", "", cut_units(text, most).removesuffix(ELLIPSIS)) + ELLIPSIS
