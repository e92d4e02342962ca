"""Runs with everything that belongs to them, as they were at one moment."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.approval import Whole
from graph.store import rows
from graph.store.standing import in_brief, newest_switch
from graph.store.tables import decisions, messages, orders, requests, runs, votes


async def read(
    connection: AsyncConnection, run_ids: Collection[str], *, brief: bool = False
) -> dict[str, Whole]:
    """Read them by id, in the transaction of this connection; unknown ids are left out.

    Reviews are in brief, for cards show no more, but for those of which a decision says something of single items; where
    `brief` says so all are.
    """
    ids = list(run_ids)
    itemwise = sa.exists().where(
        decisions.c.request_id == requests.c.id, decisions.c["items"].is_not(sa.null())
    )
    asked, done = requests.c.run_id.in_(ids), orders.c.done.is_(None)
    columns = in_brief(None if brief else itemwise)
    by_revision = (requests.c.revision, requests.c.created)
    decided = sa.select(decisions, requests.c.run_id).join_from(decisions, requests).where(asked)
    said = sa.select(votes, requests.c.run_id).join_from(votes, requests).where(asked)
    ordered = sa.select(orders).where(orders.c.run_id.in_(ids), done)
    statements: dict[str, sa.Select[Any]] = {
        "runs": sa.select(runs).where(runs.c.id.in_(ids)),
        "requests": sa.select(*columns).select_from(requests).where(asked).order_by(*by_revision),
        "decisions": decided.order_by(*by_revision),
        "votes": said.order_by(votes.c.at, votes.c.person_id),
        "messages": sa.select(messages).where(messages.c.run_id.in_(ids)).order_by(messages.c.seq),
        "orders": ordered.order_by(orders.c.due, orders.c.id),
        "later": sa.select(runs.c.id, runs.c.continues.label("run_id")).where(runs.c.continues.in_(ids)),
    }
    found = {name: (await connection.execute(one)).mappings().all() for name, one in statements.items()}
    newest = await newest_switch(connection)
    hold = newest if newest is not None and newest.kind == "hold" else None
    its: dict[str, dict[str, list[rows.Row]]] = {str(row["id"]): {} for row in found["runs"]}
    for name in statements:
        for row in found[name] if name != "runs" else ():
            its[row["run_id"]].setdefault(name, []).append(row)
    return {str(row["id"]): rows.whole(row, its[row["id"]], hold) for row in found["runs"]}
