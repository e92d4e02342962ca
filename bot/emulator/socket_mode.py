"""Socket Mode: one link to the app per socket, one socket per envelope, three seconds for each ack.

Source: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from bot.emulator.model import APP

log = logging.getLogger(__name__)

ACK_SECONDS = 3.0
TICKET_SECONDS = 30.0
MOST_SOCKETS = 10


@dataclass(frozen=True, slots=True)
class Ack:
    """An acknowledgement: how long it took in milliseconds, and the body that came with it (None if none)."""

    milliseconds: float
    body: Any = None


@dataclass(slots=True)
class _Link:
    """One open socket of the app; `told` once it takes no more: asked to reconnect, or not to be written to."""

    socket: web.WebSocketResponse
    transport: asyncio.BaseTransport | None
    told: bool = False


@dataclass(slots=True)
class SocketMode:
    """All sockets of the app and the envelopes under way.

    Attributes:
        silent: answer no pings, as when a network path has died behind an open connection.
        ack_seconds: how long an ack may take.
        sent: every envelope that went out, oldest first (the last 1,000).
        acks: envelope id → how many acks came, late ones too.
    """

    silent: bool = False
    ack_seconds: float = ACK_SECONDS
    sent: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=1000))
    acks: dict[str, int] = field(default_factory=dict)
    _links: list[_Link] = field(default_factory=list)
    _tickets: dict[str, float] = field(default_factory=dict)
    _waiting: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    _turn: int = 0
    _opened: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def connections(self) -> int:
        """How many sockets would take an envelope now."""
        return sum(1 for link in self._links if not link.told and not link.socket.closed)

    def new_ticket(self) -> str:
        """Return a ticket that opens one socket within 30 seconds."""
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = time.monotonic()
        return ticket

    async def connected(self, count: int = 1, timeout: float = 10.0) -> None:  # noqa: ASYNC109 - a deadline is this method's purpose
        """Wait until the app has opened this many sockets.

        Raises:
            TimeoutError: it did not in `timeout` seconds.
        """
        async with asyncio.timeout(timeout), self._opened:
            await self._opened.wait_for(lambda: self.connections >= count)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Take one socket of the app and read it to its end."""
        issued = self._tickets.pop(request.query.get("ticket", ""), None)
        if issued is None or time.monotonic() - issued > TICKET_SECONDS or "Origin" in request.headers:
            return web.Response(status=403, text="This link was used or is too old; open a new one.\n")
        socket = web.WebSocketResponse(autoping=False, max_msg_size=4 * 1024 * 1024)
        await socket.prepare(request)
        link = _Link(socket, request.transport)
        self._links.append(link)
        try:
            if len(self._links) > MOST_SOCKETS:
                await self._tell(link, "too_many_websockets")
                return socket
            await socket.send_json(
                {
                    "type": "hello",
                    "num_connections": self.connections,
                    "debug_info": {"host": "local", "build_number": 1, "approximate_connection_time": 18060},
                    "connection_info": {"app_id": APP},
                }
            )
            async with self._opened:
                self._opened.notify_all()
            await self._read(socket)
        finally:
            self._links.remove(link)
        return socket

    async def _read(self, socket: web.WebSocketResponse) -> None:
        """Answer pings and hand acks to those who wait."""
        async for frame in socket:
            if frame.type == WSMsgType.PING and not self.silent:
                await socket.pong(frame.data)
            elif frame.type == WSMsgType.TEXT:
                self._take(frame.data)

    def _take(self, text: str) -> None:
        """Read one ack; what is no ack is logged and left."""
        try:
            said = json.loads(text)
            envelope_id = said["envelope_id"]
        except (ValueError, TypeError, KeyError):
            log.warning("no ack: a frame without envelope_id")
            return
        self.acks[envelope_id] = self.acks.get(envelope_id, 0) + 1
        waiting = self._waiting.get(envelope_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(said.get("payload"))

    async def deliver(self, kind: str, payload: dict[str, Any], *, answers: bool = False) -> Ack | None:
        """Send one envelope to one socket and wait for its ack.

        Args:
            kind: `slash_commands`, `interactive` or `events_api`.
            payload: what happened.
            answers: whether the ack may carry a body.

        Returns:
            The ack, or None if no socket is open or none came in time.
        """
        return await self.send(self.envelope(kind, payload, answers=answers))

    def envelope(self, kind: str, payload: dict[str, Any], *, answers: bool = False) -> dict[str, Any]:
        """Put a payload into a new envelope; arguments as for `deliver`."""
        envelope: dict[str, Any] = {
            "envelope_id": str(uuid.uuid4()),
            "type": kind,
            "accepts_response_payload": answers,
            "payload": payload,
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": 0, "retry_reason": ""}
        return envelope

    async def send(self, envelope: dict[str, Any]) -> Ack | None:
        """Send a ready envelope to one socket, in turn, and wait for its ack."""
        link = self._next()
        if link is None:
            return None
        self.sent.append(envelope)
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[envelope["envelope_id"]] = waiting
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(self.ack_seconds):
                await link.socket.send_json(envelope)
                body = await waiting
        except TimeoutError:
            return None
        except ConnectionError:  # its reader will notice too, but only once the loop comes round
            link.told = True
            return None
        finally:
            self._waiting.pop(envelope["envelope_id"], None)
        return Ack((time.perf_counter() - begun) * 1000, body)

    async def redeliver(self) -> Ack | None:
        """Send the last envelope once more, with the same id, as Slack does when it doubts an ack."""
        if not self.sent:
            raise LookupError("Nothing was delivered yet.")
        return await self.send({**self.sent[-1], "retry_attempt": 1, "retry_reason": "timeout"})

    def _next(self) -> _Link | None:
        """Choose the socket whose turn it is."""
        ready = [link for link in self._links if not link.told and not link.socket.closed]
        self._turn += 1
        return ready[self._turn % len(ready)] if ready else None

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask every socket to reconnect, as Slack does a few times a day; it then gets nothing more."""
        for link in list(self._links):
            await self._tell(link, reason)

    async def _tell(self, link: _Link, reason: str) -> None:
        link.told = True
        if not link.socket.closed:
            await link.socket.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}}
            )

    def drop(self) -> None:
        """Cut every socket without a word, as a network that went away does."""
        for link in list(self._links):
            link.told = True
            if isinstance(link.transport, asyncio.Transport):
                link.transport.abort()
