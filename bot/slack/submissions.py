"""Submissions: validate, commit, acknowledge, wake.

Whatever goes wrong is said in place of the modal; nothing is ever raised near an acknowledgement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from slack_bolt.context.ack.async_ack import AsyncAck

from bot import limits
from bot.slack import views
from bot.slack.answers import ANSWER_SECONDS, Reader, say
from bot.slack.desk import Desk
from bot.slack.fit import unescape
from bot.slack.groups import GroupUnknown
from bot.slack.opening import turn_modal
from bot.slack.texts import Texts
from graph.approval import Decision, Request, Run, Vote
from graph.errors import AlreadyDecided, AlreadyVoted, RingiError, StoreError, UnknownRequest

Choice = Literal["approve", "reject", "send_back"]
Said = tuple[Choice, str]
"""A decision and its words."""
CHOICES: tuple[Choice, ...] = ("approve", "reject", "send_back")
SETTLE_SECONDS = 1.0
"""From an answer in place of a modal to the next one. They take different ways, socket and Web API, and nothing else
keeps the first from arriving last: then the modal would say for ever that nothing is recorded yet."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a submission: how it is acknowledged, and the run that has something to do now."""

    answer: dict[str, Any]
    run_id: str | None = None


class Submissions:
    """What submitted modals do."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Record a decision. Never raises; what does not count is said in place of the modal."""
        await self.answer(ack, body, self._judged(body))

    async def answer(
        self, ack: AsyncAck, body: Mapping[str, Any], judging: Coroutine[Any, Any, Judged]
    ) -> Judged:
        """Acknowledge with what came of a submission; if that takes longer than Slack waits, say so, then tell."""
        working = asyncio.create_task(judging)
        await asyncio.wait({working}, timeout=ANSWER_SECONDS)
        t, settled = self._desk.reader_at_once(body).texts, None
        if working.done():
            await ack(**working.result().answer)
        else:
            await ack(response_action="update", view=views.notice(t, say(t.slow), t.slow_title))
            settled = asyncio.create_task(asyncio.sleep(SETTLE_SECONDS))
        judged = await working
        if judged.run_id is not None:
            self._desk.engine.wake(judged.run_id)
        if settled is not None:
            await settled
            await self._follow_up(body["view"], judged, t)
        return judged

    async def _follow_up(self, submitted: Mapping[str, Any], judged: Judged, t: Texts) -> None:
        """Bring the modal to what came of its submission. Never raises; a person may have closed it."""
        view = judged.answer.get("view", views.notice(t, say(t.slow_done), t.slow_done_title))
        if errors := judged.answer.get("errors"):
            view = views.filled_in(submitted, _values(submitted), " ".join(errors.values()))
        await turn_modal(self._desk, str(submitted["id"]), view)

    async def _judged(self, body: Mapping[str, Any]) -> Judged:
        """Commit a decision, or say why it does not count. Never raises."""
        view, desk = body["view"], self._desk
        reader, block = desk.reader_at_once(body), ""
        try:
            block, choice, words = _typed(view)
            request_id, revision = split(str(view.get("private_metadata") or ""))
            wrong = await self.wrong(choice, words, request_id, reader)
            if wrong:
                return Judged({"response_action": "errors", "errors": {block: wrong}})
            await desk.groups.sure_of(reader.person)
            return Judged({}, await self.decide(request_id, revision, (choice, words), reader))
        except AlreadyDecided as error:
            return instead(await self.lost(error, request_id, words, reader))
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            return self.failed(error, block, reader)

    def failed(self, error: Exception, block: str, reader: Reader) -> Judged:
        """Say why a submission does not count: in place of the modal, but beside the words if they may count a moment later.

        Args:
            error: what is in the way.
            block: of the words; empty if there are none.
            reader: who submitted.
        """
        said = self._desk.words_for(error, reader)
        passes = isinstance(error, GroupUnknown | StoreError) or not isinstance(error, RingiError)
        if block and passes:
            return Judged({"response_action": "errors", "errors": {block: unescape(said.text)}})
        return instead(views.notice(reader.texts, said))

    async def decide(
        self,
        request_id: str,
        revision: int,
        said: Said,
        reader: Reader,
        items: dict[str, str] | None = None,
    ) -> str | None:
        """Commit, and return the run to wake; the same submission a second time is as good as the first."""
        choice, words = said
        try:
            said_now = await self._desk.intake.decide(
                request_id, revision, choice, reader.person, words, items=items
            )
        except (AlreadyDecided, AlreadyVoted) as error:
            if not await self.came_before(error, request_id, said, reader):
                raise
            return None
        return said_now.run_id if said_now else None

    async def came_before(
        self, error: AlreadyDecided | AlreadyVoted, request_id: str, said: Said, reader: Reader
    ) -> bool:
        """Tell whether what stands in the way is this very submission, delivered before."""
        if isinstance(error, AlreadyVoted):
            return error.vote is not None and _same(error.vote, *said, reader)
        if _same(error.decision, *said, reader):
            return True
        return any(_same(vote, *said, reader) for vote in await self._desk.store.votes_on(request_id))

    async def wrong(self, choice: Choice, words: str, request_id: str, reader: Reader) -> str | None:
        """Say what is wrong with the words of a decision; None if nothing is."""
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

    async def lost(self, error: AlreadyDecided, request_id: str, words: str, reader: Reader) -> views.View:
        """Return *Already decided*, with the words back in an input; a notice for one who may not see it."""
        found = await self._found(request_id)
        if found is None or not reader.policy.may_decide(reader.person, found[0].requester):
            return views.notice(reader.texts, self._desk.words_for(error, reader))
        run, request = found
        scene = self._desk.scene(run, reader.language, request)
        return views.already_decided(scene, request, error.decision, words, reader.zone)

    async def _found(self, request_id: str) -> tuple[Run, Request] | None:
        found = await self._desk.store.standing(request_id)
        return (found[0], found[1]) if found else None

    async def late_words(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Post the words of one who came second. Never raises."""
        await self.answer(ack, body, self._kept(body))

    async def _kept(self, body: Mapping[str, Any]) -> Judged:
        view, desk = body["view"], self._desk
        reader, block = desk.reader_at_once(body), ""
        try:
            block, words = _value(view)
            if words.strip():
                request_id, _ = split(str(view.get("private_metadata") or ""))
                await desk.intake.late_words(request_id, reader.person, words)
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            return self.failed(error, block, reader)
        return Judged({})


def instead(view: views.View) -> Judged:
    """Show a view in place of the one that was submitted."""
    return Judged({"response_action": "update", "view": view})


def split(value: str) -> tuple[str, int]:
    """Read `<request id>:<revision>`.

    Raises:
        UnknownRequest: it is nothing of ours.
    """
    request_id, _, revision = value.partition(":")
    if not request_id or not revision.isdecimal():
        raise UnknownRequest
    return request_id, int(revision)


def _values(view: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return what stands in a view's inputs, by block id."""
    said = (view.get("state") or {}).get("values") or {}
    return {str(block): value for block, values in said.items() for value in values.values()}


def _value(view: Mapping[str, Any]) -> tuple[str, str]:
    """Return block id and words of the view's one input for words."""
    found = _values(view)
    block = next((one for one in found if one.startswith("reason.")), next(iter(found), ""))
    return block, str(found.get(block, {}).get("value") or "")


def _typed(view: Mapping[str, Any]) -> tuple[str, Choice, str]:
    """Return block id, choice and words of a reason modal.

    Raises:
        UnknownRequest: it is no modal of ours.
    """
    block, words = _value(view)
    kind = block.split(".")[1] if block.startswith("reason.") else ""
    if kind == views.CHOSEN:
        chosen = next((v for one, v in _values(view).items() if one.startswith("choice.")), {})
        kind = str((chosen.get("selected_option") or {}).get("value"))
    for choice in CHOICES:
        if choice == kind:
            return block, choice, words
    raise UnknownRequest


def _same(what: Decision | Vote, choice: Choice, words: str, reader: Reader) -> bool:
    said = (what.person.id, what.kind, what.reason)
    return said == (reader.person.id, choice, words)
