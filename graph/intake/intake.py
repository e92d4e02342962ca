"""What people do to runs: start, decide, cancel, stop, retry, end. Every act is one committed transaction.

The tables judge (an act that comes second meets the first one's key), the engine obeys: nothing here runs a
step, so every surface may use it, also beside a server that owns the runs.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from graph.approval import ENDED, Chosen, Decision, Kind, Language, Person, Request, Run, Vote
from graph.errors import (
    AlreadyDecided,
    AlreadyVoted,
    NotAllowed,
    OtherVersion,
    ReasonNeeded,
    Replaced,
    RunEnded,
    UnknownChoice,
    UnknownRequest,
    UnknownRun,
)
from graph.intake.accepting import accept
from graph.intake.beside import Beside
from graph.intake.choices import each, fits
from graph.intake.steering import Steering
from graph.intake.switch import Switch
from graph.intake.voting import approve, decide, expire
from graph.policy import Policy
from graph.store import Store, Write
from graph.store.rows import storable
from graph.store.standing import Standing
from graph.versions import Find
from graph.workflow import Workflow

NEEDS_REASON: frozenset[Kind] = frozenset({"reject", "send_back"})


class Intake(Steering, Switch, Beside):
    """The acts of people.

    Attributes:
        policy: who may do what.
    """

    def __init__(self, store: Store, policy: Policy, workflow: Find | None = None) -> None:
        """Take acts into these tables; without `workflow`, every run is taken for one that can be carried on."""
        self.store = store
        self.policy = policy
        self._workflow = workflow

    async def start(  # noqa: PLR0913 - what a run's row holds, by name
        self,
        workflow: Workflow,
        given: Mapping[str, Any],
        *,
        source: str,
        requester: Person,
        language: Language,
        zone: str,
        place: str | None,
        response_url: str | None = None,
        about: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> tuple[Run, bool]:
        """Accept a run.

        Args:
            workflow: what to run.
            given: its input, as `workflow.read_input` returned it.
            source: what started it, unique; the same source again returns the run that it started.
            requester: who asked.
            language: of everything shared.
            zone: IANA name of the requester's time zone.
            place: Slack channel or user the card goes to; None = no card.
            response_url: of the slash command.
            about: what an input works on; a run at work on the same is not started beside. None = always start.

        Returns:
            The run, and whether this call accepted it.

        Raises:
            NotAllowed, UnderWay: the requester may not start runs; a run at work does the same.
        """
        if not self.policy.may_start(requester):
            raise NotAllowed
        now = self.store.now()
        run = Run(
            id=str(uuid.uuid4()),
            source=source,
            workflow=workflow.name,
            version=workflow.version,
            input=dict(given),
            requester=requester,
            language=language,
            zone=zone,
            place=place,
            state="queued",
            created=now,
            changed=now,
            response_url=response_url,
        )
        async with self.store.write() as write:
            if about is not None and await write.run_of_source(source) is None:
                await write.refuse_second(run, about)
            if await accept(write, run, requester):
                return run, True
            there = await write.run_of_source(source)
        if there is None:
            raise UnknownRun(run.id)
        return there, False

    async def check(self, request_id: str, revision: int, person: Person) -> tuple[Run, Request, Chosen]:
        """Tell whether a person may decide a request now, before they are asked for words. One indexed read.

        Where several have to approve, a second one tells whether this person has.

        Returns:
            The run, the request, and what this person has chosen for its items so far.

        Raises:
            UnknownRequest, NotAllowed, AlreadyDecided, AlreadyVoted, Replaced, RunEnded, OtherVersion: why they may
                not.
        """
        begun = await self.store.begun(request_id, person.id)
        if begun is None:
            raise UnknownRequest
        found, chosen = begun
        try:
            self._judge(found, revision, person)
        except Replaced:
            newest = await self.store.requests(found[0].id)
            raise Replaced(newest[-1].revision) from None
        if self.policy.approvals > 1:
            said = await self.store.votes_on(request_id)
            enough = sum(vote.kind == "approve" for vote in said) >= self.policy.approvals
            if (mine := self._mine(said, person)) and not enough:
                raise AlreadyVoted(mine)
        return found[0], found[1], chosen

    async def choose(
        self,
        request_id: str,
        revision: int,
        person: Person,
        items: Mapping[str, str],
        reason: str | None = None,
    ) -> None:
        """Keep what a person chose for some items until they decide, are overtaken, or choose again.

        Args:
            request_id: what is decided.
            revision: as the person saw it.
            person: whose choices they are.
            items: item id → choice.
            reason: what they have typed so far; None = it is not known, what is kept stays.

        Raises:
            UnknownChoice: no such item, or nothing that may be said of it.
            UnknownRequest, NotAllowed, AlreadyDecided, Replaced, RunEnded, OtherVersion: it is no longer theirs to
                decide.
        """
        review = await self.store.review(request_id) if items else None
        async with self.store.write() as write:
            found = await write.standing(request_id)
            if found is None:
                raise UnknownRequest
            self._judge(found, revision, person)
            if review is not None and not fits(review, items):
                raise UnknownChoice
            words = None if reason is None else storable(reason)
            await write.keep_choices(request_id, person.id, items, words)

    def _mine(self, said: Sequence[Vote], person: Person) -> Vote | None:
        """Return what this person said, in whichever place."""
        me = self.policy.voter(person)
        return next((vote for vote in said if self.policy.voter(vote.person) == me), None)

    def _judge(self, found: Standing, revision: int, person: Person) -> None:
        """Raise why this person's word on this request does not count."""
        run, request, decision = found
        if not self.policy.may_decide(person, run.requester):
            raise NotAllowed(self.policy.deciders(run.requester))
        if decision is not None:
            raise AlreadyDecided(decision)
        if run.state in ENDED:
            raise RunEnded(run)
        self.refuse_other(run)
        if request.revision != revision or request.state != "open":
            raise Replaced(request.revision)

    async def decide(  # noqa: PLR0913 - what a decision's row holds
        self,
        request_id: str,
        revision: int,
        kind: Literal["approve", "reject", "send_back"],
        person: Person,
        reason: str = "",
        *,
        items: dict[str, str] | None = None,
    ) -> Decision | None:
        """Record what a person says. Once this returns it is committed, and so is the decision it brings.

        Args:
            request_id: what is decided.
            revision: as the person saw it.
            kind: what they say.
            person: who.
            reason: verbatim, but for what no database can hold; reject and send back need one.
            items: what they say of each item, if not of the whole; an approval only. To agree with every item is to
                approve the whole.

        Returns:
            The decision, with the run that it moves; None if others have to approve too.

        Raises:
            ReasonNeeded: blank words.
            UnknownChoice: the items do not fit the request.
            UnknownRequest, NotAllowed, AlreadyDecided, AlreadyVoted, Replaced, RunEnded, OtherVersion: it does not
                count, and why.
        """
        reason = storable(reason)
        if kind in NEEDS_REASON and not reason.strip():
            raise ReasonNeeded
        review = await self.store.review(request_id) if items is not None else None
        async with self.store.write() as write:
            found = await write.standing(request_id)
            if found is None:
                raise UnknownRequest
            try:
                self._judge(found, revision, person)
            except Replaced:
                newest = await write.last_request(found[0].id)
                raise Replaced(newest[0].revision if newest else revision) from None
            late = await expire(write, found)
            if late is None:
                if items is not None and review is not None:
                    items = each(review, kind, items)
                vote = Vote(kind=kind, reason=reason, person=person, at=write.at, items=items)
                return await self._vote(write, found, vote)
        raise AlreadyDecided(late)

    async def _vote(self, write: Write, found: Standing, vote: Vote) -> Decision | None:
        """Insert a vote, and the decision if it completes the policy.

        To approve a second time counts nothing new, but what was given may be enough by now.
        """
        run, request, _ = found
        voter = self.policy.voter(vote.person)
        new = await write.add_vote(request.id, voter, vote)
        if vote.kind == "approve":
            approving = await _approving(write, request.id)
            if len(approving) >= self.policy.approvals:
                return await approve(write, found, approving)
        if not new:
            raise AlreadyVoted(await write.vote(request.id, voter))
        if vote.kind == "approve":
            await write.event(run.id, vote.person, "voted", kind=vote.kind, revision=request.revision)
            await write.bump(run.id, f"card:{request.id}")
            return None
        said = Decision(request.id, vote.kind, vote.reason, vote.person, vote.at, vote.items, run.id)
        return await decide(write, found, said)

    async def count_again(self) -> list[str]:
        """Let stand what has approvals enough by now, because fewer are asked for than when they were given.

        Returns:
            The runs that go on.
        """
        going_on = []
        for request_id in await self.store.approved_by(self.policy.approvals):
            async with self.store.write() as write:
                found = await write.standing(request_id)
                if found is None or found[2] is not None or found[1].state != "open":
                    continue
                with suppress(OtherVersion):
                    self.refuse_other(found[0])
                    if await expire(write, found) is None:
                        await approve(write, found, await _approving(write, request_id))
                    going_on.append(found[0].id)
        return going_on


async def _approving(write: Write, request_id: str) -> list[Vote]:
    """Read the approvals of a request, oldest first."""
    return [one for one in await write.votes(request_id) if one.kind == "approve"]
