"""The list behind both doors, `/linkcheck status` and the Home tab: which runs concern a person, read from the tables."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.slack.answers import Reader, since_hold
from bot.slack.blocks import Content
from bot.slack.desk import Desk
from bot.slack.rows import Line, not_shown
from bot.slack.status import LATELY, ROWS, status
from graph import can_go_on
from graph.approval import Run, Whole
from graph.store.concerns import GROUPS, Found, Group, Slice

NAMES = 3  #: of those who may decide, written out


async def overview(desk: Desk, reader: Reader, app: str = "") -> Content:
    """Return what waits, runs, stopped and was decided lately for a person, ten rows in all.

    Args:
        desk: of the listeners.
        reader: for whom.
        app: id of the Slack app, for the way to its Home tab.
    """
    wanted: dict[Group, Slice] = {group: Slice(0, LATELY if group == "done" else ROWS) for group in GROUPS}
    found = await desk.store.concerning(reader.policy, reader.person, wanted)
    rows = [(group, whole) for group in GROUPS for whole in found[group].runs][:ROWS]
    linked = await asyncio.gather(*(_linked(desk, reader, whole, group) for group, whole in rows))
    lines = await _worked_on(desk, linked)
    totals: dict[str, int] = {group: found[group].total for group in GROUPS}
    home = f"slack://app?team={desk.workspace.team}&id={app}&tab=home" if app else None
    now = desk.store.now()
    return status(reader, lines, totals, await _hold(desk, reader), now=now, home=home)


async def _hold(desk: Desk, reader: Reader) -> str | None:
    """Say that new checks are on hold, if they are."""
    hold = await desk.store.hold()
    if hold is None:
        return None
    since = since_hold(reader, hold, desk.store.now())
    return reader.texts.status_hold.format(**since, n=f"{len(await desk.store.on_hold()):,}")


async def _linked(desk: Desk, reader: Reader, whole: Whole, group: Group) -> Line:
    """Make a row that leads to its card; the only one of the two doors that asks Slack."""
    latest = whole.requests[-1] if whole.requests else None
    card = next((m for m in whole.messages if latest and m.key == f"card:{latest.id}" and m.ts), None)
    link = None
    if group == "wait" and card and card.channel and card.ts:
        link = await desk.link(card.channel, card.ts)
    return line(desk, reader, whole, group, link)


def line(desk: Desk, reader: Reader, whole: Whole, group: Group, link: str | None = None) -> Line:
    """Make a row of a run and all that belongs to it."""
    scene = desk.whole_scene(whole, reader.language)
    return Line(scene, group, not_shown(whole.messages), link, _deciders(desk, reader, whole.run))


async def lines(desk: Desk, reader: Reader, found: Mapping[Group, Found]) -> list[Line]:
    """Make the rows of all groups."""
    rows = [line(desk, reader, whole, group) for group, its in found.items() for whole in its.runs]
    return await _worked_on(desk, rows)


async def _worked_on(desk: Desk, lines: Sequence[Line]) -> list[Line]:
    """Mark the rows of what should go on while nobody works on it."""
    if not any(one.group == "run" for one in lines):
        return list(lines)
    idle = {run.id for run in await desk.engine.idle() if can_go_on(run)}
    return [replace(one, idle=one.scene.run.id in idle) for one in lines]


def _deciders(desk: Desk, reader: Reader, run: Run) -> str:
    """Name who may decide; empty if Slack has not said yet what they are called."""
    users = reader.policy.deciders(run.requester)
    known = [who.name for user in users[:NAMES] if (who := desk.people.known(user))]
    if len(known) < len(users[:NAMES]):
        return ""
    listed = reader.texts.or_.join(known)
    rest = len(users) - NAMES
    return reader.texts.and_others.format(listed=listed, n=rest) if rest > 0 else listed
