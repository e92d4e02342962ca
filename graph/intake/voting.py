"""From votes to what stands: what they say together, and the row that judges whoever comes second."""

from __future__ import annotations

from collections.abc import Sequence

from graph.approval import AGREE, CLOCK, ENDED, LEAVE, Decision, Vote
from graph.errors import AlreadyDecided, UnknownRequest
from graph.store import Write
from graph.store.standing import Standing


def together(votes: Sequence[Vote]) -> dict[str, str] | None:
    """Return what all approvals say of each item; where they differ it is left out. None = all agree with the whole."""
    every = {name: None for vote in votes for name in vote.items or {}}
    said = {name: {(vote.items or {}).get(name, AGREE) for vote in votes} for name in every}
    items = {name: next(iter(words)) if len(words) == 1 else LEAVE for name, words in said.items()}
    return None if set(items.values()) <= {AGREE} else items


async def expire(write: Write, found: Standing) -> Decision | None:
    """Let an open request expire whose deadline has passed, and return that decision; None if it has time.

    Whoever comes to it first does so: the engine's clock, or one who decides too late.
    """
    run, request, decision = found
    if decision is not None or run.state in ENDED or not await write.is_overdue(run.id):
        return None
    said = Decision(request.id, "expired", "", CLOCK, write.at, None, run.id)
    await let_stand(write, found, said)
    await write.set_run(run.id, state="resuming")
    return said


async def approve(write: Write, found: Standing, approving: Sequence[Vote]) -> Decision:
    """Let these approvals stand together, in the name and with the words of the last."""
    run, request, _ = found
    last = approving[-1]
    said = Decision(request.id, "approve", last.reason, last.person, write.at, together(approving), run.id)
    return await decide(write, found, said)


async def decide(write: Write, found: Standing, said: Decision) -> Decision:
    """Let a decision of people stand, and the run go on; it counts as one intervention."""
    run, _, _ = found
    await let_stand(write, found, said)
    await write.set_run(run.id, state="resuming", interventions=run.interventions + 1)
    return said


async def let_stand(write: Write, found: Standing, said: Decision) -> None:
    """Insert a decision and what follows from it; the caller sets the run's row.

    Raises:
        AlreadyDecided: the primary key of the decisions knows one already.
    """
    run, request, _ = found
    if not await write.add_decision(said):
        standing = await write.standing(request.id)
        if standing is None or standing[2] is None:
            raise UnknownRequest
        raise AlreadyDecided(standing[2])
    await write.set_request(request.id, "decided")
    await write.event(run.id, said.person, "decided", kind=said.kind, revision=request.revision)
    if said.kind == "send_back":
        await write.add_message(f"outcome:{request.id}", run, thread=f"card:{request.id}")
