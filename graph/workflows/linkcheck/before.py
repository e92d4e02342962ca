"""What was judged before: verdicts that people approved stay theirs for as long as the line stays as it was.

`collect` leaves out what earlier runs settled; what this run settles is handed over when it has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graph.memory import Approved, Memory, Spot
from graph.vault import Finding, grouped
from graph.vault.names import key
from graph.workflows.linkcheck import report
from graph.workflows.linkcheck.ending import outcome
from graph.workflows.linkcheck.state import NOT_JUDGED, Candidate, Item, State


async def not_judged_before(
    findings: Sequence[Finding], vault: str, memory: Memory
) -> tuple[list[Finding], int]:
    """Return the findings that nobody has approved a verdict for, and how many candidates that leaves out."""
    spots = [_spot(vault, f.file, f.kind, f.target, f.subpath, f.fingerprint) for f in findings]
    settled = await memory.judged_before(spots)
    if not settled:
        return list(findings), 0
    left = [finding for finding, spot in zip(findings, spots, strict=True) if spot not in settled]
    return left, len(grouped(findings)) - len(grouped(left))


def approved_items(state: State) -> list[tuple[Item, Candidate]]:
    """Return what an approval covers, by number, with the places that were unchanged then."""
    outline, approved = report.outline(state), set(state.get("approved", []))
    by_id = {candidate.id: candidate for candidate in report.candidates(state)}
    items = [item for item in outline.items if item.id in approved] if outline else []
    return [(item, by_id[item.id]) for item in sorted(items, key=lambda item: item.number)]


def approved(values: Mapping[str, Any]) -> list[Approved]:
    """Return the verdicts that people approved in a run that has ended, one for each unchanged place."""
    state: State = values  # type: ignore[assignment]  # the engine hands us LangGraph's plain mapping
    if outcome(state) not in {"approved", "approved-in-part"}:
        return []
    said, outline = report.answers(state), report.outline(state)
    yes = [answer for answer in said if answer.kind == "approve"]
    newest = {item.id for item in outline.asked()} if outline and said[-1] == yes[-1] else set()
    return [
        Approved(spot, item.verdict, item.to, by.person, by.at)
        for item, candidate in approved_items(state)
        if item.verdict != NOT_JUDGED
        for by in [yes[-1] if item.id in newest or len(yes) == 1 else yes[-2]]
        for spot in _spots(state["vault"], candidate)
    ]


def _spots(vault: str, candidate: Candidate) -> Iterable[Spot]:
    for place in candidate.places:
        if place.fingerprint:
            c = candidate
            yield _spot(vault, place.file, c.kind, c.target, c.subpath, place.fingerprint)


def _spot(  # noqa: PLR0913, PLR0917 - what a verdict is about, in the order of `Spot`
    vault: str, file: str, kind: str, target: str, subpath: str | None, line: str
) -> Spot:
    return Spot(vault, file, kind, key(target), subpath or "", line)
