"""The socket to Slack, rebuilt as a whole when it goes silent: that it is connected does not tell."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.away import AWAY, asked_to_wait, error_name
from graph.errors import Both, SettingsError

log = logging.getLogger(__name__)

PING_SECONDS = 10.0
CONNECT_SECONDS = 30.0
PAUSES = (1.0, 5.0, 15.0, 60.0)
"""Seconds until a new address is asked for again, one number a refusal; Slack's tier for it is one a minute."""


async def address(client: AsyncWebClient) -> str:
    """Ask Slack for the address of a new socket.

    Raises:
        SlackApiError, OSError, TimeoutError: it gives none; a wrong token fails here, where the SDK would try for ever.
    """
    reply: Any = await client.apps_connections_open(app_token=str(client.token))
    return str(reply["url"])


class Socket:
    """Socket Mode.

    Args:
        app: hears what comes.
        token: the app's own.
        client: with that token.
        ping_seconds: between two pings.
        clock: seconds that a change of the machine's time does not touch.
    """

    def __init__(
        self,
        app: AsyncApp,
        token: str,
        client: AsyncWebClient,
        *,
        ping_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._token, self._client, self._clock = app, token, client, clock
        self._ping = ping_seconds or PING_SECONDS
        self._socket: AsyncSocketModeHandler | None = None
        self._pong: float | None = None
        self._heard = clock()

    async def connect(self, url: str) -> None:
        """Connect to an address of Slack's.

        Raises:
            SettingsError: it did not connect in time.
        """
        handler = AsyncSocketModeHandler(
            self._app, self._token, web_client=self._client, ping_interval=self._ping
        )
        handler.client.proxy = self._client.proxy
        handler.client.wss_uri = url
        self._socket, self._pong = handler, None
        try:
            client: Any = handler.client  # the SDK types none of this
            await asyncio.wait_for(client.connect(), CONNECT_SECONDS)
            self._heard = self._clock()
        except TimeoutError:
            await self.close()
            sentence = Both(
                "Slack gave an address, but the socket did not connect within 30 seconds.",
                "Slack のアドレスに30秒以内に接続できませんでした。",
            )
            raise SettingsError([("SLACK_APP_TOKEN", sentence)]) from None

    async def watch(self) -> None:
        """Rebuild the connection whenever its last pong is too old; the SDK has had its own tries by then."""
        while True:
            await asyncio.sleep(self._ping / 2)
            if self.silent() >= 6 * self._ping:
                log.warning("socket is silent; connecting anew", extra={"seconds": round(self.silent())})
                await self.close()
                await self._anew()

    async def _anew(self) -> None:
        """Connect, however long it takes."""
        tries = 0
        while True:
            try:
                await self.connect(await address(self._client))
            except AWAY as error:
                wait, why = asked_to_wait(error), error_name(error)
            except SettingsError:
                wait, why = None, "the socket does not connect"
            except Exception as error:
                wait, why = None, type(error).__name__
                log.exception("connecting failed")
            else:
                log.warning("connected anew")
                return
            pause = wait or PAUSES[min(tries, len(PAUSES) - 1)]
            log.warning(
                "no socket to Slack; commands and clicks do not arrive",
                extra={"error": why, "again_in": pause},
            )
            tries += 1
            await asyncio.sleep(pause)

    def silent(self) -> float:
        """Return for how many seconds nothing was heard.

        The SDK dates its last pong by the machine's time, which may be changed, and forgets it when it gives a
        socket up; so what counts is when it was seen to change.
        """
        pong = self._socket.client.last_ping_pong_time if self._socket else None
        if pong is not None and pong != self._pong:
            self._pong, self._heard = pong, self._clock()
        return self._clock() - self._heard

    async def close(self) -> None:
        """Disconnect. Never raises."""
        socket, self._socket = self._socket, None
        if socket is None:
            return
        try:
            client: Any = socket.client
            await client.close()
        except Exception:
            log.exception("socket did not close")
