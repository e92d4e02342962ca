"""Several people have to approve: what the card, the modal, the record and the terminal say of it."""

from __future__ import annotations

NOTES = "C0NOTES"
TWO = {
    "RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2",
    "RINGI_SELF_APPROVAL": "yes",
    "RINGI_APPROVALS": "2",
}


async def approve(member, card, words=""):
    await member.click(card, "approve")
    return await member.submit(await member.modal("decide"), {"reason": words})


async def test_the_second_approver_sees_the_first_one_s_words_and_completes_it(town, asked, reading):
    async with town.bot(**TWO):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        said = reading.words(card)
        assert "for <@U0MEMBER1> or <@U0MEMBER2> · whoever asked may decide too" in said
        assert "2 more approvals needed. One reject ends it." in said
        await one.click(card, "approve")
        modal = await one.modal("decide")
        assert "You would be approval 1 of 2." in reading.words(modal)
        assert (await one.submit(modal, {"reason": "Fine with me."})).ok

        card = await two.sees(lambda: reading.find(two.messages(NOTES), "*1 of 2 approvals*"))
        said = reading.words(card)
        assert "*1 of 2 approvals* · <@U0MEMBER1>, <!date^" in said
        assert "“Fine with me.”" in said
        assert "1 more approval needed. One reject ends it." in said
        assert "for <@U0MEMBER2>\n" in f"{said}\n"  # only who can still decide is called
        assert card["text"] == (
            "2 links in daily lead nowhere – 1 of 2 approvals, 1 more needed. (asked by @Member 1)"
        )
        assert reading.buttons(card)[:3] == ["approve", "reject", "send_back"]
        assert (await town.engine.store.runs())[0].state == "waiting"

        await two.click(card, "approve")
        modal = await two.modal("decide")
        assert "あなたで承認 2/2人目になります。" in reading.words(modal)
        assert (await two.submit(modal, {"reason": "Checked."})).ok
        assert (await town.outcome()).result.outcome == "approved"
        done = await two.sees(lambda: reading.find(two.messages(NOTES), "Recorded · "))
        said = reading.words(done)
        assert "By <@U0MEMBER2> · " in said
        assert "Approval 1 · <@U0MEMBER1> · " in said
        assert "“Fine with me.”" in said
        assert reading.buttons(done) == ["show_record"]
        record = town.record()
        assert "Approved by `Member 1` and `Member 2`" in record
        assert "Reason: `Fine with me.`" in record


async def test_one_reject_ends_it_after_an_approval(town, asked, reading):
    async with town.bot(**TWO):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        assert (await approve(one, card, "Fine.")).ok
        card = await two.sees(lambda: reading.find(two.messages(NOTES), "*1 of 2 approvals*"))
        await two.click(card, "reject")
        assert (await two.submit(await two.modal("decide"), {"reason": "Wrong folder."})).ok
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Rejected: 2 links in daily"))
        assert (await town.outcome()).result.outcome == "rejected"
        assert "Approval 1 · <@U0MEMBER1>" in reading.words(done)
        record = town.record()
        assert "Rejected by `Member 2`" in record
        assert "  - Approved by `Member 1`" in record


async def test_the_same_person_cannot_be_two(town, asked, reading):
    """Neither with a modal that was open before they voted in the terminal, nor with a new click."""
    async with town.bot(**TWO, RINGI_OPERATOR="U0MEMBER1"):
        one = await town.member(1)
        card = await asked(one)
        run = (await town.engine.store.runs())[0]
        await one.click(card, "reject")
        open_before = await one.modal("decide")
        await town.ringi("resume", run.id[:8], "approve", "Fine.")
        answer = await one.submit(open_before, {"reason": "No, wrong."})
        assert "You have approved this already." in reading.words(answer.view)
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "*1 of 2 approvals*"))
        await one.click(card, "approve")
        await one.sees(lambda: reading.find(one.ephemeral(NOTES), "Someone else has to be the next."))
        assert (await town.engine.store.run(run.id)).state == "waiting"
        [votes] = (await town.engine.store.votes(run.id)).values()
        assert [(vote.kind, vote.reason) for vote in votes] == [("approve", "Fine.")]


async def test_the_terminal_gives_the_second_vote_and_is_no_third_person(town, asked, reading):
    async with town.bot(**TWO, RINGI_OPERATOR="U0MEMBER2"):
        one = await town.member(1)
        card = await asked(one)
        run = (await town.engine.store.runs())[0]
        said = await town.ringi("resume", run.id[:8], "approve", "Seen here.")
        assert "Your approval is recorded. 1 more needed." in said
        assert "Approval 1 by " in said
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "*1 of 2 approvals* · <@U0MEMBER2>"))
        assert "You have approved this already." in await town.ringi("resume", run.id[:8], "reject", "No.")
        two = await town.member(2)
        await two.click(card, "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "次は別の人にお願いします。"))
        assert (await approve(one, card, "And here.")).ok
        await town.outcome()
        record = town.record()
        assert "in the terminal (not verified)" in record
        assert "Reason: `Seen here.`" in record
        shown = await town.ringi("show", run.id[:8])
        assert "Approval 1 by " in shown
        assert "Seen here." in shown


async def test_too_few_could_approve_so_nothing_starts(town, reading):
    async with town.bot(RINGI_APPROVERS="U0MEMBER2", RINGI_APPROVALS="2"):
        answer = await (await town.member(1)).command(NOTES, "/linkcheck daily")
        assert "2 approvals are needed (RINGI_APPROVALS), and 1 could be given." in reading.words(answer.said)
        assert await town.engine.store.runs() == []
