"""All SQL of the program, in SQLAlchemy Core: one set of statements for every database.

`Store` reads and keeps what the relay knows about messages; `Store.write` opens a transaction for the rest.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from graph.approval import (
    AT_ONCE,
    HOLD,
    LONGEST_PAUSE,
    Chosen,
    Decision,
    Event,
    Order,
    Person,
    Request,
    Review,
    Run,
    RunState,
    Vote,
    Whole,
)
from graph.errors import AmbiguousRun, UnknownRun
from graph.memory import Spot
from graph.policy import Policy
from graph.store import concerns, due, memory, rows, sqlite, voting, whole
from graph.store.forget import forgettable
from graph.store.messages import Messages
from graph.store.standing import Standing, begun, last_request, newest_switch, standing
from graph.store.tables import decisions, events, messages, orders, requests, runs
from graph.store.write import Defer, Write

FULL_ID = 36
SHORTEST_PREFIX = 6
REVIEWS = 2  #: kept whole; one of thousands of items takes tens of megabytes


_AT_WORK = runs.c.state.in_(("queued", "running", "resuming"))
_STEP = runs.c.progress["step"].as_string()


def _moves(now: datetime) -> sa.ColumnElement[bool]:
    """Tell of a run's row that it has something to do by itself."""
    at = runs.c.retry_at
    return sa.and_(_AT_WORK, sa.or_(at.is_(None), at <= now, at > now + LONGEST_PAUSE))


def _obeyable(now: datetime) -> sa.ColumnElement[bool]:
    """Tell of an order's row that it is to be carried out."""
    return sa.and_(orders.c.done.is_(None), sa.or_(orders.c.kind.in_(AT_ONCE), orders.c.due <= now))


def utc_now() -> datetime:
    """Return the time, aware, in UTC."""
    return datetime.now(UTC)


Fence = Callable[[AsyncConnection], Awaitable[None]]
"""Raises `StoreError` in a transaction if whoever opened it no longer holds the run it is about."""


class Store(Messages):
    """Runs, requests, decisions, messages and their history.

    Attributes:
        lock: held by this process while it writes to a database that takes one writer at a time; whoever else writes
            to it from this process (LangGraph's checkpoints) takes it too, so that writers queue fairly instead of
            polling a busy file.
        on_change: called after each commit that may concern messages; must not block. None = nobody.
    """

    def __init__(
        self,
        database: AsyncEngine,
        *,
        changed: Callable[[], Awaitable[bool]],
        now: Callable[[], datetime] = utc_now,
        defer: Defer | None = None,
    ) -> None:
        self._database = database
        self._reading = database.execution_options(ringi_read=True)
        self._writing = database.execution_options(ringi_write=True)
        self._changed = changed
        self._defer = defer
        self._fence: Fence | None = None
        self._origin = self
        self._reviews: dict[str, Review] = {}
        self.now = now
        self.lock: AbstractAsyncContextManager[object] = asyncio.Lock()
        if database.dialect.name == "postgresql":
            self._reading = database.execution_options(isolation_level="AUTOCOMMIT")
            self.lock = nullcontext()
        self.on_change: Callable[[], None] | None = None

    def under(self, fence: Fence | None) -> Store:
        """Return this store as one who holds a run sees it: nothing is written there once the run is held no more."""
        if fence is None:
            return self
        fenced = copy.copy(self)
        fenced._fence = fence  # noqa: SLF001 - our own copy
        return fenced

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Write]:
        """Open a transaction that writes; it commits at the end of the block, or rolls back if the block raises."""
        async with self.lock, self._writing.begin() as connection:
            if self._fence is not None:
                await self._fence(connection)
            write = Write(connection, self.now(), self._defer)
            yield write
        told = self._origin.on_change
        if write.told and told is not None:
            told()

    async def changed(self) -> bool:
        """Tell whether anything was committed to the database since the last call, by this process or another."""
        return await self._changed()

    async def run(self, prefix: str) -> Run:
        """Return the run whose id begins with this, compared literally.

        Raises:
            UnknownRun: no run does, or the prefix has fewer than six characters.
            AmbiguousRun: several do.
        """
        if len(prefix) < SHORTEST_PREFIX:
            raise UnknownRun(prefix)
        prefix = rows.storable(prefix)
        if len(prefix) == FULL_ID:
            which = runs.c.id == prefix
        else:
            which = sa.func.substr(runs.c.id, 1, len(prefix)) == prefix
        found = await self._rows(sa.select(runs).where(which).order_by(runs.c.created.desc()))
        if not found:
            raise UnknownRun(prefix)
        if len(found) > 1:
            raise AmbiguousRun(prefix, [str(row["id"]) for row in found])
        return rows.run(found[0])

    async def runs(self, states: Collection[RunState] | None = None, limit: int | None = None) -> list[Run]:
        """Return runs, newest first; all of them, or those in these states."""
        statement = sa.select(runs).order_by(runs.c.created.desc(), runs.c.id).limit(limit)
        if states is not None:
            statement = statement.where(runs.c.state.in_(list(states)))
        return [rows.run(row) for row in await self._rows(statement)]

    async def request(self, request_id: str) -> Request | None:
        """Return a request, None if there is none."""
        found = await self._rows(sa.select(requests).where(requests.c.id == request_id))
        return rows.request(found[0]) if found else None

    async def review(self, request_id: str) -> Review | None:
        """Return all of what a request asks, None if there is no such request. It never changes, so the last few are kept."""
        known = self._reviews.get(request_id)
        if known is None and (found := await self.request(rows.storable(request_id))) is not None:
            known = self._reviews[request_id] = found.review
            while len(self._reviews) > REVIEWS:
                self._reviews.pop(next(iter(self._reviews)))
        return known

    async def requests(self, run_id: str) -> list[Request]:
        """Return a run's requests by revision."""
        statement = sa.select(requests).where(requests.c.run_id == run_id)
        found = await self._rows(statement.order_by(requests.c.revision, requests.c.created))
        return [rows.request(row) for row in found]

    async def standing(self, request_id: str) -> Standing | None:
        """Return a request, its review in brief, with its run and the decision that stands, in one indexed read."""
        async with self._reading.connect() as connection:
            return await standing(connection, request_id)

    async def begun(self, request_id: str, person_id: str) -> tuple[Standing, Chosen] | None:
        """Return a request as `standing` does, and what a person has chosen for its items so far; one indexed read."""
        async with self._reading.connect() as connection:
            return await begun(connection, request_id, person_id)

    async def last_request(self, run_id: str) -> tuple[Request, Decision | None] | None:
        """Return a run's newest request and the decision that stands for it."""
        async with self._reading.connect() as connection:
            return await last_request(connection, run_id)

    async def decision(self, request_id: str) -> Decision | None:
        """Return what stands for a request."""
        found = await self._rows(sa.select(decisions).where(decisions.c.request_id == request_id))
        return rows.decision(found[0]) if found else None

    async def decisions(self, run_id: str) -> list[Decision]:
        """Return what was decided for a run, by revision."""
        return [decision for decision, _ in (await self.decided_interrupts(run_id)).values()]

    async def votes(self, run_id: str) -> dict[str, tuple[Vote, ...]]:
        """Return what people said of a run's requests, by request, oldest first."""
        return rows.votes(await self._rows(voting.of_run(run_id)))

    async def votes_on(self, request_id: str) -> tuple[Vote, ...]:
        """Return what people said of one request so far, oldest first."""
        return rows.votes(await self._rows(voting.of_request(request_id))).get(request_id, ())

    async def approved_by(self, most: int) -> list[str]:
        """Return the open requests that at least so many people approved."""
        return [str(row["request_id"]) for row in await self._rows(voting.approved_by(most))]

    async def decided_interrupts(self, run_id: str) -> dict[str, tuple[Decision, int]]:
        """Return the decisions of a run by the interrupt they answer, each with its request's revision."""
        return voting.decided(await self._rows(voting.decisions_of(run_id)))

    async def events(self, run_id: str) -> list[Event]:
        """Return a run's history, oldest first."""
        statement = sa.select(events).where(events.c.run_id == run_id).order_by(events.c.seq)
        return [rows.event(row) for row in await self._rows(statement)]

    async def continued_by(self, run_id: str) -> str | None:
        """Return the id of the run that carries this one on."""
        return (await self.carriers([run_id])).get(run_id)

    async def carriers(self, run_ids: Collection[str] | None = None) -> dict[str, str]:
        """Return the id of the run that carries one on, by that one's: of these runs, or of all."""
        statement = sa.select(runs.c.continues, runs.c.id).where(runs.c.continues.is_not(None))
        if run_ids is not None:
            statement = statement.where(runs.c.continues.in_(list(run_ids)))
        return {str(row["continues"]): str(row["id"]) for row in await self._rows(statement)}

    async def orders(self, run_id: str | None = None) -> list[Order]:
        """Return orders that are not done, by due time: of one run, or all."""
        statement = sa.select(orders).where(orders.c.done.is_(None)).order_by(orders.c.due, orders.c.id)
        if run_id is not None:
            statement = statement.where(orders.c.run_id == run_id)
        return [rows.order(row) for row in await self._rows(statement)]

    async def hold(self) -> Order | None:
        """Return who put new checks on hold and when; None if they start at once."""
        async with self._reading.connect() as connection:
            newest = await newest_switch(connection)
        return newest if newest is not None and newest.kind == "hold" else None

    async def on_hold(self) -> list[Run]:
        """Return the runs that wait for new checks to be released, oldest first."""
        hold = await self.hold()
        found = await self._rows(sa.select(runs).where(_AT_WORK).order_by(runs.c.created, runs.c.id))
        return [run for run in map(rows.run, found) if run.is_held(hold)]

    async def to_do(self) -> tuple[list[str], datetime | None]:
        """Return the runs that have something to do now, oldest first, and when the next one will have.

        What waits for people has nothing to do before its deadline, however many there are: a decision takes its
        run out of `waiting` in the transaction that inserts it. Nor has what waits for a release, until it comes.
        """
        now = self.now()
        ordered = sa.select(orders.c.run_id).where(_obeyable(now))
        found = await self._rows(
            sa.union(
                sa.select(runs.c.id, runs.c.created).where(await self._goes_on(now)),
                sa.select(runs.c.id, runs.c.created).where(runs.c.id.in_(ordered)),
                sa.select(runs.c.id, runs.c.created).where(runs.c.id.in_(due.overdue(now))),
            ).order_by("created")
        )
        later = sa.union_all(
            sa.select(runs.c.retry_at.label("at")).where(_AT_WORK, runs.c.retry_at > now),
            sa.select(orders.c.due.label("at")).where(orders.c.done.is_(None), orders.c.due > now),
            due.deadlines(now),
        ).subquery()
        first = await self._rows(sa.select(later.c.at).order_by(later.c.at).limit(1))
        return [str(row["id"]) for row in found], first[0]["at"] if first else None

    async def is_overdue(self, run_id: str) -> bool:
        """Tell whether the deadline of a run's open request has passed."""
        late = due.overdue(self.now()).where(requests.c.run_id == run_id).limit(1)
        return bool(await self._rows(late))

    async def to_remind(self, limit: int) -> dict[str, str]:
        """Return the open requests whose reminder is due, oldest first: id → its run's."""
        return {
            str(row["id"]): str(row["run_id"]) for row in await self._rows(due.to_remind(self.now(), limit))
        }

    async def is_due(self, run_id: str) -> bool:
        """Tell whether a run has something to do now."""
        now = self.now()
        ordered = sa.exists().where(orders.c.run_id == runs.c.id, _obeyable(now))
        goes_on = sa.or_(await self._goes_on(now), ordered)
        return bool(await self._rows(sa.select(runs.c.id).where(runs.c.id == run_id, goes_on)))

    async def _goes_on(self, now: datetime) -> sa.ColumnElement[bool]:
        """Say which runs go on by themselves now."""
        if await self.hold() is None:
            return _moves(now)
        return sa.and_(_moves(now), sa.or_(runs.c.progress.is_(None), _STEP != HOLD))

    async def forgettable(self, before: datetime, limit: int) -> list[str]:
        """Return runs that ended before a time and may be forgotten, oldest first."""
        statement = sa.select(runs.c.id).where(forgettable(before)).order_by(runs.c.ended).limit(limit)
        return [str(row["id"]) for row in await self._rows(statement)]

    async def shrink(self) -> None:
        """Give the disk back what deleted rows left behind, where the database does not do so by itself."""
        if self._database.dialect.name == "sqlite":
            await sqlite.shrink(self._database, self.lock)

    async def refused_place(self, run_id: str) -> str | None:
        """Return why the first message of a run has no place, if that is known."""
        first = await self.message(f"progress:{run_id}")
        return None if first is None or first.data is None else first.data.get("refused")

    async def told_to_end(self, run_ids: Collection[str]) -> set[str]:
        """Return which of these runs someone cancelled or stopped, or have no place for their first message."""
        ids = list(run_ids)
        ordered = sa.select(orders.c.run_id).where(
            orders.c.run_id.in_(ids), orders.c.done.is_(None), orders.c.kind.in_(AT_ONCE)
        )
        first = sa.func.substr(messages.c.key, 1, 9) == "progress:"
        refused = sa.select(messages.c.run_id).where(
            messages.c.run_id.in_(ids), first, messages.c.data.is_not(None)
        )
        return {str(row["run_id"]) for row in await self._rows(sa.union(ordered, refused))}

    async def judged_before(self, spots: Collection[Spot]) -> set[Spot]:
        """Return those of the spots whose verdict somebody has approved."""
        async with self._reading.connect() as connection:
            return await memory.judged_before(connection, spots)

    async def whole(self, run_ids: Collection[str], *, brief: bool = False) -> dict[str, Whole]:
        """Return runs with everything that belongs to them, by id, as they were at one moment; unknown ids are left out.

        Reviews are in brief but for those decided item by item; where `brief` says so all are.
        """
        async with self._database.begin() as connection:
            return await whole.read(connection, run_ids, brief=brief)

    async def concerning(
        self, policy: Policy, person: Person, wanted: Mapping[concerns.Group, concerns.Slice]
    ) -> dict[concerns.Group, concerns.Found]:
        """Return the runs that concern a person, by group; see `concerns`."""
        async with self._reading.connect() as connection:
            ids = await concerns.find(connection, policy, person, wanted)
        return concerns.found(ids, await self.whole(concerns.every(ids), brief=True))

    async def last_run_of(self, person: Person, workflow: str) -> Run | None:
        """Return the run that a person started last."""
        statement = sa.select(runs).where(runs.c.requester_id == person.id, runs.c.workflow == workflow)
        found = await self._rows(statement.order_by(runs.c.created.desc()).limit(1))
        return rows.run(found[0]) if found else None
