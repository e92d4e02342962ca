"""Open questions whose time has come: to expire, or to be remembered. Found by index, however many wait."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from graph.store.tables import messages, requests, runs

_STANDS = sa.exists().where(
    messages.c.key == sa.literal("card:") + requests.c.id, messages.c.channel.is_not(None)
)
"""Time runs once the card stands in Slack. Until then each try to post it begins to count anew."""


def overdue(now: datetime) -> sa.Select[tuple[str]]:
    """Return the ids of runs with an open question whose deadline has passed."""
    late = sa.and_(requests.c.state == "open", requests.c.deadline <= now)
    seen = sa.or_(runs.c.place.is_(None), _STANDS)
    return sa.select(requests.c.run_id).join(runs, runs.c.id == requests.c.run_id).where(late, seen)


def deadlines(now: datetime) -> sa.Select[tuple[datetime]]:
    """Return the deadlines that are still to come."""
    return sa.select(requests.c.deadline.label("at")).where(
        requests.c.state == "open", requests.c.deadline > now
    )


def to_remind(now: datetime, limit: int) -> sa.Select[tuple[str, str]]:
    """Return the open requests whose reminder is due, each with its run, the oldest first."""
    due = sa.and_(requests.c.state == "open", requests.c.remind_at <= now)
    return (
        sa.select(requests.c.id, requests.c.run_id)
        .where(due, _STANDS)
        .order_by(requests.c.remind_at)
        .limit(limit)
    )
