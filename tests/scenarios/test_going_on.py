"""A stopped run, in Slack and in the terminal: what it says, how it goes on, and that nothing is done twice."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

from graph.approval import Failure

NOTES = "C0NOTES"
LIMIT = Failure(kind="usage_limit", step="", words="You've hit your limit")


async def sees(reading, member, part):
    return await member.sees(lambda: reading.find(member.messages(NOTES), part), timeout=60)


async def becomes_true(condition):
    for _ in range(600):
        if await condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it did not come true within a minute")


async def check_that_fails_after_the_first_batch(town, reading, member, failure=LIMIT):
    """Two links make two batches of one; the second call meets the failure."""
    ask = town.claude.ask

    async def first_only(prompt, schema, **more):
        town.claude.failure = failure if town.claude.prompts else None
        return await ask(prompt, schema, **more)

    town.claude.ask = first_only
    await member.command(NOTES, "/linkcheck daily")
    message = await sees(reading, member, "Stopped: links in daily")
    town.claude.ask, town.claude.failure = ask, None
    return message


async def test_a_recorded_failure_goes_on_as_a_new_run_and_both_name_each_other(town, reading):
    async with town.bot(RINGI_DRAFTER="claude", RINGI_BATCH="1"):
        starter, approver = await town.member(1), await town.member(2)
        stopped = await check_that_fails_after_the_first_batch(town, reading, starter)
        assert "*Usage limit reached* · step 2 of 3, judging." in reading.words(stopped)
        assert "1 of 2 links are judged and kept; nothing is asked twice." in reading.words(stopped)
        old = await town.outcome("failed")
        before = town.record()

        await starter.click(stopped, "continue_now")
        card = await sees(reading, starter, "2 links in daily lead nowhere")
        assert len(town.claude.prompts) == 3  # one a link, and the one that failed
        assert len({town.claude.asked(prompt)[0] for prompt in town.claude.prompts}) == 2
        new = await town.outcome("waiting")
        stopped = await starter.sees(
            lambda: reading.find(starter.messages(NOTES), "It goes on as run"), timeout=60
        )
        assert f"It goes on as run {new.id[:8]}." in reading.words(stopped)
        assert reading.buttons(stopped) == []

        await approver.click(card, "approve")
        assert (await approver.submit(await approver.modal("decide"), {"reason": ""})).ok
        await town.outcome("done")
        records = {path.stem[-8:]: path.read_text() for path in town.records.glob("*.md")}
        assert set(records) == {old.id[:8], new.id[:8]}
        assert records[old.id[:8]] == before
        assert f"continues: {old.id}" in records[new.id[:8]]
        assert f"Continued by run {new.id[:8]}" in await town.ringi("show", old.id[:8])
        assert f"Continues run {old.id[:8]}" in await town.ringi("show", new.id[:8])


async def test_retry_by_button_and_in_the_terminal_at_once_makes_one_run(town, reading):
    async with town.bot(RINGI_DRAFTER="claude", RINGI_BATCH="1"):
        starter = await town.member(1)
        stopped = await check_that_fails_after_the_first_batch(town, reading, starter)
        clicks = [starter.click(stopped, "continue_now") for _ in range(2)]
        *_, said = await asyncio.gather(*clicks, town.ringi("retry", (await town.outcome("failed")).id[:8]))
        await sees(reading, starter, "2 links in daily lead nowhere")
        assert len(await town.engine.store.runs()) == 2
        assert len(town.claude.prompts) == 3
        private = [reading.words(message) for message in starter.ephemeral(NOTES)]
        assert sum("It goes on." in words for words in private) + ("Going on with" in said) == 1
        assert (
            sum("This goes on already" in words for words in private) + ("carries it on already" in said) == 2
        )


async def test_continue_at_is_kept_over_a_restart_and_goes_on_by_itself(town, reading):
    async with town.bot(RINGI_DRAFTER="claude", RINGI_BATCH="1"):
        starter = await town.member(1)
        resets = LIMIT.model_copy(update={"resets_at": datetime.now(UTC) + timedelta(seconds=20)})
        stopped = await check_that_fails_after_the_first_batch(town, reading, starter, resets)
        assert reading.buttons(stopped) == ["continue_at", "continue_now", "end"]
        await starter.click(stopped, "continue_at")
        stopped = await sees(reading, starter, "*Continues at <!date^")
        assert "set by <@U0MEMBER1>" in reading.words(stopped)
        assert reading.buttons(stopped) == ["continue_now", "end"]
    async with town.bot():
        starter = await town.member(1)
        await sees(reading, starter, "2 links in daily lead nowhere")
        assert datetime.now(UTC) >= resets.resets_at
        assert len(await town.engine.store.runs()) == 2


async def test_words_sent_back_into_a_limit_say_that_they_wait_and_with_which_run_they_go_along(
    town, asked, reading
):
    """003-9: what was not delivered is told where it was said, and in the terminal, before and after going on."""
    async with town.bot(RINGI_DRAFTER="claude"):
        starter, approver = await town.member(1), await town.member(2)
        card = await asked(starter)
        old = await town.outcome("waiting")
        resets = datetime.now(UTC) + timedelta(hours=6)
        town.claude.failure = LIMIT.model_copy(update={"resets_at": resets})
        await approver.click(card, "send_back")
        assert (await approver.submit(await approver.modal("decide"), {"reason": "Ignore offices."})).ok
        stopped = await sees(reading, starter, "Stopped: links in daily")
        await sees(reading, starter, "These words are not delivered yet")
        said = " ".join((await town.ringi("show", old.id[:8])).split())
        assert "Not delivered yet" in said
        assert "It can go on from " in said

        await starter.click(stopped, "continue_at")
        stopped = await sees(reading, starter, "*Continues at <!date^")
        said = " ".join((await town.ringi("show", old.id[:8])).split())
        assert "Continues at " in said
        assert "set by Member 1" in said

        town.claude.failure = None
        await starter.click(stopped, "continue_now")
        new = await town.outcome("waiting")
        assert new.continues == old.id
        await sees(reading, starter, f"run {new.id[:8]} takes them along")
        said = " ".join((await town.ringi("show", old.id[:8])).split())
        assert f"Not delivered here; run {new.id[:8]} takes it along" in said
        assert "Ignore offices." in town.claude.prompts[-1]


async def test_a_run_whose_call_waits_for_its_turn_shows_its_place(town, reading):
    """000-30: RINGI_CLAUDE_PARALLEL is over all runs; the progress message says how many come before."""
    ask, turn = town.claude.ask, {ahead: asyncio.Event() for ahead in (2, 1)}

    async def waits(prompt, schema, *, waiting, **more):
        for ahead, come in turn.items():
            waiting(ahead)
            await come.wait()
        waiting(0)
        return await ask(prompt, schema, waiting=waiting, **more)

    town.claude.ask = waits
    async with town.bot(RINGI_DRAFTER="claude"):
        starter = await town.member(1)
        await starter.command(NOTES, "/linkcheck daily")
        shown = await sees(reading, starter, "2 checks are ahead")
        assert "waiting for its turn" in reading.words(shown)
        turn[2].set()
        await sees(reading, starter, "1 check is ahead")
        turn[1].set()
        await sees(reading, starter, "2 links in daily lead nowhere")


async def test_a_folder_that_is_gone_is_named_and_the_run_goes_on_when_it_is_back(town, reading):
    """Found empty it would look clean; here it says what is missing and what to do, at the step it happened."""
    async with town.bot():
        starter, approver = await town.member(1), await town.member(2)
        await approver.command(NOTES, "/linkcheck hold")
        await starter.command(NOTES, "/linkcheck daily")
        await sees(reading, starter, "On hold: links in daily")
        (town.vault / "daily").rename(town.vault / "moved")
        await approver.command(NOTES, "/linkcheck release")
        stopped = await sees(
            reading, starter, "*A file or folder is not there* · step 1 of 3, reading notes."
        )
        assert "Put it back where it was" in reading.words(stopped)
        assert "It said: “There is no folder 'daily'.”" in reading.words(stopped)
        assert not town.records.exists()

        (town.vault / "moved").rename(town.vault / "daily")
        await starter.click(stopped, "continue_now")
        await sees(reading, starter, "2 links in daily lead nowhere")
        assert len(await town.engine.store.runs()) == 1


async def test_a_forgotten_run_leaves_its_record_and_its_card_answers(town, asked, reading):
    async with town.bot():
        starter, approver = await town.member(1), await town.member(2)
        await approver.click(await asked(starter), "approve")
        assert (await approver.submit(await approver.modal("decide"), {"reason": ""})).ok
        run = await town.outcome("done")
        card = await sees(reading, starter, "Recorded · ")

        async def shown():
            return not await town.engine.store.behind(town.engine.store.now())

        await becomes_true(shown)
    with closing(sqlite3.connect(town.database)) as file, file:
        file.execute("UPDATE runs SET ended = datetime(ended, '-31 days')")
    async with town.bot(RINGI_KEEP_DAYS="30"):
        starter = await town.member(1)

        async def forgotten():
            return not await town.engine.store.runs()

        await becomes_true(forgotten)
        assert f"run: {run.id}" in town.record()
        await starter.click(card, "show_record")
        gone = "This request no longer exists"
        await starter.sees(lambda: reading.find(starter.ephemeral(NOTES), gone), timeout=60)
        assert "There is no run" in await town.ringi("show", run.id[:8])
