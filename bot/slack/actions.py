"""Clicks: acknowledge, one indexed read, open the modal; or steer a run, commit, acknowledge.

Whatever goes wrong is one private sentence; nothing is ever raised near an acknowledgement.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from slack_bolt.context.ack.async_ack import AsyncAck

from bot.slack import views
from bot.slack.answers import ANSWER_SECONDS, Reader, RecordGone, say
from bot.slack.away import AWAY
from bot.slack.blocks import Content, moment
from bot.slack.choosing import Choosing
from bot.slack.commands import Commands
from bot.slack.desk import Desk
from bot.slack.homes import Homes
from bot.slack.opening import open_modal, turn_modal
from bot.slack.people import identity
from bot.slack.record import page_turned, record
from bot.slack.starting import Starting
from bot.slack.submissions import CHOICES, Choice, split
from bot.slack.texts import TEXTS
from graph import workflow_names
from graph.approval import AGREE, Run
from graph.errors import AlreadyDecided, NotAllowed, NotRetryable, Replaced, UnknownRequest, UnknownRun
from graph.store.concerns import GROUPS

log = logging.getLogger(__name__)
CLICKS = 1_000  #: kept to know one that Slack delivers again


Act = Callable[[Mapping[str, Any], str, Reader], Awaitable[Content | None]]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a click.

    Attributes:
        answer: what is said of it.
        refused: nothing was done.
        started: the run that it began.
    """

    answer: Content | None
    refused: bool = False
    started: Run | None = None


class Actions:
    """What clicks do."""

    def __init__(
        self, desk: Desk, commands: Commands, homes: Homes, choosing: Choosing, starting: Starting
    ) -> None:
        self._desk, self._commands, self._homes, self._starting = desk, commands, homes, starting
        self._clicks: OrderedDict[str, None] = OrderedDict()
        self.by_id: dict[str, tuple[Act, bool]] = {
            **dict.fromkeys(CHOICES, (self._ask, False)),
            **{name: (act, False) for name, act in choosing.acts.items()},
            "show_record": (self._show_record, False),
            **dict.fromkeys(("record_prev", "record_next"), (self._turn_record, False)),
            "cancel": (self._cancel, True),
            "continue_now": (self._continue_now, True),
            "continue_at": (self._continue_at, True),
            "end": (self._end, True),
            "home_decide": (self._ask_from_home, False),
            "home_withdraw": (self._cancel, True),
            "home_cancel": (self._cancel, True),
            "home_retry": (self._continue_now, True),
            "home_next": (self._turn_page, False),
            "home_previous": (self._turn_page, False),
            "hold": (self._switch, False),
            "release": (self._switch, False),
            "start": (self._start, False),
        }
        """Action id → what it does, and whether it steers a run (and is for the requester alone)."""
        self._commits = {name for name, (_, steers) in self.by_id.items() if steers} | {"hold", "release"}

    async def clicked(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Answer a click. Never raises.

        What a click changes is committed before Slack is told that it arrived, unless that takes longer than Slack
        waits: if the process dies before, the person sees Slack's warning and presses again. What only opens
        something is acknowledged first. The words about it come after both.
        """
        action = (body.get("actions") or [{}])[0]
        name = str(action.get("action_id"))
        if self._came_before(str(body.get("trigger_id") or "")) or name in {"goto_card", "open_home"}:
            await ack()  # of those two the button's address does all
            return
        value = str(action.get("value") or (body.get("view") or {}).get("private_metadata") or "")
        near = name.startswith("start_near.")
        acting = asyncio.create_task(self._guarded(body, name, value, near=near))
        if near or name in self._commits:
            await asyncio.wait({acting}, timeout=ANSWER_SECONDS)
        await ack()
        done, desk = await acting, self._desk
        if near and done.answer is not None and not done.refused:
            await desk.tell(body, done.answer, replace=True)
            if done.started is not None:
                here = str((body.get("channel") or {}).get("id") or "")
                await self._commands.lead(body, done.started, here)
        elif (body.get("view") or {}).get("type") == "home":
            await self._say_at_home(body, done.answer, refused=done.refused)
        elif done.answer is not None:
            await self._tell(body, done.answer, desk.reader_at_once(body))
        await desk.people.look_up(identity(body)[0])

    async def _guarded(self, body: Mapping[str, Any], name: str, value: str, *, near: bool) -> Done:
        """Do what a button is for. Never raises."""
        act, steers = self.by_id.get(name, (_unknown, False))
        try:
            if near:
                return await self._start_near(body, value)
            return Done(await act(body, value, self._desk.reader_at_once(body)))
        except Exception as error:  # noqa: BLE001 - every click gets an answer
            return Done(await self._refused(error, body, (name, value), steers=steers), refused=True)

    async def _tell(self, body: Mapping[str, Any], answer: Content, reader: Reader) -> None:
        """Answer where the person looks: beside the message, or in place of the modal that was clicked in."""
        view = body.get("view") or {}
        if view.get("type") != "modal":
            await self._desk.tell(body, answer)
            return
        await turn_modal(self._desk, str(view["id"]), views.notice(reader.texts, answer))

    def _came_before(self, trigger_id: str) -> bool:
        """Tell whether this very click was answered already, in this process; its trigger is unique."""
        if not trigger_id:
            return False
        before = trigger_id in self._clicks
        self._clicks[trigger_id] = None
        while len(self._clicks) > CLICKS:
            self._clicks.popitem(last=False)
        return before

    async def _refused(
        self, error: Exception, body: Mapping[str, Any], what: tuple[str, str], *, steers: bool
    ) -> Content:
        desk = self._desk
        reader = await desk.reader(body)
        if isinstance(error, NotAllowed):
            try:
                await desk.intake.refused_click(what[1].partition(":")[0], reader.person, what[0])
            except Exception:  # the answer matters more than the note
                log.exception("refused click not kept")
        if isinstance(error, AlreadyDecided):
            error = await self._replaced(error)
        return desk.words_for(error, reader, steering=steers)

    async def _replaced(self, error: AlreadyDecided) -> Exception:
        """Name the card that is the one to decide, where an older one was pressed."""
        found = await self._desk.store.standing(error.decision.request_id)
        newest = await self._desk.store.last_request(found[0].id) if found else None
        if found and newest and newest[0].revision > found[1].revision and newest[1] is None:
            return Replaced(newest[0].revision)
        return error

    async def _ask(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Open the reason modal: the first network call of the click, after one indexed read."""
        choice = cast("Choice", body["actions"][0]["action_id"])
        request_id, revision = split(value)
        run, request, chosen = await self._desk.may_decide(request_id, revision, reader.person)
        language = self._desk.people.language(identity(body)[0], run.language)
        scene = await self._desk.with_votes(self._desk.scene(run, language, request), request)
        otherwise = sum(said != AGREE for said in chosen.items.values())
        await open_modal(self._desk, body, views.reason(scene, request, choice, otherwise))

    async def _say_at_home(self, body: Mapping[str, Any], answer: Content | None, *, refused: bool) -> None:
        """Answer a click on the Home tab: above the rows, or as a modal where nothing was done. Never raises."""
        if answer is None:
            return
        if refused:
            view = views.notice(self._desk.reader_at_once(body).texts, answer)
            try:
                await self._desk.sends.views_open(trigger_id=str(body.get("trigger_id") or ""), view=view)
            except AWAY:
                log.info("notice not opened")
            else:
                await self._homes.clicked(body)
                return
        await self._homes.clicked(body, answer.blocks)

    async def _ask_from_home(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Open the modal that holds all of a decision; as `_ask`, but what is decided is chosen in it."""
        request_id, revision = split(value)
        run, request, _ = await self._desk.may_decide(request_id, revision, reader.person)
        language = self._desk.people.language(identity(body)[0], run.language)
        scene = await self._desk.with_votes(self._desk.scene(run, language, request), request)
        await open_modal(self._desk, body, views.decide(scene, request))

    async def _start(self, body: Mapping[str, Any], _: str, reader: Reader) -> Content | None:
        """Open the form; whoever lost the right to start since the button was drawn is told so."""
        try:
            await self._starting.open(body, reader)
        except NotAllowed as error:
            return self._starting.refusal(error, reader)
        return None

    async def _turn_page(self, body: Mapping[str, Any], value: str, __: Reader) -> None:
        group, _, page = value.partition(":")
        known = next((one for one in GROUPS if one == group), None)
        if known is None or not page.isdecimal():
            raise UnknownRequest
        await self._homes.clicked(body, turn={known: int(page)})

    async def _switch(self, body: Mapping[str, Any], _: str, reader: Reader) -> Content:
        way = str(body["actions"][0]["action_id"])
        return await self._commands.turn(reader, workflow_names()[0], way)

    async def _show_record(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        await open_modal(self._desk, body, await self._record(body, value, reader))

    async def _turn_record(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Show another page of a record, in the same view."""
        view = body["view"]
        number = page_turned(view, str(body["actions"][0]["action_id"]))
        await turn_modal(self._desk, str(view["id"]), await self._record(body, value, reader, number))

    async def _record(
        self, body: Mapping[str, Any], run_id: str, reader: Reader, number: int = 1
    ) -> views.View:
        run = await self._desk.store.run(run_id)
        if not reader.may_see(run):
            raise NotAllowed
        name = Path(run.result.record).name if run.result and run.result.record else ""
        if not name:
            raise UnknownRun(run_id)
        path = self._desk.engine.settings.records / name
        try:
            text = await asyncio.to_thread(path.read_text, "utf-8", "replace")
        except OSError as error:
            raise RecordGone(name) from error
        language = self._desk.people.language(identity(body)[0], run.language)
        return record(TEXTS[language], name, text, run.id, number)

    async def _cancel(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        run = await self._desk.intake.cancel(value, reader.person)
        self._desk.engine.wake(value)
        return say(reader.texts.done_withdraw if run.state == "resuming" else reader.texts.done_cancel)

    async def _continue_now(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        run = await self._desk.intake.retry(value, reader.person)
        self._desk.engine.wake(run.id)
        return say(reader.texts.done_continue)

    async def _continue_at(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        run = await self._desk.store.run(value)
        if not reader.policy.may_retry(reader.person, run.requester):
            raise NotAllowed
        failure = run.failure or (run.result.failure if run.result else None)
        if failure is None or failure.resets_at is None:
            raise NotRetryable(run, await self._desk.store.continued_by(value))
        await self._desk.intake.retry(value, reader.person, at=failure.resets_at)
        self._desk.engine.wake()
        when = moment(failure.resets_at, reader.zone, run.changed)
        return say(reader.texts.done_continue_at.format(time=when))

    async def _end(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        await self._desk.intake.end(value, reader.person)
        return say(reader.texts.done_end)

    async def _start_near(self, body: Mapping[str, Any], value: str) -> Done:
        answer, run = await self._commands.near(body, value, await self._desk.reader(body))
        if run is not None:
            self._desk.engine.wake(run.id)
        return Done(answer, started=run)


async def _unknown(_: Mapping[str, Any], __: str, ___: Reader) -> Content | None:
    raise UnknownRequest
