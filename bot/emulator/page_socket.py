"""The page's side of the local Slack: who may drive it, its files, and its socket.

No other web page and no other user of the machine can drive it: the printed address holds a secret that is
traded for a cookie no script can read and no other site can send; the Host must be ours (a rebound name is
not), the Origin of a socket or a POST must be ours, and the pages load nothing from anywhere else.
"""

from __future__ import annotations

import re
import secrets
from hmac import compare_digest
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.emulator.breaking import Breaking
from bot.emulator.interactions import Interactions
from bot.emulator.page_session import Session

FILES = Path(__file__).parent / "page"
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
        breaking: what the page can break.

    Attributes:
        key: the secret in the printed address.
        port: where this Slack listens.
    """

    def __init__(self, interactions: Interactions, breaking: Breaking) -> None:
        self.interactions, self.workspace, self.breaking = interactions, interactions.workspace, breaking
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
        # Slack's own synchronous client leaves the port out; only its tickets open anything there
        bare = {"127.0.0.1", "localhost"} if request.path == "/link/" else set()
        origin = request.headers.get("Origin")
        if request.host not in ours | bare:
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

    def let_in(self, request: web.Request) -> None:
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
        self.let_in(request)
        return web.FileResponse(FILES / "index.html")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.let_in(request)
        name = request.match_info["file"]
        path = FILES / name
        if not re.fullmatch(r"[a-z0-9_-]+\.(css|js|svg|png)", name) or not path.is_file():
            raise web.HTTPNotFound(text="There is no such file.\n")
        return web.FileResponse(path, headers={"Content-Type": _TYPES[path.suffix]})

    async def _archive(self, request: web.Request) -> web.StreamResponse:
        """Lead a permalink to the message on the page."""
        self.let_in(request)
        channel, digits = request.match_info["channel"], request.match_info["message"].removeprefix("p")
        if channel not in self.workspace.channels or not digits.isdigit():
            raise web.HTTPNotFound(text="There is no such message.\n")
        raise web.HTTPSeeOther(f"/#{channel}/{digits[:-6]}.{digits[-6:]}")

    # -- the socket -----------------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        self.let_in(request)
        if "Origin" not in request.headers:  # a browser always sends it; `guard` has compared it
            raise web.HTTPForbidden(text="Another page cannot act here.\n")
        socket = web.WebSocketResponse(heartbeat=20, max_msg_size=1024 * 1024)
        await socket.prepare(request)
        self._open.add(socket)
        session = Session(self.interactions, self.breaking, socket)
        try:
            await session.run()
        finally:
            self._open.discard(socket)
        return socket
