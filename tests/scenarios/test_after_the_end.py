"""Every button and every open modal once there is nothing left to decide, however that came about, in both languages."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from graph.approval import Failure

NOTES = "C0NOTES"
BOTH = {
    "RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2",
    "RINGI_SELF_APPROVAL": "yes",
    "RINGI_DRAFTER": "claude",
    "RINGI_DEADLINE_HOURS": "1",
}
DECIDING = ("approve", "reject", "send_back", "items", "home_decide")
LOOKING = ("everything",)
STEERING = ("cancel", "home_cancel", "home_withdraw", "continue_now", "continue_at", "home_retry", "end")
JAPANESE = re.compile(r"[\u3040-\u30ff]")


def press_again(town, ts: str, action: str, value: str) -> None:
    """Give a message one button of an earlier day, as a client shows it that has not heard of the edit."""
    label = {"type": "plain_text", "text": "Press", "emoji": False}
    button = {"type": "button", "action_id": action, "text": label, "value": value}
    message = town.slack.workspace.message(NOTES, ts, person="U0MEMBER1")
    message.blocks = [{"type": "actions", "block_id": "old", "elements": [button]}]


async def approved(town, request, people):
    await town.engine.intake.decide(request.id, 1, "approve", people[1])


async def rejected(town, request, people):
    await town.engine.intake.decide(request.id, 1, "reject", people[1], "No.")


async def withdrawn(town, request, people):
    await town.engine.intake.cancel(request.run_id, people[0])


async def expired(town, request, people):
    now = town.engine.store.now
    town.engine.store.now = lambda: now() + timedelta(hours=2)


async def sent_back_and_failed_for_good(town, request, people):
    town.claude.failure = Failure(kind="overloaded", step="", words="Overloaded")
    await town.engine.intake.decide(request.id, 1, "send_back", people[1], "Again.")
    town.engine.wake(request.run_id)
    await town.outcome("failed")
    await town.engine.intake.end(request.run_id, people[0])


async def replaced(town, request, people):
    await town.engine.intake.decide(request.id, 1, "send_back", people[1], "Again.")


ENDINGS = {
    approved: "done",
    rejected: "done",
    withdrawn: "done",
    expired: "done",
    sent_back_and_failed_for_good: "failed",
    replaced: "waiting",
}


def expected(action: str, japanese: bool, end) -> str:  # noqa: FBT001 - one of two readers
    """Return how the answer to a press begins."""
    if action in DECIDING and end is replaced:
        return (
            "*差し替え済みのカードです。* 第2版"
            if japanese
            else "*This card was replaced.* Revision 2 is the one"
        )
    if action in DECIDING:
        return "*判断済みです。*" if japanese else "*Already decided.*"
    if japanese:
        return "*この操作は依頼した人だけができます。*"
    ended = action in {"cancel", "home_cancel", "home_withdraw"}
    return "*This run has ended already.*" if ended else "*There is nothing to continue.*"


@pytest.mark.parametrize("end", ENDINGS, ids=lambda end: end.__name__)
async def test_every_button_of_an_older_card_is_answered_and_changes_nothing(town, asked, reading, end):
    """S1, S4, S25, S53: nothing is decided twice or steered, no modal that could be is left, every press gets a sentence."""
    async with town.bot(**BOTH) as engine:
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        [run] = await engine.store.runs()
        [request] = await engine.store.requests(run.id)
        people = (
            run.requester,
            run.requester.model_copy(update={"id": "T0TEAM/U0MEMBER2", "name": "Member 2"}),
        )
        await one.click(card, "approve")
        late = await one.modal("decide")
        await two.click(card, "items")
        page = await two.modal("items_page")

        await end(town, request, people)
        engine.wake(run.id)
        run = await town.outcome(ENDINGS[end])
        if end is replaced:
            await one.sees(lambda: reading.find(one.messages(NOTES), "*Revision 2*"), 20)
        await one.sees(lambda: "approve" not in reading.buttons(one.message(card["ts"])), 20)

        async def rows():
            every = await engine.store.requests(run.id)
            said = await engine.store.decisions(run.id)
            now = await engine.store.run(run.id)
            events = [e.what for e in await engine.store.events(run.id) if e.what != "refused-click"]
            records = sorted(path.name for path in town.records.glob("*.md"))
            return every, said, now.state, now.retry_offered, events, records, len(await engine.store.runs())

        before = await rows()
        answer = await one.submit(late, {"reason": "Fine by me."})
        assert answer.view["callback_id"] in {"late_words", "notice"}
        await one.close(answer.view)
        answer = await two.submit(page)
        assert answer.view["callback_id"] == "notice"
        assert JAPANESE.search(reading.words(answer.view))
        await two.close(answer.view)

        value = {**dict.fromkeys((*DECIDING, *LOOKING), f"{request.id}:1"), **dict.fromkeys(STEERING, run.id)}
        for member in (one, two):
            for action, what in value.items():
                if action in STEERING and end is replaced and member is one:
                    continue  # its run goes on, and may be steered
                told = len(member.ephemeral(NOTES))
                press_again(town, card["ts"], action, what)
                assert (await member.click(member.message(card["ts"]), action)).ok
                if action in LOOKING:
                    await member.close(await member.modal("everything"))
                    continue
                said = reading.words((await member.sees(lambda m=member, n=told: m.ephemeral(NOTES)[n:]))[0])
                assert bool(JAPANESE.search(said)) is (member is two), (action, said)
                assert said.startswith(expected(action, member is two, end)), (action, said)
                assert not re.search(r"E-[0-9A-F]{6}", said), (action, said)
                assert member.views == []
        assert await rows() == before
