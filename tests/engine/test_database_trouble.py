"""The database or the clock fails while runs are at work: nothing is done over and over, and all goes on afterwards."""

import asyncio
import os
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from graph.errors import StoreError
from graph.settings import Settings


async def test_what_cannot_be_saved_is_not_done_over_and_over(engine_on, chore, start, small_disk, until):
    """A full disk in mid-draft: the draft is lost, and each repetition would cost a call to Claude."""
    database = small_disk.folder / "ringi.sqlite"
    draft = chore.draft

    async def drafts_much(state, runtime):
        drafted = await draft(state, runtime)
        return drafted | {"drafts": [os.urandom(1_000_000).hex()[: size[0]]]}

    size = [1_500_000]
    drafts_much.__name__ = "draft"
    chore.draft = drafts_much
    async with engine_on(settings=Settings(RINGI_DATABASE=str(database))) as engine:
        run = await start(engine)
        with pytest.raises(StoreError):
            await engine.settled(run.id)
        assert chore.did.count("draft") == 1
        for _ in range(5):
            await engine.sweep()
            await asyncio.sleep(0)
        assert chore.did.count("draft") == 1
        assert (await engine.store.run(run.id)).state == "running"
        with closing(sqlite3.connect(database, timeout=1)) as other:  # nothing was left open
            other.execute("BEGIN IMMEDIATE")
        size[0] = 100
        engine.wake(run.id)
        await until(lambda: _waits(engine, run.id))
        assert chore.did.count("draft") == 2


async def _waits(engine, run_id):
    return (await engine.store.run(run_id)).state == "waiting"


class Clock:
    def __init__(self, store) -> None:
        self.ahead, self._now = timedelta(), store.now
        store.now = self

    def __call__(self):
        return self._now() + self.ahead


async def test_an_order_is_obeyed_though_the_clock_was_set_back_since(engine_on, chore, start, people, until):
    """Cancel means now, whatever time it was then."""
    chore.hold = asyncio.Event()
    async with engine_on() as engine:
        clock = Clock(engine.store)
        run = await start(engine)
        engine.wake(run.id)
        await until(lambda: chore.drafting)
        await engine.intake.cancel(run.id, people.one)
        clock.ahead = timedelta(hours=-5)
        await until(lambda: _has_come_to(engine, run.id, "cancelled"))


@pytest.mark.parametrize("jump", [-5, 5], ids=["back", "forward"])
async def test_a_clock_that_jumps_delays_no_record_for_hours(  # noqa: PLR0917 - fixtures
    engine_on, chore, start, people, until, jump
):
    """The next try after a decision was set by the clock that was."""
    chore.wrong["record"] = OSError(28, "No space left on device")
    async with engine_on(pauses=(3600.0,)) as engine:
        clock = Clock(engine.store)
        run = await start(engine)
        asked = await engine.settled(run.id)
        request = (await engine.store.requests(asked.id))[0]
        await engine.intake.decide(request.id, 1, "approve", people.two, "Fine.")
        engine.wake(run.id)
        await until(lambda: _postponed(engine, run.id))
        chore.wrong.clear()
        clock.ahead = timedelta(hours=jump)
        await until(lambda: _has_come_to(engine, run.id, "done"))
        assert chore.did.count("effect") == 1


async def _has_come_to(engine, run_id, state):
    await engine.sweep()
    return (await engine.store.run(run_id)).state == state


async def _postponed(engine, run_id):
    return (await engine.store.run(run_id)).retry_at is not None
