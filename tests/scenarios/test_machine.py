"""The machine fails under the bot: disk full, file gone, file locked, clock changed, process ended or paused."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

NOTES = "C0NOTES"


async def test_on_a_full_disk_nothing_claims_success_and_it_goes_on_once_there_is_room(
    town, asked, reading, small_disk
):
    """L27: the decision is refused with words, the run still waits, and the same modal works later."""
    town.database = small_disk.folder / "ringi.sqlite"
    async with town.bot() as engine:
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        small_disk.fill()
        said = await two.submit(modal, {"reason": "Fine. " * 400})
        assert said.ok
        assert "記録できませんでした。" in reading.words(said.view)
        started = await one.command(NOTES, "/linkcheck daily")
        assert "Not recorded." in reading.words(started.said)
        run = (await engine.store.runs(limit=1))[0]
        assert run.state == "waiting"
        assert await engine.store.decisions(run.id) == []
        small_disk.clear()
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await town.outcome()


async def test_a_database_that_was_deleted_under_the_bot_takes_no_decision(town, asked, reading):
    """L27: the open file would take the commit and lose it."""
    async with town.bot() as engine:
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        aside = town.database.with_name("aside")
        town.database.rename(aside)
        said = await two.submit(modal, {"reason": "Fine."})
        assert "記録できませんでした。" in reading.words(said.view)
        aside.rename(town.database)
        assert await engine.store.decisions((await engine.store.runs())[0].id) == []
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await town.outcome()


async def test_while_another_program_holds_the_file_a_decision_is_answered_in_time_and_recorded_later(
    town, asked, reading
):
    """R32: acknowledged within three seconds without a lie; the modal tells when it is recorded."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        with closing(sqlite3.connect(town.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            said = await two.submit(modal, {"reason": "Fine."})
            assert said.ok
            assert said.ack < 3000
            assert "まだ記録していません。" in reading.words(said.view)
            other.execute("COMMIT")
        await two.sees(lambda: any("記録しました。" in reading.words(v) for v in two.views), 10)
        assert (await town.outcome()).result.outcome == "approved"


async def test_one_who_lost_while_the_file_was_held_is_told_so_in_the_same_modal(town, asked, reading):
    """S36, when the answer could not be given at once."""
    async with town.bot(RINGI_APPROVERS="U0MEMBER1,U0MEMBER2", RINGI_SELF_APPROVAL="yes"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await asyncio.gather(one.click(card, "approve"), two.click(card, "reject"))
        mine, theirs = await one.modal("decide"), await two.modal("decide")
        with closing(sqlite3.connect(town.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await asyncio.gather(
                one.submit(mine, {"reason": "Good catch."}),
                two.submit(theirs, {"reason": "違うフォルダです。"}),
            )
            other.execute("COMMIT")
        lost = await one.sees(
            lambda: next((v for p in (one, two) for v in p.views if v["callback_id"] == "late_words"), None),
            10,
        )
        field = next(b for b in lost["blocks"] if b["type"] == "input")
        assert field["element"]["initial_value"] in {"Good catch.", "違うフォルダです。"}
        run = await town.outcome()
        assert len(await town.engine.store.decisions(run.id)) == 1
