"""Events: the app is told, and told again until it acknowledges, as Slack does; nobody waits for it.

Source: https://docs.slack.dev/apis/events-api/#errors (three more times: at once, after a minute, after five),
https://github.com/vercel/chat/issues/666 (the same in Socket Mode, also when no socket was open)
"""

from __future__ import annotations

import asyncio
from typing import Any

from bot.emulator.socket_mode import SocketMode

RETRY_SECONDS = (0.0, 60.0, 300.0)


class Events:
    """Tells the app what happened in the workspace.

    Attributes:
        subscribed: the types of events the app asked for; of others it hears nothing.
        retry_seconds: how long to wait before each further try.
    """

    def __init__(self, sockets: SocketMode, subscribed: frozenset[str]) -> None:
        self.sockets, self.subscribed = sockets, subscribed
        self.retry_seconds = RETRY_SECONDS
        self._telling: set[asyncio.Task[None]] = set()

    def tell(self, subscription: str, payload: dict[str, Any]) -> None:
        """Tell the app of an event, and go on at once.

        Args:
            subscription: what the app must have subscribed to, for example `message.im`.
            payload: the whole `event_callback`.
        """
        if subscription in self.subscribed:
            task = asyncio.create_task(self._tell(payload))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _tell(self, payload: dict[str, Any]) -> None:
        """Deliver until an ack comes or the last try is over."""
        envelope = self.sockets.envelope("events_api", payload)
        acked = await self.sockets.send(envelope)
        for number, wait in enumerate(self.retry_seconds, 1):
            if acked is not None:
                return
            await asyncio.sleep(wait)
            acked = await self.sockets.send(envelope | {"retry_attempt": number, "retry_reason": "timeout"})

    async def close(self) -> None:
        """Tell the app nothing any more."""
        for task in self._telling:
            task.cancel()
        await asyncio.gather(*self._telling, return_exceptions=True)
