"""A run as a row of a list: what it is about, then how it stands. The same in the private list and on the Home tab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.slack import blocks as b
from bot.slack.answers import Reader
from bot.slack.fit import brief
from bot.slack.home_texts import HOME_TEXTS
from bot.slack.scene import Scene
from graph.approval import ENDED, Language, Message, Request

ROW = 140  #: columns of a row's line
_DAYS = {"en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), "ja": tuple("月火水木金土日")}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Line:
    """One run with what its row needs.

    Attributes:
        group: of the list it stands in.
        problem: why Slack does not show what it should.
        link: the address of its card.
        deciders: names of those who may decide it.
        idle: it has something to do, and nobody does it just now.
    """

    scene: Scene
    group: str
    problem: str | None = None
    link: str | None = None
    deciders: str = ""
    idle: bool = False


def not_shown(messages: Sequence[Message]) -> str | None:
    """Return Slack's error for what should be shown and is not, of the message that matters most."""
    behind = [m for m in messages if m.problem and m.shown < m.wanted]
    cards = [m for m in behind if m.key.startswith("card:")]
    return (cards or behind)[-1].problem if behind else None


def title(line: Line) -> str:
    """Say what a row is about: `daily · 12 links · revision 2`."""
    t, scene = line.scene.texts, line.scene
    parts = [scene.subject]
    if scene.latest:
        parts.append(brief(scene.words.size(scene.latest.review)))
        if scene.latest.revision > 1:
            parts.append(t.modal_revision.format(revision=scene.latest.revision))
    return t.separator.join(parts)


def row(reader: Reader, line: Line, now: datetime | None, button: b.Block | None) -> b.Block:
    """Draw a row with the one button it has."""
    rows = [title(line), brief(_second(reader, line, now), ROW)]
    if line.idle:
        rows.append(reader.texts.row_idle)
    if line.problem:
        rows.append(reader.texts.row_not_shown.format(problem=brief(line.problem)))
    return b.plain("\n".join(rows), button)


def _second(reader: Reader, line: Line, now: datetime | None) -> str:
    t, scene, run = reader.texts, line.scene, line.scene.run
    latest = scene.latest
    if line.group in {"wait", "mine"} and latest:
        return _waiting(reader, line, latest, now)
    if line.group == "run" or run.state not in ENDED:  # it may go on again since its group was read
        return _under_way(scene)
    if line.group == "fail" and scene.failure:
        return scene.words.failure(scene.failure)[0]
    outcome = run.result.outcome if run.result else run.state
    decision = scene.decisions.get(latest.id) if latest else None
    who = decision.person.name if decision else run.requester.name
    return t.row_outcome[outcome].format(who=who, time=written(run.ended or run.changed, reader, now))


def _waiting(reader: Reader, line: Line, latest: Request, now: datetime | None) -> str:
    t, requester = reader.texts, line.scene.run.requester
    since = written(latest.created, reader, now)
    if line.group == "mine" and line.deciders:
        return t.row_waits_for.format(time=since, deciders=line.deciders)
    if latest.deadline:
        by = written(latest.deadline, reader, now)
        return HOME_TEXTS[reader.language].row_by.format(time=by, who=requester.name)
    if reader.policy.may_steer(reader.person, requester):
        return t.row_waits.format(time=since)
    return t.row_since.format(time=since, who=requester.name)


def _under_way(scene: Scene) -> str:
    t, run = scene.texts, scene.run
    if run.state == "resuming" and not scene.asked_again:
        return t.row_writing
    if scene.hold:
        return t.row_hold
    if run.progress is None or run.on_hold:
        return t.row_starting
    return ", ".join(part for part in scene.words.progress(run.progress) if part)


def written(at: datetime, reader: Reader, now: datetime | None) -> str:
    """Write a time out in the reader's zone: `14:02`, on another day than now `Wed 2 Dec, 18:00` or `12/2（水）18:00`."""
    zone = ZoneInfo(reader.zone)
    local, today = at.astimezone(zone), (now or at).astimezone(zone)
    if local.date() == today.date():
        return local.strftime("%H:%M")
    return _day(local, reader.language, year=local.year != today.year)


def _day(local: datetime, language: Language, *, year: bool) -> str:
    clock, day = local.strftime("%H:%M"), _DAYS[language][local.weekday()]
    if language == "ja":
        return f"{f'{local.year}/' if year else ''}{local.month}/{local.day}（{day}）{clock}"
    return f"{day} {local.day} {_MONTHS[local.month - 1]}{f' {local.year}' if year else ''}, {clock}"
