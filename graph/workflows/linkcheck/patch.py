"""What was approved, as a patch: each typo under the name it should have. The vault itself is never written.

A fix is made only where the line is still the one that was judged, and kept only if the note then reads as before
but for that one link. So whatever a name holds, it stays a name.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph.vault.link import Link
from graph.vault.links import read_note
from graph.vault.names import key
from graph.vault.prints import MOST
from graph.vault.tree import read
from graph.vault.vault import file_on_disk
from graph.workflows.linkcheck import diff
from graph.workflows.linkcheck.before import approved_items
from graph.workflows.linkcheck.fixable import is_fixable
from graph.workflows.linkcheck.rewrite import rewritten
from graph.workflows.linkcheck.state import Candidate, Item, Place, State
from graph.workflows.linkcheck.verify import Notes


@dataclass(frozen=True, slots=True)
class Fixes:
    """What can be mended of what was approved.

    Attributes:
        diff: for all notes; empty if there is nothing to mend.
        fixed: approved typos that it mends, wherever they stand unchanged.
        unfixed: approved typos that it mends nowhere.
    """

    diff: str
    fixed: int
    unfixed: int


@dataclass(frozen=True, slots=True)
class _Wish:
    """A link that should name something else."""

    item: str
    to: str
    candidate: Candidate
    place: Place


@dataclass(frozen=True, slots=True)
class _Edit:
    """A piece of a note, given by bytes, and what is to stand there; `link` is its number in the note."""

    start: int
    end: int
    text: bytes
    link: int
    wish: _Wish


def fixes(state: State) -> Fixes:
    """Read the notes of what was approved and write down what would mend them."""
    vault = Path(state["vault"])
    typos = [(item, c) for item, c in approved_items(state) if item.verdict == "typo"]
    parts, fixed = [], set()
    for file, wishes in sorted(_wishes(vault, typos).items()):
        path = _patchable(vault, file)
        data = _text(path) if path else None
        if path is None or data is None:
            continue
        edits = _kept(data, list(_edits(data, wishes)))
        if edits:
            parts.append(diff.of_file(os.fsencode(path.relative_to(vault)), data, _applied(data, edits)))
            fixed |= {edit.wish.item for edit in edits}
    return Fixes("".join(parts), len(fixed), len(typos) - len(fixed))


def _wishes(vault: Path, typos: Sequence[tuple[Item, Candidate]]) -> dict[str, list[_Wish]]:
    """Return what is wished for, by note, where the line is as it was judged."""
    notes, wished = Notes(vault), dict[str, list[_Wish]]()
    for item, candidate in typos:
        if not is_fixable(item, candidate) or item.to is None:
            continue
        for place in candidate.places:
            now, unchanged = notes.look(place) if place.line else (None, False)
            if now is not None and unchanged:
                wished.setdefault(place.file, []).append(_Wish(item.id, item.to, candidate, now))
    return wished


def _patchable(vault: Path, file: str) -> Path | None:
    """Return the file as the disk spells it; None if it is gone or behind a link, where no patch is applied."""
    path = file_on_disk(vault, file)
    if path is None:
        return None
    inside = [path, *path.parents[: len(path.relative_to(vault).parts) - 1]]
    return None if any(part.is_symlink() for part in inside) else path


def _text(path: Path) -> bytes | None:
    """Return a note that is text throughout; offsets count its bytes."""
    try:
        data = read(str(path))
        data.decode()
    except (OSError, UnicodeDecodeError):
        return None
    return None if b"\0" in data else data


def _edits(data: bytes, wishes: Sequence[_Wish]) -> Iterator[_Edit]:
    """Yield what has to change in a note, each place once."""
    starts = [0, *(end.end() for end in re.finditer(b"\n", data))]
    done: set[int] = set()
    for number, link in enumerate(read_note(data)):
        line = bisect_right(starts, link.offset)
        wish = next((wish for wish in wishes if _is_about(wish, link, line)), None)
        found = _source(data, link) if wish else None
        if wish is None or found is None or found[0] in done:
            continue
        text = rewritten(link, wish.to, found[1])
        if text is not None:
            done.add(found[0])
            end = found[0] + len(link.raw.encode())
            yield _Edit(found[0], end, text.encode(), number, wish)


def _is_about(wish: _Wish, link: Link, line: int) -> bool:
    place, candidate = wish.place, wish.candidate
    same = (place.line, place.raw, place.place) == (line, link.raw[:MOST], link.place)
    return same and (key(candidate.target), candidate.subpath) == (key(link.target), link.subpath)


def _source(data: bytes, link: Link) -> tuple[int, str] | None:
    """Return where a link's source begins, and the quotes around it in a property; None if YAML spells it otherwise."""
    raw = link.raw.encode()
    if link.place != "property":
        return (link.offset, "") if data.startswith(raw, link.offset) else None
    end = data.find(b"\n", link.offset)
    at = data.find(raw, link.offset, end if end >= 0 else len(data))
    before = data[:at].rstrip(b" ")[-1:].decode(errors="replace") if at >= 0 else ""
    return (at, before) if before in {"'", '"'} else None


def _kept(data: bytes, edits: list[_Edit]) -> list[_Edit]:
    """Return the edits after which the note reads as before but for the names: all of them, or those that do no harm."""
    links = read_note(data) if edits else []
    if _harmless(data, links, edits):
        return edits
    kept: list[_Edit] = []
    for edit in edits:
        if _harmless(data, links, [*kept, edit]):
            kept.append(edit)
    return kept


def _harmless(data: bytes, links: Sequence[Link], edits: Sequence[_Edit]) -> bool:
    after = read_note(_applied(data, edits))
    wanted = {edit.link: edit.wish.to for edit in edits}
    return len(after) == len(links) and all(
        _means(new, old, wanted[n]) if n in wanted else _bare(new) == _bare(old)
        for n, (old, new) in enumerate(zip(links, after, strict=True))
    )


def _means(new: Link, old: Link, to: str) -> bool:
    names = {key(to), key(f"{to}.md")}
    return key(new.target) in names and _apart(new) == _apart(old)


def _apart(link: Link) -> tuple[object, ...]:
    return link.subpath, link.place, link.embed


def _bare(link: Link) -> Link:
    return replace(link, offset=0)


def _applied(data: bytes, edits: Collection[_Edit]) -> bytes:
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        data = data[: edit.start] + edit.text + data[edit.end :]
    return data
