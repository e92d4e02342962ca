"""The local Slack as one server on loopback: Web API, Socket Mode, reply addresses, page."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from aiohttp import web

from bot.emulator.breaking import Breaking
from bot.emulator.faults import Faults
from bot.emulator.files import Files
from bot.emulator.interactions import Interactions
from bot.emulator.manifest import Manifest
from bot.emulator.methods import Methods
from bot.emulator.modals import Modals
from bot.emulator.page_socket import Page
from bot.emulator.people import Person
from bot.emulator.reading import Reading
from bot.emulator.refusal import Refusal
from bot.emulator.reply_url import ReplyUrls
from bot.emulator.socket_mode import SocketMode
from bot.emulator.web_api import WebApi
from bot.emulator.workspace import Workspace

SCOPES = frozenset(
    {
        "chat:write",
        "commands",
        "users:read",
        "channels:read",
        "channels:history",
        "groups:read",
        "groups:history",
        "im:read",
        "im:write",
        "im:history",
        "files:write",
        "files:read",
        "usergroups:read",
    }
)


class Emulator:
    """A local Slack. `start` it, point an app at `api_url` with its two tokens, act through `person` or the page.

    Args:
        manifest: the app's manifest as a mapping; names the bot, its commands, events and scopes. Without one
            every command is taken, the app subscribed to nothing, and the bot token may do all there is.
        scopes: what the bot token may do, if that is to differ from the manifest.
        clock: seconds since the epoch.

    Attributes:
        api_url: where the Web API is, `http://127.0.0.1:PORT/api/`.
        page_url: where people act; holds the secret that lets a browser in.
        bot_token: a new one at each start.
        app_token: a new one at each start.
        workspace: all state; tests may look into it and change it (`archive`, `delete` …).
        faults: what is to go wrong in the Web API.
        sockets: the app's connections.
        events: what the app is told of; `events.retry_seconds` is when it is told again.
        rates: how often methods may be called; `rates.clear()` lifts all limits.
    """

    def __init__(
        self,
        manifest: Mapping[str, Any] | None = None,
        *,
        scopes: Iterable[str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        app = Manifest(manifest or {})
        granted = set(scopes) if scopes is not None else app.scopes or set(SCOPES)
        self.bot_token = f"xoxb-local-{secrets.token_urlsafe(18)}"
        self.app_token = f"xapp-local-{secrets.token_urlsafe(18)}"
        self.workspace = Workspace(bot_name=app.name, clock=clock)
        self.sockets = SocketMode()
        self.faults = Faults()
        self.modals = Modals(self.workspace, home=app.home)
        self._replies = ReplyUrls(self.workspace)
        self._methods = Methods(self.workspace, self.modals, self.sockets)
        self._files = Files(self.workspace)
        calls = self._methods.calls() | Reading(self.workspace, granted).calls() | self._files.calls()
        self.web_api = WebApi(self.bot_token, self.app_token, granted, self.faults, calls)
        self.rates = self.web_api.rates
        self.interactions = Interactions(self.workspace, self.sockets, self.modals, self._replies, app)
        self.events = self.interactions.events
        self.breaking = Breaking(self.workspace, self.sockets, self.faults)
        self._page = Page(self.interactions, self.breaking)
        self._runner: web.AppRunner | None = None
        self.api_url = self.page_url = ""

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; port 0 takes a free one."""
        app = web.Application(middlewares=[self._page.guard], client_max_size=4 * 1024 * 1024)
        app.router.add_route("*", "/api/{method}", self.web_api.serve)
        app.router.add_get("/link/", self.sockets.serve)
        app.router.add_post("/commands/{reply}", self._reply)
        app.router.add_post("/actions/{reply}", self._reply)
        app.router.add_post("/upload/v1/{ticket}", self._files.take)
        app.router.add_get("/files-pri/{file}/{name}", self._give_file)
        app.router.add_get("/files-pri/{file}/download/{name}", self._give_file)
        self._page.add_to(app.router)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        bound = self._runner.addresses[0][1]
        base = f"http://127.0.0.1:{bound}"
        self.workspace.base = base
        self._page.port = bound
        self.api_url, self.page_url = f"{base}/api/", f"{base}/?key={self._page.key}"

    async def close(self) -> None:
        """Stop listening and close every connection."""
        await self._page.close()
        await self.events.close()
        self.sockets.drop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def person(self, user_id: str) -> Person:
        """Return a member of the workspace to act as.

        Raises:
            LookupError: there is no such member.
        """
        if user_id not in self.workspace.users:
            raise LookupError(f"There is no {user_id}; there are {', '.join(self.workspace.users)}.")
        return Person(self.interactions, self.workspace.users[user_id])

    # -- what can go wrong ----------------------------------------------------------------------------

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask the app to reconnect, as Slack does a few times a day."""
        await self.sockets.disconnect(reason)

    def drop_connections(self) -> None:
        """Cut the app's sockets without a word."""
        self.sockets.drop()

    async def redeliver(self) -> None:
        """Send the last envelope once more, with the same id, and wait for its ack."""
        await self.sockets.redeliver()

    def go_away(self) -> None:
        """Be out of the app's reach until `come_back`: no call is answered, every socket is cut."""
        self.faults.away = True
        self.sockets.drop()

    def come_back(self) -> None:
        """Be reachable again, and answer as usual."""
        self.faults.heal()
        self.sockets.silent = False

    def lose_next_reply(self, method: str = "chat.postMessage", times: int = 1) -> None:
        """Do what the next call asks, then cut the connection instead of answering."""
        self.faults.lose_reply(method, times)

    def expire_triggers(self) -> None:
        """Let every trigger given out so far be too old."""
        for trigger in self.workspace.triggers.values():
            trigger.expired = True

    def archive(self, channel: str) -> None:
        """Archive a channel, by id or name."""
        self.workspace.named(channel).archived = True
        self.workspace.touch()

    def delete(self, message: Mapping[str, Any]) -> None:
        """Delete a message, as an administrator may."""
        self.workspace.delete(message["channel"], message["ts"])

    async def _give_file(self, request: web.Request) -> web.Response:
        """Give a file to the page, or to the app if it may read files."""

        def let_in() -> None:
            if not self.web_api.may(request, "files:read"):
                self._page.let_in(request)

        return self._files.give(request, let_in)

    async def _reply(self, request: web.Request) -> web.Response:
        """Take what the app posted to a `response_url`."""
        try:
            body = await request.json()
            self._replies.use(request.match_info["reply"], body)
        except ValueError:
            return web.Response(status=400, text="invalid_payload")
        except Refusal as refusal:
            return web.Response(status=refusal.status if refusal.status != 200 else 400, text=refusal.error)  # noqa: PLR2004 - HTTP's OK
        return web.Response(text="ok")
