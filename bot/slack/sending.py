"""Post and edit messages; know Slack's errors by what can be done about them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.slack.arrived import arrived
from bot.slack.away import error_name
from bot.slack.blocks import Content
from bot.slack.desk import Desk
from bot.slack.drawing import lean
from graph.approval import Message, Run

log = logging.getLogger(__name__)

EVENT_TYPE = "ringi_message"
REFUSED = frozenset(
    {
        "channel_not_found", "not_in_channel", "is_archived", "missing_scope", "restricted_action", "no_permission",
        "user_not_found", "cannot_dm_bot", "user_disabled", "messages_tab_disabled", "access_denied",
        "restricted_action_read_only_channel", "restricted_action_thread_only_channel",
    }
)  # fmt: skip
"""A message is refused where it belongs until someone changes something in Slack."""
GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"})
"""The message that was to be edited cannot be any more."""
_TOO_BIG = frozenset({"invalid_blocks", "msg_blocks_too_long", "msg_too_long", "invalid_blocks_format"})
_SOON = (2, 5, 15, 60, 300)
_MUCH_LATER = (60, 300, 1800, 3600)
EDITS_AT_MOST = len(_MUCH_LATER)
"""Tries of an edit that changes nothing for anybody any more, before it is given up."""
# A clock that was ahead of Slack's when the run began must not hide the message that is looked for.
_CLOCKS_DIFFER = 24 * 3600


@dataclass(frozen=True, slots=True)
class Posted:
    """Where a message stands; `adopted` means that an earlier try had arrived after all."""

    channel: str
    ts: str
    adopted: bool


def later(name: str, tries: int, now: datetime) -> datetime | None:
    """Return when to try again after this error; None if trying again is of no use."""
    if name in GONE or name in _TOO_BIG:
        return None
    steps = _MUCH_LATER if name in REFUSED else _SOON
    return now + timedelta(seconds=steps[min(max(tries, 1), len(steps)) - 1])


class Sender:
    """Posts and edits of one workspace."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._direct: dict[str, str] = {}

    async def edit(self, message: Message, content: Content) -> None:
        """Bring a posted message to a content; always with blocks, for a text alone would remove them."""
        try:
            await self._edit(message, content)
        except SlackApiError as error:
            if error_name(error) not in _TOO_BIG:
                raise
            log.exception("edit refused for its size", extra={"key": message.key})
            await self._edit(message, lean(content))

    async def _edit(self, message: Message, content: Content) -> None:
        await self._desk.reads.chat_update(
            channel=str(message.channel), ts=str(message.ts), text=content.text, blocks=content.blocks
        )

    async def post(self, message: Message, run: Run, content: Content, parent: Message | None) -> Posted:
        """Post a message once: a second try first looks whether the first one arrived.

        Raises:
            SlackApiError, OSError, TimeoutError: it was not posted, or that is not known.
        """
        channel = await self._channel(message.place)
        thread = parent.ts if parent else None
        if message.tries > 1:
            since = run.created.timestamp() - _CLOCKS_DIFFER
            known = _known_by(message.key)
            if found := await arrived(self._desk.reads, channel, thread, known, since=since):
                return Posted(channel, found, adopted=True)
        try:
            reply = await self._send(channel, message, content, thread)
        except SlackApiError as error:
            if error_name(error) not in _TOO_BIG:
                raise
            log.exception("post refused for its size", extra={"key": message.key})
            reply = await self._send(channel, message, lean(content), thread)
        return Posted(str(reply["channel"]), str(reply["ts"]), adopted=False)

    async def _send(
        self, channel: str, message: Message, content: Content, thread: str | None
    ) -> AsyncSlackResponse:
        return await self._desk.sends.chat_postMessage(
            channel=channel,
            text=content.text,
            blocks=content.blocks,
            thread_ts=thread,
            metadata={"event_type": EVENT_TYPE, "event_payload": {"key": message.key}},
            unfurl_links=False,
            unfurl_media=False,
        )

    async def _channel(self, place: str) -> str:
        """Return the channel of a place; a user's is the direct messages with them."""
        if not place.startswith(("U", "W")):
            return place
        if place not in self._direct:
            reply: Any = await self._desk.reads.conversations_open(users=place)
            self._direct[place] = str(reply["channel"]["id"])
        return self._direct[place]


def _known_by(key: str) -> Callable[[Mapping[str, Any]], str | None]:
    """Return what tells the `ts` of the message that carries this key."""

    def ts_of(message: Mapping[str, Any]) -> str | None:
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        ours = metadata.get("event_type") == EVENT_TYPE and payload.get("key") == key
        return str(message["ts"]) if ours else None

    return ts_of
