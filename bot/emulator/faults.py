"""What goes wrong on demand, so that a test can show what an app does about it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bot.emulator.refusal import Refusal

ANY = "*"  # every method but the one that opens a socket


@dataclass(slots=True)
class Faults:
    """Faults of the Web API to come, by method or `ANY`; each is used up when it happens.

    Attributes:
        slow: method → seconds each call waits before it does anything.
        away: cut every call's connection instead of answering, as when the network is gone.
    """

    slow: dict[str, float] = field(default_factory=dict)
    away: bool = False
    _always: dict[str, Refusal] = field(default_factory=dict)
    _refusals: dict[str, list[Refusal]] = field(default_factory=dict)
    _lost: dict[str, int] = field(default_factory=dict)

    def refuse_next(self, method: str, error: str, times: int = 1) -> None:
        """Answer the next calls with one of Slack's errors, for example `is_archived`."""
        self._refusals.setdefault(method, []).extend(Refusal(error) for _ in range(times))

    def refuse(self, error: str, *methods: str, status: int = 200) -> None:
        """Answer every call like this until `heal`: of these methods, or of all that the bot token is for."""
        self._always |= dict.fromkeys(methods or (ANY,), Refusal(error, status=status))

    def heal(self) -> None:
        """Let every call succeed again; what `slow` says stays."""
        self.away = False
        for faults in (self._always, self._refusals, self._lost):
            faults.clear()

    def limit_next(self, method: str, retry_after: int = 1, times: int = 1) -> None:
        """Answer the next calls with 429 and `Retry-After`, as if the rate limit had been reached."""
        again = {"Retry-After": str(retry_after)}
        self._refusals.setdefault(method, []).extend(
            Refusal("ratelimited", status=429, headers=again) for _ in range(times)
        )

    def break_next(self, method: str, status: int = 503, times: int = 1) -> None:
        """Answer the next calls with a server error."""
        self._refusals.setdefault(method, []).extend(
            Refusal("internal_error", status=status) for _ in range(times)
        )

    def lose_reply(self, method: str, times: int = 1) -> None:
        """Do what the next calls ask, then cut the connection instead of answering."""
        self._lost[method] = self._lost.get(method, 0) + times

    def refusals_left(self, method: str) -> int:
        """Return how many of the next calls are to be refused."""
        return len(self._refusals.get(method, []))

    def replies_to_lose(self, method: str) -> int:
        """Return how many of the next replies are to be lost."""
        return self._lost.get(method, 0)

    async def before(self, method: str) -> None:
        """Let happen what comes before a call is carried out."""
        names = (method,) if method == "apps.connections.open" else (method, ANY)
        if wait := max(self.slow.get(name, 0) for name in names):
            await asyncio.sleep(wait)
        for name in names:
            if self._refusals.get(name):
                raise self._refusals[name].pop(0)
        for name in names:
            if name in self._always:
                raise self._always[name]

    def loses_reply(self, method: str) -> bool:
        """Return whether the reply of this call is to be lost."""
        if self._lost.get(method, 0) < 1:
            return False
        self._lost[method] -= 1
        return True
