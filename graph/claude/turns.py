"""Who may call now: a queue with a fixed number of places, first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class _Waiter:
    turn: asyncio.Future[None]
    told: Callable[[int], None] | None
    ahead: int = 0


class Turns:
    """Places for calls, counted over all runs of this process."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._queue: deque[_Waiter] = deque()

    @asynccontextmanager
    async def one(self, waiting: Callable[[int], None] | None = None) -> AsyncIterator[None]:
        """Hold one place inside the block, waiting for it first.

        Args:
            waiting: told, at once and after each change, how many calls have to end before this one begins; 0 when
                its turn has come. Not told anything if there is nothing to wait for.
        """
        waited = await self._take(waiting)
        try:
            if waited and waiting is not None:
                waiting(0)
            yield
        finally:
            self._give_back()

    async def _take(self, waiting: Callable[[int], None] | None) -> bool:
        """Take a place; tells whether it had to be waited for."""
        if self._free and not self._queue:
            self._free -= 1
            return False
        waiter = _Waiter(asyncio.get_running_loop().create_future(), waiting)
        self._queue.append(waiter)
        self._tell()
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.turn.done() and not waiter.turn.cancelled():
                self._give_back()  # the place was given in the same moment
            else:
                self._queue.remove(waiter)
                self._tell()
            raise
        return True

    def _give_back(self) -> None:
        if self._queue:
            self._queue.popleft().turn.set_result(None)
            self._tell()
        else:
            self._free += 1

    def _tell(self) -> None:
        for ahead, waiter in enumerate(self._queue, start=1):
            if waiter.told is not None and waiter.ahead != ahead:
                waiter.ahead = ahead
                waiter.told(ahead)
