"""Nobody is asked twice the same thing, in Slack and beside a server."""

from __future__ import annotations

import pytest

NOTES = "C0NOTES"


@pytest.fixture
def approved(town, asked, reading):
    """Check the folder and approve what is asked."""

    async def approve(one, two):
        await two.click(await asked(one), "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded"), 20)

    return approve


async def test_a_second_check_asks_only_about_what_is_new_or_nobody(town, asked, approved, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        await approved(one, two)

        assert (await one.command(NOTES, "/linkcheck daily")).ok
        nothing = await one.sees(
            lambda: reading.find(one.messages(NOTES), "No new broken links in daily"), 20
        )
        assert "2 judged before, nothing new." in reading.words(nothing)
        assert "nobody had to decide" in reading.words(nothing)

        town.write({"daily/2026-11-07.md": "See [[Something new]].\n"})
        card = await asked(one)
        assert "1 link in daily leads nowhere" in reading.words(card)
        assert "2 more links were judged before and are not asked again." in reading.words(card)
        assert "Something new" in reading.words(card)
        assert "Projct" not in reading.words(card)


async def test_forgotten_beside_the_server_it_is_asked_again(town, asked, approved, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        await approved(one, two)
        assert "Forgotten what was approved, in places: 2." in await town.ringi("forget", ".")
        card = await asked(one)
        assert "2 links in daily lead nowhere" in reading.words(card)


async def test_the_form_can_ask_again_about_what_was_approved_before(town, asked, approved, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        await approved(one, two)
        await one.command(NOTES, "/linkcheck")
        form = await one.modal("start")
        assert "Approved before" in reading.words(form)
        assert (await one.submit(form, {"everything": ["everything"]})).ok
        await town.outcome("waiting")
        card = await one.sees(
            lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere") or None, 20
        )
        assert "judged before" not in reading.words(card)
