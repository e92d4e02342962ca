"""The relay brings every message to the state its row says. Messages are a view; the tables are the truth.

Level-triggered: each pass looks at what is behind and does the next thing for it, so it may run any number of times,
after a restart, a time-out or a decision taken elsewhere. A post is keyed by its metadata, and what may have been
posted is looked up before it is posted again. A pass that finds nothing whose turn it is reads one index.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from bot.slack import cards, drawing
from bot.slack.away import AWAY
from bot.slack.blocks import Content
from bot.slack.budget import Budget
from bot.slack.desk import Desk
from bot.slack.files import Files, NotUploaded, is_file, report_of, upload
from bot.slack.line import Line
from bot.slack.pace import Pace
from bot.slack.reminders import Reminders
from bot.slack.scene import Scene
from bot.slack.sending import REFUSED, Sender
from bot.slack.trouble import Trouble
from bot.slack.turns import is_progress, next_turns
from graph import can_go_on
from graph.approval import Behind, Message, Request, Whole
from graph.intake.reminding import drop, put_off

log = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
BREATH_SECONDS = 0.05
"""From news to the pass that looks at it: what changes together is shown together, and a decision goes on first."""
AT_ONCE = 8  #: calls to Slack under way
NEXT_START = timedelta(hours=1)  #: at the latest; a start lets everything be tried at once
LAST_SECONDS = 4.0  #: for what changed while the program came to rest


class Relay:
    """Bring messages up to date, pass after pass.

    Args:
        desk: what it shares with the listeners.
        budget: of message edits, for the whole workspace.
        pace: of posts, by channel.
    """

    def __init__(self, desk: Desk, budget: Budget | None = None, pace: Pace | None = None) -> None:
        self._desk, self._store = desk, desk.store
        self._sender = Sender(desk)
        self._files = Files(desk)
        self._line = Line()
        self._budget = budget or Budget()
        self._pace = pace or Pace()
        self._reminders = Reminders(desk)
        self._trouble = Trouble(desk, self._line, self._budget, self._pace, self._beside)
        self._news = asyncio.Event()
        self._ending = False
        self._at_work = False
        self._under_way: dict[str, Behind] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def at_work(self) -> bool:
        """Whether `run` is under way; of several processes only one relays."""
        return self._at_work

    def poke(self) -> None:
        """Tell that rows have changed. Never blocks."""
        self._news.set()

    def end(self) -> None:
        """Let `run` return once what is being sent has arrived."""
        self._ending = True
        self._news.set()

    async def run(self) -> None:
        """Go on until `end`; a pass that fails is tried again. What waited for its time is tried first of all."""
        self._at_work = True
        try:
            await self._pass_after_pass()
            await self._last_passes()
        except asyncio.CancelledError:
            await self.close()  # another process may relay from now on
            raise
        finally:
            self._at_work = False

    async def _pass_after_pass(self) -> None:
        begun = False
        while not self._ending:
            self._news.clear()
            try:
                if not begun:
                    await self._store.try_soon(self._store.now())
                    begun = True
                await self._reminders.look()
                await self.look()
            except Exception:
                log.exception("pass of the relay failed")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), LOOK_SECONDS)
                await asyncio.sleep(BREATH_SECONDS)
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _last_passes(self) -> None:
        """Show what changed while the program came to rest; what does not get through is shown after the next start."""
        loop = asyncio.get_running_loop()
        until = loop.time() + LAST_SECONDS
        self._budget.hurry()
        while (left := until - loop.time()) > 0:
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 - the program ends
                log.warning("not everything is shown", extra={"error": type(error).__name__})
                return
            if not self._tasks:
                return
            await asyncio.wait(self._tasks, timeout=left)

    async def look(self) -> None:
        """Make one pass: begin to send what has its turn now, each message by itself."""
        if not self._line.is_open:
            return
        behind = await self._store.behind(self._store.now(), REFUSED)
        turns = next_turns(behind, self._under_way, self._budget, self._pace)
        turns = turns[: max(0, (AT_ONCE if self._line.works else 1) - len(self._under_way))]
        if not turns:
            return
        found = await self._store.whole({turn.run_id for turn in turns})
        for turn in turns:
            self._under_way[turn.key] = turn
            self._beside(self._take_turn(turn, found[turn.run_id]))

    async def close(self) -> None:
        """Cut off what is still under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _beside(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take_turn(self, turn: Behind, whole: Whole) -> None:
        try:
            message = next(one for one in whole.messages if one.key == turn.key)
            await self._bring(message, whole, mere_progress=is_progress(turn))
        except Exception:
            log.exception("message not brought up to date", extra={"run": turn.run_id, "key": turn.key})
            await self._trouble.ours(turn.key)
        finally:
            del self._under_way[turn.key]
            self.poke()

    async def _bring(self, message: Message, whole: Whole, *, mere_progress: bool) -> None:
        """Bring one message to its row's state."""
        if not can_go_on(whole.run):
            # What stands there was written by a version that can read the run; it is tried again at the next start.
            await self._store.not_shown(message.key, "other_version", self._store.now() + NEXT_START)
            return
        if is_file(message.key):
            await self._bring_file(message, whole)
            return
        if await self._comes_at_a_bad_time(message, whole):
            return
        times = self._times(message, whole)
        scene = await self._scene(whole, message, times)
        content = drawing.draw(scene, message, self._store.now())
        if content is None:
            await self._store.not_shown(message.key, "nothing-to-show", None)
            return
        digest = drawing.digest(content)
        try:
            if message.ts is None or message.channel is None:
                await self._post(message, whole, content, digest, times)
                return
            if digest == message.digest:
                await self._store.shown(message.key, message.wanted, digest, message.channel, message.ts)
            elif self._budget.take(message.key, progress=mere_progress):
                await self._sender.edit(message, content)
                await self._store.shown(message.key, message.wanted, digest, message.channel, message.ts)
                await self._got_through()
        except AWAY as error:
            await self._trouble.met(message, whole.run, error)

    async def _bring_file(self, message: Message, whole: Whole) -> None:
        """Put a file where it belongs; once it is there, it stays as it is."""
        if message.ts is not None and message.channel is not None:
            await self._store.shown(message.key, message.wanted, "file", message.channel, message.ts)
            return
        scene = self._desk.whole_scene(whole, whole.run.language)
        if about := report_of(message.key, scene):
            scene = replace(scene, requests=(await self._desk.in_full(about),))
        file = await asyncio.to_thread(upload, scene, message, self._desk.engine.settings.records)
        parent = next((one for one in whole.messages if one.key == message.thread), None)
        if parent is None or parent.ts is None:
            await self._trouble.no_file(message, "thread_not_found")
            return
        if file is None:  # a folder that several machines share may be late
            await self._trouble.not_uploaded(message, "no_file")
            return
        try:
            tried = await self._store.trying(message.key)
            posted = await self._files.put(tried, file, parent)
        except NotUploaded as error:
            await self._trouble.not_uploaded(message, str(error))
        except AWAY as error:
            await self._trouble.met(message, whole.run, error)
        else:
            self._pace.posted(message.place)
            await self._store.shown(message.key, message.wanted, "file", posted.channel, posted.ts)
            await self._got_through()
            log.info("posted", extra={"run": whole.run.id, "key": message.key, "adopted": posted.adopted})

    async def _comes_at_a_bad_time(self, message: Message, whole: Whole) -> bool:
        """Drop a reminder of what is decided meanwhile; put one off that could not be sent before the night."""
        kind, _, request_id = message.key.partition(":")
        if kind != "remind" or message.ts is not None:
            return False
        if any(one.id == request_id and one.state != "open" for one in whole.requests):
            await drop(self._store, request_id)
            return True
        at = self._reminders.not_before(whole, request_id)
        if at <= self._store.now() or message.tries:  # tried, it may stand there already
            return False
        await put_off(self._store, request_id, at)
        return True

    def _times(self, message: Message, whole: Whole) -> Request | None:
        """Return the request of a card that never stood in Slack, with the times that count from its post."""
        asked = next((one for one in whole.requests if message.key == f"card:{one.id}"), None)
        if asked is None or message.channel is not None or asked.state != "open":
            return None
        settings, now = self._desk.engine.settings, self._store.now()
        deadline, reminder = (
            now + timedelta(hours=hours) if hours else None
            for hours in (settings.deadline_hours, settings.remind_hours)
        )
        return replace(asked, deadline=deadline, remind_at=reminder)

    async def _post(
        self, message: Message, whole: Whole, content: Content, digest: str, times: Request | None
    ) -> None:
        parent = next((one for one in whole.messages if one.key == message.thread), None)
        if parent is not None and parent.ts is None:
            await self._trouble.elsewhere(message, whole.run, parent.problem or "thread_not_found")
            return
        tried = await self._store.trying(message.key, times)
        posted = await self._sender.post(tried, whole.run, content, parent)
        self._pace.posted(message.place)
        await self._let_report_follow(message, whole)
        wanted = 0 if posted.adopted else message.wanted
        digest = "" if posted.adopted else digest
        await self._store.shown(message.key, wanted, digest, posted.channel, posted.ts)
        await self._got_through()
        log.info("posted", extra={"run": whole.run.id, "key": message.key, "adopted": posted.adopted})
        if message.key.startswith("card:"):
            await self._let_older_point_here(message, whole)

    async def _let_report_follow(self, message: Message, whole: Whole) -> None:
        """Let the whole report come right after a card that leaves much of it out."""
        kind, _, request_id = message.key.partition(":")
        about = next((one for one in whole.requests if kind == "card" and one.id == request_id), None)
        scene = self._desk.whole_scene(whole, whole.run.language)
        if about is not None and about.state == "open" and cards.leaves_much_out(scene, about):
            async with self._store.write() as write:
                await write.add_message(f"report:{about.id}", whole.run, thread=message.key)

    async def _let_older_point_here(self, newest: Message, whole: Whole) -> None:
        """Let the cards that this one replaces be drawn once more, now that it has an address."""
        older = [one for one in whole.messages if one.key.startswith("card:") and one.key != newest.key]
        if older:
            async with self._store.write() as write:
                for one in older:
                    await write.bump(whole.run.id, one.key)

    async def _scene(self, whole: Whole, message: Message, times: Request | None) -> Scene:
        scene = self._desk.whole_scene(whole, whole.run.language)
        if times is not None:
            asked = tuple(times if one.id == times.id else one for one in scene.requests)
            scene = replace(scene, requests=asked)
        kind, _, about = message.key.partition(":")
        if kind != "remind":
            if len(scene.requests) < 2:  # noqa: PLR2004 - a card is replaced from the second on
                return scene
            about = scene.requests[-1].id
        card = next((one for one in whole.messages if one.key == f"card:{about}"), None)
        link = await self._desk.link(card.channel, card.ts) if card and card.channel and card.ts else None
        return replace(scene, links={about: link}) if link else scene

    async def _got_through(self) -> None:
        """After nothing got through, let what waits for its time be tried at once; Slack took one, and that is noted."""
        if self._line.worked():
            log.warning("messages get through again")
            await self._store.try_soon(self._store.now())
