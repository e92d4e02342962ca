"""A number of places for slow work, given out in the order of asking."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

_FEW = 3


@dataclass(eq=False, slots=True)
class _Entry:
    """One that waits; `told` is how many it was last told are ahead."""

    turn: asyncio.Future[None]
    waiting: Callable[[int], None]
    told: int


class Places:
    """Places for slow work."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[_Entry] = deque()

    @asynccontextmanager
    async def one(self, waiting: Callable[[int], None]) -> AsyncIterator[None]:
        """Hold a place for as long as the block lasts.

        Args:
            waiting: told how many are ahead, at first and when that has become a quarter less, or three or fewer;
                not called if a place is free. Telling all of them each time would be work without end where
                hundreds wait.
        """
        await self._take(waiting)
        try:
            yield
        finally:
            self._give()

    async def _take(self, waiting: Callable[[int], None]) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        entry = _Entry(turn, waiting, len(self._waiting))
        self._waiting.append(entry)
        waiting(entry.told)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place came together with the cancellation
                self._give()
            else:
                self._waiting.remove(entry)
                self._tell()
            raise

    def _give(self) -> None:
        while self._waiting:
            entry = self._waiting.popleft()
            if not entry.turn.done():
                entry.turn.set_result(None)
                self._tell()
                return
        self._free += 1

    def _tell(self) -> None:
        for ahead, entry in enumerate(self._waiting):
            if ahead < entry.told and (ahead <= _FEW or ahead <= entry.told * 3 // 4):
                entry.told = ahead
                entry.waiting(ahead)
