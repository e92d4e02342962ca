"""What an approval covers, counted: the same numbers on the card, in its thread and in the terminal. Pure."""

from __future__ import annotations

from graph.approval import AGREE, LEAVE, Decision, Run


def approved_of(run: Run, decision: Decision) -> tuple[int, int] | None:
    """Return how many of how many an approval that leaves some out covers; None if it covers all.

    Once the run has ended its result counts, for it knows of revisions and of lines that had changed.
    """
    if decision.kind != "approve":
        return None
    result = run.result if run.state == "done" else None
    if result is not None:
        part = result.outcome == "approved-in-part" and result.counts
        return (result.counts.get("approved", 0), result.counts.get("candidates", 0)) if part else None
    said = list((decision.items or {}).values())
    left = said.count(LEAVE)
    return (len(said) - left, len(said)) if left else None


def chosen(run: Run, decision: Decision) -> tuple[int, int]:
    """Return how many items were changed and how many left out; nothing of either for a decision of the whole."""
    if run.state == "done" and run.result and decision.kind == "approve":
        return run.result.counts.get("changed", 0), run.result.counts.get("left_out", 0)
    said = list((decision.items or {}).values())
    out = said.count(LEAVE)
    return len(said) - said.count(AGREE) - out, out
