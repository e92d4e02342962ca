"""`linkcheck`, `resume`, `retry`, `cancel`, `stop`: commit the act, then see the run through. No questions are asked."""

from __future__ import annotations

import uuid
from collections.abc import Coroutine, Sequence
from typing import Any, Literal

from bot.ending import Ended, run_until_ended
from bot.settings import BotSettings
from bot.terminal.carry import carry
from bot.terminal.desk import Desk, terminal_place
from bot.terminal.itemwise import said_of_each
from bot.terminal.look import brief, present, tell, words_of
from bot.terminal.texts import short
from bot.terminal.voting import too_few
from graph.approval import ENDED, Run
from graph.errors import AlreadyDecided, ReasonNeeded, RunEnded, SettingsError, UnknownRequest
from graph.intake import Intake
from graph.runtime import open_store, server_running
from graph.settings import Settings
from graph.store import Store
from graph.workflows import find_workflow

_SERVER_PATIENCE = 30.0  # seconds that `resume` waits for a server's record


class Acts:
    """What a person does from the terminal, on one database."""

    def __init__(self, desk: Desk, settings: Settings, bot: BotSettings, *, as_json: bool) -> None:
        self._desk, self._settings, self._bot, self._as_json = desk, settings, bot, as_json
        self._run: Run | None = None

    def do(self, act: Coroutine[Any, Any, int]) -> int:
        """Perform one act; Ctrl-C, SIGTERM or a closed terminal leave the run as it is, and how to go on is said."""
        try:
            return run_until_ended(act)
        except Ended as end:
            if self._run is not None:
                texts = self._desk.texts
                left = texts.left_server if server_running(self._settings) else texts.left
                self._desk.screen.tell(left.format(run=short(self._run.id)))
            return 128 + end.number  # as shells say it

    async def start(self, workflow_name: str, typed: str, *, everything: bool = False) -> int:
        """Start a run and follow it until it waits or has ended; 1 if it failed or was cancelled.

        With `everything` also what was approved before is asked again.

        Raises:
            UnknownFolder: there is no such folder.
            SettingsError: too few people could approve it.
        """
        desk, workflow = self._desk, find_workflow(workflow_name)
        given = workflow.read_input(typed, self._settings, everything=everything)
        person, policy = desk.person, self._bot.policy()
        if policy.approvals > 1 and (problem := too_few(policy, person)):
            raise SettingsError([problem])
        async with open_store(self._settings) as store:
            self._run, _ = await self._intake(store).start(
                workflow,
                given,
                source=f"terminal:{uuid.uuid4()}",
                requester=person,
                language=desk.screen.language,
                zone=desk.screen.zone,
                place=terminal_place(self._bot.channel, policy, person),
            )
        words = workflow.words[desk.screen.language]
        doing = words.doing(words.subject(given))
        desk.screen.tell(desk.texts.starting.format(doing=doing, run=short(self._run.id)))
        return await self._through(self._run.id, items=True)

    async def resume(
        self,
        prefix: str,
        kind: Literal["approve", "reject", "send_back"],
        reason: str,
        leave: Sequence[str] = (),
        instead: Sequence[str] = (),
    ) -> int:
        """Decide a run; returns once the record exists, the next revision asks, or a server has it in hand.

        Raises:
            UnknownChoice: what was typed of some items (see `said_of_each`) does not fit.
            ReasonNeeded: reject and send back need words.
            Refused: the decision does not count, and why.
        """
        if kind != "approve" and not reason.strip():
            raise ReasonNeeded
        async with open_store(self._settings) as store:
            self._run = await store.run(prefix)
            asked = await store.requests(self._run.id)
            if not asked:
                raise RunEnded(self._run) if self._run.state in ENDED else UnknownRequest
            intake = self._intake(store)
            try:
                person, request = self._desk.person, asked[-1]
                items = said_of_each(words_of(self._run, self._desk), request.review, leave, instead)
                decided = await intake.decide(request.id, request.revision, kind, person, reason, items=items)
            except AlreadyDecided as late:
                raise AlreadyDecided(late.decision, reason) from None
            said = len(await store.votes_on(asked[-1].id))
        texts = self._desk.texts
        self._desk.screen.tell(
            texts.decided[kind] if decided else texts.voted.format(n=self._bot.approvals - said)
        )
        return await self._through(
            self._run.id, items=kind == "send_back", patience=_SERVER_PATIENCE, decided=True
        )

    async def retry(self, prefix: str) -> int:
        """Go on with a failed run, or with one that this machine left in the middle.

        Raises:
            NotRetryable: there is nothing to go on with.
        """
        async with open_store(self._settings) as store:
            run, intake = await store.run(prefix), self._intake(store)
            if run.state in {"queued", "running", "resuming"}:
                intake.refuse_other(run)
            else:
                run = await intake.retry(run.id, self._desk.person)
            self._run = run
        words = words_of(run, self._desk)
        job = words.job(words.subject(run.input))
        self._desk.screen.tell(self._desk.texts.retrying.format(job=job, run=short(run.id)))
        return await self._through(run.id, items=True)

    async def cancel(self, prefix: str) -> int:
        """End a run for good.

        Raises:
            RunEnded: it is over already.
        """
        async with open_store(self._settings) as store:
            run = self._run = await store.run(prefix)
            intake = self._intake(store)
            if run.state == "failed" and run.retry_offered:
                await intake.end(run.id, self._desk.person)
                self._desk.screen.tell(self._desk.texts.ended)
            else:
                await intake.cancel(run.id, self._desk.person)
        return await self._ended(run.id, self._desk.texts.cancelling)

    async def stop(self, prefix: str) -> int:
        """End what a run is doing; it can go on later.

        Raises:
            NotRunning: nothing is at work.
        """
        async with open_store(self._settings) as store:
            run = self._run = await store.run(prefix)
            await self._intake(store).stop(run.id, self._desk.person)
        return await self._ended(run.id, self._desk.texts.stopping)

    def _intake(self, store: Store) -> Intake:
        return Intake(store, self._bot.policy(), find_workflow)

    async def _ended(self, run_id: str, later: str) -> int:
        """See an end through; a few seconds are enough, for a server takes an order within one."""
        carried = await carry(self._desk, self._settings, self._bot, run_id, patience=5)
        if not carried.settled:
            self._desk.screen.tell(later.format(run=short(run_id)))
        await self._report(run_id, items=False)
        return 0

    async def _through(
        self, run_id: str, *, items: bool, patience: float | None = None, decided: bool = False
    ) -> int:
        carried = await carry(self._desk, self._settings, self._bot, run_id, patience=patience)
        if not carried.settled:
            self._desk.screen.tell(self._desk.texts.server_goes_on.format(run=short(run_id)))
            if not self._as_json:
                return 0
        await self._report(run_id, items=items, decided=decided)
        return 1 if carried.run.state in {"failed", "cancelled"} else 0

    async def _report(self, run_id: str, *, items: bool, decided: bool = False) -> None:
        async with open_store(self._settings) as store:
            found = await tell(store, await store.run(run_id), self._settings.records)
        if self._as_json:
            more = {"patch": str(found.patch) if found.patch else None} if decided else {}
            self._desk.screen.json(brief(found, words_of(found.run, self._desk)) | more)
        else:
            present(self._desk, self._bot, found, items=items)
