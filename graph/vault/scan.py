"""Find the links of a folder that lead nowhere.

1. List the names of all files of the vault (`tree`: one walk, nothing opened) and index them (`names`).
2. Read the folder's notes, and collect from each with a few byte searches whatever might be a link (`sieve`).
   If all of it names files, the note is done; that is so for nearly every note.
3. Ask the Markdown parser about the others (`links`), and keep the links that really are some and name no file.
4. Look for names they may have meant (`evidence`).

The vault is only ever read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from graph.vault.anchors import Anchors
from graph.vault.evidence import Evidence
from graph.vault.excluded import excluded
from graph.vault.finding import Scan
from graph.vault.halves import read_all
from graph.vault.names import Names, shown
from graph.vault.reading import CANVAS, Reading, Source
from graph.vault.sieve import Sieve
from graph.vault.tree import read, walk

_MANY = 4  # a quarter of the vault and more

Report = Callable[[int, int, int], None]
"""Told how many notes are read, how many there are, and how many links that lead nowhere were found."""


def scan(  # noqa: PLR0913 - each keyword is a choice of its own
    vault: Path,
    folder: str,
    *,
    report: Report | None = None,
    anchors: bool = False,
    without: Sequence[str] = (),
    plain: bool = False,
) -> Scan:
    """Read the notes and canvases of a folder and its subfolders, and find the links that name no file.

    What cannot be read is in the result, not in an exception.

    Args:
        vault: its folder.
        folder: as `resolve_folder` returns it.
        report: called after every few files; keep it cheap.
        anchors: also find links whose file is there and whose heading or block is not.
        without: folders whose notes are not read, vault-relative; links to them resolve all the same.
        plain: ask the parser about every note. Slow, and the same findings: what step 2 is tested against.

    Raises:
        OSError: if the vault itself cannot be listed.
    """
    root = os.fspath(vault)
    tree = walk(vault)
    names = Names(tree.places)
    sources, left_out = _sources(vault, tree.places, folder, without)

    def load(number: int) -> bytes:
        return read(f"{root}/{names.on_disk(number)}")

    notes = sum(not name.lower().endswith(CANVAS) for source in sources for name in source.files)
    outlines = Anchors(names, load) if anchors else None
    sieve = None if plain or anchors else Sieve(names, all_known=_MANY * notes > len(names))
    reading = Reading(root, names, anchors=outlines, sieve=sieve)
    evidence = Evidence(names, load, outlines)

    def told(read: int, found: int) -> None:
        if report:
            report(min(read, notes), notes, found)

    read_all(reading, sources, evidence, report and told)
    reading.findings.sort(key=lambda f: (f.file, f.line))
    evidence.add(reading.findings)
    return Scan(
        vault=root,
        folder=folder,
        notes=reading.notes,
        looked_up=reading.looked_up,
        findings=tuple(reading.findings),
        not_read=tuple(sorted([*tree.problems, *reading.problems], key=lambda n: n.path)),
        excluded=left_out,
    )


def _sources(
    vault: Path, places: Mapping[str, Sequence[str]], folder: str, without: Sequence[str]
) -> tuple[list[Source], int]:
    """Return what is to be read, and how many notes Obsidian's own setting leaves out."""
    hidden = excluded(vault, folder)
    sources, left_out = [], 0
    for place, names in places.items():
        path = shown(place)
        if not _within(path, folder) or any(_within(path, other) for other in without):
            continue
        files = [name for name in names if name.lower().endswith((".md", CANVAS))]
        if hidden:
            kept = [name for name in files if not hidden(f"{path}/{shown(name)}".lstrip("/"))]
            left_out += len(files) - len(kept)
            files = kept
        if files:
            sources.append(Source(place, files))
    return sources, left_out


def _within(path: str, folder: str) -> bool:
    return folder in {".", path} or path.startswith(folder + "/")
