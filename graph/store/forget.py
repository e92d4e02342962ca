"""Which ended runs may be forgotten, and what belongs to one. Their records are files and stay."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.approval import ENDED
from graph.store.tables import choices, decisions, events, messages, orders, requests, runs, votes

OF_A_REQUEST = (choices, votes, decisions)
OF_A_RUN = (messages, events, orders, requests)
"""Tables whose rows go with their run, those that others refer to last."""


def forgettable(before: datetime) -> sa.ColumnElement[bool]:
    """Say which runs may be forgotten: ended before a time, and nobody will come back to them.

    A run stays while a retry is offered or ordered, while another run carries it on (that one takes over what it
    had finished, and names it), and while a message of it in Slack says less than its rows.
    """
    later = runs.alias("later")
    carried_on = sa.exists().where(later.c.continues == runs.c.id)
    ordered = sa.exists().where(orders.c.run_id == runs.c.id, orders.c.done.is_(None))
    to_show = sa.exists().where(
        messages.c.run_id == runs.c.id,
        messages.c.ts.is_not(None),
        messages.c.shown < messages.c.wanted,
        sa.or_(messages.c.problem.is_(None), messages.c.next_try.is_not(None)),
    )
    return sa.and_(
        runs.c.state.in_(ENDED),
        runs.c.ended < before,
        runs.c.retry_offered.is_(False),
        ~carried_on,
        ~ordered,
        ~to_show,
    )


async def forget(connection: AsyncConnection, run_id: str, before: datetime) -> bool:
    """Delete the rows of a run, if it still may be forgotten."""
    which = sa.select(runs.c.id).where(runs.c.id == run_id, forgettable(before)).with_for_update(of=runs)
    if (await connection.execute(which)).first() is None:
        return False
    asked = sa.select(requests.c.id).where(requests.c.run_id == run_id)
    for table in OF_A_REQUEST:
        await connection.execute(sa.delete(table).where(table.c.request_id.in_(asked)))
    for table in OF_A_RUN:
        await connection.execute(sa.delete(table).where(table.c.run_id == run_id))
    await connection.execute(sa.delete(runs).where(runs.c.id == run_id))
    return True
