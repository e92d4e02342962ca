"""First step: read the folder's notes and gather the links that lead nowhere and that nobody has settled before.

The same link standing in many notes is one question, so findings are grouped by what they name; a template line
repeated in three thousand notes is one candidate with three thousand places.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from graph.approval import Progress
from graph.errors import SettingsError, UnknownFolder
from graph.vault import Finding, folder_inside, grouped, scan_in_child
from graph.vault.names import key, shown
from graph.vault.vault import file_on_disk
from graph.workflow import Context
from graph.workflows.linkcheck.before import not_judged_before
from graph.workflows.linkcheck.files import within_problem
from graph.workflows.linkcheck.state import Candidate, Nearby, Place, Scope, State


async def collect(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Scan the folder in a process of its own; return what was read and the candidates, as JSON.

    Raises:
        SettingsError: records would lie in the folder under check.
        UnknownFolder: it has gone since the run was asked for, and nothing found in it would look like a clean folder;
            or a link took its place.
    """
    context = runtime.context
    vault, folder = Path(state["vault"]), state["folder"]
    if await asyncio.to_thread(folder_inside, vault, folder) is None:
        raise UnknownFolder(folder)

    def report(read: int, notes: int, found: int) -> None:
        context.report(Progress(step="collect", counts={"read": read, "notes": notes, "found": found}))

    records = records_folder(vault, folder, context.settings.records)
    scan = await scan_in_child(
        vault,
        folder,
        report=report,
        anchors=state.get("anchors", False),
        without=[records] if records else [],
    )
    findings, before = list(scan.findings), 0
    if not state.get("everything"):
        findings, before = await not_judged_before(findings, state["vault"], context.memory)
    found = candidates(findings)
    await asyncio.to_thread(_date, vault, found)
    scope = Scope(
        notes=scan.notes,
        links=scan.looked_up,
        not_read=[(problem.path, problem.why) for problem in scan.not_read],
        judged_before=before,
    )
    return {
        "scope": scope.model_dump(mode="json"),
        "candidates": [candidate.model_dump(mode="json") for candidate in found],
    }


def _date(vault: Path, found: list[Candidate]) -> None:
    """Note when each near name's note was last saved, so that nobody has to look at a click. Each is looked at once."""
    saved: dict[str, int | None] = {}
    for candidate in found:
        for n, near in enumerate(candidate.nearby):
            if near.path not in saved:
                saved[near.path] = _saved(vault, near.path)
            candidate.nearby[n] = near.model_copy(update={"changed": saved[near.path]})


def _saved(vault: Path, file: str) -> int | None:
    try:
        path = file_on_disk(vault, file)
        return int(path.stat().st_mtime) if path else None
    except OSError:
        return None


def records_folder(vault: Path, folder: str, records: Path) -> str | None:
    """Return the records' folder relative to the vault, None if it lies elsewhere.

    Raises:
        SettingsError: it lies in the folder under check, which is never written.
    """
    home, place = Path(os.path.realpath(vault)), Path(os.path.realpath(records))
    if not place.is_relative_to(home):
        return None
    inside = shown(place.relative_to(home).as_posix())
    if folder == "." or key(inside + "/").startswith(key(folder + "/")):
        raise SettingsError([within_problem()])
    return inside


def candidates(findings: Iterable[Finding]) -> list[Candidate]:
    """Group findings by what they name, in the order of their first places."""
    return [_candidate(f"c{number}", group) for number, group in enumerate(grouped(findings), 1)]


def _candidate(name: str, group: list[Finding]) -> Candidate:
    first = group[0]
    return Candidate(
        id=name,
        target=first.target,
        subpath=first.subpath,
        kind=first.kind,
        tags=sorted({tag for finding in group for tag in finding.tags}),
        places=[
            Place(
                file=f.file,
                line=f.line,
                place=f.place,
                embed=f.embed,
                raw=f.raw,
                text=f.text,
                fingerprint=f.fingerprint,
            )
            for f in group
        ],
        nearby=[
            Nearby(target=n.target, path=n.path, reason=n.reason, percent=n.percent, detail=n.detail)
            for n in first.nearby
        ],
        linked=first.linked,
    )
