"""User groups that may decide: who is in them is Slack's word, asked again when it matters."""

from __future__ import annotations

from bot.slack import groups

NOTES = "C0NOTES"
GROUP = {"RINGI_STARTERS": "U0MEMBER1,U0STRANGER", "RINGI_APPROVERS": "S0APPROVERS"}


async def test_a_member_of_the_group_decides_and_one_who_left_it_does_not(town, asked, reading, monkeypatch):
    """S22: the card calls the members; a modal that was open when they left counts for nothing, and says so."""
    monkeypatch.setattr(groups, "KEPT_SECONDS", 0)
    members = town.slack.workspace.usergroups["S0APPROVERS"].members
    async with town.bot(**GROUP):
        starter, two = await town.member(3), await town.member(2)
        card = await asked(starter)
        assert "for <@U0MEMBER1> or <@U0MEMBER2>" in reading.words(card)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        members.remove("U0MEMBER2")
        answer = await two.submit(modal, {"reason": "Fine."})
        assert "このカードを判断できるのは <@U0MEMBER1> です。" in reading.words(answer.view)
        await two.click(two.message(card["ts"], NOTES), "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "何も変わっていません。"))
        await starter.sees(
            lambda: "for <@U0MEMBER1>\n" in reading.words(starter.message(card["ts"], NOTES)) or None
        )

        card = starter.message(card["ts"], NOTES)  # drawn anew since
        members[:] = ["U0MEMBER2"]
        await two.click(two.message(card["ts"], NOTES), "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        assert (await town.outcome()).result.outcome == "approved"


async def test_slack_does_not_say_who_is_in_the_group_so_nothing_counts_and_the_words_stay(
    town, asked, reading, monkeypatch
):
    async with town.bot(**GROUP):
        starter, one = await town.member(3), await town.member(1)
        card = await asked(starter)
        await one.click(card, "approve")
        modal = await one.modal("decide")
        monkeypatch.setattr(groups, "KEPT_SECONDS", 0)
        monkeypatch.setattr(groups, "PATIENCE", 0.2)
        town.slack.faults.slow["usergroups.users.list"] = 5
        answer = await one.submit(modal, {"reason": "Fine."})
        assert answer.errors == {
            "reason.approve.1": "Slack did not say in time who may decide this. Nothing was recorded; do it once more."
        }
        assert (await town.engine.store.runs())[0].state == "waiting"
        monkeypatch.setattr(groups, "KEPT_SECONDS", 60)
        town.slack.faults.slow.clear()
        assert (await one.submit(one.views[-1], {"reason": "Fine."})).ok
        assert (await town.outcome()).result.outcome == "approved"


async def test_a_disabled_group_is_nobody_and_never_everyone(town, asked, told, reading, monkeypatch):
    """S18: said on the card that waits; nothing new starts."""
    monkeypatch.setattr(groups, "KEPT_SECONDS", 0)
    async with town.bot(**GROUP):
        starter, one = await town.member(3), await town.member(1)
        card = await asked(starter)
        town.slack.workspace.usergroups["S0APPROVERS"].disabled = True
        await one.click(card, "approve")
        waits = await starter.sees(
            lambda: reading.find(starter.messages(NOTES), "*Nobody can decide this.*"), 20
        )
        assert waits["ts"] == card["ts"]
        assert "Nobody could decide this." in reading.words(await told(starter, "/linkcheck work"))
        assert len(await town.engine.store.runs()) == 1
