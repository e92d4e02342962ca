"""What an approval covers, and what became of words sent back: the same on the card and in the terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from graph.approval import AGREE, ENDED, LEAVE, Decision, Request, Run

Fate = Literal["queued", "delivered", "along", "superseded"]


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


def fate_of_words(
    run: Run,
    requests: Sequence[Request],
    decisions: Mapping[str, Decision],
    request_id: str,
    continued_by: str | None,
) -> Fate | None:
    """Say what became of the words that sent a request back; None where nobody follows words.

    `along`: the run that continues this one takes them with it.

    Args:
        run: its counts tell how many were delivered (`heard`); words go out in the order they were said.
        requests: all of the run, by revision.
        decisions: by request.
        request_id: of the request that was sent back.
        continued_by: id of the run that continues this one.
    """
    heard = ((run.result.counts if run.result else None) or run.counts).get("heard")
    back = [r.id for r in requests if r.id in decisions and decisions[r.id].kind == "send_back"]
    if heard is None or request_id not in back:
        return None
    if back.index(request_id) < heard:
        return "delivered"
    if continued_by is not None:
        return "along"
    return "superseded" if run.state in ENDED and not run.retry_offered else "queued"
