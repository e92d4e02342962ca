"""Clicks and submissions.

A click: acknowledge, one indexed read, open the modal. A submission: validate, commit, acknowledge, wake. Whatever
goes wrong is one private sentence; nothing is ever raised near an acknowledgement.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from slack_bolt.context.ack.async_ack import AsyncAck
from slack_sdk.errors import SlackApiError

from bot import limits
from bot.slack import views
from bot.slack.answers import Reader, RecordGone, TooLateToOpen, say
from bot.slack.away import AWAY
from bot.slack.blocks import Content, moment
from bot.slack.commands import Commands
from bot.slack.desk import Desk
from bot.slack.people import identity
from bot.slack.texts import TEXTS
from graph.approval import Decision, Request, Run
from graph.errors import AlreadyDecided, NotAllowed, NotRetryable, UnknownRequest, UnknownRun

log = logging.getLogger(__name__)
Choice = Literal["approve", "reject", "send_back"]
CHOICES: tuple[Choice, ...] = ("approve", "reject", "send_back")
_NO_TRIGGER = frozenset(
    {"expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id", "invalid_arguments"}
)

Act = Callable[[Mapping[str, Any], str, Reader], Awaitable[Content | None]]


class Actions:
    """What clicks and submissions do."""

    def __init__(self, desk: Desk, commands: Commands) -> None:
        self._desk, self._commands = desk, commands
        self.by_id: dict[str, tuple[Act, bool]] = {
            **dict.fromkeys(CHOICES, (self._ask, False)),
            "show_record": (self._show_record, False),
            "cancel": (self._cancel, True),
            "continue_now": (self._continue_now, True),
            "continue_at": (self._continue_at, True),
            "end": (self._end, True),
        }
        """Action id → what it does, and whether it steers a run (and is for the requester alone)."""

    async def clicked(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Answer a click. Never raises."""
        await ack()
        action = (body.get("actions") or [{}])[0]
        name, value = str(action.get("action_id")), str(action.get("value") or "")
        if name == "goto_card":
            return
        desk = self._desk
        reader = desk.reader_at_once(body)
        act, steers = self.by_id.get(name, (_unknown, False))
        try:
            if name.startswith("start_near."):
                await self._start_near(body, value)
                return
            answer = await act(body, value, reader)
        except Exception as error:  # noqa: BLE001 - every click gets an answer
            answer = await self._refused(error, body, (name, value), steers=steers)
        if answer is not None:
            await desk.tell(body, answer)
        await desk.people.look_up(identity(body)[0])

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
        return desk.words_for(error, reader, steering=steers)

    async def _ask(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Open the reason modal: the first network call of the click, after one indexed read."""
        choice = cast("Choice", body["actions"][0]["action_id"])
        request_id, revision = split(value)
        run, request = await self._desk.intake.check(request_id, revision, reader.person)
        language = self._desk.people.language(identity(body)[0], run.language)
        await self._open(body, views.reason(self._desk.scene(run, language, request), request, choice))

    async def _open(self, body: Mapping[str, Any], view: views.View) -> None:
        try:
            await self._desk.sends.views_open(trigger_id=str(body.get("trigger_id") or ""), view=view)
        except SlackApiError as error:
            if error.response.get("error") in _NO_TRIGGER and not limits.check_view(view):
                raise TooLateToOpen from error
            raise
        except AWAY as error:
            raise TooLateToOpen from error

    async def _show_record(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        run = await self._desk.store.run(value)
        policy, person = reader.policy, reader.person
        if not (policy.may_steer(person, run.requester) or policy.may_decide(person, run.requester)):
            raise NotAllowed
        name = Path(run.result.record).name if run.result and run.result.record else ""
        if not name:
            raise UnknownRun(value)
        path = self._desk.engine.settings.records / name
        try:
            text = await asyncio.to_thread(path.read_text, "utf-8", "replace")
        except OSError as error:
            raise RecordGone(name) from error
        language = self._desk.people.language(identity(body)[0], run.language)
        await self._open(body, views.record(TEXTS[language], name, text))

    async def _cancel(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        run = await self._desk.intake.cancel(value, reader.person)
        self._desk.engine.wake(value)
        return say(reader.texts.done_withdraw if run.state == "resuming" else reader.texts.done_cancel)

    async def _continue_now(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        run = await self._desk.intake.retry(value, reader.person)
        self._desk.engine.wake(run.id)
        return say(reader.texts.done_continue)

    async def _continue_at(self, body: Mapping[str, Any], value: str, reader: Reader) -> Content:
        run = await self._desk.store.run(value)
        failure = run.failure or (run.result.failure if run.result else None)
        if failure is None or failure.resets_at is None:
            raise NotRetryable(run, await self._desk.store.continued_by(value))
        await self._desk.intake.retry(value, reader.person, at=failure.resets_at)
        self._desk.engine.wake()
        zone = await self._desk.people.zone(identity(body)[0])
        return say(reader.texts.done_continue_at.format(time=moment(failure.resets_at, zone, run.changed)))

    async def _end(self, _: Mapping[str, Any], value: str, reader: Reader) -> Content:
        await self._desk.intake.end(value, reader.person)
        return say(reader.texts.done_end)

    async def _start_near(self, body: Mapping[str, Any], value: str) -> None:
        desk = self._desk
        reader = await desk.reader(body)
        answer, run = await self._commands.near(body, value, reader)
        await desk.tell(body, answer, replace=True)
        if run is not None:
            desk.engine.wake(run.id)

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Record a decision. Never raises; what does not count is said in place of the modal."""
        view = body["view"]
        desk = self._desk
        reader = desk.reader_at_once(body)
        run_id: str | None = None
        try:
            block, choice, words = _typed(view)
            request_id, revision = split(str(view.get("private_metadata") or ""))
            reader = await desk.reader(body, reader.language)
            wrong = await self._wrong(choice, words, request_id, reader)
            if wrong:
                await ack(response_action="errors", errors={block: wrong})
                return
            run_id = await self._decide(request_id, revision, (choice, words), reader)
        except AlreadyDecided as error:
            await ack(response_action="update", view=await self._lost(error, view, reader))
            return
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            answer = desk.words_for(error, reader)
            await ack(response_action="update", view=views.notice(reader.texts, answer))
            return
        await ack()
        desk.engine.wake(run_id)

    async def _decide(
        self, request_id: str, revision: int, said: tuple[Choice, str], reader: Reader
    ) -> str | None:
        """Commit; the same submission a second time is as good as the first."""
        choice, words = said
        try:
            await self._desk.intake.decide(request_id, revision, choice, reader.person, words)
        except AlreadyDecided as error:
            if not _same(error.decision, choice, words, reader):
                raise
        request = await self._desk.store.request(request_id)
        return request.run_id if request else None

    async def _wrong(self, choice: Choice, words: str, request_id: str, reader: Reader) -> str | None:
        t = reader.texts
        over = limits.length(words) - limits.INPUT_LENGTH
        if over > 0:
            return t.too_long.format(n=f"{over:,}", most=f"{limits.INPUT_LENGTH:,}")
        if choice == "approve" or words.strip():
            return None
        found = await self._desk.store.standing(request_id)
        if found is None:
            raise UnknownRequest
        return t.blank[choice].format(who=found[0].requester.name)

    async def _lost(self, error: AlreadyDecided, view: Mapping[str, Any], reader: Reader) -> views.View:
        """Return *Already decided*, with the words back in an input; a notice for one who may not see it."""
        found = await self._found(split(str(view.get("private_metadata") or ""))[0])
        if found is None or not reader.policy.may_decide(reader.person, found[0].requester):
            return views.notice(reader.texts, self._desk.words_for(error, reader))
        run, request = found
        scene = self._desk.scene(run, reader.language, request)
        return views.already_decided(scene, request, error.decision, _typed(view)[2], reader.zone)

    async def _found(self, request_id: str) -> tuple[Run, Request] | None:
        found = await self._desk.store.standing(request_id)
        return (found[0], found[1]) if found else None

    async def late_words(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Post the words of one who came second. Never raises."""
        view, desk = body["view"], self._desk
        reader = desk.reader_at_once(body)
        try:
            reader = await desk.reader(body, reader.language)
            words = _value(view)[1]
            if words.strip():
                request_id, _ = split(str(view.get("private_metadata") or ""))
                await desk.intake.late_words(request_id, reader.person, words)
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            answer = desk.words_for(error, reader)
            await ack(response_action="update", view=views.notice(reader.texts, answer))
            return
        await ack()


def split(value: str) -> tuple[str, int]:
    """Read `<request id>:<revision>`.

    Raises:
        UnknownRequest: it is nothing of ours.
    """
    request_id, _, revision = value.partition(":")
    if not request_id or not revision.isdecimal():
        raise UnknownRequest
    return request_id, int(revision)


async def _unknown(_: Mapping[str, Any], __: str, ___: Reader) -> Content | None:
    raise UnknownRequest


def _value(view: Mapping[str, Any]) -> tuple[str, str]:
    """Return block id and words of the view's one input."""
    for block, values in ((view.get("state") or {}).get("values") or {}).items():
        for value in values.values():
            return str(block), str(value.get("value") or "")
    return "", ""


def _typed(view: Mapping[str, Any]) -> tuple[str, Choice, str]:
    """Return block id, choice and words of a reason modal.

    Raises:
        UnknownRequest: it is no modal of ours.
    """
    block, words = _value(view)
    for choice in CHOICES:
        if block.startswith(f"reason.{choice}."):
            return block, choice, words
    raise UnknownRequest


def _same(decision: Decision, choice: Choice, words: str, reader: Reader) -> bool:
    said = (decision.person.id, decision.kind, decision.reason)
    return said == (reader.person.id, choice, words)
