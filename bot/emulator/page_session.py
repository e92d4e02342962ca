"""One open page: what its reader sees, and what its reader does.

The reader is sent the whole state after every change, and one answer to each request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import WSMsgType, web

from bot.emulator import shapes
from bot.emulator.answer import Answer, Press
from bot.emulator.breaking import Breaking
from bot.emulator.interactions import Interactions
from bot.emulator.model import BOT_USER
from bot.emulator.refusal import Refusal
from bot.emulator.suggestions import Suggestion

PAUSE = 0.05  # at most 20 snapshots a second


class Session:
    """One open page, and who its reader is at the moment.

    Args:
        interactions: through which the page acts.
        breaking: what the page can break.
        socket: the page's side of the wire.
    """

    def __init__(self, interactions: Interactions, breaking: Breaking, socket: web.WebSocketResponse) -> None:
        self.interactions, self.manifest, self.socket = interactions, interactions.manifest, socket
        self.breaking = breaking
        self.workspace = interactions.workspace
        self.me = next(u.id for u in self.workspace.users.values() if not u.is_bot)
        self.workspace.open_im(self.me)
        self._turn = 0
        self._sent: tuple[Any, ...] = ()
        self._doing: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Send snapshots and carry out requests until the page goes away."""
        showing = asyncio.create_task(self._show())
        try:
            async for frame in self.socket:
                if frame.type == WSMsgType.TEXT:
                    task = asyncio.create_task(self._take(frame.data))
                    self._doing.add(task)
                    task.add_done_callback(self._doing.discard)
        finally:
            for task in (showing, *self._doing):
                task.cancel()
            await asyncio.gather(showing, *self._doing, return_exceptions=True)

    async def _show(self) -> None:
        """Send the whole state whenever it changed, at most 20 times a second."""
        with contextlib.suppress(ConnectionError):
            while not self.socket.closed:
                self._sent = self._now()
                await self.socket.send_json(self._state())
                await asyncio.sleep(PAUSE)
                with contextlib.suppress(TimeoutError):
                    await self.workspace.until(lambda: self._now() != self._sent, 60)

    def _now(self) -> tuple[Any, ...]:
        """Return what changes when the reader would see something new."""
        return self.workspace.version, self._turn, self.breaking.state()

    def _state(self) -> dict[str, Any]:
        """Return everything the reader sees."""
        ws, me = self.workspace, self.me
        home = ws.homes.get(me)
        mine = [c for c in ws.channels.values() if me in c.members]
        return {
            "type": "state",
            "me": me,
            "users": [
                {"id": u.id, "name": u.name, "tz": u.tz, "locale": u.locale, "is_bot": u.is_bot}
                for u in ws.users.values()
            ],
            "channels": [
                {
                    "id": c.id,
                    "name": ws.users[BOT_USER].name if c.im else c.name,
                    "is_im": c.im is not None,
                    "is_member": BOT_USER in c.members,
                    "is_archived": c.archived,
                }
                for c in mine
            ],
            "messages": {c.id: [shapes.seen(ws, m) for m in ws.seen_by(me, c.id)] for c in mine},
            "views": [shapes.view(v) for v in ws.stacks.get(me, [])],
            "home": shapes.view(home) if home else None,
            "commands": self.manifest.commands,
            "shortcuts": self.manifest.shortcuts,
            "has_home": self.manifest.home,
            "broken": self.breaking.state(),
            "usergroups": [
                {"id": g.id, "handle": g.handle, "members": g.members} for g in ws.usergroups.values()
            ],
        }

    async def _take(self, text: str) -> None:
        """Carry out one request of the page and answer it."""
        number, groups = None, None
        try:
            asked = json.loads(text)
            number = asked["id"]
            done = await self._do(asked)
            answer = Answer(error=done.error) if isinstance(done, Suggestion) else done
            groups = done.groups if isinstance(done, Suggestion) else None
        except (ValueError, KeyError, TypeError, AttributeError):
            answer = Answer(error="The page sent something that cannot be read; reload it.")
        except LookupError as error:
            answer = Answer(error=str(error))
        except Refusal as refusal:
            gone = refusal.error == "message_not_found"
            answer = Answer(error="This message is gone." if gone else refusal.error)
        said: dict[str, Any] = {
            "type": "answer",
            "id": number,
            "ok": answer.ok,
            "error": answer.error,
            "errors": answer.errors or None,
        }
        if groups is not None:
            said["groups"] = groups
        with contextlib.suppress(ConnectionError):
            await self.socket.send_json(said)

    async def _do(self, asked: dict[str, Any]) -> Answer | Suggestion:
        """Do what the page asks, as the person its reader is."""
        acting, me = self.interactions, self.me
        doing: dict[str, Callable[[], Awaitable[Answer | Suggestion]]] = {
            "be": lambda: self._be(asked["user"]),
            "say": lambda: acting.say(me, asked["channel"], asked["text"], asked.get("thread_ts")),
            "shortcut": lambda: acting.shortcut(me, asked["callback_id"]),
            "click": lambda: self._click(asked),
            "submit": lambda: acting.submit(me, asked["view_id"], asked["values"]),
            "close": lambda: acting.close(me, asked["view_id"], everything=bool(asked.get("everything"))),
            "suggest": lambda: acting.suggest(
                me, asked, Press(asked["action_id"], asked.get("block_id")), str(asked["query"])
            ),
            "break": lambda: self._break(asked),
            "home": lambda: acting.open_home(me, "messages" if asked.get("tab") == "messages" else "home"),
        }
        if asked["do"] not in doing:
            raise LookupError("This Slack cannot do that.")
        return await doing[asked["do"]]()

    async def _break(self, asked: dict[str, Any]) -> Answer:
        """Break or mend something."""
        await self.breaking.do(asked["what"], asked.get("channel"))
        return Answer()

    async def _be(self, user: str) -> Answer:
        """Become another person."""
        if user not in self.workspace.users or self.workspace.users[user].is_bot:
            raise LookupError("There is no such person.")
        self.me = user
        self.workspace.open_im(user)
        self._turn += 1
        self.workspace.touch()
        return Answer()

    async def _click(self, asked: dict[str, Any]) -> Answer:
        """Press in a view or in a message; `value` and `values` only where something is chosen or typed."""
        press = Press(
            asked["action_id"], asked.get("block_id"), asked.get("value"), asked.get("values") or {}
        )
        if "view_id" in asked:
            return await self.interactions.click_view(self.me, asked["view_id"], press)
        return await self.interactions.click_message(self.me, asked["channel"], asked["ts"], press)
