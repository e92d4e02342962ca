"""What a person may say of a link, and what its verdict rests on, in one language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from graph.approval import Language
from graph.looking import Evidence, Option, Options
from graph.vault import likeness
from graph.workflows.linkcheck.choices import meaning, others
from graph.workflows.linkcheck.markdown import plain
from graph.workflows.linkcheck.sentences import Sentences, plural
from graph.workflows.linkcheck.state import Nearby, Report, ReportItem

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day_of(say: Sentences, language: Language, seconds: int, zone: str) -> str:
    """Write out the day of a time: `12 Nov 2026`."""
    at = datetime.fromtimestamp(seconds, ZoneInfo(zone))
    month = MONTHS[at.month - 1] if language == "en" else str(at.month)
    return say.day.format(day=at.day, month=month, year=at.year)


def time_of(say: Sentences, language: Language, at: datetime, zone: str) -> str:
    """Write out a time with its day: `12 Nov 2026, 14:02`."""
    here = at.astimezone(ZoneInfo(zone))
    comma = ", " if language == "en" else " "
    return f"{day_of(say, language, int(at.timestamp()), zone)}{comma}{here:%H:%M}"


def options(say: Sentences, verdict: str, report: Report, item: ReportItem) -> Options:
    """Return what may be said of a link; `verdict` is the one it has, in lower case."""
    return Options(
        agree=verdict,
        said=say.said[item.by or report.drafter].format(verdict=verdict),
        others=tuple(_option(say, word, item) for word in others(item, item.candidate)),
    )


def _option(say: Sentences, word: str, item: ReportItem) -> Option:
    verdict, to = meaning(word, item.candidate)
    if to is not None:
        name = plain(to)
        return Option(word, say.typo_to.format(to=name), name)
    lacks = item.candidate.kind if verdict == "missing-note" else ""
    text = say.instead_lacks.get(lacks) or say.instead[verdict]
    return Option(word, text, say.lacks.get(lacks) or say.verdict[verdict])


def evidence(say: Sentences, language: Language, item: ReportItem, zone: str) -> Evidence:
    """Return what is known of a link, from the review alone."""
    place = item.candidate.places[0]
    known = tuple(_known(say, language, item, zone))
    return Evidence(plain(place.text) if place.line else "", known)


def _known(say: Sentences, language: Language, item: ReportItem, zone: str) -> Iterator[str]:
    if item.by and plain(item.reason):
        yield say.drafter[item.by].format(words=plain(item.reason))
    near = nearest(item)
    if near is None:
        # Of a name that rules call missing they have just said so.
        said = item.by == "rules" and item.verdict == "missing-note" and item.candidate.kind == "missing"
        if not said:
            yield say.no_near
    else:
        values = {"path": plain(near.path), "why": likeness(near, language)}
        if near.changed is None:
            yield say.near.format(**values)
        else:
            yield say.near_day.format(**values, day=day_of(say, language, near.changed, zone))
    yield plural(say.linked_in, item.candidate.linked)


def nearest(item: ReportItem) -> Nearby | None:
    """Return the near name that a typo stands for, else the nearest one."""
    near = item.candidate.nearby
    return next((n for n in near if n.target == item.to), near[0] if near else None)
