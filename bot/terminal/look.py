"""`ringi runs` and `ringi show`: read rows, print them. Imports no LangGraph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.settings import BotSettings
from bot.terminal import holding, story, story_json
from bot.terminal.desk import Desk
from bot.terminal.prompts import print_prompts
from bot.terminal.report import line, quiet
from bot.terminal.story import Story
from bot.terminal.texts import short
from graph import workflows
from graph.approval import Run, RunState
from graph.runtime import open_store, server_running
from graph.settings import Settings
from graph.store import Store
from graph.store.census import census
from graph.workflow import Words

LATEST = 20


async def runs(  # noqa: PLR0913 - what to list, for whom, in which form
    desk: Desk,
    settings: Settings,
    bot: BotSettings,
    *,
    every: bool,
    as_json: bool,
    states: Sequence[RunState] = (),
) -> int:
    """List runs, newest first: the latest, or every one; all of them, or those in these states."""
    which = states or None
    async with open_store(settings) as store:
        shown = await store.runs(which, limit=None if every else LATEST)
        older = sum((await census(store, which)).values()) - len(shown) if len(shown) == LATEST else 0
        which_runs = [run.id for run in shown] if not every else None
        problems, carriers = await store.problems(which_runs), await store.carriers(which_runs)
        hold, waiting = await store.hold(), len(await store.on_hold())
    if as_json:
        desk.screen.json(
            [
                story_json.brief_json(run, hold)
                | {"not_shown": problems.get(run.id), "continued_by": carriers.get(run.id)}
                for run in shown
            ]
        )
        return 0
    reader = desk.reader(bot.policy())
    if hold is not None:
        desk.screen.show(line(holding.since(desk.texts.hold_waiting, hold, reader, n=f"{waiting:,}")))
    if not shown:
        desk.screen.say(desk.texts.no_such_runs if states else desk.texts.no_runs)
        return 0
    rows = [(run, words_of(run, desk).job(words_of(run, desk).subject(run.input))) for run in shown]
    desk.screen.show(story.of_runs(rows, reader, problems, carriers))
    if older > 0 and not every:
        options = "".join(f" --state {state}" for state in states)
        desk.screen.show(quiet(desk.texts.older.format(n=f"{older:,}", options=options)))
    return 0


async def show(  # noqa: PLR0913 - what to show, to whom, in which form
    desk: Desk, settings: Settings, bot: BotSettings, prefix: str, *, as_json: bool, prompts: bool = False
) -> int:
    """Print one run: what it asks, who decided, what became of it; or the prompts it has sent.

    Raises:
        UnknownRun, AmbiguousRun: the prefix names no single run.
    """
    async with open_store(settings) as store:
        found = await tell(store, await store.run(prefix), settings.records)
    if prompts:
        return await print_prompts(desk, settings, found.run, as_json=as_json)
    if as_json:
        desk.screen.json(story_json.to_json(found, words_of(found.run, desk)))
        return 0
    present(desk, bot, found)
    at_work = found.run.state in {"queued", "running", "resuming"}
    if at_work and found.goes_on and found.hold is None and not server_running(settings):
        desk.screen.say(desk.texts.idle.format(run=short(found.run.id)))
    return 0


async def tell(store: Store, run: Run, records: Path) -> Story:
    """Read all that belongs to a run."""
    hold = await store.hold()
    return Story(
        run=run,
        requests=await store.requests(run.id),
        decisions=await store.decisions(run.id),
        continued_by=await store.continued_by(run.id),
        records=records,
        not_shown=(await store.problems([run.id])).get(run.id),
        hold=hold if run.is_held(hold) else None,
        goes_on=workflows.can_go_on(run),
        votes=await store.votes(run.id),
        timer=next((one for one in await store.orders(run.id) if one.kind == "retry"), None)
        if run.state == "failed"
        else None,
    )


def present(desk: Desk, bot: BotSettings, found: Story, *, items: bool = True) -> None:
    """Lay a run out on the screen, with or without its table."""
    reader = desk.reader(bot.policy())
    desk.screen.show(*story.of_run(found, words_of(found.run, desk), reader, items=items))


def words_of(run: Run, desk: Desk) -> Words:
    """Return how the run is spoken of in the reader's language."""
    return workflows.words_of(run, desk.screen.language)


def brief(found: Story, words: Words) -> dict[str, Any]:
    """Return what a script needs to know after an act, as plain JSON."""
    run, latest = found.run, found.latest
    counts = (run.result.counts if run.result else {}) or run.counts
    candidates = counts.get("candidates", words.total(latest.review) if latest else 0)
    return {
        "run": run.id,
        "state": run.state,
        "request": found.open.id if found.open else None,
        "candidates": candidates,
        "record": str(found.record) if found.record else None,
    }
