"""A number of places for slow work, given out in the order of asking."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class Places:
    """Places for slow work."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[tuple[asyncio.Future[None], Callable[[int], None]]] = deque()

    @asynccontextmanager
    async def one(self, waiting: Callable[[int], None]) -> AsyncIterator[None]:
        """Hold a place for as long as the block lasts.

        Args:
            waiting: told how many are ahead, at first and whenever that changes; not called if a place is free.
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
        entry = (turn, waiting)
        self._waiting.append(entry)
        waiting(len(self._waiting) - 1)
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
            turn, _ = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._tell()
                return
        self._free += 1

    def _tell(self) -> None:
        for ahead, (_, waiting) in enumerate(self._waiting):
            waiting(ahead)
