"""After an approval: what it says of each item, and are the lines still those that were judged?

A line that only moved within its note is unchanged. An item is stale when none of its places is unchanged; it is
asked again with the lines as they are now. When its link stands nowhere any more there is nothing to decide.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graph.vault.prints import fingerprint, line_print
from graph.vault.tree import read
from graph.vault.vault import file_on_disk
from graph.workflows.linkcheck.choices import covered, decided
from graph.workflows.linkcheck.report import answers, candidates, outline, own_answers
from graph.workflows.linkcheck.state import Candidate, Outline, Place, Stale, State

MOST = 300  # characters of a source line that a place carries


async def verify(state: State) -> dict[str, Any]:
    """Take what a person said item by item, compare the lines of what was approved; make a revision of what changed."""
    report, answer = outline(state), answers(state)[-1]
    assert report is not None  # noqa: S101 - approved means asked
    asked = covered(report, answer)
    known = candidates(state)
    report = decided(report, answer, {candidate.id: candidate for candidate in known})
    checked = await asyncio.to_thread(_check, Path(state["vault"]), [c for c in known if c.id in asked])
    approved = state.get("approved", []) + checked.unchanged
    gone = state.get("gone", []) + checked.gone
    update: dict[str, Any] = {
        "approved": approved,
        "gone": gone,
        "places_dropped": state.get("places_dropped", 0) + checked.places_dropped,
        "report": report.model_dump(mode="json"),
    }
    if checked.now:
        update["candidates"] = [checked.now.get(c.id, c).model_dump(mode="json") for c in known]
    if checked.stale:
        stale = Stale(rest=len(approved), person=answer.person.name, gone=len(checked.gone))
        update |= {"report": _only(report, checked.stale, stale, 1 + len(own_answers(state)))}
        update |= {"asked": [datetime.now(UTC).isoformat()]}
    return update


def _only(report: Outline, ids: Sequence[str], stale: Stale, revision: int) -> dict[str, Any]:
    again = report.model_copy(update={"asks": list(ids), "stale": stale, "revision": revision})
    return again.model_dump(mode="json")


@dataclass
class Checked:
    """What became of approved items.

    Attributes:
        unchanged, stale, gone: candidate ids.
        now: candidates whose places are no longer those that were drafted.
        places_dropped: changed places of items that stand unchanged elsewhere.
    """

    unchanged: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    now: dict[str, Candidate] = field(default_factory=dict)
    places_dropped: int = 0


def _check(vault: Path, asked: Sequence[Candidate]) -> Checked:
    """Look at every place; runs in a thread, reads each note once."""
    checked, notes = Checked(), Notes(vault)
    for candidate in asked:
        looked = [notes.look(place) for place in candidate.places]
        same = [place for place, unchanged in looked if place and unchanged]
        changed = [place for place, unchanged in looked if place and not unchanged]
        if same:
            checked.unchanged.append(candidate.id)
            checked.places_dropped += len(candidate.places) - len(same)
            left = same
        elif changed:
            checked.stale.append(candidate.id)
            left = changed
        else:
            checked.gone.append(candidate.id)
            continue
        if left != candidate.places:
            checked.now[candidate.id] = candidate.model_copy(update={"places": left})
    return checked


class Notes:
    """The lines of notes as they are now, each note read once."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._read: dict[str, tuple[list[bytes], dict[str, list[int]]]] = {}

    def look(self, place: Place) -> tuple[Place | None, bool]:
        """Return the place as it is now and whether its line is unchanged; None when the link is gone."""
        if place.line == 0:
            held = fingerprint(self._vault, place.file, 0, place.raw) == place.fingerprint
            return (place, True) if held else (None, False)
        lines, prints = self._note(place.file)
        numbers = prints.get(place.fingerprint or "", [])
        if numbers:
            nearest = min(numbers, key=lambda n: abs(n - place.line))
            return place.model_copy(update={"line": nearest}), True
        raw = place.raw.encode(errors="surrogateescape")
        holding = [n for n, line in enumerate(lines, 1) if raw in line]
        if not holding:
            return None, False
        nearest = min(holding, key=lambda n: abs(n - place.line))
        line = lines[nearest - 1]
        text = line.decode(errors="replace").strip()[:MOST]
        return place.model_copy(
            update={"line": nearest, "text": text, "fingerprint": line_print(line)}
        ), False

    def _note(self, file: str) -> tuple[list[bytes], dict[str, list[int]]]:
        if file not in self._read:
            prints: dict[str, list[int]] = {}
            lines = self._lines(file)
            for n, line in enumerate(lines, 1):
                prints.setdefault(line_print(line), []).append(n)
            self._read[file] = (lines, prints)
        return self._read[file]

    def _lines(self, file: str) -> list[bytes]:
        try:
            path = file_on_disk(self._vault, file)
            return read(str(path)).split(b"\n") if path else []
        except (OSError, ValueError):
            return []
