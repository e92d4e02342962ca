"""What becomes of a message that Slack did not take: who waits, who is told, and what is given up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import timedelta

from bot.slack.away import asked_to_wait, error_name, is_out_of_order, is_unreachable
from bot.slack.blocks import channel
from bot.slack.budget import Budget
from bot.slack.desk import Desk
from bot.slack.files import is_file
from bot.slack.line import Line
from bot.slack.pace import Pace
from bot.slack.scene import SHORT
from bot.slack.sending import EDITS_AT_MOST, GONE, REFUSED, later
from bot.slack.texts import TEXTS
from graph.approval import ENDED, Message, Run

log = logging.getLogger(__name__)
TRIES_IN_TURN = 10
"""Server errors for one message that keep the others waiting behind it; then it may be the message, and they go on."""
FILES_AT_MOST = 15
"""Tries of a file, about an hour, before the card does without it."""
OUR_PAUSE = timedelta(minutes=1)


class Trouble:
    """Keeps what went wrong beside the row, and when it makes sense to try again.

    Args:
        desk: what it shares with the listeners.
        line: closed while nothing gets through.
        budget: of edits, held when Slack asks for it.
        pace: of posts, slowed when Slack asks for it.
        beside: lets something run beside the passes.
    """

    def __init__(
        self,
        desk: Desk,
        line: Line,
        budget: Budget,
        pace: Pace,
        beside: Callable[[Coroutine[None, None, None]], None],
    ) -> None:
        self._desk, self._store = desk, desk.store
        self._line, self._budget, self._pace, self._beside = line, budget, pace, beside

    async def met(self, message: Message, run: Run, error: Exception) -> None:
        """Note what came of a call to Slack for a message, as the message was before it."""
        name, now = error_name(error), self._store.now()
        if (seconds := asked_to_wait(error)) is not None:
            await self._slower(message, seconds)
            return
        tries = message.tries + 1
        if is_unreachable(error) or (is_out_of_order(error) and tries <= TRIES_IN_TURN):
            if self._line.failed():
                log.warning("Slack takes no messages; they wait", extra={"error": name})
            await self._store.not_shown(message.key, name, now, tries)
            return
        log.warning("message not shown", extra={"run": run.id, "key": message.key, "error": name})
        if is_file(message.key):
            await self._file_refused(message, name)
        elif name in GONE and message.ts is not None:
            await self._gone(message, run, name)
        elif name in REFUSED | GONE and message.ts is None and message.key.startswith("outcome:"):
            await self.elsewhere(message, run, name)
        elif name in REFUSED and message.ts is None and message.key == f"progress:{run.id}":
            await self._store.not_shown(message.key, name, None)
            self._beside(self._end_unpostable(run, name))
        else:
            over = message.ts is not None and run.state in ENDED and tries >= EDITS_AT_MOST
            await self._store.not_shown(message.key, name, None if over else later(name, tries, now), tries)
            if message.key.startswith("card:") and name in REFUSED and message.ts is None:
                await self._tell_requester(message, run, name)

    async def not_uploaded(self, message: Message, name: str) -> None:
        """Note that Slack's place for files did not take one; messages are not held up by that."""
        log.warning("file not uploaded", extra={"key": message.key, "error": name})
        await self._file_refused(message, name)

    async def _file_refused(self, message: Message, name: str) -> None:
        tries = message.tries + 1
        if name in REFUSED | GONE or tries >= FILES_AT_MOST:
            await self.no_file(message, name)
        else:
            await self._store.not_shown(message.key, name, later(name, tries, self._store.now()), tries)

    async def no_file(self, message: Message, name: str) -> None:
        """Do without a file: the card says where it is instead. A record lies on the machine in any case."""
        await self._store.done_without(message.key, name)
        if message.thread is not None:
            async with self._store.write() as write:
                await write.bump(message.run_id, message.thread)

    async def ours(self, key: str) -> None:
        """Note that a message failed through a fault of ours. Never raises.

        If the database does not take even that, the line closes: what is sent now would be sent again and again.
        """
        try:
            await self._store.not_shown(key, "internal_error", self._store.now() + OUR_PAUSE)
        except Exception:
            self._line.failed()
            log.exception("trouble not noted; messages wait", extra={"key": key})

    async def elsewhere(self, message: Message, run: Run, name: str) -> None:
        """Tell an outcome to the requester directly, where its thread cannot be written in."""
        user = self._desk.policy.user(run.requester)
        if user is None or message.place == user or not message.key.startswith("outcome:"):
            await self._store.not_shown(message.key, name, None)
        else:
            await self._store.move(message.key, user)

    async def _slower(self, message: Message, seconds: float) -> None:
        """Go at Slack's pace: in this channel for posts, everywhere for edits. Slack did nothing, so no try counts."""
        log.warning("Slack asks to wait", extra={"key": message.key, "seconds": seconds})
        if message.ts is None:
            self._pace.limited(message.place, seconds)
        else:
            self._budget.hold(seconds)
        await self._store.not_shown(message.key, "ratelimited", self._store.now(), message.tries)

    async def _tell_requester(self, card: Message, run: Run, name: str) -> None:
        """Say directly, once, that a card asks where nobody can see it; the run is not left to wait in silence."""
        user = self._desk.policy.user(run.requester)
        request = await self._store.request(card.key.partition(":")[2])
        if user is None or card.place == user or request is None or request.state != "open":
            return
        async with self._store.write() as write:
            about = replace(run, place=user)
            await write.add_message(
                f"unshown:{request.id}", about, data={"problem": name, "place": card.place}
            )

    async def _gone(self, message: Message, run: Run, name: str) -> None:
        """Post a deleted message anew while someone has to act on it; else what it said stands without it."""
        request = None
        if message.key.startswith("card:"):
            request = await self._store.request(message.key.partition(":")[2])
        if request is not None and request.state == "open":
            await self._store.lost(message.key)
        else:
            await self._store.not_shown(message.key, name, None)
        log.info("message is gone from Slack", extra={"run": run.id, "key": message.key})

    async def _end_unpostable(self, run: Run, name: str) -> None:
        """End a run whose first message has no place, and say so where the command was typed.

        One that was quicker and asks already waits, for it can be decided in a terminal; that is said there too.
        """
        now, t = await self._desk.engine.cannot_post(run.id, name), TEXTS[run.language]
        if now.state == "failed":
            bot = self._desk.workspace.bot
            await self._desk.tell_starter(run, t.cannot_post.format(problem=name, bot=bot))
        elif now.state == "waiting":
            place = str(run.place)
            where = channel(place) if place.startswith(("C", "G")) else t.unshown_direct
            sentence = t.unshown_rest.format(place=where, problem=name, run=run.id[:SHORT])
            await self._desk.tell_starter(run, sentence)
