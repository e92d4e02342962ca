"""Headings and blocks of a note, and whether a link's subpath names one of them.

Headings are compared without case, after NFC, with special characters as spaces and spaces shrunk; `#A#B` is B
somewhere below A; block ids are Latin letters, digits and dashes, without case.

Source: <https://docs.obsidian.md/Reference/TypeScript+API/stripHeading>, <https://help.obsidian.md/links>.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyromark

from graph.vault.finding import Kind
from graph.vault.links import OPTIONS, body_offset
from graph.vault.names import Names, nfc

_SPECIAL = re.compile(r"""[!"#$%&()*+,./:;<=>?@\[\\\]^`{|}~\s]+""")
_UNLINKABLE = re.compile(r"[#|^\[\]:%\\]+")
_BLOCK = re.compile(r"(?:^|\s)\^([A-Za-z0-9\-]+)[ \t\r]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"\n[ \t>]*(?:=+|-+)[ \t]*\Z")
_LEVELS = {f"H{n}": n for n in range(1, 7)}


def heading_key(text: str) -> str:
    """Return the form in which headings are compared."""
    return _SPECIAL.sub(" ", nfc(text)).strip().lower()


@dataclass(frozen=True, slots=True)
class Outline:
    """What can be linked to inside a note.

    Attributes:
        headings: (level, compared form), in their order.
        blocks: block ids in lower case.
        written: the headings as links write them: as they stand, without `#` and its kin.
    """

    headings: tuple[tuple[int, str], ...]
    blocks: frozenset[str]
    written: tuple[str, ...]

    def lacks(self, subpath: str) -> Kind | None:
        """Say what is missing, None if nothing is."""
        parts = [part.strip() for part in subpath.split("#") if part.strip()]
        if not parts:
            return None
        if parts[-1].startswith("^"):
            return None if parts[-1].lstrip("^").lower() in self.blocks else "missing-block"
        wanted = [heading_key(part) for part in parts]
        return None if self._below(wanted, 0, 0) else "missing-heading"

    def _below(self, wanted: list[str], begin: int, level: int) -> bool:
        """Tell whether the headings stand one below the other, from here on and deeper than `level`."""
        for i in range(begin, len(self.headings)):
            depth, text = self.headings[i]
            if depth <= level:
                return False
            if text == wanted[0] and (len(wanted) == 1 or self._below(wanted[1:], i + 1, depth)):
                return True
        return False


def outline(data: bytes) -> Outline:
    """Read a note's headings and blocks."""
    begin = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    text = data[body_offset(data, begin) :].decode(errors="replace")
    source = text.encode()
    headings, texts = [], []
    event: Any
    for event, span in pyromark.events_with_range(text, options=OPTIONS):
        if type(event) is dict and type(start := event.get("Start")) is dict and "Heading" in start:
            raw = source[span["start"] : span["end"]].decode(errors="replace").strip()
            written = raw if raw.startswith("#") else _UNDERLINE.sub("", raw)
            headings.append((_LEVELS[start["Heading"]["level"]], heading_key(written)))
            texts.append(" ".join(_UNLINKABLE.sub(" ", written).split()))
    blocks = frozenset(found[1].lower() for found in _BLOCK.finditer(text))
    return Outline(tuple(headings), blocks, tuple(texts))


class Anchors:
    """Outlines of the notes that links point into, each read once."""

    def __init__(self, names: Names, load: Callable[[int], bytes]) -> None:
        self._names, self._load = names, load
        self._outlines: dict[int, Outline | None] = {}

    def lacks(self, number: int, subpath: str) -> Kind | None:
        """Say what a note lacks; other files than notes, and notes that cannot be read, lack nothing."""
        found = self.outline(number)
        return found.lacks(subpath) if found else None

    def outline(self, number: int) -> Outline | None:
        """Return a note's outline; None for other files, and for notes that cannot be read."""
        if not self._names.stored[number].lower().endswith(".md"):
            return None
        if number not in self._outlines:
            try:
                self._outlines[number] = outline(self._load(number))
            except OSError:
                self._outlines[number] = None
        return self._outlines[number]
