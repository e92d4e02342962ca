"""`ringi hold` and `ringi release`: whether new checks may begin. Imports no LangGraph."""

from __future__ import annotations

from collections.abc import Sequence

from bot.settings import BotSettings
from bot.terminal import holding
from bot.terminal.desk import Desk
from bot.terminal.report import line
from bot.terminal.texts import short
from graph.approval import Order, Run
from graph.intake import Intake
from graph.runtime import open_store, server_running
from graph.settings import Settings


async def hold(desk: Desk, settings: Settings, bot: BotSettings, *, as_json: bool) -> int:
    """Put new checks on hold; a hold that stands stays as it is."""
    async with open_store(settings) as store:
        standing, new = await Intake(store, bot.policy()).hold(desk.person)
        waiting = await store.on_hold()
    if as_json:
        _json(desk, standing, waiting)
    elif new:
        desk.screen.say(desk.texts.held)
    else:
        reader = desk.reader(bot.policy())
        desk.screen.show(line(holding.since(desk.texts.held_already, standing, reader)))
    return 0


async def release(desk: Desk, settings: Settings, bot: BotSettings, *, as_json: bool) -> int:
    """Let new checks begin again; without a server, name what waited, for nobody goes on with it by itself."""
    async with open_store(settings) as store:
        waited = await store.on_hold()
        lifted = await Intake(store, bot.policy()).release(desk.person)
    if as_json:
        _json(desk, None, waited)
        return 0
    if lifted is None:
        desk.screen.say(desk.texts.not_held)
        return 0
    desk.screen.say(desk.texts.released.format(n=f"{len(waited):,}"))
    if waited and not server_running(settings):
        desk.screen.say(desk.texts.released_here)
        for run in waited:
            desk.screen.say(f"  ringi retry {short(run.id)}")
    return 0


def _json(desk: Desk, standing: Order | None, waiting: Sequence[Run]) -> None:
    desk.screen.json(
        {
            "on_hold": standing is not None,
            "since": standing.due.isoformat() if standing else None,
            "by": standing.person.model_dump(mode="json") if standing else None,
            "waiting": [run.id for run in waiting],
        }
    )
