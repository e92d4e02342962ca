"""What the listeners share: the engine, the clients, who may what, and how a private sentence reaches a person."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.settings import BotSettings
from bot.slack.answers import Reader, broken, refused
from bot.slack.away import AWAY
from bot.slack.blocks import Content
from bot.slack.groups import Groups
from bot.slack.notes import Notes
from bot.slack.people import People, identity
from bot.slack.places import Places
from bot.slack.scene import Scene
from graph import words_of
from graph.approval import Chosen, Language, Person, Request, Run, Whole
from graph.engine import Engine
from graph.errors import DatabaseUnusable, NotAllowed
from graph.policy import Policy

log = logging.getLogger(__name__)
MOST_WARMED = 20  #: members of groups who are looked up before they act


@dataclass(frozen=True, slots=True)
class Workspace:
    """What `auth.test` says: which team this is, and who we are in it."""

    team: str
    name: str
    bot: str


class Desk:
    """The listeners' desk.

    Args:
        engine: with its intake, whose policy knows the team.
        settings: of the surface.
        workspace: where we are.
        reads: client for what may be repeated.
        sends: client for what must not be: posts and modals.
    """

    def __init__(
        self,
        engine: Engine,
        settings: BotSettings,
        workspace: Workspace,
        reads: AsyncWebClient,
        sends: AsyncWebClient,
    ) -> None:
        self.engine, self.intake, self.store = engine, engine.intake, engine.store
        self.workspace, self.reads, self.sends = workspace, reads, sends
        self.people = People(reads, settings.language)
        self.places = Places(reads, settings.channel)
        self.groups = Groups(reads, engine.intake, self._redraw_waiting)
        self._aside: set[asyncio.Task[None]] = set()
        self._links: dict[tuple[str, str], str] = {}
        self._notes = Notes.of(engine.settings)

    @property
    def policy(self) -> Policy:
        """Return who may do what."""
        return self.intake.policy

    async def may_decide(self, request_id: str, revision: int, person: Person) -> tuple[Run, Request, Chosen]:
        """Return what `Intake.check` does of a request that this person may decide now; one who is in no group by what is known is asked about.

        Raises:
            GroupUnknown: Slack did not say.
            Refused: they may not, and why.
        """
        try:
            return await self.intake.check(request_id, revision, person)
        except NotAllowed:
            await self.groups.sure_of(person)
            return await self.intake.check(request_id, revision, person)

    async def in_full(self, request: Request) -> Request:
        """Return a request with all of its review, where it may be in brief."""
        review = await self.store.review(request.id)
        return request if review is None else replace(request, review=review)

    async def with_votes(self, scene: Scene, request: Request) -> Scene:
        """Return a scene with what people said of a request so far, where several have to approve."""
        if self.policy.approvals == 1:
            return scene
        return replace(scene, votes={request.id: await self.store.votes_on(request.id)})

    def _redraw_waiting(self) -> None:
        """Learn who the members of groups are, and let the cards that wait say who can decide them now."""

        async def redraw() -> None:
            try:
                await self.people.warm(sorted(self.policy.members or ())[:MOST_WARMED])
                async with self.store.write() as write:
                    await write.bump_waiting()
            except Exception:
                log.exception("cards not redrawn")

        task = asyncio.create_task(redraw())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def close(self) -> None:
        """Ask Slack no more."""
        await self.people.close()
        await self.groups.close()
        await asyncio.gather(*self._aside)

    async def reader(self, body: Mapping[str, Any], otherwise: Language = "en") -> Reader:
        """Return the person behind a payload as a reader of answers; waits a moment for one who is not known yet."""
        await self.people.look_up(identity(body)[0])
        return self.reader_at_once(body, otherwise)

    def reader_at_once(self, body: Mapping[str, Any], otherwise: Language = "en") -> Reader:
        """Return the same with what is known already, for the way to an acknowledgement or a modal."""
        self.groups.glance()
        user = identity(body)[0]
        person, zone = self.people.person(body), self.people.zone(user)
        return Reader(person, self.policy, self.people.language(user, otherwise), zone)

    def scene(self, run: Run, language: Language, request: Request | None = None) -> Scene:
        """Return a run in a reader's language, with the one request at hand."""
        return Scene(run, words_of(run, language), self.policy, language, (request,) if request else ())

    def whole_scene(self, whole: Whole, language: Language) -> Scene:
        """Return a run with all that belongs to it, except addresses of cards, in a language."""
        run = whole.run
        failed = run.state == "failed"
        return replace(
            self.scene(run, language),
            requests=whole.requests,
            decisions={decision.request_id: decision for decision in whole.decisions},
            continued_by=whole.continued_by if failed else None,
            timer=next((one for one in whole.orders if failed and one.kind == "retry"), None),
            hold=whole.hold,
            votes=whole.votes,
            given_up=frozenset(one.key for one in whole.messages if one.problem and one.next_try is None),
            note=self._notes.address(run.result.record) if run.result and run.result.record else None,
        )

    def words_for(self, error: Exception, reader: Reader, *, steering: bool = False) -> Content:
        """Turn an error into the one sentence that answers it; an unknown one is logged under a reference."""
        answer = refused(error, reader, steering=steering)
        if isinstance(error, DatabaseUnusable):
            log.error("database not usable", extra={"error": str(error)})
        if answer is None:
            answer, reference = broken(reader)
            log.error("listener failed", exc_info=error, extra={"reference": reference})
        return answer

    async def tell(self, body: Mapping[str, Any], content: Content, *, replace: bool = False) -> None:
        """Show a private message to the person behind a payload. Never raises.

        Through the payload's reply address, which works where we are no member; else in the channel.
        """
        try:
            if not await self._reply(str(body.get("response_url") or ""), content, replace=replace):
                channel = str((body.get("channel") or {}).get("id") or identity(body)[0])
                await self.sends.chat_postEphemeral(
                    channel=channel, user=identity(body)[0], text=content.text, blocks=content.blocks
                )
        except AWAY as error:
            log.warning("private answer not shown", extra={"error": type(error).__name__})

    async def tell_starter(self, run: Run, sentence: str) -> None:
        """Tell the person who typed the command, through its reply address while it lives. Never raises."""
        content = Content(sentence.replace("*", ""), [])
        try:
            if run.response_url:
                await self._reply(run.response_url, content, replace=False)
        except AWAY as error:
            log.warning("starter not told", extra={"run": run.id, "error": type(error).__name__})

    async def _reply(self, url: str, content: Content, *, replace: bool) -> bool:
        if not url:
            return False
        client = AsyncWebhookClient(url, timeout=10)
        client.proxy = self.reads.proxy
        reply = await client.send(
            text=content.text,
            blocks=content.blocks or None,
            response_type="ephemeral",
            replace_original=replace,
        )
        return bool(reply.status_code == 200)  # noqa: PLR2004 - HTTP's own number

    async def link(self, channel: str, ts: str) -> str | None:
        """Return the address of a message; None if Slack does not say."""
        key = (channel, ts)
        if key not in self._links:
            try:
                reply = await self.reads.chat_getPermalink(channel=channel, message_ts=ts)
            except AWAY:
                return None
            self._links[key] = str(reply["permalink"])
        return self._links[key]
