"""How two names differ, in a word: the evidence that one was meant by the other."""

from __future__ import annotations

import re

from graph.vault.finding import Detail, Reason
from graph.vault.fold import kana, wide
from graph.vault.names import key

_DATE = re.compile(r"(?<!\d)(\d{4})\D{0,2}(\d{1,2})\D{0,2}(\d{1,2})(?!\d)")


def day(name: str) -> str | None:
    """Return the day a name is, as eight digits, if it is nothing else."""
    found = _DATE.fullmatch(wide(name).strip().removesuffix("日"))
    return f"{found[1]}{int(found[2]):02}{int(found[3]):02}" if found else None


def respelled(written: str, name: str) -> tuple[Reason, Detail]:
    """Say how two names differ that are equal when folded."""
    left, right = key(written), key(name)
    if left == right:
        return "moved", ""
    for make, reason in ((wide, "width"), (str.casefold, "case"), (kana, "kana")):
        left, right = make(left), make(right)
        if left == right:
            return reason, ""  # type: ignore[return-value] # the words above are of the set
    if "".join(left.split()) == "".join(right.split()):
        return "spacing", _spaces(left, right)
    return _separated(written, name, left, right)


def _separated(written: str, name: str, left: str, right: str) -> tuple[Reason, Detail]:
    if day(written) and day(written) == day(name):
        return "date", ""
    for char, detail, back in (
        ("-", "hyphen-for-space", "space-for-hyphen"),
        ("_", "underscore-for-space", "space-for-underscore"),
    ):
        if left.replace(char, " ") == right:
            return "separator", detail  # type: ignore[return-value] # the words above are of the set
        if right.replace(char, " ") == left:
            return "separator", back  # type: ignore[return-value] # the words above are of the set
    return "separator", ""


def _spaces(left: str, right: str) -> Detail:
    if " ".join(left.split()) == right:
        return "spaces-doubled"
    return "space-missing" if left.count(" ") < right.count(" ") else "space-extra"


def slip(written: str, name: str) -> Detail:
    """Say in a word what one slip of the fingers turns the one into the other; empty if it takes more."""
    left, right = key(written), key(name)
    if abs(len(left) - len(right)) > 1:
        return ""
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    gone, come = left[start : len(left) - end], right[start : len(right) - end]
    if any(c.isdigit() for c in gone + come):
        return ""
    sizes = (len(gone), len(come))
    if sizes == (2, 2) and gone == come[::-1]:
        return "letters-swapped"
    slips: dict[tuple[int, int], Detail] = {
        (0, 1): "letter-missing",
        (1, 0): "letter-extra",
        (1, 1): "letter-other",
    }
    return slips.get(sizes, "")
