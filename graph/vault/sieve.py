"""A quick look at the bytes of notes: could any link in them lead nowhere?

Whatever might be a link is collected with two searches of each note, code and comments included, and looked up among
spellings that are known to name a file. What several notes of a folder hold is looked up at once: what stands in many
of them costs one look-up, and spellings nobody knows yet are resolved together. A note is doubtful when something
collected names no file or is written in a way that only the parser can read.

This never clears a note in which the plain reader (`links.read_note`) would find a lost link; a test holds the two
readers against each other on random Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from operator import add, not_

from graph.vault.link import SCHEME, decoded, split
from graph.vault.names import Names, key, nfc

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
# New spellings without any of these are looked up together, a line for each.
_ODD_WIKI = re.compile(rb"[\\\[\]\r`<&$\x00]|''|\^\^|\n\n")
_ODD_INLINE = re.compile(rb"[\\(<>&`$\x00:#]|%(?!20)|\^\^|\n\n")
_NO_UTF8 = re.compile("[\ud800-\udfff]")
_MOST_KNOWN = 100_000  # spellings remembered beside the names themselves; some ten megabytes


class Sieve:
    """Remembers the spellings that name a file of one vault.

    Attributes:
        known_wiki: targets of wikilinks that name a file, wherever they stand.
        known_inline: likewise of `](…`, or that are elsewhere.
    """

    def __init__(self, names: Names, *, all_known: bool = False) -> None:
        """Take the names; with `all_known`, know each as it is written from the start: worth it for many notes."""
        self._names = names
        self.known_wiki: set[bytes] = {b"", *(_as_written(names.stored) if all_known else ())}
        self.known_inline: set[bytes] = set()
        self._room = _MOST_KNOWN
        # Answers that are no plain yes, for they are asked for again; what a link names depends on the folder.
        self._folder = ""
        self._odd_wiki: dict[bytes, bool | None] = {}
        self._odd_inline: dict[bytes, bool | None] = {}

    def sift(self, notes: Sequence[bytes], folder: str) -> tuple[list[int], list[int]]:
        """Look at some notes of one folder.

        Args:
            notes: what stands in them.
            folder: theirs, empty for the vault itself.

        Returns:
            How many links each seems to hold, and the numbers of the doubtful ones.
        """
        wiki, others = list(map(WIKI.findall, notes)), list(map(_OTHERS.findall, notes))
        seem = list(map(add, map(len, wiki), map(len, others)))
        strange = self._strange_wiki(set(chain.from_iterable(wiki)) - self.known_wiki, folder)
        odd = self._strange_inline(set(chain.from_iterable(others)) - self.known_inline, folder)
        doubtful = []
        for number in range(len(notes)) if strange or odd else ():
            doubts = not all(self.wiki(text, folder) for text in strange.intersection(wiki[number]))
            if here := odd.intersection(others[number]):
                colons = sum(text[:1] == b":" for text in others[number])
                doubts = not all(self.inline(text, folder) for text in here if text[:1] != b":") or doubts
                if colons:
                    seem[number] += len(_definitions(notes[number])) - colons
                    doubts = doubts or b"](:" in notes[number] or not self.definitions(notes[number], folder)
            if doubts:
                doubtful.append(number)
        return seem, doubtful

    def _strange_wiki(self, texts: set[bytes], folder: str) -> set[bytes]:
        """Look new targets up; return those that are left to be looked at one by one."""
        new = list(texts)
        return self._together(new, new, _ODD_WIKI, self.known_wiki, folder) if new else texts

    def _strange_inline(self, texts: set[bytes], folder: str) -> set[bytes]:
        """Do the same for destinations."""
        new = list(texts)
        plain = [text[1:-1] if text[:1] == b"<" and text[-1:] == b">" else text for text in new]
        return self._together(new, plain, _ODD_INLINE, self.known_inline, folder) if new else texts

    def _together(
        self,
        texts: Sequence[bytes],
        plain: Sequence[bytes],
        odd: re.Pattern[bytes],
        known: set[bytes],
        folder: str,
    ) -> set[bytes]:
        left: set[bytes] = set()
        lines = b"\n".join([*plain, b""])
        if odd.search(lines):
            usual = [not odd.search(text + b"\n") for text in plain]
            left.update(compress(texts, map(not_, usual)))
            texts, plain = list(compress(texts, usual)), list(compress(plain, usual))
            lines = b"\n".join([*plain, b""])
        try:
            names = key((lines.replace(b"%20", b" ") if known is self.known_inline else lines).decode())
        except UnicodeDecodeError:
            return left.union(texts)
        self._enter(folder)
        answers = self._odd_wiki if known is self.known_wiki else self._odd_inline
        targets = list(map(str.strip, names.split("\n")))
        for text, target, found in zip(texts, targets, self._names.are_meant(targets, folder), strict=False):
            if found:
                if self._room and "./" not in target:  # what dots name depends on the folder
                    known.add(text)
                    self._room -= 1
            else:
                left.add(text)
                if target:
                    answers[text] = False
        return left

    def names_file(self, target: str, folder: str) -> bool:
        """Tell whether a target names a file; an empty one is the note itself."""
        return not target or self._names.number(target, folder) is not None

    def wiki(self, text: bytes, folder: str) -> bool | None:
        """Tell whether a wikilink's target names a file; None if only the parser can read it."""
        if text in self.known_wiki:
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
        return self._remember(text, target, self.known_wiki)

    def inline(self, text: bytes, folder: str) -> bool | None:
        """Tell whether a destination is elsewhere or names a file; None if only the parser can read it."""
        if text in self.known_inline:
            return True
        self._enter(folder)
        if text in self._odd_inline:
            return self._odd_inline[text]
        plain = text[1:-1] if text[:1] == b"<" and text[-1:] == b">" else text
        if not plain or plain[:1] == b":" or _HARD_INLINE.search(plain) or (dest := _decoded(plain)) is None:
            return self._answer(None, text, self._odd_inline)
        if SCHEME.match(dest):
            return self._remember(text, "", self.known_inline)
        target, _ = split(decoded(dest))
        if not self.names_file(target, folder):
            return self._answer(False, text, self._odd_inline)
        return self._remember(text, target, self.known_inline)

    def _enter(self, folder: str) -> None:
        if folder != self._folder:
            self._folder, self._odd_wiki, self._odd_inline = folder, {}, {}

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
    together = nfc("\0".join(stem for stem in stems if stem.strip() == stem))
    texts = _NO_UTF8.sub("&", together).encode().split(b"\0")  # a name with `&` is left out as well
    return (text for text in texts if not _HARD_WIKI.search(text))
