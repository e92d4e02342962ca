"""What people said of requests, and what was decided with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from graph.approval import Decision
from graph.store import rows
from graph.store.tables import decisions, requests, votes

_VOTE = "vote_"
_IN_TURN = (votes.c.at, votes.c.person_id)


def of_run(run_id: str) -> sa.Select[Any]:
    """Select a run's votes, oldest first."""
    joined = sa.select(votes).join(requests, requests.c.id == votes.c.request_id)
    return joined.where(requests.c.run_id == run_id).order_by(*_IN_TURN)


def of_request(request_id: str) -> sa.Select[Any]:
    """Select the votes of one request, oldest first."""
    return sa.select(votes).where(votes.c.request_id == request_id).order_by(*_IN_TURN)


def approved_by(most: int) -> sa.Select[Any]:
    """Select the ids of the open requests that at least so many people approved."""
    joined = sa.select(votes.c.request_id).join(requests, requests.c.id == votes.c.request_id)
    approving = joined.where(requests.c.state == "open", votes.c.kind == "approve")
    return approving.group_by(votes.c.request_id).having(sa.func.count() >= most)


def decisions_of(run_id: str) -> sa.Select[Any]:
    """Select a run's decisions by revision, a row for each vote of theirs; at least one."""
    return (
        sa.select(
            decisions,
            requests.c.interrupt_id,
            requests.c.revision,
            *(column.label(f"{_VOTE}{column.name}") for column in votes.c),
        )
        .join(requests, requests.c.id == decisions.c.request_id)
        .outerjoin(votes, votes.c.request_id == decisions.c.request_id)
        .where(requests.c.run_id == run_id)
        .order_by(requests.c.revision, *_IN_TURN)
    )


def decided(found: Sequence[rows.Row]) -> dict[str, tuple[Decision, int]]:
    """Read these rows: decisions with their votes and their request's revision, by the interrupt they answer."""
    said = rows.votes(
        {column.name: row[f"{_VOTE}{column.name}"] for column in votes.c}
        for row in found
        if row[f"{_VOTE}person_id"] is not None
    )
    return {
        row["interrupt_id"]: (rows.decision(row, said.get(row["request_id"], ())), row["revision"])
        for row in found
    }
