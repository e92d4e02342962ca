"""Nobody answers: the deadline, the one reminder, and what both leave behind. The clock is the test's own."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from graph.intake.reminding import remind

NOTES = "C0NOTES"


class Clock:
    """A clock that goes when it is told to; it begins at noon in London, nine in the evening in Tokyo."""

    def __init__(self):
        self.at = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

    def __call__(self):
        return self.at

    def goes(self, **by):
        self.at += timedelta(**by)


@pytest.fixture
def clock():
    return Clock()


async def at_rest(town):
    """Wait until Slack shows what the rows say."""
    for _ in range(400):
        store = town.engine.store
        messages = [m for run in await store.runs() for m in await store.messages(run.id)]
        if all(m.shown == m.wanted for m in messages):
            return messages
        await asyncio.sleep(0.05)
    raise AssertionError(messages)


async def test_a_question_expires_while_a_modal_is_open_and_the_words_come_back(town, asked, reading, clock):
    """S4, R34: expired, never rejected; no live button; the late words are offered back."""
    async with town.bot(RINGI_DEADLINE_HOURS="4"):
        town.engine.store.now = clock
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        assert "*Decide by <!date^1796140800^{time}|16:00>*, then it expires" in reading.words(card)
        assert card["text"].endswith("– approve the report? By 16:00 (asked by @Member 1)")
        run = (await town.engine.store.runs())[0]
        assert "Decide by 1 Dec 16:00, then it expires" in await town.ringi("show", run.id[:8])
        await two.click(card, "reject")
        modal = await two.modal("decide")
        clock.goes(hours=4)
        town.engine.wake()
        assert (await town.outcome()).result.outcome == "expired"
        answer = await two.submit(modal, {"reason": "フォルダが違います。"})
        assert answer.view["callback_id"] == "late_words"
        assert "*期限切れです*" in reading.words(answer.view)
        assert answer.view["blocks"][-1]["element"]["initial_value"] == "フォルダが違います。"

        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "))
        said = reading.words(done)
        assert "Expired: 2 links in daily" in said
        assert "Nobody answered by <!date^1796140800^{time}|16:00>. That is not a refusal." in said
        assert reading.buttons(done) == ["show_record"]
        await one.sees(
            lambda: reading.find(one.thread(card["ts"], NOTES), "*expired* – nobody decided in time")
        )
        assert "outcome: expired" in town.record()
        assert "Expired: nobody answered in time. That is not a refusal" in town.record()


async def test_one_of_two_in_time_is_too_few_and_is_not_called_nobody(town, asked, reading, clock):
    async with town.bot(
        RINGI_DEADLINE_HOURS="0.5",
        RINGI_APPROVALS="2",
        RINGI_APPROVERS="U0MEMBER1,U0MEMBER2",
        RINGI_SELF_APPROVAL="yes",
    ):
        town.engine.store.now = clock
        one = await town.member(1)
        card = await asked(one)
        await one.click(card, "approve")
        assert (await one.submit(await one.modal("decide"), {"reason": "Fine."})).ok
    clock.goes(hours=1)  # the deadline passes while nothing runs
    async with town.bot():
        town.engine.store.now = clock
        town.engine.wake()
        one = await town.member(1)
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "), 20)
        assert "Not enough approvals by <!date^" in reading.words(done)
        assert "Approval 1 · <@U0MEMBER1>" in reading.words(done)
        assert "1 approval came in time, which was too few" in town.record()


async def test_one_reminder_in_waking_hours_and_never_another_after_a_restart(town, asked, reading, clock):
    """S46: in the approver's zone (Tokyo); in the card's thread; once."""
    async with town.bot():
        town.engine.store.now = clock
        one = await town.member(1)
        card = await asked(one)
        clock.goes(hours=24)  # 21:00 in Tokyo: too late for today
        [request] = await town.engine.store.requests((await town.engine.store.runs())[0].id)

        async def put_off():
            [now] = await town.engine.store.requests(request.run_id)
            return now.remind_at == datetime(2026, 12, 2, 23, 0, tzinfo=UTC)  # 8:00 in Tokyo

        await becomes_true(put_off)
        assert one.thread(card["ts"], NOTES) == []
        clock.goes(hours=11)
        reminder = await one.sees(lambda: reading.find(one.thread(card["ts"], NOTES), "still open"))
        assert "<@U0MEMBER2> a decision is still open, asked 35 hours ago." in reading.words(reminder)
        assert reminder["text"].startswith("@Member 2 a decision is still open")
        link = next(b for b in reminder["blocks"] if "accessory" in b)["accessory"]
        assert link["url"].endswith(card["ts"].replace(".", ""))
    async with town.bot():
        town.engine.store.now = clock
        one, two = await town.member(1), await town.member(2)
        clock.goes(days=3)
        await two.click(one.message(card["ts"], NOTES), "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "))
        said = [reading.words(m) for m in one.thread(card["ts"], NOTES)]
        assert sum("still open" in words for words in said) == 1


async def test_nobody_is_reminded_of_what_is_decided(town, asked, reading, clock):
    async with town.bot(RINGI_REMIND_HOURS="1"):
        town.engine.store.now = clock
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "))
        clock.goes(days=1, hours=3)
        assert await town.engine.store.to_remind(10) == {}
        assert not any("remind:" in m.key for m in await at_rest(town))


async def test_a_reminder_that_could_not_be_sent_by_day_waits_for_the_morning_and_is_dropped_once_decided(
    town, asked, reading, clock
):
    """As after hours in which Slack was away: the message is there already, and now it is night."""
    async with town.bot():
        town.engine.store.now = clock
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        store = town.engine.store
        run = (await store.runs())[0]
        [request] = await store.requests(run.id)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        clock.goes(hours=2)  # 23:00 in Tokyo
        data = {"whom": "<@U0MEMBER2>", "names": "@Member 2", "minutes": 120}

        async def gone():
            return await store.message(f"remind:{request.id}") is None

        await remind(store, request.id, data)
        await becomes_true(gone)
        [now] = await store.requests(run.id)
        assert now.remind_at == datetime(2026, 12, 1, 23, 0, tzinfo=UTC)  # 8:00 in Tokyo

        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "))
        clock.goes(hours=10)
        async with store.write() as write:
            await write.add_message(f"remind:{request.id}", run, thread=f"card:{request.id}", data=data)
        await becomes_true(gone)
        assert not any("still open" in reading.words(m) for m in one.thread(card["ts"], NOTES))


async def becomes_true(condition):
    for _ in range(400):
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not come true")
