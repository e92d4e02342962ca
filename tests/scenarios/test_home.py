"""The Home tab over a real socket: everything a card offers, one list, and only to those it concerns."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

NOTES = "C0NOTES"


@pytest.fixture
def home(reading):
    """Open a member's Home tab and return it once it is published."""

    async def look(member):
        assert (await member.open_home()).ok
        return await member.sees(lambda: member.home)

    return look


@pytest.fixture
def homes(reading):
    """Wait until a member's Home tab says this."""

    async def say(member, part: str):
        return await member.sees(
            lambda: member.home if member.home and part in reading.words(member.home) else None
        )

    return say


async def test_one_decides_from_home_although_the_card_was_deleted(town, asked, home, homes, reading):
    """S26."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        town.slack.delete(card)
        tab = await home(two)
        assert reading.words(tab).startswith("あなたの判断待ち 1件\ndaily · 2件")
        assert "依頼 Member 1" in reading.words(tab)
        assert (await two.click(tab, "home_decide")).ok
        modal = await two.modal("decide")
        assert [b["block_id"] for b in modal["blocks"] if b["type"] == "input"] == [
            "choice.1",
            "reason.chosen.1",
        ]
        assert "[[Projct plan]] → Project plan" in reading.words(modal)
        blank = await two.submit(modal, {"choice": "reject", "reason": " "})
        assert blank.errors == {"reason.chosen.1": "理由をひとこと書いてください。Member 1 さんに届きます。"}
        assert (await two.submit(modal, {"choice": "reject", "reason": "別のフォルダです。"})).ok
        run = await town.outcome()
        assert run.result.outcome == "rejected"
        tab = await homes(two, "却下 Member 2")  # by way of: the record is being written
        assert "判断待ちはありません" in reading.words(tab)
        assert "別のフォルダです。" in town.record()
        await two.click(tab, "show_record")
        assert "outcome: rejected" in reading.words(await two.modal("record"))


async def test_home_without_a_choice_decides_nothing(town, asked, home):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        await asked(one)
        await two.click(await home(two), "home_decide")
        modal = await two.modal("decide")
        assert (await two.submit(modal, {"reason": "Checked."})).errors
        assert (await town.engine.store.runs())[0].state == "waiting"


async def test_the_requester_sees_what_they_asked_for_and_withdraws_it(town, asked, home, homes, reading):
    async with town.bot():
        one = await town.member(1)
        await asked(one)
        tab = await home(one)
        words = reading.words(tab)
        assert words.startswith("Nothing waits for you")
        assert "You asked: 1\ndaily · 2 links\nwaits for Member 2 since " in words
        assert "home_decide" not in reading.buttons(tab)
        await one.click(tab, "home_withdraw")
        await homes(one, "Withdrawn. The card shows it in a moment.".replace("Withdrawn.", "*Withdrawn.*"))
        await homes(one, "Decided lately")
        assert (await town.outcome()).result.outcome == "withdrawn"


async def test_a_stranger_gets_one_sentence_and_nothing_else(town, asked, home, reading):
    async with town.bot():
        await asked(await town.member(1))
        tab = await home(await town.member(3))
        assert [b["type"] for b in tab["blocks"]] == ["section"]
        assert reading.words(tab).startswith("Only people whom ringi's settings name")


async def test_an_open_home_follows_what_happens(town, asked, home, homes):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        assert "判断待ちはありません" in str(await home(two))
        card = await asked(one)
        await homes(two, "あなたの判断待ち 1件")
        await two.click(card, "approve")
        await two.submit(await two.modal("decide"))
        await homes(two, "承認 Member 2")


async def test_the_switch_is_thrown_from_home_by_those_who_may(town, home, homes, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        assert "hold" not in reading.buttons(await home(one))
        await two.click(await home(two), "hold")
        held = await homes(two, "*保留中*")
        assert "release" in reading.buttons(held)
        await homes(one, "*On hold* since ")
        await two.click(held, "release")
        await homes(one, "*On* · they start at once")


async def test_a_row_that_someone_else_decided_meanwhile_says_so(town, asked, home, homes, reading):
    async with town.bot(RINGI_APPROVERS="U0MEMBER1,U0MEMBER2", RINGI_SELF_APPROVAL="yes"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        tab = await home(two)
        await one.click(card, "approve")
        await one.submit(await one.modal("decide"))
        await two.click(tab, "home_decide")
        notice = await two.modal("notice")
        assert "*判断済みです。*" in reading.words(notice)


async def test_a_run_that_nobody_works_on_is_marked_on_the_home_tab(
    *, town, asked, homes, told, reading, monkeypatch
):
    """Its row says that it runs; the process that ran it is gone, and the next look has not come yet."""
    monkeypatch.setattr("graph.engine.engine.WATCH_SECONDS", 3600)
    async with town.bot():
        one = await town.member(1)
        await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        with closing(sqlite3.connect(town.database, isolation_level=None)) as connection:
            connection.execute("UPDATE runs SET state = 'running', changed = '2026-11-01 09:00:00'")
        await one.open_home()
        idle = "Nothing works on it just now; it goes on by itself."
        assert "Running: 1" in reading.words(await homes(one, idle))
        assert idle in reading.words(await told(one, "/linkcheck status"))
        town.engine.wake()
        await town.outcome("waiting")
        await one.open_home()
        assert idle not in reading.words(await homes(one, "You asked: 1"))
