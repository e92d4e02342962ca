"""Slash commands: one per workflow; a folder, `status`, `hold`, `release` or `help`.

Validate, commit, acknowledge with the answer in it, wake. What is typed is the folder unless the whole of it is a
command; `./status` is the folder of that name.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck

from bot.slack import answers
from bot.slack.answers import ANSWER_SECONDS, ListGone, Reader
from bot.slack.blocks import Content
from bot.slack.desk import Desk, full_scene
from bot.slack.fit import unescape
from bot.slack.people import identity
from bot.slack.places import Place
from bot.slack.status import LATELY, ROWS, Line, group_of, not_shown, status
from graph import find_workflow
from graph.approval import ENDED, Run
from graph.errors import NotAllowed, UnknownFolder
from graph.workflow import Workflow

log = logging.getLogger(__name__)
HELP = frozenset({"", "help"})
"""Whole texts that are answered with the help."""
LISTS = 200
DECIDED_READ = 200  #: ended runs looked through for *decided lately*


@dataclass(frozen=True, slots=True)
class Asked:
    """Where and how a start was asked for: the channel, what makes it unique, the reply address."""

    here: str
    source: str
    url: str | None


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

        The answer goes with the acknowledgement. Where finding near names in a large vault takes longer than Slack
        waits, it follows by itself.
        """
        working = asyncio.create_task(self._guarded(body))
        await asyncio.wait({working}, timeout=ANSWER_SECONDS)
        if working.done():
            answer, run = working.result()
            await ack(text=answer.text, blocks=answer.blocks, response_type="ephemeral")
        else:
            await ack()
            answer, run = await working
            await self._desk.tell(body, answer)
        if run is not None:
            self._desk.engine.wake(run.id)

    async def _guarded(self, body: Mapping[str, Any]) -> tuple[Content, Run | None]:
        desk = self._desk
        reader = desk.reader_at_once(body)
        try:
            reader = await desk.reader(body)
            return await self._answer(reader, body)
        except Exception as error:  # noqa: BLE001 - every command is answered, and nothing is raised near the ack
            return desk.words_for(error, reader), None

    async def near(self, body: Mapping[str, Any], value: str, reader: Reader) -> tuple[Content, Run | None]:
        """Start what a near name's button stands for; the same list starts one run, however often it is pressed."""
        user, team, _ = identity(body)
        list_id, name, given = self._near.find(value, user)
        here = str((body.get("channel") or {}).get("id") or "")
        asked = Asked(here, f"slack:{team}:near:{list_id}", body.get("response_url"))
        return await self._start(reader, find_workflow(name), given, asked)

    async def _answer(self, reader: Reader, body: Mapping[str, Any]) -> tuple[Content, Run | None]:
        t = reader.texts
        workflow = find_workflow(str(body["command"]).lstrip("/"))
        text = str(body.get("text") or "").strip()
        if not reader.policy.may_see(reader.person):
            return answers.say(t.refused), None
        if text in HELP:
            job = workflow.words[reader.language].job(t.given)
            return answers.usage(reader, workflow.name, job), None
        if text == "status":
            return await self._status(reader), None
        if text in {"hold", "release"}:
            return await self._turn(reader, workflow.name, text), None
        source = f"slack:{body['team_id']}:{body['trigger_id']}"
        asked = Asked(str(body["channel_id"]), source, body.get("response_url"))
        return await self._start(reader, workflow, text, asked)

    async def _start(
        self, reader: Reader, workflow: Workflow, text: str, asked: Asked
    ) -> tuple[Content, Run | None]:
        desk, t = self._desk, reader.texts
        if not reader.policy.may_see(reader.person):
            return answers.say(t.refused), None
        if not reader.policy.may_start(reader.person):
            return answers.say(t.not_starter), None
        place, given = await asyncio.gather(
            desk.places.of(reader.policy, reader.person, asked.here), self._read(workflow, text)
        )
        if not isinstance(place, Place):
            return answers.say(getattr(t, place).format(bot=desk.workspace.bot)), None
        if isinstance(given, UnknownFolder):
            user = str(reader.policy.user(reader.person))
            list_id = self._near.keep(user, workflow.name, given.near)
            return answers.unknown_folder(reader, given, list_id), None
        run, _ = await desk.intake.start(
            workflow,
            given,
            source=asked.source,
            requester=reader.person,
            language=reader.language,
            zone=reader.zone,
            place=place.id,
            response_url=asked.url,
        )
        words = workflow.words[reader.language]
        matter = words.matter(words.subject(given))
        hold = await desk.store.hold()
        since = answers.since_hold(reader, hold, desk.store.now()) if hold else None
        return answers.receipt(reader, matter, place.id, private=place.private, hold=since), run

    async def _turn(self, reader: Reader, name: str, way: str) -> Content:
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

    async def _read(self, workflow: Workflow, text: str) -> dict[str, Any] | UnknownFolder:
        """Read what was typed, off the loop; Slack may have escaped it on its way."""
        try:
            return await asyncio.to_thread(workflow.read_input, text, self._desk.engine.settings)
        except UnknownFolder as error:
            if unescape(text) == text:
                return error
        try:
            return await asyncio.to_thread(workflow.read_input, unescape(text), self._desk.engine.settings)
        except UnknownFolder as error:
            return error

    async def _status(self, reader: Reader) -> Content:
        desk = self._desk
        open_runs = await desk.store.runs({"queued", "running", "waiting", "resuming", "failed"})
        ended = await desk.store.runs(ENDED, limit=DECIDED_READ)
        grouped: dict[str, list[Run]] = {}
        for run in [*open_runs, *(r for r in ended if r.state != "failed")]:
            group = group_of(run, reader)
            if group:
                grouped.setdefault(group, []).append(run)
        totals = {group: len(runs) for group, runs in grouped.items()}
        grouped["done"] = grouped.get("done", [])[:LATELY]
        lines: list[Line] = []
        for group in ("wait", "mine", "run", "fail", "done"):
            for run in grouped.get(group, [])[: ROWS - len(lines)]:
                lines.append(await self._line(reader, run, group))  # noqa: PERF401 - awaits, and counts as it goes
        return status(reader, lines, totals, await self._hold(reader))

    async def _hold(self, reader: Reader) -> str | None:
        store = self._desk.store
        hold = await store.hold()
        if hold is None:
            return None
        since = answers.since_hold(reader, hold, store.now())
        return reader.texts.status_hold.format(**since, n=f"{len(await store.on_hold()):,}")

    async def _line(self, reader: Reader, run: Run, group: str) -> Line:
        desk = self._desk
        scene = await full_scene(desk.store, desk.policy, run, reader.language)
        messages = await desk.store.messages(run.id)
        latest = scene.latest
        card = next((m for m in messages if latest and m.key == f"card:{latest.id}" and m.ts), None)
        link = None
        if group == "wait" and card and card.channel and card.ts:
            link = await desk.link(card.channel, card.ts)
        return Line(scene, group, not_shown(messages), link)
