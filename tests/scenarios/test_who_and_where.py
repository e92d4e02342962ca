"""Who may do and see what, and where a card goes."""

from __future__ import annotations

import json

NOTES, ELSEWHERE = "C0NOTES", "C0ELSEWHERE"
REFUSED = "Only people whom ringi's settings name can use it here. Ask whoever runs it. Nothing has changed."


async def test_a_stranger_gets_one_private_sentence_that_names_nothing(town, asked, told, reading):
    """S17, S23: for every command and click; nothing changes, and the attempt is kept."""
    async with town.bot():
        one, stranger = await town.member(1), await town.member(3)
        for text in ("daily", "status", "help", "", "nowhere"):
            assert reading.words(await told(stranger, f"/linkcheck {text}".strip())) == REFUSED
        assert await town.engine.store.runs() == []
        card = await asked(one)
        await stranger.click(card, "approve")
        told = await stranger.sees(lambda: reading.find(stranger.ephemeral(NOTES)[5:], REFUSED))
        assert "daily" not in reading.words(told)
        assert stranger.views == []
        run = (await town.engine.store.runs())[0]
        assert run.state == "waiting"
        refused = [e for e in await town.engine.store.events(run.id) if e.what == "refused-click"]
        assert [e.person.id for e in refused] == ["T0TEAM/U0STRANGER"]


async def test_an_approver_may_not_start(town, reading):
    async with town.bot():
        two = await town.member(2)
        answer = await two.command(NOTES, "/linkcheck daily")
        assert "開始できるのは RINGI_STARTERS にある人だけです。" in reading.words(answer.said)
        assert await town.engine.store.runs() == []


async def test_the_requester_may_not_approve_their_own_run_unless_a_setting_says_so(town, asked, reading):
    """S19, R41."""
    async with town.bot(RINGI_APPROVERS="U0MEMBER1,U0MEMBER2"):
        one = await town.member(1)
        card = await asked(one)
        await one.click(card, "approve")
        told = await one.sees(lambda: reading.find(one.ephemeral(NOTES), "You can't decide this one."))
        assert reading.words(told) == "*You can't decide this one.* <@U0MEMBER2> can. Nothing has changed."


async def test_a_permission_taken_away_between_click_and_submission_counts(town, asked, reading):
    """S22."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        _, bot = town.settings()
        town.engine.intake.policy = bot.model_copy(update={"approvers": frozenset({"U0MEMBER9"})}).policy(
            "T0TEAM"
        )
        answer = await two.submit(modal, {"reason": "Fine."})
        assert answer.view["callback_id"] == "notice"
        assert (await town.engine.store.runs())[0].state == "waiting"


async def test_a_starter_who_decides_alone_is_asked_in_direct_messages(town, reading):
    async with town.bot(RINGI_APPROVERS=""):
        one = await town.member(1)
        answer = await one.command(ELSEWHERE, "/linkcheck daily")
        assert "The card comes to our direct messages." in reading.words(answer.said)
        card = await one.sees(lambda: reading.find(one.messages(), "who alone may decide"), 20)
        await one.click(card, "approve")
        assert (await one.submit(await one.modal("decide"))).ok
        await one.sees(lambda: reading.find(one.messages(), "Approved: 2 links in daily"))


async def test_where_the_bot_is_no_member_nothing_starts_and_the_answer_invites_it(town, reading):
    """S26, S50: no run waits on a card that nobody can see."""
    async with town.bot():
        one = await town.member(1)
        answer = await one.command(ELSEWHERE, "/linkcheck daily")
        assert "Type /invite @ringi here" in reading.words(answer.said)
        assert await town.engine.store.runs() == []


async def test_a_card_that_others_may_decide_never_goes_into_direct_messages(town, told, reading):
    """They could not see it there; nothing starts, and no message mentions direct messages as a channel."""
    async with town.bot():
        one = await town.member(1)
        answer = await told(one, "/linkcheck daily", one.dm)
        assert reading.words(answer) == (
            "*A card belongs in a channel*, where those who decide can see it. Type /invite @ringi in one, then the"
            " command there; or have RINGI_CHANNEL set. Nothing was started."
        )
        assert await town.engine.store.runs() == []
    async with town.bot(RINGI_CHANNEL=NOTES):
        answer = await told(one, "/linkcheck daily", one.dm)
        assert "The card comes to <#C0NOTES>." in reading.words(answer)
        await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), 20)
        assert not any(
            "<#D" in json.dumps(m) for m in [*one.messages(), *one.ephemeral(), *one.messages(NOTES)]
        )


async def test_a_setting_names_the_channel_of_every_card_and_the_answer_leads_there(town, reading):
    """S50: typed anywhere; a private answer leads to the message that follows it."""
    async with town.bot(RINGI_CHANNEL=NOTES):
        one = await town.member(1)
        answer = await one.command("C0GENERAL", "/linkcheck daily")
        assert "The card comes to <#C0NOTES>." in reading.words(answer.said)
        await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), 20)
        way = await one.sees(lambda: reading.find(one.ephemeral("C0GENERAL"), "stand here"), 20)
        first = one.messages(NOTES)[0]
        assert reading.words(way).startswith("links in daily: ")
        assert way["blocks"][0]["accessory"]["url"].endswith(first["ts"].replace(".", ""))
        await one.command(NOTES, "/linkcheck work")
        await one.sees(lambda: reading.find(one.messages(NOTES), "No broken links in work"), 20)
        assert not reading.find(one.ephemeral(NOTES), "stand here")  # it stands before their eyes


async def test_nobody_could_decide_so_nothing_starts(town, reading):
    """S18, S21."""
    async with town.bot(RINGI_APPROVERS="U0MEMBER1"):
        answer = await (await town.member(1)).command(NOTES, "/linkcheck daily")
        assert "Nobody could decide this." in reading.words(answer.said)
        assert await town.engine.store.runs() == []


async def test_answers_are_in_the_reader_s_language_and_cards_in_the_run_s(town, asked, reading):
    async with town.bot(RINGI_STARTERS="U0MEMBER1,U0MEMBER2", RINGI_APPROVERS="U0MEMBER1"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(two)
        assert "daily のリンク切れ 2件" in reading.words(card)
        await one.click(card, "approve")
        modal = await one.modal("decide")
        assert modal["title"]["text"] == "Approve link check"
        assert modal["submit"]["text"] == "Approve all 2"
