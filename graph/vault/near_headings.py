"""Headings of a note that a link into it may have meant."""

from __future__ import annotations

from graph.vault.anchors import Anchors
from graph.vault.difference import respelled, slip
from graph.vault.finding import Detail, Finding, Nearby, Reason
from graph.vault.fold import fold
from graph.vault.names import Names

MOST = 5
CUTOFF = 75


def near_headings(names: Names, anchors: Anchors, finding: Finding) -> tuple[Nearby, ...]:
    """Return up to five headings of the note that are like the missing one, best first."""
    folder = finding.file.rpartition("/")[0]
    number = names.number(finding.target, folder) if finding.target else names.at(finding.file)
    outline = None if number is None else anchors.outline(number)
    wanted = (finding.subpath or "").rpartition("#")[2].strip()
    coarse = fold(wanted)
    if number is None or outline is None or not coarse:
        return ()
    from rapidfuzz.fuzz import ratio

    path = names.path(number)
    found = []
    for written in dict.fromkeys(filter(None, outline.written)):
        percent = ratio(coarse, fold(written))
        if percent >= CUTOFF:
            what: tuple[Reason, Detail] = ("alike", slip(wanted, written))
            if fold(written) == coarse:
                what = respelled(wanted, written)
            near = Nearby(f"{finding.target}#{written}", path, what[0], min(99, round(percent)), what[1])
            found.append((-percent, near))
    return tuple(near for _, near in sorted(found, key=lambda pair: pair[0])[:MOST])
