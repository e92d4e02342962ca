"""What one transaction may write. Each method is one statement; unique keys judge, nothing is read first.

Methods that insert return whether they did: False means that the row's key was there already.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.approval import Decision, Order, Person, Request, RequestState, Review, Run, Vote
from graph.errors import UnderWay
from graph.memory import Approved
from graph.store import choosing, due, memory, rows
from graph.store.forget import forget
from graph.store.standing import Standing, last_request, newest_switch, standing
from graph.store.tables import choices, decisions, events, messages, orders, requests, runs, votes

Defer = Callable[[AsyncConnection, str, bool], Awaitable[None]]
"""Leaves a job that moves a run, in a transaction under way; told the run and whether its next step is slow."""


class Write:
    """One transaction under way.

    Attributes:
        at: its time; all rows it writes carry the same.
        told: whether it changed what a message shows.
    """

    def __init__(self, connection: AsyncConnection, at: datetime, defer: Defer | None = None) -> None:
        self._connection = connection
        self._defer = defer
        self.at = at
        self.told = False

    async def _insert(self, table: sa.Table, **values: Any) -> bool:
        insert = postgresql.insert if self._connection.dialect.name == "postgresql" else sqlite.insert
        key = next(iter(table.primary_key))
        # RETURNING, because drivers disagree on the row count of an insert that did nothing.
        statement = insert(table).values(**values).on_conflict_do_nothing().returning(key)
        return (await self._connection.execute(statement)).first() is not None

    async def _let_move(self, run_id: str, *, slow: bool = False) -> None:
        """Have some process move the run once this is committed; where one process does all, it sees by itself."""
        if self._defer is not None:
            await self._defer(self._connection, run_id, slow)

    async def run(self, run_id: str) -> Run | None:
        """Read a run and keep others from changing it until the end of the transaction; the id may be anything."""
        statement = sa.select(runs).where(runs.c.id == rows.storable(run_id)).with_for_update()
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        return None if row is None else rows.run(row)

    async def run_of_source(self, source: str) -> Run | None:
        """Read the run that a delivery started."""
        statement = sa.select(runs).where(runs.c.source == source)
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        return None if row is None else rows.run(row)

    async def refuse_second(self, run: Run, about: Callable[[Mapping[str, Any]], str]) -> None:
        """See that no run at work does what this one would; what waits for people is none, it may wait for days.

        Raises:
            UnderWay: one does. Of two that come at once the second waits for the first, and sees it.
        """
        same = about(run.input)
        if self._connection.dialect.name == "postgresql":
            key = sa.func.hashtextextended(f"{run.workflow}:{same}", 0)
            await self._connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))
        which = sa.and_(runs.c.state.in_(("queued", "running")), runs.c.workflow == run.workflow)
        found = await self._connection.execute(sa.select(runs).where(which).order_by(runs.c.created))
        for other in map(rows.run, found.mappings()):
            if about(other.input) == same:
                raise UnderWay(other)

    async def continued_by(self, run_id: str) -> str | None:
        """Read the id of the run that carries this one on."""
        statement = sa.select(runs.c.id).where(runs.c.continues == run_id)
        return (await self._connection.execute(statement)).scalar_one_or_none()

    async def retries(self, run_id: str) -> int:
        """Read how often the step after the decision has failed."""
        statement = sa.select(runs.c.retries).where(runs.c.id == run_id)
        return int((await self._connection.execute(statement)).scalar_one())

    async def standing(self, request_id: str) -> Standing | None:
        """Read a request with its run and decision, locking the run."""
        return await standing(self._connection, request_id, lock=True)

    async def last_request(self, run_id: str) -> tuple[Request, Decision | None] | None:
        """Read the newest request of a run and its decision."""
        return await last_request(self._connection, run_id)

    async def add_run(self, run: Run) -> bool:
        """Insert a run unless its source or what it continues is taken."""
        added = await self._insert(
            runs,
            id=run.id,
            source=run.source,
            workflow=run.workflow,
            version=run.version,
            input=run.input,
            requester=rows.plain(run.requester),
            requester_id=run.requester.id,
            language=run.language,
            zone=run.zone,
            place=run.place,
            response_url=run.response_url,
            state=run.state,
            counts=run.counts,
            continues=run.continues,
            retry_offered=False,
            retries=0,
            interventions=0,
            created=run.created,
            changed=run.changed,
        )
        if added:
            await self._let_move(run.id, slow=True)
        return added

    async def set_run(self, run_id: str, **values: Any) -> None:
        """Change columns of a run, and let all its messages be compared again."""
        statement = sa.update(runs).where(runs.c.id == run_id).values(changed=self.at, **values)
        await self._connection.execute(statement)
        await self.bump(run_id)
        state = values.get("state")
        if state in {"queued", "resuming"} and values.get("retry_at") is None:
            await self._let_move(run_id, slow=state == "queued")

    async def set_progress(self, run_id: str, progress: Any, counts: dict[str, int] | None = None) -> None:
        """Change how far a run at work is; only its progress message says so."""
        values = {"progress": progress} | ({} if counts is None else {"counts": counts})
        at_work = runs.c.state.in_(("queued", "running", "resuming"))
        statement = sa.update(runs).where(runs.c.id == run_id, at_work).values(changed=self.at, **values)
        await self._connection.execute(statement)
        await self.bump(run_id, f"progress:{run_id}")

    async def add_request(  # noqa: PLR0913 - what a request's row holds
        self,
        request_id: str,
        run_id: str,
        interrupt_id: str,
        review: Review,
        *,
        brief: Review | None = None,
        deadline: datetime | None = None,
    ) -> bool:
        """Insert an open request unless this interrupt has one; a card's deadline comes with its post."""
        return await self._insert(
            requests,
            id=request_id,
            run_id=run_id,
            interrupt_id=interrupt_id,
            revision=review.revision,
            review=rows.plain(review),
            brief=None if brief is review else rows.plain(brief),
            state="open",
            created=self.at,
            deadline=deadline,
        )

    async def set_request(self, request_id: str, state: RequestState) -> None:
        """Change a request's state."""
        await self._connection.execute(
            sa.update(requests).where(requests.c.id == request_id).values(state=state)
        )

    async def supersede(self, run_id: str, keep: Collection[str] = ()) -> int:
        """Close every open request of a run but these; return how many."""
        statement = (
            sa.update(requests)
            .where(requests.c.run_id == run_id, requests.c.state == "open", requests.c.id.not_in(keep))
            .values(state="superseded")
            .returning(requests.c.id)
        )
        return len((await self._connection.execute(statement)).all())

    async def count_anew(
        self, request_id: str, deadline: datetime | None, remind_at: datetime | None
    ) -> None:
        """Set when an open request expires and when it is remembered."""
        which = sa.and_(requests.c.id == request_id, requests.c.state == "open")
        await self._connection.execute(
            sa.update(requests).where(which).values(deadline=deadline, remind_at=remind_at)
        )

    async def remind_at(self, request_id: str, at: datetime | None) -> None:
        """Set when the reminder of a request is due; None = it is done with."""
        await self._connection.execute(
            sa.update(requests).where(requests.c.id == request_id).values(remind_at=at)
        )

    async def is_overdue(self, run_id: str) -> bool:
        """Tell whether the deadline of a run's open request has passed."""
        late = due.overdue(self.at).where(requests.c.run_id == run_id).limit(1)
        return (await self._connection.execute(late)).first() is not None

    async def votes(self, request_id: str) -> list[Vote]:
        """Read what people said of a request so far, oldest first."""
        statement = sa.select(votes).where(votes.c.request_id == request_id)
        found = await self._connection.execute(statement.order_by(votes.c.at, votes.c.person_id))
        return [rows.vote(row) for row in found.mappings()]

    async def vote(self, request_id: str, voter: str) -> Vote | None:
        """Read what one person said of a request."""
        mine = sa.and_(votes.c.request_id == request_id, votes.c.person_id == voter)
        row = (await self._connection.execute(sa.select(votes).where(mine))).mappings().one_or_none()
        return None if row is None else rows.vote(row)

    async def add_vote(self, request_id: str, voter: str, vote: Vote) -> bool:
        """Insert what one person said unless they said something before; see `Policy.voter`."""
        return await self._insert(votes, person_id=voter, **_said(request_id, vote))

    async def keep_choices(
        self, request_id: str, person_id: str, items: Mapping[str, str], reason: str | None = None
    ) -> None:
        """Keep a person's choices for some items, over what they chose for these before; and their words, if given."""
        await self._insert(choices, request_id=request_id, person_id=person_id, items={}, changed=self.at)
        theirs = choosing.of(request_id, person_id)
        await choosing.add(self._connection, theirs, items, reason, self.at)

    async def add_decision(self, decision: Decision) -> bool:
        """Insert what stands unless something stands already."""
        return await self._insert(decisions, **_said(decision.request_id, decision))

    async def add_message(
        self,
        key: str,
        run: Run,
        *,
        thread: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> bool:
        """Insert a message that should exist, unless it does or the run has no place; see `Message`."""
        if run.place is None:
            return False
        self.told = True
        return await self._insert(
            messages,
            key=key,
            run_id=run.id,
            place=run.place,
            thread=thread,
            data=data,
            wanted=1,
            shown=0,
            tries=0,
        )

    async def unmake(self, key: str) -> None:
        """Take a message back that does not stand in Slack, as far as is known."""
        unsent = sa.and_(messages.c.key == key, messages.c.ts.is_(None))
        await self._connection.execute(sa.delete(messages).where(unsent))

    async def bump(self, run_id: str, key: str | None = None) -> None:
        """Ask for the run's messages, or for one of them, to be compared with their rows."""
        self.told = True
        which = messages.c.run_id == run_id if key is None else messages.c.key == key
        await self._connection.execute(sa.update(messages).where(which).values(wanted=messages.c.wanted + 1))

    async def bump_waiting(self) -> None:
        """Ask for the cards that wait to be compared: what they say of the installed version may be another now."""
        self.told = True
        waiting = sa.select(runs.c.id).where(runs.c.state == "waiting")
        cards = sa.and_(messages.c.key.startswith("card:"), messages.c.run_id.in_(waiting))
        await self._connection.execute(sa.update(messages).where(cards).values(wanted=messages.c.wanted + 1))

    async def try_again(self, run_id: str) -> None:
        """Let the relay try what it had given up for this run."""
        statement = sa.update(messages).where(messages.c.run_id == run_id, messages.c.problem.is_not(None))
        await self._connection.execute(statement.values(problem=None, next_try=None, tries=0))
        first = sa.update(messages).where(messages.c.key == f"progress:{run_id}")
        await self._connection.execute(first.values(data=None))

    async def refuse_place(self, run_id: str, words: str) -> None:
        """Note that the first message of a run cannot be posted where it belongs; whoever moves the run ends it."""
        first = sa.update(messages).where(messages.c.key == f"progress:{run_id}")
        await self._connection.execute(first.values(data={"refused": words}))
        await self._let_move(run_id)

    async def event(self, run_id: str, person: Person | None, what: str, **data: Any) -> None:
        """Add a line to the run's history."""
        await self._insert(events, run_id=run_id, at=self.at, person=rows.plain(person), what=what, data=data)

    async def add_order(
        self, kind: str, run_id: str | None, person: Person, due: datetime | None = None
    ) -> None:
        """Tell the process that owns the run."""
        await self._insert(
            orders,
            kind=kind,
            run_id=run_id,
            person=rows.plain(person),
            due=due or self.at,
            created=self.at,
        )
        if run_id is not None and (due is None or due <= self.at):
            await self._let_move(run_id)

    async def add_switch(self, kind: Literal["hold", "release"], person: Person) -> Order:
        """Put new checks on hold or release them. The row is the switch itself, so there is nothing left to do."""
        self.told = True
        queued = sa.select(runs.c.id).where(runs.c.state == "queued")
        which = messages.c.run_id.in_(
            queued
        )  # the others' change when the one who moves them comes to the switch
        await self._connection.execute(sa.update(messages).where(which).values(wanted=messages.c.wanted + 1))
        values = {"kind": kind, "person": rows.plain(person), "due": self.at, "created": self.at}
        statement = sa.insert(orders).values(**values, done=self.at).returning(orders)
        return rows.order((await self._connection.execute(statement)).mappings().one())

    async def hold(self) -> Order | None:
        """Read who put new checks on hold; None if they start at once."""
        newest = await newest_switch(self._connection)
        return newest if newest is not None and newest.kind == "hold" else None

    async def keep_approved(self, run_id: str, approved: Iterable[Approved]) -> None:
        """Remember verdicts that people approved, so that nobody is asked for them again."""
        await memory.keep(self._connection, run_id, approved)

    async def forget_approved(self, vault: str, folder: str) -> int:
        """Forget what people approved about a folder (`.` = the vault); return how many verdicts."""
        return await memory.forget(self._connection, vault, folder)

    async def forget(self, run_id: str, before: datetime) -> bool:
        """Delete all rows of a run that ended before a time; False if it has to stay."""
        return await forget(self._connection, run_id, before)

    async def orders(self, run_id: str) -> list[Order]:
        """Read a run's orders that are not done, oldest first."""
        statement = sa.select(orders).where(orders.c.run_id == run_id, orders.c.done.is_(None))
        found = await self._connection.execute(statement.order_by(orders.c.id))
        return [rows.order(row) for row in found.mappings()]

    async def obeyed(self, order_ids: Collection[int]) -> None:
        """Mark orders as done."""
        await self._connection.execute(
            sa.update(orders).where(orders.c.id.in_(order_ids)).values(done=self.at)
        )


def _said(request_id: str, what: Decision | Vote) -> dict[str, Any]:
    return {
        "request_id": request_id,
        "person": rows.plain(what.person),
        "kind": what.kind,
        "reason": what.reason,
        "items": what.items,
        "at": what.at,
    }
