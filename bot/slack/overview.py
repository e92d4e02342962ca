"""What `/linkcheck status` shows one person, read from the tables."""

from __future__ import annotations

import asyncio

from bot.slack.answers import Reader, since_hold
from bot.slack.blocks import Content
from bot.slack.desk import Desk
from bot.slack.status import LATELY, ROWS, Line, group_of, not_shown, status
from graph.approval import ENDED, Run, Whole

GROUPS = ("wait", "mine", "run", "fail", "done")
DECIDED_READ = 200  #: ended runs looked through for *decided lately*


async def overview(desk: Desk, reader: Reader) -> Content:
    """Return what waits, runs, stopped and was decided lately for a person, ten rows in all."""
    open_runs = await desk.store.runs({"queued", "running", "waiting", "resuming", "failed"})
    ended = await desk.store.runs(ENDED - {"failed"}, limit=DECIDED_READ)
    grouped: dict[str, list[Run]] = {group: [] for group in GROUPS}
    for run in [*open_runs, *ended]:
        group = group_of(run, reader)
        if group:
            grouped[group].append(run)
    totals = {group: len(runs) for group, runs in grouped.items()}
    grouped["done"] = grouped["done"][:LATELY]
    rows = [(group, run.id) for group in GROUPS for run in grouped[group]][:ROWS]
    found = await desk.store.whole([run_id for _, run_id in rows])
    lines = await asyncio.gather(
        *(_line(desk, reader, found[run_id], group) for group, run_id in rows if run_id in found)
    )
    return status(reader, lines, totals, await _hold(desk, reader))


async def _hold(desk: Desk, reader: Reader) -> str | None:
    """Say that new checks are on hold, if they are."""
    hold = await desk.store.hold()
    if hold is None:
        return None
    since = since_hold(reader, hold, desk.store.now())
    return reader.texts.status_hold.format(**since, n=f"{len(await desk.store.on_hold()):,}")


async def _line(desk: Desk, reader: Reader, whole: Whole, group: str) -> Line:
    scene = desk.whole_scene(whole, reader.language)
    latest = scene.latest
    card = next((m for m in whole.messages if latest and m.key == f"card:{latest.id}" and m.ts), None)
    link = None
    if group == "wait" and card and card.channel and card.ts:
        link = await desk.link(card.channel, card.ts)
    return Line(scene, group, not_shown(whole.messages), link)
