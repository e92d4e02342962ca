"""Find the links of a folder that lead nowhere.

All file names of the vault are listed first (one walk, nothing opened), then the folder's notes and canvases are
read, and each link in them is looked up among the names. What is a link, `links` says; which file it names,
`names`; what it may have meant, `nearby`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from graph.vault.canvas import read_canvas
from graph.vault.finding import Finding, Nearby, NotRead, Scan, with_nearby
from graph.vault.links import Link, read_note
from graph.vault.names import Names, key, shown
from graph.vault.prints import MOST, line_print
from graph.vault.tree import read, walk, words

Report = Callable[[int, int, int], None]
"""Told how many notes are read, how many there are, and how many links that lead nowhere were found."""


def scan(vault: Path, folder: str, *, report: Report | None = None, without: Sequence[str] = ()) -> Scan:
    """Read the notes and canvases of a folder and its subfolders, and find the links that name no file.

    Nothing is written. What cannot be read is in the result, not in an exception.

    Args:
        vault: its folder.
        folder: as `resolve_folder` returns it.
        report: called after each note; keep it cheap.
        without: folders whose notes are not read, vault-relative; links to them resolve all the same.

    Raises:
        OSError: if the vault itself cannot be listed.
    """
    tree = walk(vault)
    names = Names(map(shown, tree.files))
    sources = sorted(path for path in tree.files if is_source(path) and _lies_in(path, folder, without))
    notes = sum(not path.lower().endswith(".canvas") for path in sources)
    reading = _Reading(os.fspath(vault), names)
    done = 0
    for path in sources:
        reading.read(path)
        done += not path.lower().endswith(".canvas")
        if report:
            report(done, notes, len(reading.findings))
    from graph.vault.nearby import near_names

    findings = sorted(reading.findings, key=lambda f: (f.file, f.line))
    return Scan(
        vault=os.fspath(vault),
        folder=folder,
        notes=reading.notes,
        links=reading.links,
        findings=with_near_names(findings, near_names(names, findings) if findings else {}),
        not_read=tuple(sorted([*tree.problems, *reading.problems], key=lambda n: n.path)),
    )


def _lies_in(path: str, folder: str, without: Sequence[str]) -> bool:
    path = shown(path)
    return (folder == "." or path.startswith(folder + "/")) and not any(
        path.startswith(w + "/") for w in without
    )


def is_source(path: str) -> bool:
    """Tell whether links are looked for in a file of this name."""
    return path.lower().endswith((".md", ".canvas"))


def with_near_names(
    findings: Iterable[Finding], near: Mapping[str, tuple[Nearby, ...]]
) -> tuple[Finding, ...]:
    """Attach near names, and how often each target is linked."""
    found = list(findings)
    linked: dict[str, int] = {}
    for finding in found:
        linked[key(finding.target)] = linked.get(key(finding.target), 0) + 1
    return tuple(with_nearby(f, near.get(f.target, ()), linked[key(f.target)]) for f in found)


class _Reading:
    """Notes read so far, and what is wrong in them."""

    def __init__(self, root: str, names: Names) -> None:
        self.root, self.names = root, names
        self.notes = self.links = 0
        self.findings: list[Finding] = []
        self.problems: list[NotRead] = []

    def read(self, path: str) -> None:
        """Read one note or canvas."""
        file = shown(path)
        try:
            data = read(self.root + "/" + path)
            if path.lower().endswith(".canvas"):
                self._canvas(file, data)
            else:
                self._note(file, data)
        except OSError as error:
            self.problems.append(NotRead(file, words(error)))
        except ValueError:
            self.problems.append(NotRead(file, "is no valid canvas"))

    def _note(self, file: str, data: bytes) -> None:
        self.notes += 1
        links = read_note(data)
        self.links += len(links)
        folder = file.rpartition("/")[0]
        lost = [x for x in links if x.target and self.names.find(x.target, folder) is None]
        line, counted = 1, 0
        for link in lost:
            line += data.count(b"\n", counted, link.offset)
            counted = link.offset
            start = data.rfind(b"\n", 0, link.offset) + 1
            end = data.find(b"\n", link.offset)
            self._found(file, line, link, data[start : end if end >= 0 else len(data)])

    def _canvas(self, file: str, data: bytes) -> None:
        folder = file.rpartition("/")[0]
        cards = read_canvas(data)
        self.links += len(cards)
        for card in cards:
            target = card.link.target
            found = self.names.at(target) if card.exact else not target or self.names.find(target, folder)
            if not found:
                self._found(file, 0, card.link, card.link.raw[:MOST].encode(errors="replace"))

    def _found(self, file: str, line: int, link: Link, source: bytes) -> None:
        self.findings.append(
            Finding(
                file=file,
                line=line,
                target=link.target,
                subpath=link.subpath,
                kind="missing",
                place=link.place,
                embed=link.embed,
                tags=link.tags,
                raw=link.raw[:MOST],
                text=source.decode(errors="replace").strip()[:MOST],
                fingerprint=line_print(source),
            )
        )
