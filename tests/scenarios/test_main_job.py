"""The main job, as two people live it: asked, decided, recorded."""

from __future__ import annotations

NOTES = "C0NOTES"


async def test_a_person_approves_and_the_card_shrinks_to_the_outcome(town, asked, reading):
    """S2, S7: same message, who, when, why and the record's name, and no row of buttons."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        assert "2 links in daily lead nowhere" in reading.words(card)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        answer = await two.submit(modal, {"reason": "Checked against the plan."})
        assert answer.ok
        done = await one.sees(
            lambda: next((m for m in one.messages(NOTES) if "Approved:" in reading.words(m)), None)
        )
        assert done["ts"] == card["ts"]
        assert "Checked against the plan." in reading.words(done)
        assert "<@U0MEMBER2>" in reading.words(done)
        assert reading.buttons(done) == ["show_record"]
        assert "Checked against the plan." in town.record()
        outcome = await one.sees(lambda: one.thread(card["ts"], NOTES))
        assert "<@U0MEMBER1> *approved* by <@U0MEMBER2>" in reading.words(outcome[0])
