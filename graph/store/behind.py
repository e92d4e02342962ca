"""Which messages say less than their rows, and may be brought up to date now."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.approval import LONGEST_PAUSE, Behind
from graph.store.tables import messages, runs

LOOKED_OVER = 100
"""Cards that wait are looked over after each start, however many there are; so many at once are enough to go on."""


async def behind(connection: AsyncConnection, now: datetime, hopeless: Collection[str]) -> list[Behind]:
    """Read them in the order they came up, cards that wait after all others; see `Store.behind`."""
    parent = messages.alias("parent")
    due = sa.or_(
        sa.and_(messages.c.next_try.is_(None), messages.c.problem.is_(None)),
        messages.c.next_try <= now,
        messages.c.next_try > now + LONGEST_PAUSE,
    )
    ready = sa.or_(
        parent.c.key.is_(None),
        parent.c.ts.is_not(None),
        sa.and_(parent.c.problem.is_not(None), parent.c.next_try.is_(None)),
        parent.c.problem.in_(list(hopeless)),
    )
    posted, tried = messages.c.ts.is_not(None), messages.c.problem.is_not(None)
    statement = (
        sa.select(messages.c.key, messages.c.run_id, messages.c.place, posted, tried, runs.c.state)
        .join(runs, runs.c.id == messages.c.run_id)
        .outerjoin(parent, parent.c.key == messages.c.thread)
        .where(messages.c.shown < messages.c.wanted, due, ready)
        .order_by(messages.c.seq)
    )
    looked_over = sa.and_(posted, runs.c.state == "waiting", messages.c.key.startswith("card:"))
    first = await connection.execute(statement.where(sa.not_(looked_over)))
    rest = await connection.execute(statement.where(looked_over).limit(LOOKED_OVER))
    return [Behind(*row) for row in (*first, *rest)]
