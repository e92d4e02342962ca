"""How things stand: a request with its run and its decision, and whether new checks may begin."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.approval import Chosen, Decision, Order, Request, Run
from graph.store import rows
from graph.store.tables import choices, decisions, orders, requests, runs

Standing = tuple[Run, Request, Decision | None]


def in_brief(whole: sa.ColumnElement[bool] | None = None) -> list[sa.ColumnElement[Any]]:
    """Return a request's columns with the review in brief, whole where this says so: it may hold thousands of items."""
    short: sa.ColumnElement[Any] = sa.func.coalesce(requests.c.brief, requests.c.review)
    if whole is not None:
        short = sa.case((whole, requests.c.review), else_=short)
    others = [column for column in requests.c if column.name not in {"review", "brief"}]
    return [*others, sa.type_coerce(short, requests.c.review.type).label("review")]


def _standing(request_id: str, *more: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return (
        sa.select(*in_brief(), *_labelled(runs, "its_run"), *_labelled(decisions, "its_decision"), *more)
        .join(runs, runs.c.id == requests.c.run_id)
        .outerjoin(decisions, decisions.c.request_id == requests.c.id)
        .where(requests.c.id == request_id)
    )


def _read_standing(row: Any) -> Standing:
    decided = row["its_decision_request_id"] is not None
    decision = rows.decision(_unlabelled(row, "its_decision")) if decided else None
    return rows.run(_unlabelled(row, "its_run")), rows.request(row), decision


async def standing(connection: AsyncConnection, request_id: str, *, lock: bool = False) -> Standing | None:
    """Read a request with its run and the decision that stands, by primary keys alone; the id may be anything.

    Its review is in brief: who may decide is asked more often than what.
    """
    request_id = rows.storable(request_id)
    if lock and connection.dialect.name == "postgresql":
        # On its own: after waiting for a row, one statement sees that row as it is and the others as they were.
        its_run = sa.select(requests.c.run_id).where(requests.c.id == request_id).scalar_subquery()
        await connection.execute(sa.select(runs.c.id).where(runs.c.id == its_run).with_for_update())
    row = (await connection.execute(_standing(request_id))).mappings().one_or_none()
    return None if row is None else _read_standing(row)


async def begun(
    connection: AsyncConnection, request_id: str, person_id: str
) -> tuple[Standing, Chosen] | None:
    """Read the same, and what a person has chosen for its items so far, in one statement."""
    request_id = rows.storable(request_id)
    theirs = sa.and_(choices.c.request_id == requests.c.id, choices.c.person_id == person_id)
    statement = _standing(request_id, *_labelled(choices, "their")).outerjoin(choices, theirs)
    row = (await connection.execute(statement)).mappings().one_or_none()
    if row is None:
        return None
    return _read_standing(row), Chosen(row["their_items"] or {}, row["their_reason"] or "")


async def last_request(connection: AsyncConnection, run_id: str) -> tuple[Request, Decision | None] | None:
    """Read the newest request of a run and its decision."""
    statement = (
        sa.select(requests.c.id)
        .where(requests.c.run_id == run_id)
        .order_by(requests.c.revision.desc(), requests.c.created.desc())
        .limit(1)
    )
    request_id = (await connection.execute(statement)).scalar_one_or_none()
    found = request_id and await standing(connection, request_id)
    return found[1:] if found else None


async def newest_switch(connection: AsyncConnection) -> Order | None:
    """Read the last word on whether new checks may begin."""
    statement = sa.select(orders).where(orders.c.run_id.is_(None), orders.c.kind.in_(("hold", "release")))
    row = (await connection.execute(statement.order_by(orders.c.id.desc()).limit(1))).mappings().first()
    return None if row is None else rows.order(row)


def _labelled(table: sa.Table, prefix: str) -> list[sa.Label[Any]]:
    return [column.label(f"{prefix}_{column.name}") for column in table.c]


def _unlabelled(row: Any, prefix: str) -> dict[str, Any]:
    start = f"{prefix}_"
    return {name.removeprefix(start): value for name, value in row.items() if name.startswith(start)}
