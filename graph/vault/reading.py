"""Read notes and canvases folder by folder, and look their links up among the vault's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graph.vault.anchors import Anchors, Outline, outline
from graph.vault.canvas import read_canvas
from graph.vault.confirm import lost_links
from graph.vault.finding import Finding, Kind, NotRead
from graph.vault.link import Link
from graph.vault.links import read_note
from graph.vault.names import Names, shown
from graph.vault.prints import MOST, line_print, readable
from graph.vault.sieve import Sieve
from graph.vault.tree import read, words

CANVAS = ".canvas"
_TOLD = 32  # files between two reports
_TOGETHER = 128  # notes looked at together: what many of them link to is looked up once
_MOST_HELD = 1 << 20  # bytes of notes that wait to be looked at


@dataclass(frozen=True, slots=True)
class Source:
    """Files of a folder that are to be read.

    Attributes:
        folder: relative to the vault, as the disk spells it; empty for the vault itself.
        files: names of notes and canvases, likewise.
    """

    folder: str
    files: Sequence[str]


class Reading:
    """What has been read so far, and what is wrong in it.

    Attributes:
        files: how many notes and canvases were read or tried.
        notes: how many notes were read.
        looked_up: how many links were looked up.
        findings: in the order of reading.
        problems: what could not be read.
    """

    def __init__(
        self, root: str, names: Names, *, anchors: Anchors | None = None, sieve: Sieve | None = None
    ) -> None:
        """Take what to look links up in; without a sieve the parser is asked about every note."""
        self.files = self.notes = self.looked_up = 0
        self.findings: list[Finding] = []
        self.problems: list[NotRead] = []
        self._root, self._names, self._anchors, self._sieve = root, names, anchors, sieve
        self._here: tuple[bytes, Outline] | None = None  # the note whose own headings were asked for last

    def read(self, source: Source, told: Callable[[], None] | None = None) -> None:
        """Read some files of a folder; `told` is called after every few of them."""
        place = f"{self._root}/{source.folder}/" if source.folder else f"{self._root}/"
        folder = shown(source.folder)
        notes: list[tuple[str, bytes]] = []
        held = 0
        for name in source.files:
            self.files += 1
            if told and self.files % _TOLD == 0:
                told()
            try:
                data = read(place + name)
                if name[-3:] != ".md" and name.lower().endswith(CANVAS):
                    self._canvas(folder, name, data)
                    continue
            except OSError as error:
                self.problems.append(NotRead(_path(folder, name), words(error)))
                continue
            except ValueError:
                self.problems.append(NotRead(_path(folder, name), "no valid canvas"))
                continue
            notes.append((name, data))
            held += len(data)
            if len(notes) == _TOGETHER or held > _MOST_HELD:
                self._look(folder, notes)
                notes, held = [], 0
        self._look(folder, notes)

    def _look(self, folder: str, notes: Sequence[tuple[str, bytes]]) -> None:
        """Look at some notes of a folder, and ask the parser about the doubtful ones."""
        self.notes += len(notes)
        if self._sieve:
            seem, doubtful = self._sieve.sift([data for _, data in notes], folder)
        else:
            seem, doubtful = [0] * len(notes), list(range(len(notes)))
        self.looked_up += sum(seem)
        for number in doubtful:
            self._ask(folder, *notes[number], seem[number])

    def _ask(self, folder: str, name: str, data: bytes, seem: int) -> None:
        """Ask the parser about a note that seems to hold so many links."""
        data = readable(data)
        confirmed = lost_links(data, folder, self._sieve) if self._sieve else None
        if confirmed:
            links, others = confirmed
            self.looked_up -= others
        else:
            links = read_note(data)
            self.looked_up += len(links) - seem
        line, counted = 1, 0
        for link in links:
            kind: Kind | None = "missing" if confirmed else self._lost(link, folder, data)
            if kind is None:
                continue
            line += data.count(b"\n", counted, link.offset)
            counted = link.offset
            start = data.rfind(b"\n", 0, link.offset) + 1
            end = data.find(b"\n", link.offset)
            self._found(_path(folder, name), line, link, kind, data[start : end if end >= 0 else len(data)])

    def _canvas(self, folder: str, name: str, data: bytes) -> None:
        for card in read_canvas(data):
            self.looked_up += 1
            if card.exact:
                kind = self._lacks(self._names.at(card.link.target), card.link)
            else:
                kind = self._lost(card.link, folder, b"")
            if kind:
                source = card.link.raw[:MOST].encode(errors="replace")
                self._found(_path(folder, name), 0, card.link, kind, source)

    def _lost(self, link: Link, folder: str, data: bytes) -> Kind | None:
        """Say what a link lacks, None if it leads somewhere; `data` is the note it stands in."""
        if link.target:
            return self._lacks(self._names.number(link.target, folder), link)
        if not (self._anchors and data and link.subpath):
            return None
        if self._here is None or self._here[0] is not data:
            self._here = data, outline(data)
        return self._here[1].lacks(link.subpath)

    def _lacks(self, number: int | None, link: Link) -> Kind | None:
        if number is None:
            return "missing"
        return self._anchors.lacks(number, link.subpath) if self._anchors and link.subpath else None

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


def _path(folder: str, name: str) -> str:
    return f"{folder}/{shown(name)}" if folder else shown(name)
