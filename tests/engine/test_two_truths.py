"""What the rows say goes on, and what somebody works on: compared, told, repaired."""

import asyncio
import logging
from datetime import timedelta

import pytest
import sqlalchemy as sa

from graph.runtime import open_store
from graph.store.idle import PATIENCE, idle
from graph.store.tables import runs


async def left_behind(settings, run, state="running"):
    """Let a row say since long ago that work goes on; nobody is told."""
    async with open_store(settings) as store, store._database.begin() as connection:
        long_ago = store.now() - 2 * PATIENCE
        statement = sa.update(runs).where(runs.c.id == run.id).values(state=state, changed=long_ago)
        await connection.execute(statement)
        if store._database.dialect.name == "postgresql":
            await connection.execute(sa.text("DELETE FROM procrastinate_jobs"))


@pytest.mark.parametrize("state", ["queued", "running", "resuming"])
async def test_a_row_at_work_that_nobody_works_on_is_told_and_repaired(
    *, engine, settings, start, until, caplog, monkeypatch, state
):
    monkeypatch.setattr("graph.engine.engine.WATCH_SECONDS", 0.05)
    monkeypatch.setattr("graph.engine.engine.SWEEP_SECONDS", 0.1)
    caplog.set_level(logging.WARNING)
    run = await start(engine)
    await engine.settled(run.id)
    await left_behind(settings, run, state)
    assert [one.id for one in await engine.idle()] == [run.id]

    async def never():
        return False

    engine.store._changed = never  # no news: only the comparison can find it
    watching = asyncio.create_task(engine.watch())

    async def waits_again():
        return (await engine.store.run(run.id)).state == "waiting"

    await until(waits_again)
    assert await engine.idle() == []
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    told = [record for record in caplog.records if record.getMessage() == "nobody works on it"]
    assert [record.run for record in told] == [run.id]


async def test_what_somebody_works_on_or_has_just_been_asked_for_is_no_difference(
    *, engine_on, chore, settings, start, until
):
    async with engine_on() as engine:
        chore.hold = asyncio.Event()
        run = await start(engine)
        engine.wake(run.id)
        await until(lambda: chore.drafting)
        await left_behind(settings, run)
        assert await engine.idle() == []
        if settings.on_postgres:  # the lock is seen from any process
            async with open_store(settings) as store:
                assert await idle(store, lambda _: False) == []
        chore.hold.set()
        await engine.settled(run.id)
        fresh = await start(engine, source="slack:T0TEAM:fresh")
        assert await idle(engine.store, lambda _: False) == []
        engine.store.now = lambda: fresh.changed + PATIENCE + timedelta(seconds=1)
        wanted = [] if settings.on_postgres else [fresh.id]  # there its job waits still
        assert [one.id for one in await idle(engine.store, lambda _: False)] == wanted
