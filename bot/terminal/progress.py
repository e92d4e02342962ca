"""How far a run is, beside the answer: a bar drawn again on a terminal, a line a step on a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.terminal.screen import Screen, safe
from bot.terminal.sentences import Texts
from bot.terminal.texts import took

if TYPE_CHECKING:
    from graph.approval import Progress

_BAR = 20  # columns
_LEAST = 5  # a shorter bar says nothing
_PATIENCE = 10.0  # seconds; how often a pipe hears of the same step


@dataclass(frozen=True, slots=True)
class Step:
    """How far something without a run is, in a run's words; `Progress` itself would have to be loaded."""

    step: str
    counts: Mapping[str, int]


def fraction(progress: Progress | Step | None) -> float | None:
    """Return how much of the step is done, 0 to 1; None if the step cannot say."""
    counts = progress.counts if progress else {}
    for part, whole in (("done", "all"), ("read", "notes")):
        if counts.get(whole):
            return min(1.0, counts.get(part, 0) / counts[whole])
    return None


class Bar:
    """One line about the work under way, drawn on standard error.

    On a terminal the line is drawn again in place. On a pipe a line is written when the step changes, and at most
    every ten seconds while only its numbers do.
    """

    def __init__(self, screen: Screen, texts: Texts, *, tick: Callable[[], float] = time.monotonic) -> None:
        self._screen, self._texts, self._tick = screen, texts, tick
        self._began = tick()
        self._step: str | None = None
        self._written = ("", 0.0)
        self._drawn = False

    def show(self, sentence: str, progress: Progress | Step | None) -> None:
        """Say how far the run is; cheap when nothing has changed."""
        now = self._tick()
        line = f"{safe(sentence)}{self._texts.comma}{took(now - self._began)}"
        if self._screen.live:
            self._draw(line, fraction(progress))
            return
        step = progress.step if progress else sentence
        before, at = self._written
        due = now - at >= _PATIENCE and sentence != before
        if step != self._step or due:
            self._step, self._written = step, (sentence, now)
            self._screen.tell(line)

    def done(self) -> None:
        """Take the bar away; what was written on a pipe stays."""
        if self._drawn:
            self._screen.err.write("\r\x1b[2K")
            self._screen.err.flush()
            self._drawn = False

    def _draw(self, line: str, part: float | None) -> None:
        width = _width(self._screen)
        room = min(_BAR, width - 4 - _columns(line))  # the words come first
        bar = ""
        if room >= _LEAST and part is not None:
            full = round(part * room)
            bar = f"[{'#' * full}{'.' * (room - full)}] "
        self._screen.err.write("\r\x1b[2K" + _fit(bar + line, width - 1))
        self._screen.err.flush()
        self._drawn = True


def _width(screen: Screen) -> int:
    import os

    try:
        return os.get_terminal_size(screen.err.fileno()).columns or screen.width
    except (OSError, ValueError):
        return screen.width


def _fit(line: str, columns: int) -> str:
    """Cut a line that would wrap, for a wrapped line cannot be drawn again in place."""
    used = 0
    for index, character in enumerate(line):
        used += _columns(character)
        if used > columns:
            return line[:index]
    return line


def _columns(text: str) -> int:
    """Count columns; characters that some terminals show wide count as wide."""
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(c) in "WFA" else 1 for c in text)
