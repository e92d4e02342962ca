"""A quick look at a note's bytes: could any link in it lead nowhere?

Whatever might be a link is collected with three searches, code and comments included, and looked up among the
names; each spelling that names a file is remembered, so most notes cost three searches and a set comparison. A
note is doubtful when something collected names no file or is written in a way that only the parser can read.

This never clears a note in which the plain reader (`links.read_note`) would find a lost link; a test holds the two
readers against each other on random Markdown.
"""

from __future__ import annotations

import re

from graph.vault.links import SCHEME, decoded, split
from graph.vault.names import Names

# Behind `[[`, up to what ends a target; a lone bracket, a line's end or a backslash that escapes no `|` comes along.
WIKI = re.compile(rb"\[\[+([^\[\]|#\n\\]*(?:\\(?!\|)|\](?!\])|[\[\n])?)")
# Behind `](`, unless it is closed at once or an address of the web.
INLINE = re.compile(rb"\]\((?!https?:|\))(<[^<>\n\\&]*>|[^\s)]*)")
# `[label]: destination`, also on the next line; `]]:` behind a wikilink is none.
_COLON = re.compile(rb"(?<!\])\]:|\\\]\]:")
_DEFINITION = re.compile(rb"\[([^\[\]\\]*)\]:[ \t]*(?:\r?\n[ \t]*)?(<[^<>\n\\&]*>|\S*)")
_FOOTNOTE = re.compile(rb"\^\S+")
# Where one of these stands inside a target, only the parser knows where the target ends and what it says.
_HARD_WIKI = re.compile(rb"[\\\[\]\n\r`<&$\x00]|''")
_HARD_INLINE = re.compile(rb"[\\(<>&`$\x00]")


class Sieve:
    """Remembers the spellings that name a file of one vault."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._wiki: set[bytes] = {b""}
        self._inline: set[bytes] = set()

    def look(self, data: bytes, folder: str) -> tuple[bool, int]:
        """Tell whether a note is doubtful, and how many links it seems to hold.

        Args:
            data: the note.
            folder: its folder, empty for the vault itself.
        """
        count = 0
        doubtful = False
        if b"[[" in data:
            found = WIKI.findall(data)
            count += len(found)
            for text in set(found) - self._wiki:
                if not self.wiki(text, folder):
                    doubtful = True
        if b"](" in data:
            found = INLINE.findall(data)
            count += len(found)
            for text in set(found) - self._inline:
                if not self.inline(text, folder):
                    doubtful = True
        if not doubtful and b"]:" in data:
            doubtful = not self.definitions(data, folder)
        return doubtful, count

    def names_file(self, target: str, folder: str) -> bool:
        """Tell whether a target names a file; an empty one is the note itself."""
        return not target or self._names.find(target, folder) is not None

    def wiki(self, text: bytes, folder: str) -> bool | None:
        """Tell whether a wikilink's target names a file; None if only the parser can read it."""
        if text in self._wiki:
            return True
        if _HARD_WIKI.search(text):
            return None
        try:
            target, _ = split(text.decode())
        except UnicodeDecodeError:
            return None
        if not self.names_file(target, folder):
            return False
        if "./" not in target:  # what that names depends on the folder
            self._wiki.add(text)
        return True

    def inline(self, text: bytes, folder: str) -> bool | None:
        """Tell whether a destination is elsewhere or names a file; None if only the parser can read it."""
        if text in self._inline:
            return True
        plain = text[1:-1] if text[:1] == b"<" and text[-1:] == b">" else text
        if not plain or _HARD_INLINE.search(plain):
            return None
        try:
            dest = plain.decode()
        except UnicodeDecodeError:
            return None
        if SCHEME.match(dest):
            return True
        target, _ = split(decoded(dest))
        if not self.names_file(target, folder):
            return False
        if "./" not in target:
            self._inline.add(text)
        return True

    def definitions(self, data: bytes, folder: str) -> bool:
        """Tell whether all that reference links could be defined as names a file."""
        found = _DEFINITION.findall(data)
        if len(found) != len(_COLON.findall(data)):
            return False
        dests = {dest for label, dest in found if not _FOOTNOTE.fullmatch(label)}
        return all(self.inline(dest, folder) for dest in dests)
