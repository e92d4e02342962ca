"""The page's side of the local Slack: who may drive it, its files, and its socket.

No other web page and no other user of the machine can drive it: the printed address holds a secret that is
traded for a cookie no script can read and no other site can send; the Host must be ours (a rebound name is
not), the Origin of a socket or a POST must be ours, and the pages load nothing from anywhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web
from aiohttp.typedefs import Handler

from bot.emulator import shapes
from bot.emulator.interactions import Answer, Interactions, Press
from bot.emulator.model import BOT_USER
from bot.emulator.refusal import Refusal

log = logging.getLogger(__name__)

FILES = Path(__file__).parent / "page"
PAUSE = 0.05  # at most 20 snapshots a second
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Page:
    """Serves the page to the one browser that knows the key.

    Args:
        interactions: through which the page acts.
        commands: slash commands to suggest.

    Attributes:
        key: the secret in the printed address.
        port: where this Slack listens.
    """

    def __init__(self, interactions: Interactions, commands: list[dict[str, str]]) -> None:
        self.interactions, self.workspace, self.commands = interactions, interactions.workspace, commands
        self.key = secrets.token_urlsafe(24)
        self.port = 0
        self._cookie = secrets.token_urlsafe(24)
        self._open: set[web.WebSocketResponse] = set()

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Add the page's addresses."""
        router.add_get("/", self._index)
        router.add_get("/page/socket", self._socket)
        router.add_get("/archives/{channel}/{message}", self._archive)
        router.add_get("/{file}", self._file)

    async def close(self) -> None:
        """Close all sockets of pages."""
        for socket in list(self._open):
            await socket.close()

    # -- who may come in ------------------------------------------------------------------------------

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse foreign hosts and origins anywhere, and put the page's headers on every answer."""
        ours = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        origin = request.headers.get("Origin")
        if request.host not in ours:
            response: web.StreamResponse = web.Response(status=403, text="This address is not served here.\n")
        elif origin is not None and origin not in {f"http://{host}" for host in ours}:
            response = web.Response(status=403, text="Another page cannot act here.\n")
        else:
            try:
                response = await handler(request)
            except web.HTTPException as error:
                error.headers.update(HEADERS)
                raise
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    def _let_in(self, request: web.Request) -> None:
        """Refuse a browser that did not come through the printed address."""
        given = request.cookies.get(f"local_slack_{self.port}", "")
        if not compare_digest(given.encode(), self._cookie.encode()):
            raise web.HTTPForbidden(text="Open the address that was printed at the start; it holds a key.\n")

    # -- files ----------------------------------------------------------------------------------------

    async def _index(self, request: web.Request) -> web.StreamResponse:
        key = request.query.get("key")
        if key is not None:
            if not compare_digest(key.encode(), self.key.encode()):
                raise web.HTTPForbidden(
                    text="This key is from another start; open the address printed last.\n"
                )
            # a plain answer, for aiohttp deprecates returning its exceptions
            response = web.Response(status=303, headers={"Location": "/"})
            response.set_cookie(
                f"local_slack_{self.port}", self._cookie, httponly=True, samesite="Strict", path="/"
            )
            return response
        self._let_in(request)
        return web.FileResponse(FILES / "index.html")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self._let_in(request)
        name = request.match_info["file"]
        path = FILES / name
        if not re.fullmatch(r"[a-z0-9_-]+\.(css|js|svg|png)", name) or not path.is_file():
            raise web.HTTPNotFound(text="There is no such file.\n")
        return web.FileResponse(path, headers={"Content-Type": _TYPES[path.suffix]})

    async def _archive(self, request: web.Request) -> web.StreamResponse:
        """Lead a permalink to the message on the page."""
        self._let_in(request)
        channel, digits = request.match_info["channel"], request.match_info["message"].removeprefix("p")
        if channel not in self.workspace.channels or not digits.isdigit():
            raise web.HTTPNotFound(text="There is no such message.\n")
        raise web.HTTPSeeOther(f"/#{channel}/{digits[:-6]}.{digits[-6:]}")

    # -- the socket -----------------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        self._let_in(request)
        if "Origin" not in request.headers:  # a browser always sends it; `guard` has compared it
            raise web.HTTPForbidden(text="Another page cannot act here.\n")
        socket = web.WebSocketResponse(heartbeat=20, max_msg_size=1024 * 1024)
        await socket.prepare(request)
        self._open.add(socket)
        session = _Session(self, socket)
        try:
            await session.run()
        finally:
            self._open.discard(socket)
        return socket


class _Session:
    """One open page, and who its reader is at the moment."""

    def __init__(self, page: Page, socket: web.WebSocketResponse) -> None:
        self.page, self.socket = page, socket
        self.workspace, self.interactions = page.workspace, page.interactions
        self.me = next(u.id for u in self.workspace.users.values() if not u.is_bot)
        self.workspace.open_im(self.me)
        self._turn = 0
        self._sent = (-1, -1)
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

    def _now(self) -> tuple[int, int]:
        """Return what changes when the reader would see something new."""
        return self.workspace.version, self._turn

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
            "commands": self.page.commands,
        }

    async def _take(self, text: str) -> None:
        """Carry out one request of the page and answer it."""
        number = None
        try:
            asked = json.loads(text)
            number = asked["id"]
            answer = await self._do(asked)
        except (ValueError, KeyError, TypeError, AttributeError):
            answer = Answer(error="The page sent something that cannot be read; reload it.")
        except LookupError as error:
            answer = Answer(error=str(error))
        except Refusal as refusal:
            gone = refusal.error == "message_not_found"
            answer = Answer(error="This message is gone." if gone else refusal.error)
        said = {
            "type": "answer",
            "id": number,
            "ok": answer.ok,
            "error": answer.error,
            "errors": answer.errors or None,
        }
        with contextlib.suppress(ConnectionError):
            await self.socket.send_json(said)

    async def _do(self, asked: dict[str, Any]) -> Answer:
        """Do what the page asks, as the person its reader is."""
        acting, me = self.interactions, self.me
        doing: dict[str, Callable[[], Awaitable[Answer]]] = {
            "be": lambda: self._be(asked["user"]),
            "say": lambda: acting.say(me, asked["channel"], asked["text"]),
            "click": lambda: self._click(asked),
            "submit": lambda: acting.submit(me, asked["view_id"], asked["values"]),
            "close": lambda: acting.close(me, asked["view_id"]),
            "home": lambda: acting.open_home(me),
        }
        if asked["do"] not in doing:
            raise LookupError("This Slack cannot do that.")
        return await doing[asked["do"]]()

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
