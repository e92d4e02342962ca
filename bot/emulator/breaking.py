"""What a person on the page can break on purpose, to see what an app does about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from bot.emulator.faults import ANY, Faults
from bot.emulator.model import BOT_USER, TRIGGER_SECONDS
from bot.emulator.socket_mode import SocketMode
from bot.emulator.workspace import Workspace

SLOW_SECONDS = 2.5
RETRY_AFTER = 5
POST = "chat.postMessage"


class Breaking:
    """The panel *break things*: some faults happen at once, some wait for the next call, some stay until mended."""

    def __init__(self, workspace: Workspace, sockets: SocketMode, faults: Faults) -> None:
        self.workspace, self.sockets, self.faults = workspace, sockets, faults

    def state(self) -> dict[str, Any]:
        """Return what is broken at the moment, fault → whether it is on or how often it is still to come."""
        return {
            "slow": self.faults.slow.get(ANY, 0) > 0,
            "away": self.faults.away,
            "silent": self.sockets.silent,
            "expire": self.workspace.trigger_seconds == 0,
            "limit": self.faults.refusals_left(ANY),
            "lose": self.faults.replies_to_lose(POST),
        }

    async def do(self, what: str, channel: str | None = None) -> None:
        """Break something, or mend it if it is a fault that stays.

        Args:
            what: `disconnect`, `cut`, `again`, `limit` or `lose`; `slow`, `away`, `silent` or `expire`, which stay;
                `archive` or `delete`, which need a channel; `mend` puts all but the channels in order.
            channel: the channel's id.

        Raises:
            LookupError: there is no such fault, or nothing it could happen to.
            Refusal: `channel_not_found`.
        """
        doing: dict[str, Callable[[], Awaitable[None]]] = {
            "disconnect": self.sockets.disconnect,
            "cut": self._cut,
            "again": self._again,
            "slow": self._slow,
            "away": self._away,
            "silent": self._silent,
            "expire": self._expire,
            "limit": self._limit,
            "lose": self._lose,
            "archive": lambda: self._archive(channel or ""),
            "delete": lambda: self._delete(channel or ""),
            "mend": self._mend,
        }
        if what not in doing:
            raise LookupError("This Slack cannot break that.")
        await doing[what]()
        self.workspace.touch()

    async def _cut(self) -> None:
        self.sockets.drop()

    async def _again(self) -> None:
        await self.sockets.redeliver()

    async def _slow(self) -> None:
        self.faults.slow[ANY] = 0 if self.faults.slow.get(ANY) else SLOW_SECONDS

    async def _away(self) -> None:
        self.faults.away = not self.faults.away
        if self.faults.away:
            self.sockets.drop()

    async def _silent(self) -> None:
        self.sockets.silent = not self.sockets.silent

    async def _expire(self) -> None:
        self.workspace.trigger_seconds = 0 if self.workspace.trigger_seconds else TRIGGER_SECONDS

    async def _limit(self) -> None:
        self.faults.limit_next(ANY, RETRY_AFTER)

    async def _lose(self) -> None:
        self.faults.lose_reply(POST)

    async def _archive(self, channel_id: str) -> None:
        channel = self.workspace.channel(channel_id)
        if channel.im is not None:
            raise LookupError("Direct messages cannot be archived.")
        channel.archived = not channel.archived

    async def _delete(self, channel_id: str) -> None:
        mine = [m for m in self.workspace.messages.get(channel_id, []) if m.user == BOT_USER]
        if not mine:
            raise LookupError("The app has posted nothing here.")
        self.workspace.delete(channel_id, mine[-1].ts)

    async def _mend(self) -> None:
        self.faults.slow.pop(ANY, None)
        self.faults.heal()
        self.sockets.silent = False
        self.workspace.trigger_seconds = TRIGGER_SECONDS
