"""A quick look at a note's bytes: could any link in it lead nowhere?

Whatever might be a link is collected with two searches, code and comments included, and looked up among spellings
that are known to name a file; every other spelling is resolved once and then known too, so most notes cost two
searches and some twenty look-ups in a set. A note is doubtful when something collected names no file or is written
in a way that only the parser can read.

This never clears a note in which the plain reader (`links.read_note`) would find a lost link; a test holds the two
readers against each other on random Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import filterfalse

from graph.vault.link import SCHEME, decoded, split
from graph.vault.names import Names

# In these three, what follows the first byte is looked at from behind it: so the search runs at memchr's speed.
# Behind `[[`, up to what ends a target; a lone bracket, a line's end or a backslash that escapes no `|` comes along.
WIKI = re.compile(rb"\[(?=\[)\[++([^\[\]|#\n\\]*+(?:\\(?!\|)|\](?!\])|[\[\n])?+)")
# Behind `](`, unless it is closed at once or an address of the web.
INLINE = re.compile(rb"\](?=\()\((?!https?:|\))(<[^<>\n\\&]*>|[^\s)]*)")
# The same, and behind `]`, where a colon follows.
_OTHERS = re.compile(rb"\](?:\((?!https?:|\))|(?=:))(<[^<>\n\\&]*>|[^\s)]*)")
# `[label]: destination`, also on the next line; `]]:` behind a wikilink is none.
_DEFINITION = re.compile(rb"\[([^\[\]\\]*)\]:[ \t]*(?:\r?\n[ \t]*)?(<[^<>\n\\&]*>|\S*)")
_FOOTNOTE = re.compile(rb"\^\S+")
# Where one of these stands inside a target, only the parser knows where the target ends and what it says.
_HARD_WIKI = re.compile(rb"[\\\[\]\n\r`<&$\x00]|''")
_HARD_INLINE = re.compile(rb"[\\(<>&`$\x00]")
_NO_UTF8 = re.compile("[\ud800-\udfff]")
_MOST_KNOWN = 100_000  # spellings remembered beside the names themselves; some ten megabytes


class Sieve:
    """Remembers the spellings that name a file of one vault.

    Attributes:
        looked_up: how many links the note looked at last seems to hold.
    """

    def __init__(self, names: Names, *, all_known: bool = False) -> None:
        """Take the names; with `all_known`, know each as it is written from the start: worth it for many notes."""
        self.looked_up = 0
        self._names = names
        self._wiki: set[bytes] = {b"", *(_as_written(names.stored) if all_known else ())}
        self._inline: set[bytes] = set()
        self._room = _MOST_KNOWN
        # Answers that are no plain yes, for they are asked for again; what a link names depends on the folder.
        self._folder = ""
        self._odd_wiki: dict[bytes, bool | None] = {}
        self._odd_inline: dict[bytes, bool | None] = {}

    def doubts(self, data: bytes, folder: str) -> bool:
        """Tell whether a note is doubtful.

        Args:
            data: the note.
            folder: its folder, empty for the vault itself.
        """
        wiki, others = WIKI.findall(data), _OTHERS.findall(data)
        self.looked_up = len(wiki) + len(others)
        doubtful = False
        for text in filterfalse(self._wiki.__contains__, wiki):
            if not self.wiki(text, folder):
                doubtful = True
        if strange := list(filterfalse(self._inline.__contains__, others)):
            doubtful = self._strange(data, strange, folder) or doubtful
        return doubtful

    def _enter(self, folder: str) -> None:
        if folder != self._folder:
            self._folder, self._odd_wiki, self._odd_inline = folder, {}, {}

    def _strange(self, data: bytes, others: Iterable[bytes], folder: str) -> bool:
        """Tell whether unknown destinations, or colons behind brackets, make a note doubtful."""
        colons = sum(text.startswith(b":") for text in others)
        doubtful = False
        if colons:
            self.looked_up += len(_definitions(data)) - colons
            doubtful = b"](:" in data or not self.definitions(data, folder)
        for text in others:
            if not text.startswith(b":") and not self.inline(text, folder):
                doubtful = True
        return doubtful

    def names_file(self, target: str, folder: str) -> bool:
        """Tell whether a target names a file; an empty one is the note itself."""
        return not target or self._names.number(target, folder) is not None

    def wiki(self, text: bytes, folder: str) -> bool | None:
        """Tell whether a wikilink's target names a file; None if only the parser can read it."""
        if text in self._wiki:
            return True
        self._enter(folder)
        if text in self._odd_wiki:
            return self._odd_wiki[text]
        if _HARD_WIKI.search(text) or (target := _decoded(text)) is None:
            return self._answer(None, text, self._odd_wiki)
        if "^^" in target:
            target, _ = split(target)
        if not self.names_file(target, folder):
            return self._answer(False, text, self._odd_wiki)
        return self._remember(text, target, self._wiki)

    def inline(self, text: bytes, folder: str) -> bool | None:
        """Tell whether a destination is elsewhere or names a file; None if only the parser can read it."""
        if text in self._inline:
            return True
        self._enter(folder)
        if text in self._odd_inline:
            return self._odd_inline[text]
        plain = text[1:-1] if text[:1] == b"<" and text[-1:] == b">" else text
        if not plain or plain[:1] == b":" or _HARD_INLINE.search(plain) or (dest := _decoded(plain)) is None:
            return self._answer(None, text, self._odd_inline)
        if SCHEME.match(dest):
            return self._remember(text, "", self._inline)
        target, _ = split(decoded(dest))
        if not self.names_file(target, folder):
            return self._answer(False, text, self._odd_inline)
        return self._remember(text, target, self._inline)

    def _remember(self, text: bytes, target: str, known: set[bytes]) -> bool:
        if self._room and "./" not in target:  # what dots name depends on the folder
            known.add(text)
            self._room -= 1
        return True

    def _answer(self, found: bool | None, text: bytes, odd: dict[bytes, bool | None]) -> bool | None:  # noqa: FBT001 - the answer
        odd[text] = found
        return found

    def definitions(self, data: bytes, folder: str) -> bool:
        """Tell whether all that reference links could be defined as names a file."""
        colons = data.count(b"]:") - data.count(b"]]:") + data.count(b"\\]]:")
        if len(_DEFINITION.findall(data)) != colons:
            return False
        return all(self.inline(dest, folder) for dest in _definitions(data))


def _decoded(text: bytes) -> str | None:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


def _definitions(data: bytes) -> set[bytes]:
    """Return the destinations of what may be definitions of reference links; footnotes define none."""
    return {dest for label, dest in _DEFINITION.findall(data) if not _FOOTNOTE.fullmatch(label)}


def _as_written(stored: Iterable[str]) -> Iterator[bytes]:
    """Return names as links write them, those that only the parser can read left out."""
    stems = [name.removesuffix(".md") for name in stored]
    together = "\0".join(stem for stem in stems if stem.strip() == stem)
    texts = _NO_UTF8.sub("&", together).encode().split(b"\0")  # a name with `&` is left out as well
    return (text for text in texts if not _HARD_WIKI.search(text))
