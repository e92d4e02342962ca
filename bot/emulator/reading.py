"""The methods of the Web API that only read: people, channels, messages; and opening direct messages.

Source: https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from bot.emulator import shapes
from bot.emulator.model import BOT_USER, Channel, Message
from bot.emulator.refusal import Refusal
from bot.emulator.web_api import Arguments, Call, needed
from bot.emulator.workspace import Workspace

_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
PAGE = 100


def by_id(workspace: Workspace, channel_id: str) -> Channel:
    """Find a channel by its own id; a user's id is none here.

    Raises:
        Refusal: `channel_not_found`.
    """
    if channel_id in workspace.users:
        raise Refusal("channel_not_found")
    return workspace.channel(channel_id)


class Reading:
    """What the reading methods do.

    Attributes:
        scopes: what the bot token may do; some methods need one by the kind of channel.
    """

    def __init__(self, workspace: Workspace, scopes: set[str]) -> None:
        self.workspace, self.scopes = workspace, scopes

    def calls(self) -> dict[str, Call]:
        """Return these methods."""
        return {
            "users.info": Call(self.users_info, ("users:read",)),
            "users.list": Call(self.users_list, ("users:read",)),
            "usergroups.list": Call(self.usergroups_list, ("usergroups:read",)),
            "usergroups.users.list": Call(self.usergroups_users, ("usergroups:read",)),
            "conversations.open": Call(self.conversations_open, ("im:write", "mpim:write")),
            "conversations.info": Call(self.conversations_info, _READ),
            "conversations.list": Call(self.conversations_list, _READ),
            "conversations.members": Call(self.conversations_members, _READ),
            "conversations.history": Call(self.history, _HISTORY),
            "conversations.replies": Call(self.replies, _HISTORY),
        }

    async def users_info(self, arguments: Arguments) -> dict[str, Any]:
        """Describe a user, with zone, and locale if asked for."""
        person = self.workspace.users.get(needed(arguments, "user", "user_not_found"))
        if person is None:
            raise Refusal("user_not_found")
        return {"user": shapes.user(self.workspace, person, locale=bool(arguments.get("include_locale")))}

    async def users_list(self, arguments: Arguments) -> dict[str, Any]:
        """Describe all users."""
        locale = bool(arguments.get("include_locale"))
        members = [shapes.user(self.workspace, u, locale=locale) for u in self.workspace.users.values()]
        return {"members": members, "response_metadata": {"next_cursor": ""}}

    async def usergroups_list(self, arguments: Arguments) -> dict[str, Any]:
        """Describe all user groups, with their members or their number if asked for."""
        users, count = bool(arguments.get("include_users")), bool(arguments.get("include_count"))
        disabled = bool(arguments.get("include_disabled"))
        groups = [g for g in self.workspace.usergroups.values() if disabled or not g.disabled]
        return {"usergroups": [shapes.usergroup(g, users=users, count=count) for g in groups]}

    async def usergroups_users(self, arguments: Arguments) -> dict[str, Any]:
        """List who is in a user group; in a disabled one only if that is asked for."""
        group = self.workspace.usergroups.get(needed(arguments, "usergroup"))
        if group is None or (group.disabled and not arguments.get("include_disabled")):
            raise Refusal("no_such_subteam")
        return {"users": list(group.members)}

    async def conversations_open(self, arguments: Arguments) -> dict[str, Any]:
        """Open the direct messages with one person."""
        if arguments.get("channel"):
            return {"channel": {"id": by_id(self.workspace, str(arguments["channel"])).id}}
        people = [u for u in needed(arguments, "users", "users_list_not_supplied").split(",") if u]
        if len(people) > 1:
            raise Refusal("invalid_arguments", ["this local Slack has no conversations of several people"])
        already = any(c.im == people[0] for c in self.workspace.channels.values())
        channel = self.workspace.open_im(people[0])
        whole = shapes.channel(self.workspace, channel) if arguments.get("return_im") else {"id": channel.id}
        return {"no_op": already, "already_open": already, "channel": whole}

    async def conversations_info(self, arguments: Arguments) -> dict[str, Any]:
        """Describe a channel."""
        channel = by_id(self.workspace, needed(arguments, "channel", "channel_not_found"))
        return {"channel": shapes.channel(self.workspace, channel)}

    async def conversations_list(self, arguments: Arguments) -> dict[str, Any]:
        """Describe all channels of the kinds asked for."""
        kinds = str(arguments.get("types") or "public_channel").split(",")
        shown = [c for c in self.workspace.channels.values() if ("im" if c.im else "public_channel") in kinds]
        wire = [shapes.channel(self.workspace, c) for c in shown]
        return {"channels": wire, "response_metadata": {"next_cursor": ""}}

    async def conversations_members(self, arguments: Arguments) -> dict[str, Any]:
        """List who is in a channel."""
        channel = by_id(self.workspace, needed(arguments, "channel", "channel_not_found"))
        return {"members": sorted(channel.members), "response_metadata": {"next_cursor": ""}}

    async def history(self, arguments: Arguments) -> dict[str, Any]:
        """Return a channel's messages without replies, newest first."""
        channel = self._heard(arguments)
        shown = [
            m
            for m in self.workspace.messages.get(channel.id, [])
            if m.thread_ts is None and m.only_for is None
        ]
        return self._page(reversed(shown), arguments)

    async def replies(self, arguments: Arguments) -> dict[str, Any]:
        """Return a thread, its first message included, oldest first."""
        channel = self._heard(arguments)
        root = self.workspace.thread(channel.id, needed(arguments, "ts"))
        shown = [
            m
            for m in self.workspace.messages[channel.id]
            if root in {m.ts, m.thread_ts} and m.only_for is None
        ]
        return self._page(shown, arguments)

    # -- inside ---------------------------------------------------------------------------------------

    def _page(self, shown: Iterable[Message], arguments: Arguments) -> dict[str, Any]:
        """Return one page of messages within `oldest` and `latest`."""
        oldest, latest = _number(arguments, "oldest", 0), _number(arguments, "latest", math.inf)
        if arguments.get("inclusive"):
            found = [m for m in shown if oldest <= float(m.ts) <= latest]
        else:
            found = [m for m in shown if oldest < float(m.ts) < latest]
        cursor = str(arguments.get("cursor") or "0")
        if not cursor.isdigit():
            raise Refusal("invalid_cursor")
        start, limit = int(cursor), int(min(_number(arguments, "limit", PAGE), 999))
        more = len(found) > start + limit
        metadata = bool(arguments.get("include_all_metadata"))
        return {
            "messages": [
                shapes.message(self.workspace, m, metadata=metadata) for m in found[start : start + limit]
            ],
            "has_more": more,
            "response_metadata": {"next_cursor": str(start + limit) if more else ""},
        }

    def _heard(self, arguments: Arguments) -> Channel:
        """Find a channel whose messages the app may read."""
        channel = by_id(self.workspace, needed(arguments, "channel", "channel_not_found"))
        scope = "im:history" if channel.im else "channels:history"
        if scope not in self.scopes:
            raise Refusal("missing_scope", more={"needed": scope, "provided": ",".join(sorted(self.scopes))})
        if BOT_USER not in channel.members:
            raise Refusal("not_in_channel")
        return channel


def _number(arguments: Arguments, name: str, otherwise: float) -> float:
    """Return an argument that is a number or a time stamp."""
    try:
        return float(arguments.get(name) or otherwise)
    except (TypeError, ValueError):
        raise Refusal("invalid_arguments", [f"must provide a number [json-pointer:/{name}]"]) from None
