"""What a benchmark prints: one row a figure, with what it is compared to."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number.

    Attributes:
        what: what was measured, in words.
        value: with its unit.
        goal: what it is to stay under, `–` if it is only told.
        met: whether it does; None without a goal.
    """

    what: str
    value: str
    goal: str = "–"
    met: bool | None = None


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def p50_p99(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.0f} / {percentile(values, 99):.0f} ms"


HEAD = "| figure | measured | goal | met |\n| --- | --- | --- | --- |"


def row(figure: Figure) -> str:
    """Return a figure as a row below `HEAD`."""
    met = {True: "yes", False: "**no**", None: "–"}[figure.met]
    return f"| {figure.what} | {figure.value} | {figure.goal} | {met} |"


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table."""
    return "\n".join([HEAD, *map(row, figures)])
