"""The budget of message edits: Slack takes about fifty a minute, for all messages of a workspace together.

Source: https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

PER_MINUTE = 40
PROGRESS_EVERY = 3.0
_MINUTE = 60.0


class Budget:
    """Who may edit now. Mere progress is held back to one edit every three seconds, so that decisions find room."""

    def __init__(
        self,
        per_minute: int = PER_MINUTE,
        progress_every: float = PROGRESS_EVERY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_minute, self._every, self._clock = per_minute, progress_every, clock
        self._spent: deque[float] = deque()
        self._progress = float("-inf")
        self._held = float("-inf")
        self._last: dict[str, float] = {}

    def last(self, key: str) -> float:
        """Return when a message was last edited; one never edited comes first."""
        return self._last.get(key, float("-inf"))

    def room(self, *, progress: bool = False) -> int:
        """Return how many edits may be made now: of any message, or of mere progress."""
        now = self._clock()
        while self._spent and now - self._spent[0] >= _MINUTE:
            self._spent.popleft()
        if now < self._held or (progress and now - self._progress < self._every):
            return 0
        room = max(0, self._per_minute - len(self._spent))
        return min(room, 1) if progress else room

    def take(self, key: str, *, progress: bool) -> bool:
        """Spend one edit on a message; False if it has to wait."""
        if not self.room(progress=progress):
            return False
        now = self._clock()
        self._spent.append(now)
        self._last = {k: at for k, at in self._last.items() if now - at < _MINUTE} | {key: now}
        if progress:
            self._progress = now
        return True

    def hurry(self) -> None:
        """Hold mere progress back no longer: the program ends, and there is no later."""
        self._every = 0.0

    def hold(self, seconds: float) -> None:
        """Make no edit for this long: Slack asks to wait."""
        self._held = self._clock() + seconds
