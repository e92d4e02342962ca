"""The database fails while runs are at work: nothing is done over and over, and all goes on once it works again."""

import asyncio
import os
import sqlite3
from contextlib import closing

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
