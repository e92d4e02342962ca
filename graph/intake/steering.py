"""What people do to runs beside deciding: end them, end what they are at, let them go on."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Literal

from graph.approval import ENDED, Decision, Person, Request, Run, RunState
from graph.errors import NotAllowed, NotRetryable, NotRunning, RunEnded, UnknownRun
from graph.intake.accepting import accept
from graph.intake.voting import let_stand
from graph.policy import Policy
from graph.store import Store, Write
from graph.store.rows import plain
from graph.versions import Find, carrier


class Steering:
    """Ends runs and lets them go on; part of `Intake`."""

    store: Store
    policy: Policy
    _workflow: Find | None

    def refuse_other(self, run: Run) -> None:
        """Raise `OtherVersion` if this program cannot carry the run on; nothing it was told would come to anything."""
        if self._workflow is not None:
            carrier(run, self._workflow)

    async def cancel(self, run_id: str, person: Person) -> Run:
        """End a run at any time before a decision that ends it. Recorded as withdrawn if people had been asked.

        A waiting run is withdrawn at once; what is at work is ended by the process that owns it, through an order.

        Raises:
            UnknownRun, NotAllowed: it cannot be done.
            RunEnded: the run is over, or the decision that ends it stands.
            OtherVersion: this program cannot carry it on.
        """
        async with self.store.write() as write:
            run, last = await self._going_on(write, run_id, person)
            if last is not None and last[1] is not None and last[1].kind != "send_back":
                raise RunEnded(run)
            self.refuse_other(run)
            if last is not None and last[0].state == "open":
                said = Decision(last[0].id, "withdrawn", "", person, write.at)
                await let_stand(write, (run, *last), said)
                await write.set_run(run_id, state="resuming")
                return replace(run, state="resuming")
            await self._order(write, "cancel", run, person)
        return run

    async def stop(self, run_id: str, person: Person) -> Run:
        """End the step that is at work; the run is then failed (stopped) and can be retried.

        Raises:
            UnknownRun, NotAllowed: it cannot be done.
            RunEnded: the run is over.
            NotRunning: it waits for people, or only its record is being written.
            OtherVersion: this program cannot carry it on.
        """
        async with self.store.write() as write:
            run, last = await self._going_on(write, run_id, person)
            redrafting = last is not None and last[1] is not None and last[1].kind == "send_back"
            if last is not None and not redrafting:
                raise NotRunning(run)
            self.refuse_other(run)
            await self._order(write, "stop", run, person)
        return run

    async def _going_on(
        self, write: Write, run_id: str, person: Person
    ) -> tuple[Run, tuple[Request, Decision | None] | None]:
        """Read a run that this person may end, and its newest request with the decision on it."""
        run = await self._steered(write, run_id, person, self.policy.may_steer)
        if run.state in ENDED:
            raise RunEnded(run, await write.continued_by(run_id))
        return run, await write.last_request(run_id)

    async def _order(self, write: Write, kind: Literal["cancel", "stop"], run: Run, person: Person) -> None:
        """Leave an order, once."""
        if all(order.kind != kind for order in await write.orders(run.id)):
            await write.add_order(kind, run.id, person)
            await write.event(run.id, person, f"{kind}-asked")

    async def retry(self, run_id: str, person: Person, *, at: datetime | None = None) -> Run:
        """Let a failed run go on: the same run, or a new one that continues it if it left a record.

        Args:
            run_id: of the failed run.
            person: who wants it.
            at: when; None = now. Later than now, an order is kept and the failed run is returned as it is.

        Raises:
            UnknownRun, NotAllowed: it cannot be done.
            NotRetryable: it did not fail, the offer was withdrawn, or another run continues it already.
            OtherVersion: this program cannot carry it on.
        """
        async with self.store.write() as write:
            run = await self._steered(write, run_id, person, self.policy.may_retry)
            if run.state != "failed" or not run.retry_offered:
                raise NotRetryable(run, await write.continued_by(run_id))
            self.refuse_other(run)
            waiting = [order.id for order in await write.orders(run_id) if order.kind == "retry"]
            await write.obeyed(waiting)
            if at is not None and at > write.at:
                await write.add_order("retry", run_id, person, at)
                await write.event(run_id, person, "retry-set", at=at.isoformat())
                await write.bump(run_id)
                return run
            await write.event(run_id, person, "retried")
            await write.try_again(run_id)
            if run.result is not None:
                return await self._continue(write, run, person)
            last = await write.last_request(run_id)
            state: RunState = "resuming" if last is not None else "queued"
            # Who withdrew a run while its revision was drafted stays on the row; who stopped it does not.
            stopped = run.failure is not None and run.failure.kind == "stopped"
            by = None if stopped else run.ended_by
            await write.set_run(
                run_id,
                state=state,
                failure=None,
                ended=None,
                ended_by=plain(by),
                retry_offered=False,
                retries=0,
            )
            return replace(run, state=state, failure=None, ended=None, ended_by=by, retry_offered=False)

    async def _continue(self, write: Write, old: Run, person: Person) -> Run:
        """Accept the run that carries on one which ended with a record."""
        new = replace(
            old,
            id=str(uuid.uuid4()),
            source=f"retry:{old.id}",
            state="queued",
            created=write.at,
            changed=write.at,
            ended=None,
            progress=None,
            result=None,
            failure=None,
            continues=old.id,
            response_url=None,
            retry_offered=False,
            retry_at=None,
            interventions=0,
            counts={},
            ended_by=None,
        )
        if not await accept(write, new, person):
            raise NotRetryable(old, await write.continued_by(old.id))
        await write.set_run(old.id, retry_offered=False)
        return new

    async def end(self, run_id: str, person: Person) -> Run:
        """Withdraw the offer to continue a failed run.

        Raises:
            UnknownRun, NotAllowed: it cannot be done.
            NotRetryable: there is no offer.
        """
        async with self.store.write() as write:
            run = await self._steered(write, run_id, person, self.policy.may_steer)
            if run.state != "failed" or not run.retry_offered:
                raise NotRetryable(run, await write.continued_by(run_id))
            await write.obeyed([order.id for order in await write.orders(run_id)])
            await write.event(run_id, person, "offer-withdrawn")
            await write.set_run(run_id, retry_offered=False)
        return replace(run, retry_offered=False)

    async def _steered(
        self, write: Write, run_id: str, person: Person, may: Callable[[Person, Person], bool]
    ) -> Run:
        run = await write.run(run_id)
        if run is None:
            raise UnknownRun(run_id)
        if not may(person, run.requester):
            raise NotAllowed
        return run
