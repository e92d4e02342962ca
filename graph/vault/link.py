"""A link as it is written, and what its text says: target, subpath, remarks.

Source: <https://help.obsidian.md/links>.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from graph.vault.finding import Where
from graph.vault.names import nfc

SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]+:|//)")
_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*://|(?:mailto|tel):|www\.)")
_PLACEHOLDER = re.compile(r"<%|\{\{")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a note, as it is written.

    Attributes:
        target: the file it names, in NFC; empty for a heading or block of the same note.
        subpath: what follows the first `#`, None if there is none.
        raw: the link's source.
        offset: of its first byte in the note.
    """

    target: str
    subpath: str | None
    raw: str
    offset: int
    place: Where
    embed: bool
    tags: tuple[str, ...] = ()


def decoded(dest: str) -> str:
    """Decode `%20` and its kin; a destination with an escape that is none stays as it is."""
    if dest.count("%") == dest.count("%20"):  # nearly always
        return dest.replace("%20", " ")
    try:
        return unquote(dest, errors="strict")
    except UnicodeDecodeError:
        return dest


def split(link: str) -> tuple[str, str | None]:
    """Cut a link's text at the first `#` into target and subpath.

    A target that begins with `^^` is a stored search prompt for a block of the same note.
    """
    target, mark, subpath = nfc(link).partition("#")
    target = target.strip()
    if target.startswith("^^") and not mark:
        return "", target
    return target, subpath.strip() if mark else None


def tags(target: str, *, wiki: bool) -> tuple[str, ...]:
    """Return remarks on a target that help to judge it."""
    found = []
    if wiki and _ADDRESS.match(target):
        found.append("url")
    if _PLACEHOLDER.search(target):
        found.append("template")
    return tuple(found)
