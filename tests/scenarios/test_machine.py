"""The machine fails under the bot: disk full, file gone, file locked, clock changed, process ended or paused."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from types import SimpleNamespace

import pytest
from slack_bolt.listener import asyncio_runner

from graph.errors import StoreError

NOTES = "C0NOTES"


@asynccontextmanager
async def held(database):
    """Hold the database for writing, as a backup program or a person with a shell does."""
    with closing(sqlite3.connect(database, isolation_level=None, check_same_thread=False)) as other:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        yield
        other.execute("COMMIT")


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
        assert "記録できませんでした。" in said.errors["reason.approve.1"]  # beside the words, which stay
        started = await one.command(NOTES, "/linkcheck daily")
        assert "Not recorded." in reading.words(started.said)
        run = (await engine.store.runs(limit=1))[0]
        assert run.state == "waiting"
        assert await engine.store.decisions(run.id) == []
        small_disk.clear()
        assert (await two.submit(two.views[-1])).ok
        await town.outcome()
        assert "Fine. Fine." in town.record()


async def test_words_are_still_there_when_a_slow_database_fails_in_the_end(
    town, asked, reading, small_disk, monkeypatch
):
    """L27: the modal had said that nothing is recorded yet; then it comes back as it was filled in."""
    monkeypatch.setattr("bot.slack.submissions.ANSWER_SECONDS", 0)
    town.database = small_disk.folder / "ringi.sqlite"
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "reject")
        modal = await two.modal("decide")
        small_disk.fill()
        said = await two.submit(modal, {"reason": "違うフォルダです。" * 300})
        assert "まだ記録していません。" in reading.words(said.view)
        again = await two.sees(lambda: next((v for v in two.views if v["callback_id"] == "decide"), None))
        assert "記録できませんでした。" in reading.words(again)
        assert again["state"]["values"]["reason.reject.1"]["reason"]["value"] == "違うフォルダです。" * 300
        small_disk.clear()
        assert (await two.submit(again)).ok
        assert (await town.outcome()).result.outcome == "rejected"


async def test_on_a_disk_that_may_only_be_read_nothing_claims_success_and_the_same_run_is_decided_later(
    town, asked, small_disk
):
    """L27: neither the terminal records a decision there, nor does the bot start."""
    town.database = small_disk.folder / "ringi.sqlite"
    async with town.bot() as engine:
        await asked(await town.member(1))
        run = (await engine.store.runs())[0]
    small_disk.remount("ro")
    said = await town.ringi("resume", run.id[:8], "approve")
    assert f"The database {town.database} cannot be written: " in said
    assert "Approved" not in said
    with pytest.raises(StoreError):
        async with town.bot():
            pass
    small_disk.remount("rw")
    async with town.bot() as engine:
        assert (await engine.store.run(run.id)).state == "waiting"
        await town.ringi("resume", run.id[:8], "approve")
        assert (await town.outcome()).result.outcome == "approved"


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
        assert "記録できませんでした。" in said.errors["reason.approve.1"]
        aside.rename(town.database)
        assert await engine.store.decisions((await engine.store.runs())[0].id) == []
        assert (await two.submit(two.views[-1])).ok
        await town.outcome()
        assert "Fine." in town.record()


async def test_while_another_program_holds_the_file_a_decision_is_answered_in_time_and_recorded_later(
    town, asked, reading
):
    """R32: acknowledged within three seconds without a lie; the modal tells when it is recorded."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        async with held(town.database):
            said = await two.submit(modal, {"reason": "Fine."})
            assert said.ok
            assert said.ack < 3000
            assert "まだ記録していません。" in reading.words(said.view)
        await two.sees(lambda: any("記録しました。" in reading.words(v) for v in two.views), 10)
        assert (await town.outcome()).result.outcome == "approved"


async def test_one_who_lost_while_the_file_was_held_is_told_so_in_the_same_modal(town, asked, reading):
    """S36, when the answer could not be given at once."""
    async with town.bot(RINGI_APPROVERS="U0MEMBER1,U0MEMBER2", RINGI_SELF_APPROVAL="yes"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await asyncio.gather(one.click(card, "approve"), two.click(card, "reject"))
        mine, theirs = await one.modal("decide"), await two.modal("decide")
        async with held(town.database):
            await asyncio.gather(
                one.submit(mine, {"reason": "Good catch."}),
                two.submit(theirs, {"reason": "違うフォルダです。"}),
            )
        lost = await one.sees(
            lambda: next((v for p in (one, two) for v in p.views if v["callback_id"] == "late_words"), None),
            10,
        )
        field = next(b for b in lost["blocks"] if b["type"] == "input")
        assert field["element"]["initial_value"] in {"Good catch.", "違うフォルダです。"}
        run = await town.outcome()
        assert len(await town.engine.store.decisions(run.id)) == 1


@pytest.mark.parametrize("trouble", ["read-only", "full"])
async def test_a_record_that_cannot_be_written_is_written_later_and_the_card_says_so(
    town, asked, reading, small_disk, trouble
):
    """S27, R24: the decision stands, the folder of the records takes nothing for a while, and no second card is posted."""
    town.records = small_disk.folder / "records"
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        if trouble == "full":
            small_disk.fill()
        else:
            small_disk.remount("ro")
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Writing the record failed"), 20)
        if trouble == "full":
            small_disk.clear()
        else:
            small_disk.remount("rw")
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded"), 40)
        assert done["ts"] == card["ts"]
        (record,) = town.records.glob("*.md")
        assert "Fine." in record.read_text(encoding="utf-8")
        assert [m["ts"] for m in one.messages(NOTES) if "2 links in daily" in reading.words(m)] == [
            card["ts"]
        ]


async def test_a_clock_that_is_set_forward_closes_no_modal_before_its_decision_is_recorded(
    town, asked, reading, monkeypatch
):
    """Bolt measures its patience by the machine's time, and hands what it finds late to the next listener."""
    clock = itertools.chain(
        [0], itertools.repeat(10)
    )  # set forward while the decision waits for the database
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        async with held(town.database):
            with monkeypatch.context() as patch:
                patch.setattr(asyncio_runner, "time", SimpleNamespace(time=lambda: next(clock)))
                said = await two.submit(modal, {"reason": "Fine."})
            assert not said.ok  # Slack's own warning stands in the modal, and nobody was told that it counts
            assert two.views[-1]["callback_id"] == "decide"
        await two.sees(lambda: any("記録しました。" in reading.words(v) for v in two.views), 10)
        assert (await town.outcome()).result.outcome == "approved"


async def test_a_clock_that_is_set_back_hides_no_post_whose_reply_was_lost(town, asked, reading):
    """S28: this machine's clock was ahead of Slack's when the run began; the card is found all the same."""
    async with town.bot() as engine:
        one = await town.member(1)
        now = engine.store.now
        engine.store.now = lambda: now() + timedelta(hours=3)
        town.slack.lose_next_reply("chat.postMessage", times=2)
        card = await asked(one)
        assert [m["ts"] for m in one.messages(NOTES) if "approve" in reading.buttons(m)] == [card["ts"]]
        engine.store.now = now
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"), 20)
        assert len(one.messages(NOTES)) == 2
