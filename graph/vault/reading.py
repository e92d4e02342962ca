"""Read notes and canvases one by one, and look their links up among the vault's names."""

from __future__ import annotations

from collections.abc import Callable

from graph.vault.anchors import Anchors
from graph.vault.canvas import read_canvas
from graph.vault.confirm import lost_links
from graph.vault.finding import Finding, Kind, NotRead
from graph.vault.links import Link, read_note
from graph.vault.names import Names, shown
from graph.vault.prints import MOST, line_print, readable
from graph.vault.sieve import Sieve
from graph.vault.tree import read, words

CANVAS = ".canvas"


class Reading:
    """What has been read so far, and what is wrong in it.

    Attributes:
        notes: how many notes were read.
        links: how many links were looked at.
        findings: in the order of reading.
        problems: what could not be read.
    """

    def __init__(self, root: str, names: Names, *, anchors: Anchors | None, plain: bool = False) -> None:
        self.notes = self.links = 0
        self.findings: list[Finding] = []
        self.problems: list[NotRead] = []
        self._root, self._names, self._anchors = root, names, anchors
        self._sieve = None if plain or anchors else Sieve(names)

    def read(self, path: str) -> None:
        """Read one note or canvas; `path` is relative to the vault, as the disk spells it."""
        try:
            data = read(self._root + "/" + path)
            if path.lower().endswith(CANVAS):
                self._canvas(shown(path), data)
            else:
                self._note(path, data)
        except OSError as error:
            self.problems.append(NotRead(shown(path), words(error)))
        except ValueError:
            self.problems.append(NotRead(shown(path), "no valid canvas"))

    def _note(self, path: str, data: bytes) -> None:
        self.notes += 1
        file = shown(path)
        folder = file[: max(0, file.rfind("/"))]
        count = 0
        if self._sieve:
            doubtful, count = self._sieve.look(data, folder)
            self.links += count
            if not doubtful:
                return
        data = readable(data)
        confirmed = lost_links(data, folder, self._sieve) if self._sieve else None
        if confirmed:
            links, others = confirmed
            self.links -= others
        else:
            links = read_note(data)
            self.links += len(links) - count
        line, counted = 1, 0
        for link in links:
            kind = self._lost(link, file, folder, self._names.find)
            if kind is None:
                continue
            line += data.count(b"\n", counted, link.offset)
            counted = link.offset
            start = data.rfind(b"\n", 0, link.offset) + 1
            end = data.find(b"\n", link.offset)
            self._found(file, line, link, kind, data[start : end if end >= 0 else len(data)])

    def _canvas(self, file: str, data: bytes) -> None:
        folder = file[: max(0, file.rfind("/"))]
        for card in read_canvas(data):
            self.links += 1
            find = (lambda target, _: self._names.at(target)) if card.exact else self._names.find
            kind = self._lost(card.link, file, folder, find)
            if kind:
                self._found(file, 0, card.link, kind, card.link.raw[:MOST].encode(errors="replace"))

    def _lost(
        self, link: Link, file: str, folder: str, find: Callable[[str, str], str | None]
    ) -> Kind | None:
        """Say what a link lacks, None if it leads somewhere."""
        path = find(link.target, folder) if link.target else file
        if path is None:
            return "missing"
        return self._anchors.lacks(path, link.subpath) if self._anchors and link.subpath else None

    def _found(self, file: str, line: int, link: Link, kind: Kind, source: bytes) -> None:
        self.findings.append(
            Finding(
                file=file,
                line=line,
                target=link.target,
                subpath=link.subpath,
                kind=kind,
                place=link.place,
                embed=link.embed,
                tags=link.tags,
                raw=link.raw[:MOST],
                text=source.decode(errors="replace").strip()[:MOST],
                fingerprint=line_print(source),
            )
        )
