"""The methods of the Web API that change something, by Slack's names.

Source: https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import re
from typing import Any

from bot.emulator import checks, complete, shapes
from bot.emulator.modals import Modals
from bot.emulator.model import APP, BOT, BOT_USER, DOMAIN, TEAM, Channel, Message, View
from bot.emulator.reading import by_id
from bot.emulator.refusal import Refusal
from bot.emulator.socket_mode import SocketMode
from bot.emulator.web_api import Arguments, Call, needed
from bot.emulator.workspace import Workspace


class Methods:
    """What the methods about the app itself, its messages and its views do."""

    def __init__(self, workspace: Workspace, modals: Modals, sockets: SocketMode) -> None:
        self.workspace, self.modals, self.sockets = workspace, modals, sockets

    def calls(self) -> dict[str, Call]:
        """Return these methods."""
        write = ("chat:write",)
        return {
            "api.test": Call(self.api_test),
            "auth.test": Call(self.auth_test),
            "apps.connections.open": Call(self.connections_open, app_token=True),
            "chat.postMessage": Call(self.post_message, write),
            "chat.update": Call(self.update_message, write),
            "chat.delete": Call(self.delete_message, write),
            "chat.postEphemeral": Call(self.post_ephemeral, write),
            "chat.getPermalink": Call(self.permalink),
            "views.open": Call(self.views_open),
            "views.push": Call(self.views_push),
            "views.update": Call(self.views_update),
            "views.publish": Call(self.views_publish),
        }

    # -- the app itself -------------------------------------------------------------------------------

    async def api_test(self, arguments: Arguments) -> dict[str, Any]:
        """Answer with the arguments."""
        return {"args": arguments}

    async def auth_test(self, _: Arguments) -> dict[str, Any]:
        """Say whose token it is."""
        return {
            "url": f"https://{DOMAIN}.slack.com/",
            "team": "Local",
            "user": shapes.handle(self.workspace.users[BOT_USER]),
            "team_id": TEAM,
            "user_id": BOT_USER,
            "bot_id": BOT,
            "is_enterprise_install": False,
        }

    async def connections_open(self, _: Arguments) -> dict[str, Any]:
        """Give out an address for one socket."""
        host = self.workspace.base.removeprefix("http://")
        return {"url": f"ws://{host}/link/?ticket={self.sockets.new_ticket()}&app_id={APP}"}

    # -- messages -------------------------------------------------------------------------------------

    async def post_message(self, arguments: Arguments) -> dict[str, Any]:
        """Post a message; to a user's id, in the direct messages with them."""
        channel = self.workspace.writable(needed(arguments, "channel", "channel_not_found"))
        text, blocks = checks.content(arguments)
        metadata, warning = _metadata(arguments)
        message = Message(
            channel.id,
            self.workspace.new_ts(),
            BOT_USER,
            text,
            complete.blocks(blocks),
            thread_ts=self._thread(channel, arguments),
            metadata=metadata,
        )
        self.workspace.put(message)
        wire = shapes.message(self.workspace, message, metadata=True)
        return {"channel": channel.id, "ts": message.ts, "message": wire, **warning}

    async def update_message(self, arguments: Arguments) -> dict[str, Any]:
        """Replace a message's content: with `text` alone the blocks go; what is not given at all stays."""
        message = self._own(arguments, "cant_update_message")
        metadata, warning = _metadata(arguments)
        if metadata is not None and "text" not in arguments and "blocks" not in arguments:
            text, blocks = message.text, message.blocks
        else:
            text, blocks = checks.content(arguments)
        message.text, message.blocks = text, complete.blocks(blocks)
        if metadata is not None:
            message.metadata = metadata
        if not blocks:
            message.edited = self.workspace.new_ts()
        self.workspace.touch()
        wire = shapes.message(self.workspace, message, metadata=True)
        return {"channel": message.channel, "ts": message.ts, "text": text, "message": wire, **warning}

    async def delete_message(self, arguments: Arguments) -> dict[str, Any]:
        """Delete one of the app's messages."""
        message = self._own(arguments, "cant_delete_message")
        self.workspace.delete(message.channel, message.ts)
        return {"channel": message.channel, "ts": message.ts}

    async def post_ephemeral(self, arguments: Arguments) -> dict[str, Any]:
        """Show a message to one person in a channel."""
        channel = self.workspace.writable(needed(arguments, "channel", "channel_not_found"))
        person = needed(arguments, "user")
        if person not in channel.members:
            raise Refusal("user_not_in_channel")
        text, blocks = checks.content(arguments)
        message = Message(
            channel.id,
            self.workspace.new_ts(),
            BOT_USER,
            text,
            complete.blocks(blocks),
            thread_ts=self._thread(channel, arguments),
            only_for=person,
        )
        self.workspace.put(message)
        return {"message_ts": message.ts}

    async def permalink(self, arguments: Arguments) -> dict[str, Any]:
        """Return a message's address, which leads to this Slack's page."""
        channel = by_id(self.workspace, needed(arguments, "channel", "channel_not_found"))
        message = self.workspace.message(channel.id, needed(arguments, "message_ts", "message_not_found"))
        return {
            "channel": channel.id,
            "permalink": f"{self.workspace.base}/archives/{channel.id}/p{message.ts.replace('.', '')}",
        }

    # -- views ----------------------------------------------------------------------------------------

    async def views_open(self, arguments: Arguments) -> dict[str, Any]:
        """Open a modal."""
        return _view(self.modals.open(needed(arguments, "trigger_id"), arguments.get("view")))

    async def views_push(self, arguments: Arguments) -> dict[str, Any]:
        """Put a modal on top of another."""
        return _view(self.modals.push(needed(arguments, "trigger_id"), arguments.get("view")))

    async def views_update(self, arguments: Arguments) -> dict[str, Any]:
        """Replace an open view."""
        view_id, external_id = arguments.get("view_id"), arguments.get("external_id")
        if not view_id and not external_id:
            raise Refusal("invalid_arguments", ["missing required field: view_id"])
        return _view(self.modals.update(view_id, external_id, arguments.get("view"), arguments.get("hash")))

    async def views_publish(self, arguments: Arguments) -> dict[str, Any]:
        """Show a Home tab."""
        return _view(
            self.modals.publish(needed(arguments, "user_id"), arguments.get("view"), arguments.get("hash"))
        )

    # -- inside --------------------------------------------------------------------------------

    def _own(self, arguments: Arguments, otherwise: str) -> Message:
        """Find one of the app's own messages; ephemeral ones cannot be found."""
        channel = by_id(self.workspace, needed(arguments, "channel", "channel_not_found"))
        message = self.workspace.message(channel.id, needed(arguments, "ts", "message_not_found"))
        if channel.archived:
            raise Refusal("is_archived")
        if message.user != BOT_USER:
            raise Refusal(otherwise)
        return message

    def _thread(self, channel: Channel, arguments: Arguments) -> str | None:
        """Return the first message of the thread to answer in."""
        thread_ts = arguments.get("thread_ts")
        return self.workspace.thread(channel.id, str(thread_ts)) if thread_ts else None


def _view(view: View) -> dict[str, Any]:
    return {"view": shapes.view(view)}


def _metadata(arguments: Arguments) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return metadata fit to keep, or a warning: Slack drops what it cannot read and posts all the same.

    Source: https://docs.slack.dev/messaging/message-metadata
    """
    given = arguments.get("metadata")
    if given is None:
        return None, {}
    right = isinstance(given, dict) and isinstance(given.get("event_payload"), dict)
    if not right or not re.fullmatch(r"[A-Za-z0-9_-]+", str(given.get("event_type", ""))):
        return None, {"warning": "metadata_invalid", "response_metadata": {"warnings": ["metadata_invalid"]}}
    return given, {}
