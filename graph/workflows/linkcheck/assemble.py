"""Join what the batches gave into one report."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from graph.workflows.linkcheck.report import assembled, failure_of, open_candidates
from graph.workflows.linkcheck.state import State


def assemble(state: State) -> dict[str, Any]:
    """Say that the drafting failed, that some candidates must be asked about once more, or what the report is."""
    if failure := failure_of(state):
        return {"failure": failure.model_dump(mode="json"), "again": False}
    if open_candidates(state) and not state.get("again"):
        return {"again": True}
    report = assembled(state).model_dump(mode="json")
    return {"report": report, "again": False, "asked": [datetime.now(UTC).isoformat()]}
