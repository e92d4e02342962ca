"""Which runs concern a person, group by group, a page at a time.

Whom a run concerns is asked of the policy itself, once for a run of one's own and once for anybody else's, so the
database holds no second rule: what may differ from run to run is only who asked for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.approval import Person, Whole
from graph.policy import Policy
from graph.store.tables import requests, runs, votes

Group = Literal["wait", "mine", "run", "fail", "done"]
"""Waits for this person, waits for others on their behalf, at work, stopped and may go on, ended."""
GROUPS: tuple[Group, ...] = ("wait", "mine", "run", "fail", "done")


@dataclass(frozen=True, slots=True)
class Slice:
    """Which rows of a group are wanted."""

    first: int  #: how many to leave out
    most: int


@dataclass(frozen=True, slots=True)
class Found:
    """The runs of a group: how many there are, and those that were wanted.

    Attributes:
        total: of all pages. Of what has ended nobody counts: `total` is then the number of `runs`.
        runs: what waits by deadline, then oldest first; what has ended newest first; the rest oldest first.
    """

    total: int
    runs: tuple[Whole, ...]


@dataclass(frozen=True, slots=True)
class Ids:
    """The same before the runs are read."""

    total: int
    run_ids: tuple[str, ...]


async def find(
    connection: AsyncConnection, policy: Policy, person: Person, wanted: Mapping[Group, Slice]
) -> dict[Group, Ids]:
    """Find the runs of each wanted group that concern a person; nothing for one who may not see any."""
    if not policy.may_see(person):
        return {group: Ids(0, ()) for group in wanted}
    sight = _Sight(policy, person)
    return {group: await _find(connection, sight, group, part) for group, part in wanted.items()}


def every(ids: Mapping[Group, Ids]) -> set[str]:
    """Return the ids of all groups."""
    return {run_id for its in ids.values() for run_id in its.run_ids}


def found(ids: Mapping[Group, Ids], whole: Mapping[str, Whole]) -> dict[Group, Found]:
    """Put the runs in the place of their ids; one that was forgotten meanwhile is left out."""
    return {
        group: Found(its.total, tuple(whole[one] for one in its.run_ids if one in whole))
        for group, its in ids.items()
    }


class _Sight:
    """What a person sees: conditions on a run's row."""

    def __init__(self, policy: Policy, person: Person) -> None:
        other = Person(id=f"{policy.team}/-", name="", surface="slack", verified=True)
        own, others = policy.may_decide(person, person), policy.may_decide(person, other)
        self.mine: sa.ColumnElement[bool] = runs.c.requester_id == person.id
        if policy.operator is not None and policy.operator == policy.user(person):
            self.mine = sa.or_(self.mine, runs.c.requester["surface"].as_string() == "terminal")
        voted = _voted(policy, person) if policy.approvals > 1 else None
        own_ones, other_ones = (self.mine if own else None), (sa.not_(self.mine) if others else None)
        either: sa.ColumnElement[bool] | None = own_ones if other_ones is None else other_ones
        decides = sa.true() if own and others else either
        self.decides = decides if voted is None or decides is None else sa.and_(decides, sa.not_(voted))
        """Which of the runs that wait wait for this person; None = none ever does."""
        self.asks = self.mine if not own else None if voted is None else sa.and_(self.mine, voted)
        """Which of them wait for others on this person's behalf."""
        self.concerns: sa.ColumnElement[bool] = sa.true() if others else self.mine


def _voted(policy: Policy, person: Person) -> sa.ColumnElement[bool]:
    """Tell of a run's row that this person has said their word on its open request, and others have still to."""
    said = sa.select(requests.c.run_id).join(votes, votes.c.request_id == requests.c.id)
    mine = said.where(requests.c.state == "open", votes.c.person_id == policy.voter(person))
    return runs.c.id.in_(mine)


async def _find(connection: AsyncConnection, sight: _Sight, group: Group, part: Slice) -> Ids:
    which = _which(sight, group)
    if which is None:
        return Ids(0, ())
    statement = sa.select(runs.c.id).where(which)
    if group in {"wait", "mine"}:
        its_request = (requests.c.run_id == runs.c.id) & (requests.c.state == "open")
        deadline = requests.c.deadline
        statement = statement.join(requests, its_request)
        statement = statement.order_by(deadline.is_(None), deadline, requests.c.created, runs.c.id)
    elif group == "done":
        statement = statement.order_by(runs.c.ended.desc(), runs.c.id)
    else:
        statement = statement.order_by(runs.c.created, runs.c.id)
    found = await connection.execute(statement.offset(part.first).limit(part.most))
    run_ids = tuple(str(run_id) for run_id in found.scalars())
    if group == "done" or (not part.first and len(run_ids) < part.most):
        return Ids(len(run_ids), run_ids)  # there is no more to count
    count = sa.select(sa.func.count()).select_from(runs).where(which)
    return Ids(int((await connection.execute(count)).scalar_one()), run_ids)


def _which(sight: _Sight, group: Group) -> sa.ColumnElement[bool] | None:
    state = runs.c.state
    if group in {"wait", "mine"}:
        whose = sight.decides if group == "wait" else sight.asks
        return None if whose is None else sa.and_(state == "waiting", whose)
    if group == "run":
        return sa.and_(state.in_(("queued", "running", "resuming")), sight.concerns)
    if group == "fail":
        return sa.and_(state == "failed", runs.c.retry_offered, sight.concerns)
    # Only what has ended has a time of it; asking for states as well would keep SQLite from the order of `ended`.
    return sa.and_(runs.c.ended.is_not(None), sa.not_(runs.c.retry_offered), sight.concerns)
