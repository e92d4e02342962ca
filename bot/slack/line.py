"""The line to Slack: whether anything gets through now, and can be noted. One for all messages of a workspace."""

from __future__ import annotations

import time
from collections.abc import Callable

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds until the next try after nothing got through, one number a failure; the last one goes on."""


class Line:
    """Open until something fails that would fail for every message; then one of them tries again after a pause."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = float("-inf")
        self._failures = 0

    @property
    def is_open(self) -> bool:
        """Tell whether a message may try."""
        return self._clock() >= self._until

    def wait(self, seconds: float) -> None:
        """Close for as long as Slack asks."""
        self._until = self._clock() + seconds

    @property
    def works(self) -> bool:
        """Tell whether messages get through as far as is known; if not, one alone should try."""
        return self._failures == 0

    def failed(self) -> bool:
        """Close for a while, for nothing gets through; tell whether that is news. Closed already, it stays so."""
        if not self.is_open:
            return False
        self.wait(PAUSES[min(self._failures, len(PAUSES) - 1)])
        self._failures += 1
        return self._failures == 1

    def worked(self) -> bool:
        """Note that a message got through; tell whether none had before it."""
        before, self._failures = self._failures, 0
        return before > 0
