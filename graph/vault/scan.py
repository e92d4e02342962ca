"""Find the links of a folder that lead nowhere.

1. List the names of all files of the vault (`tree`: one walk, nothing opened) and index them (`names`).
2. Read the folder's notes, and collect from each with a few byte searches whatever might be a link (`sieve`).
   If all of it names files, the note is done; that is so for nearly every note.
3. Ask the Markdown parser about the others (`links`), and keep the links that really are some and name no file.
4. Look for names they may have meant (`nearby`).

The vault is only ever read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from graph.vault.anchors import Anchors
from graph.vault.excluded import excluded
from graph.vault.finding import Finding, Nearby, Scan, with_nearby
from graph.vault.halves import read_all
from graph.vault.names import Names, key, shown
from graph.vault.reading import CANVAS, Reading
from graph.vault.tree import Tree, read, walk

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
        report: called after each file; keep it cheap.
        anchors: also find links whose file is there and whose heading or block is not.
        without: folders whose notes are not read, vault-relative; links to them resolve all the same.
        plain: ask the parser about every note. Slow, and the same findings: what step 2 is tested against.

    Raises:
        OSError: if the vault itself cannot be listed.
    """
    root = os.fspath(vault)
    tree = walk(vault)
    names = Names(map(shown, tree.files))
    load = _loader(tree)
    sources, left_out = _sources(vault, tree, folder, without)
    reading = Reading(root, names, anchors=Anchors(load) if anchors else None, plain=plain)
    notes = sum(not path.lower().endswith(CANVAS) for path in sources)
    read_all(reading, sources, report and (lambda done, found: report(min(done, notes), notes, found)))
    near: Mapping[str, tuple[Nearby, ...]] = {}
    reading.findings.sort(key=lambda f: (f.file, f.line))
    if reading.findings:
        from graph.vault.nearby import near_names

        near = near_names(names, reading.findings, load)
    return Scan(
        vault=root,
        folder=folder,
        notes=reading.notes,
        links=reading.links,
        findings=_with_near_names(reading.findings, near),
        not_read=tuple(sorted([*tree.problems, *reading.problems], key=lambda n: n.path)),
        excluded=left_out,
    )


def _sources(vault: Path, tree: Tree, folder: str, without: Sequence[str]) -> tuple[list[str], int]:
    """Return what is to be read, in order, and how many notes Obsidian's own setting leaves out."""
    inside = "" if folder == "." else folder + "/"
    outside = tuple(place + "/" for place in without)
    found = [path for path in tree.files if path.lower().endswith((".md", CANVAS))]
    if inside or outside:
        found = [
            p for p in found if (s := shown(p)).startswith(inside) and not (outside and s.startswith(outside))
        ]
    hidden = excluded(vault, folder)
    kept = sorted(path for path in found if not hidden(shown(path))) if hidden else sorted(found)
    return kept, len(found) - len(kept)


def _loader(tree: Tree) -> Callable[[str], bytes]:
    """Return how to read a file by its path as shown."""
    differs: dict[str, str] | None = None

    def load(path: str) -> bytes:
        nonlocal differs
        if differs is None:
            differs = {s: path for path in tree.files if (s := shown(path)) != path}
        return read(tree.root + "/" + differs.get(path, path))

    return load


def _with_near_names(
    findings: Iterable[Finding], near: Mapping[str, tuple[Nearby, ...]]
) -> tuple[Finding, ...]:
    """Attach near names, and how often each target is linked."""
    found = list(findings)
    linked: dict[str, int] = {}
    for finding in found:
        linked[key(finding.target)] = linked.get(key(finding.target), 0) + 1
    return tuple(with_nearby(f, near.get(f.target, ()), linked[key(f.target)]) for f in found)
