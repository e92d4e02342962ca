"""The pace of posts: Slack takes about one a second in a channel, and short bursts.

How long a burst may be Slack does not say, so it is asked: posts go out as they come until Slack answers
`ratelimited`; from then on that channel gets one a second, until a minute has passed without such an answer. Other
channels are not held up by it.
Source: https://docs.slack.dev/apis/web-api/rate-limits#posting-messages
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

EVERY = 1.0
SLOW_SECONDS = 60.0


@dataclass(slots=True)
class _Slow:
    """A channel in which Slack was too fast for: the next post not before `free`, one a second until `until`."""

    free: float
    until: float


class Pace:
    """Where a post may go now."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._slow: dict[str, _Slow] = {}

    def free(self, place: str) -> bool:
        """Tell whether a post may go to a place now."""
        slow = self._slow.get(place)
        return slow is None or self._clock() >= slow.free

    def posted(self, place: str) -> None:
        """Count a post."""
        slow, now = self._slow.get(place), self._clock()
        if slow is None:
            return
        if now >= slow.until:
            del self._slow[place]
        else:
            slow.free = now + EVERY

    def limited(self, place: str, seconds: float) -> None:
        """Note that Slack asks to wait this long."""
        now = self._clock()
        self._slow[place] = _Slow(now + max(seconds, EVERY), now + seconds + SLOW_SECONDS)
