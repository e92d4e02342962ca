"""See a run through until it waits or has ended: with our own engine, or by watching the server that has it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.settings import BotSettings
from bot.terminal.desk import Desk
from bot.terminal.look import words_of
from bot.terminal.progress import Bar
from bot.terminal.story import step
from bot.terminal.texts import clock
from graph.approval import ENDED, Run
from graph.errors import DatabaseInUse
from graph.runtime import open_store, server_running
from graph.settings import Settings
from graph.store import Store

if TYPE_CHECKING:
    from graph.engine import Engine

_LOOK = 0.2  # seconds between two looks at a run


@dataclass(frozen=True, slots=True)
class Carried:
    """How far it came.

    Attributes:
        settled: it waits for people or for a release, or has ended; otherwise the time was up and a server goes on
            with it.
    """

    run: Run
    settled: bool


def is_settled(run: Run) -> bool:
    """Tell whether nothing more happens by itself."""
    return run.state == "waiting" or run.state in ENDED


async def _comes_to_rest(store: Store, run: Run) -> bool:
    """Tell whether nothing more happens before people, a decision or a release, come."""
    return is_settled(run) or run.is_held(await store.hold())


async def carry(
    desk: Desk, settings: Settings, bot: BotSettings, run_id: str, *, patience: float | None = None
) -> Carried:
    """Follow a run, and advance it here whenever no server does.

    Args:
        desk: where progress is shown.
        settings: of the run.
        bot: of the surfaces.
        run_id: full id.
        patience: seconds to wait for a server; None = as long as it takes. Work done here is always finished.
    """
    bar = Bar(desk.screen, desk.texts)
    until = None if patience is None else time.monotonic() + patience
    told = False
    try:
        async with open_store(settings) as store:
            if settings.on_postgres:
                from graph.runtime import open_engine

                async with open_engine(settings, bot.policy(), everyone=False) as engine:
                    return await _beside_others(desk, engine, run_id, _shower(desk, bar), until)
            while True:
                if server_running(settings):
                    if not told:
                        desk.screen.tell(desk.texts.server_has_it)
                        told = True
                    run = await _watch(store, settings, run_id, _shower(desk, bar), until)
                    if await _comes_to_rest(store, run):
                        return Carried(run, settled=True)
                    if until is not None and time.monotonic() >= until:
                        return Carried(run, settled=False)
                    continue
                if told:
                    desk.screen.tell(desk.texts.taken_over)
                    told = False
                with contextlib.suppress(DatabaseInUse):  # another process was quicker: watch it
                    return Carried(await _advance(store, settings, bot, run_id, _shower(desk, bar)), True)
                await asyncio.sleep(_LOOK)
    finally:
        bar.done()


def _shower(desk: Desk, bar: Bar) -> Callable[[Run], None]:
    """Return what draws a run's progress; the workflow is looked up once it is known."""

    def show(run: Run) -> None:
        if is_settled(run):
            return
        if run.retry_at is None:
            bar.show(step(words_of(run, desk), run, desk.texts), run.progress)
            return
        time = clock(run.retry_at, desk.screen.language, desk.screen.zone, now=datetime.now(UTC))
        bar.show(desk.texts.retry_at.format(time=time).rstrip(".。"), None)

    return show


async def _watch(
    store: Store, settings: Settings, run_id: str, show: Callable[[Run], None], until: float | None
) -> Run:
    """Look at a run until it settles, the server is gone, or the time is up."""
    while True:
        run = await store.run(run_id)
        show(run)
        late = until is not None and time.monotonic() >= until
        if await _comes_to_rest(store, run) or late or not server_running(settings):
            return run
        await asyncio.sleep(_LOOK)


async def _beside_others(
    desk: Desk, engine: Engine, run_id: str, show: Callable[[Run], None], until: float | None
) -> Carried:
    """Advance a run where other processes may do so too: the run's lock decides which one does."""
    told = False
    settled = asyncio.ensure_future(engine.settled(run_id))
    try:
        while not settled.done():
            run = await engine.store.run(run_id)
            show(run)
            if engine.moves(run_id):
                if await engine.store.orders(run_id):  # from another terminal: cancel or stop
                    engine.wake(run_id)
            elif until is not None and time.monotonic() >= until:
                return Carried(run, settled=False)
            elif not told and run.progress is not None:
                desk.screen.tell(desk.texts.server_has_it)
                told = True
            await asyncio.wait({settled}, timeout=_LOOK)
        return Carried(settled.result(), settled=True)
    finally:
        settled.cancel()


async def _advance(
    store: Store, settings: Settings, bot: BotSettings, run_id: str, show: Callable[[Run], None]
) -> Run:
    """Advance a run in this process until it settles."""
    from graph.runtime import open_engine

    async with open_engine(settings, bot.policy(), everyone=False) as engine:
        engine.wake(run_id)
        settled = asyncio.ensure_future(engine.settled(run_id))
        try:
            while not settled.done():
                show(await store.run(run_id))
                if await store.orders(run_id):  # from another terminal: cancel or stop
                    engine.wake(run_id)
                await asyncio.wait({settled}, timeout=_LOOK)
            run = settled.result()
            if settings.keep_days:  # where no server does it
                await engine.forget(store.now() - timedelta(days=settings.keep_days))
            return run
        finally:
            settled.cancel()
