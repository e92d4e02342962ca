"""Slash commands: one per workflow; a folder, `status`, `hold`, `release` or `help`.

A start is validated, committed, acknowledged with its receipt, then woken. What has to be read or asked for first
(the status, near names, who a person is that nobody knows yet) is acknowledged at once and follows by itself. What
is typed is the folder unless the whole of it is a command; `./status` is the folder of that name.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck

from bot.slack import answers
from bot.slack.answers import ANSWER_SECONDS, ListGone, Reader
from bot.slack.blocks import Block, Content, actions, button, plain
from bot.slack.desk import Desk
from bot.slack.fit import brief, safe, unescape
from bot.slack.overview import overview
from bot.slack.people import identity
from bot.slack.places import Place, Refusal
from bot.slack.rows import written
from bot.slack.scene import SUBJECT
from graph import find_workflow
from graph.approval import Language, Person, Run
from graph.errors import NotAllowed, UnderWay, UnknownFolder
from graph.workflow import Workflow

HELP = frozenset({"", "help"})
"""Whole texts that are answered with the help."""
LISTS = 200
LEADS_SECONDS = 10.0  #: for the first message of a run to be posted, so that a receipt leads to it
LOOK_SECONDS = 0.25

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """Where and how a start was asked for: the channel, what makes it unique, the reply address.

    `language` and `drafter` are what a form was given; None = the reader's, and the setting's. With `everything` also
    what was approved before is asked again.
    """

    here: str
    source: str
    url: str | None
    language: Language | None = None
    drafter: str | None = None
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command is answered with.

    Attributes:
        said: goes with the acknowledgement.
        later: else what makes the answer, for after it.
        run: that it started; committed.
        waits: it begins when new checks are released.
    """

    said: Content | None = None
    later: Callable[[Reader], Awaitable[Content]] | None = None
    run: Run | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class _Near:
    user: str
    workflow: str
    names: tuple[str, ...]


class NearLists:
    """The lists behind `start_near` buttons, so that no button carries a path.

    In memory only: a private message with such buttons is gone when the person's client reloads, so a list needs
    to live no longer than this process; a button that outlived it is answered with what to do.
    """

    def __init__(self, most: int = LISTS) -> None:
        self._lists: OrderedDict[str, _Near] = OrderedDict()
        self._most = most

    def keep(self, user: str, workflow: str, names: list[str]) -> str:
        """Keep a list for a person and return its id."""
        list_id = secrets.token_urlsafe(9)
        self._lists[list_id] = _Near(user, workflow, tuple(names))
        while len(self._lists) > self._most:
            self._lists.popitem(last=False)
        return list_id

    def find(self, value: str, user: str) -> tuple[str, str, str]:
        """Return list id, workflow and name behind a button.

        Raises:
            ListGone: the list is not kept any more, or is another person's.
        """
        list_id, _, index = value.partition(":")
        near = self._lists.get(list_id)
        if near is None or near.user != user or not index.isdecimal() or int(index) >= len(near.names):
            raise ListGone
        return list_id, near.workflow, near.names[int(index)]


class Commands:
    """What slash commands do."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._near = NearLists()

    async def typed(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Answer a slash command. Never raises.

        Where even a commit takes longer than Slack waits, that is said, and the answer follows.
        """
        desk = self._desk
        working = asyncio.create_task(self._guarded(body))
        await asyncio.wait({working}, timeout=ANSWER_SECONDS)
        late = not working.done()
        if late:
            said: Content | None = answers.say(desk.reader_at_once(body).texts.slow_start)
        else:
            said = working.result().said
        if said is not None:
            await ack(text=said.text, blocks=said.blocks, response_type="ephemeral")
        else:
            await ack()
        answer = await working
        if answer.run is not None:
            desk.engine.wake(answer.run.id)
        if late and answer.said is not None:
            await desk.tell(body, answer.said)
        if answer.later is not None:
            await self._follow(body, answer.later)
        if answer.run is not None and answer.said is not None:
            await self.lead(body, answer.run, str(body.get("channel_id") or ""))

    async def lead(self, body: Mapping[str, Any], run: Run, here: str) -> None:
        """Lead privately to the first message of a run if that comes to another place than here. Never raises."""
        if not _comes_elsewhere(run.place or "", here):
            return
        reader = self._desk.reader_at_once(body)
        try:
            link = await self.address(run.id)
        except Exception:
            log.exception("receipt without a link", extra={"run": run.id})
            return
        if link is not None:
            words = find_workflow(run.workflow).words[reader.language]
            text = reader.texts.leads.format(
                matter=brief(words.matter(brief(words.subject(run.input), SUBJECT)))
            )
            blocks = [plain(text, button("goto_card", reader.texts.row_go, run.id, url=link))]
            await self._desk.tell(body, Content(safe(text), blocks))

    async def address(self, run_id: str) -> str | None:
        """Return the address of a run's first message; None if it is not posted within a few seconds.

        Raises:
            StoreError: the database does not say.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + LEADS_SECONDS
        while loop.time() < until:
            first = await self._desk.store.message(f"progress:{run_id}")
            if first is None:
                return None
            if first.channel and first.ts and (link := await self._desk.link(first.channel, first.ts)):
                return link
            await asyncio.sleep(LOOK_SECONDS)
        return None

    async def _guarded(self, body: Mapping[str, Any]) -> Answer:
        try:
            return await self._answer(body)
        except Exception as error:  # noqa: BLE001 - every command is answered, and nothing is raised near the ack
            return Answer(self._desk.words_for(error, self._desk.reader_at_once(body)))

    async def _follow(self, body: Mapping[str, Any], later: Callable[[Reader], Awaitable[Content]]) -> None:
        """Give the answer that had to be looked for."""
        desk = self._desk
        reader = desk.reader_at_once(body)
        try:
            reader = await desk.reader(body)
            said = await later(reader)
        except Exception as error:  # noqa: BLE001 - every command is answered
            said = desk.words_for(error, reader)
        await desk.tell(body, said)

    async def near(self, body: Mapping[str, Any], value: str, reader: Reader) -> tuple[Content, Run | None]:
        """Start what a near name's button stands for; the same list starts one run, however often it is pressed."""
        user, team, _ = identity(body)
        list_id, name, given = self._near.find(value, user)
        here = str((body.get("channel") or {}).get("id") or "")
        asked = Asked(here, f"slack:{team}:near:{list_id}", body.get("response_url"))
        answer = await self._start(body, find_workflow(name), given, asked)
        said = answer.said if answer.later is None else await answer.later(reader)
        return said or answers.say(reader.texts.unknown), answer.run

    async def _answer(self, body: Mapping[str, Any]) -> Answer:
        desk, reader = self._desk, self._desk.reader_at_once(body)
        workflow = find_workflow(str(body["command"]).lstrip("/"))
        text = str(body.get("text") or "").strip()
        if not reader.policy.may_see(reader.person):
            return self._private(body, lambda reader: answers.say(reader.texts.refused))
        if text in HELP:
            return self._private(body, lambda reader: answers.usage(reader, workflow))
        if text == "status":
            app = str(body.get("api_app_id") or "")
            return Answer(later=lambda reader: overview(desk, reader, app))
        if text in {"hold", "release"}:
            return Answer(await self.turn(reader, workflow.name, text))
        source = f"slack:{body['team_id']}:{body['trigger_id']}"
        asked = Asked(str(body["channel_id"]), source, body.get("response_url"))
        return await self._start(body, workflow, text, asked)

    def _private(self, body: Mapping[str, Any], say: Callable[[Reader], Content]) -> Answer:
        """Say something that needs no reading: at once to one whose language is known."""
        if self._desk.people.known(identity(body)[0]):
            return Answer(say(self._desk.reader_at_once(body)))

        async def later(reader: Reader) -> Content:
            return say(reader)

        return Answer(later=later)

    async def _start(self, body: Mapping[str, Any], workflow: Workflow, text: str, asked: Asked) -> Answer:
        """Start a run, or lead to the one at work that does the same."""
        try:
            return await self.start(body, workflow, text, asked)
        except UnderWay as error:
            run = error.run
            return Answer(later=lambda reader: self._lead_to(reader, run))

    async def start(self, body: Mapping[str, Any], workflow: Workflow, text: str, asked: Asked) -> Answer:
        """Start a run. All that Slack may have to be asked for first is asked at once, and it has to answer soon.

        Raises:
            UnderWay: a run at work does the same.
        """
        desk, known = self._desk, self._desk.reader_at_once(body)
        if not known.policy.may_see(known.person):
            return self._private(body, lambda reader: answers.say(reader.texts.refused))
        if not known.policy.may_start(known.person):
            return self._private(body, lambda reader: answers.say(reader.texts.not_starter))
        reader, place, given = await asyncio.gather(
            desk.reader(body),
            self._place(known.person, asked.here),
            self._read(workflow, text, asked),
        )
        if not isinstance(place, Place):
            return Answer(self.no_place(reader, place))
        if isinstance(given, UnknownFolder):
            return Answer(later=lambda reader: self._offer(reader, workflow, given))
        run, _ = await desk.intake.start(
            workflow,
            given,
            source=asked.source,
            requester=reader.person,
            language=asked.language or reader.language,
            zone=reader.zone,
            place=place.id,
            response_url=asked.url,
            about=workflow.form.about if workflow.form else None,
        )
        words = workflow.words[reader.language]
        matter = words.matter(words.subject(given))
        hold = await desk.store.hold()
        since = answers.since_hold(reader, hold, desk.store.now()) if hold else None
        said = answers.receipt(reader, matter, place.id, private=place.private, hold=since)
        return Answer(said, run=run, waits=hold is not None)

    def no_place(self, reader: Reader, why: Refusal) -> Content:
        """Say why a card has no place, and so nothing was started."""
        desk = self._desk
        there = len(desk.policy.deciders(reader.person))
        values = {"bot": desk.workspace.bot, "needed": desk.policy.approvals, "there": there}
        return answers.say(getattr(reader.texts, why).format(**values))

    async def _place(self, person: Person, here: str) -> Place | Refusal:
        await self._desk.groups.warm()
        return await self._desk.places.of(self._desk.policy, person, here)

    def under_way(self, reader: Reader, run: Run, link: str | None = None) -> Content:
        """Say that a run at work does the same, and where it is shown; no more than that to one it does not concern."""
        form, words = find_workflow(run.workflow).form, find_workflow(run.workflow).words[reader.language]
        if form is None:
            raise UnderWay(run)
        said, subject = form.words[reader.language], brief(words.subject(run.input), SUBJECT)
        if not reader.may_see(run):
            text = said.under_way_for_others.format(subject=subject)
            return Content(safe(text), [plain(text)])
        when = written(run.created, reader, self._desk.store.now())
        text = said.under_way.format(subject=subject, who=brief(run.requester.name, 40), time=when)
        return Content(safe(text), [plain(text), *([self.way_to(reader, run, link)] if link else [])])

    def way_to(self, reader: Reader, run: Run, link: str) -> Block:
        """Return the button that leads to a run's message."""
        return actions("way", button("goto_card", reader.texts.row_go, run.id, url=link))

    async def _lead_to(self, reader: Reader, run: Run) -> Content:
        first = await self._desk.store.message(f"progress:{run.id}") if reader.may_see(run) else None
        there = first is not None and first.channel and first.ts
        link = await self._desk.link(str(first.channel), str(first.ts)) if first and there else None
        return self.under_way(reader, run, link)

    async def turn(self, reader: Reader, name: str, way: str) -> Content:
        """Put new checks on hold, or release them."""
        desk, t = self._desk, reader.texts
        try:
            if way == "hold":
                hold, new = await desk.intake.hold(reader.person)
                if not new:
                    since = answers.since_hold(reader, hold, desk.store.now())
                    return answers.say(t.held_already.format(**since))
                return answers.say(t.held.format(name=name))
            waited = len(await desk.store.on_hold())
            if await desk.intake.release(reader.person) is None:
                return answers.say(t.not_held)
            return answers.say(t.released.format(n=f"{waited:,}"))
        except NotAllowed:
            return answers.say(t.cannot_hold)
        finally:
            desk.engine.wake()

    async def _offer(self, reader: Reader, workflow: Workflow, unknown: UnknownFolder) -> Content:
        """Look for near names, off the loop: a large vault has many."""
        near = await asyncio.to_thread(lambda: unknown.near)
        user = str(reader.policy.user(reader.person))
        kept = self._near.keep(user, workflow.name, near)
        return answers.unknown_folder(reader, workflow.name, unknown, kept)

    async def _read(self, workflow: Workflow, text: str, asked: Asked) -> dict[str, Any] | UnknownFolder:
        """Read what was typed, off the loop; Slack may have escaped it on its way."""
        settings = self._desk.engine.settings
        if asked.drafter is not None:
            settings = settings.model_copy(update={"drafter": asked.drafter})

        def read(typed: str) -> dict[str, Any]:
            return workflow.read_input(typed, settings, everything=asked.everything)

        try:
            return await asyncio.to_thread(read, text)
        except UnknownFolder as error:
            if unescape(text) == text:
                return error
        try:
            return await asyncio.to_thread(read, unescape(text))
        except UnknownFolder as error:
            return error


def _comes_elsewhere(place: str, here: str) -> bool:
    """Tell whether a place (a channel, or a user for the direct messages) is another than this channel."""
    return place != here and not (place.startswith(("U", "W")) and here.startswith("D"))
