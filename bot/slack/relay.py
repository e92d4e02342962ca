"""The relay brings every message to the state its row says. Messages are a view; the tables are the truth.

Level-triggered: each pass looks at what is behind and does the next thing for it, so it may run any number of times,
after a restart, a time-out or a decision taken elsewhere. A post is keyed by its metadata, and what may have been
posted is looked up before it is posted again.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from bot.slack import drawing
from bot.slack.away import AWAY, asked_to_wait, error_name, is_out_of_order, is_unreachable
from bot.slack.blocks import Content
from bot.slack.budget import Budget
from bot.slack.desk import Desk, full_scene
from bot.slack.line import Line
from bot.slack.progress import working
from bot.slack.scene import Scene
from bot.slack.sending import EDITS_AT_MOST, GONE, REFUSED, Sender, later
from bot.slack.texts import TEXTS
from graph.approval import ENDED, Message, Run

log = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
TRIES_IN_TURN = 10
"""Server errors for one message that keep the others waiting behind it; then it may be the message, and they go on."""


class Relay:
    """Bring messages up to date, one pass after the other.

    Args:
        desk: what it shares with the listeners.
        budget: of message edits, for the whole workspace.
    """

    def __init__(self, desk: Desk, budget: Budget | None = None) -> None:
        self._desk, self._store = desk, desk.store
        self._sender = Sender(desk)
        self._line = Line()
        self._budget = budget or Budget()
        self._news = asyncio.Event()
        self._ending = False
        self._at_work = False
        self._aside: set[asyncio.Task[None]] = set()

    @property
    def at_work(self) -> bool:
        """Whether `run` is under way; of several processes only one relays."""
        return self._at_work

    def poke(self) -> None:
        """Tell that rows have changed. Never blocks."""
        self._news.set()

    def end(self) -> None:
        """Let `run` return after the message that is being sent."""
        self._ending = True
        self._news.set()

    async def run(self) -> None:
        """Go on until `end`; a pass that fails is tried again. What waited for its time is tried first of all."""
        self._at_work = True
        try:
            await self._pass_after_pass()
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
                await self.look()
            except Exception:
                log.exception("pass of the relay failed")
            try:
                await asyncio.wait_for(self._news.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

    async def look(self) -> None:
        """Make one pass: posts in the order they came up, then decisions, then progress, the longest unedited first."""
        behind = await self._store.unshown(self._store.now())
        posts = [m for m in behind if m.ts is None]
        edits = [m for m in behind if m.ts is not None and not m.key.startswith("progress:")]
        progress = [m for m in behind if m.ts is not None and m.key.startswith("progress:")]
        progress.sort(key=lambda m: self._budget.last(m.key))
        for message in [*posts, *edits, *progress]:
            now = await self._store.message(message.key)
            if now is not None and now.shown < now.wanted and now.problem == message.problem:
                await self._bring(now)

    async def close(self) -> None:
        """Let what runs beside the passes come to rest."""
        for task in self._aside:
            task.cancel()
        await asyncio.gather(*self._aside, return_exceptions=True)

    async def _bring(self, message: Message) -> None:
        """Bring one message to its row's state, unless it has to wait for its turn."""
        if self._ending or not self._line.is_open:
            return
        run = await self._store.run(message.run_id)
        scene = await self._scene(run)
        mere_progress = message.key.startswith("progress:") and working(scene)
        content = drawing.draw(scene, message, self._store.now())
        if content is None:
            await self._store.not_shown(message.key, "nothing-to-show", None)
            return
        digest = drawing.digest(content)
        try:
            if message.ts is None or message.channel is None:
                await self._post(message, run, content, digest)
            elif digest == message.digest:
                await self._store.shown(message.key, message.wanted, digest, message.channel, message.ts)
            elif self._budget.take(message.key, progress=mere_progress):
                await self._sender.edit(message, content)
                await self._got_through()
                await self._store.shown(message.key, message.wanted, digest, message.channel, message.ts)
        except AWAY as error:
            await self._trouble(message, run, error)

    async def _post(self, message: Message, run: Run, content: Content, digest: str) -> None:
        parent = await self._store.message(message.thread) if message.thread else None
        if parent is not None and parent.ts is None:
            if parent.problem in REFUSED or (parent.problem and parent.next_try is None):
                await self._elsewhere(message, run, str(parent.problem))
            return
        tried = await self._store.trying(message.key)
        posted = await self._sender.post(tried, run, content, parent)
        await self._got_through()
        if posted.adopted:
            digest = ""
        wanted = 0 if posted.adopted else message.wanted
        await self._store.shown(message.key, wanted, digest, posted.channel, posted.ts)
        log.info("posted", extra={"run": run.id, "key": message.key, "adopted": posted.adopted})
        if message.key.startswith("card:"):
            await self._refresh_older(message, run)

    async def _refresh_older(self, newest: Message, run: Run) -> None:
        """Let the cards that this one replaces point to it."""
        for older in await self._store.messages(run.id):
            if older.key.startswith("card:") and older.key != newest.key and older.ts:
                await self._bring(older)

    async def _scene(self, run: Run) -> Scene:
        scene = await full_scene(self._store, self._desk.policy, run, run.language)
        if len(scene.requests) < 2:  # noqa: PLR2004 - a card is replaced from the second on
            return scene
        links: dict[str, str] = {}
        for message in await self._store.messages(run.id):
            kind, _, request_id = message.key.partition(":")
            if kind == "card" and message.channel and message.ts and request_id == scene.requests[-1].id:
                link = await self._desk.link(message.channel, message.ts)
                links |= {request_id: link} if link else {}
        return replace(scene, links=links)

    async def _got_through(self) -> None:
        """After Slack was out of reach, let what waits for its time be tried at once."""
        if self._line.worked():
            log.warning("Slack takes messages again")
            await self._store.try_soon(self._store.now())
            self.poke()

    async def _trouble(self, message: Message, run: Run, error: Exception) -> None:
        """Keep what went wrong beside the row, and when it makes sense to try again."""
        name, now = error_name(error), self._store.now()
        if (seconds := asked_to_wait(error)) is not None:
            self._line.wait(seconds)
            log.warning("Slack asks to wait", extra={"seconds": seconds})
            if message.ts is None:
                await self._store.not_shown(message.key, name, now)
            return
        tries = message.tries + 1
        if is_unreachable(error) or (is_out_of_order(error) and tries <= TRIES_IN_TURN):
            if self._line.failed():
                log.warning("Slack takes no messages; they wait", extra={"error": name})
            await self._store.not_shown(message.key, name, now, tries)
            return
        log.warning("message not shown", extra={"run": run.id, "key": message.key, "error": name})
        if name in GONE and message.ts is not None:
            await self._gone(message, run, name)
        elif name in REFUSED | GONE and message.ts is None and message.key.startswith("outcome:"):
            await self._elsewhere(message, run, name)
        elif name in REFUSED and message.ts is None and message.key == f"progress:{run.id}":
            await self._store.not_shown(message.key, name, None)
            self._beside_cannot_post(run, name)
        else:
            over = message.ts is not None and run.state in ENDED and tries >= EDITS_AT_MOST
            await self._store.not_shown(message.key, name, None if over else later(name, tries, now), tries)
            if message.key.startswith("card:") and name in REFUSED and message.ts is None:
                await self._tell_requester(message, run, name)

    async def _elsewhere(self, message: Message, run: Run, name: str) -> None:
        """Tell an outcome to the requester directly, where its thread cannot be written in."""
        user = self._desk.policy.user(run.requester)
        if user is None or message.place == user or not message.key.startswith("outcome:"):
            await self._store.not_shown(message.key, name, None)
        else:
            await self._store.move(message.key, user)
            self.poke()

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

    def _beside_cannot_post(self, run: Run, name: str) -> None:
        """End a run whose first message has no place, and say so where the command was typed."""

        async def end() -> None:
            ended = await self._desk.engine.cannot_post(run.id, name)
            if ended.state == "failed":
                sentence = TEXTS[run.language].cannot_post.format(problem=name, bot=self._desk.workspace.bot)
                await self._desk.tell_starter(run, sentence)

        task = asyncio.create_task(end())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)
