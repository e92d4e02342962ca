"""What can be typed, and what comes back."""

from __future__ import annotations

NOTES = "C0NOTES"


async def test_nothing_typed_is_answered_with_the_help(town, reading):
    async with town.bot():
        one = await town.member(1)
        for text in ("/linkcheck help", "/linkcheck  help "):
            answer = await one.command(NOTES, text)
            assert "*/linkcheck FOLDER* starts the link check of FOLDER" in reading.words(answer.said)
            assert "a dot stands for the whole vault\n*/linkcheck* alone opens a form" in reading.words(
                answer.said
            )
        assert await town.engine.store.runs() == []


async def test_an_unknown_folder_is_answered_with_near_ones_that_start_at_once(town, told, reading):
    """The list is replaced by the receipt; a second press that was on its way starts nothing more."""
    async with town.bot():
        one = await town.member(1)
        offered = await told(one, "/linkcheck dialy")
        assert "There is no folder “dialy”." in reading.words(offered)
        nowhere = await told(one, "/linkcheck nosuch")
        assert "none with a similar name. /linkcheck alone lists the folders." in reading.words(nowhere)
        note = await told(one, "/linkcheck daily/2026-11-03.md")
        assert "“daily/2026-11-03.md” is a note, not a folder." in reading.words(note)
        values = [e["value"] for b in offered["blocks"] for e in b.get("elements", [])]
        assert all("daily" not in value for value in values)
        await one.click(offered, "start_near.0")
        await town.slack.redeliver()
        receipt = await one.sees(lambda: reading.find(one.ephemeral(NOTES), "Started: links in daily."))
        assert receipt["ts"] == offered["ts"]
        await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), 20)
        assert len(await town.engine.store.runs()) == 1


async def test_a_list_of_another_process_is_answered(town, told, reading):
    async with town.bot():
        one = await town.member(1)
        offered = await told(one, "/linkcheck dialy")
    async with town.bot():
        await one.click(offered, "start_near.0")
        await one.sees(lambda: reading.find(one.ephemeral(NOTES), "That list is no longer kept."))


async def test_a_folder_with_an_ampersand_and_blanks_is_found_however_slack_sends_it(town, reading):
    town.write({"R&D notes/a.md": "[[Nowhere]]\n"})
    async with town.bot():
        one = await town.member(1)
        for number, text in enumerate(("R&D notes", "R&amp;D notes"), 1):
            answer = await one.command(NOTES, f"/linkcheck {text}")
            assert "Started: links in R&D notes." in reading.words(answer.said)
            await one.sees(
                lambda number=number: (
                    len([m for m in one.messages(NOTES) if "approve" in reading.buttons(m)]) == number
                )
            )


async def test_a_folder_called_like_a_command_is_reached_by_its_path(town, told, reading):
    town.write({"status/a.md": "[[Nowhere]]\n"})
    async with town.bot():
        one = await town.member(1)
        assert "Nothing waits for you" in reading.words(await told(one, "/linkcheck status"))
        answer = await one.command(NOTES, "/linkcheck ./status")
        assert "Started: links in status." in reading.words(answer.said)
        await town.outcome("waiting")


async def test_status_shows_only_what_a_person_started_or_may_decide(town, asked, told, reading):
    """S26, S53."""
    async with town.bot(RINGI_STARTERS="U0MEMBER1,U0MEMBER3", RINGI_APPROVERS="U0MEMBER2"):
        one, two = await town.member(1), await town.member(2)
        await asked(one)
        await one.sees(lambda: reading.find(one.messages(NOTES), "Ready to decide"))
        mine, theirs = await told(one, "/linkcheck status"), await told(two, "/linkcheck status")
        assert "You asked: 1" in reading.words(mine)
        assert "daily · 2 links" in reading.words(mine)
        assert "あなたの判断待ち 1件" in reading.words(theirs)
        assert reading.buttons(theirs) == ["goto_card", "open_home"]


async def test_the_record_opens_as_text(town, asked, reading):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Checked."})).ok
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"))
        await one.click(done, "show_record")
        modal = await one.modal("record")
        assert "outcome: approved" in reading.words(modal)
        assert "Projct plan" in reading.words(modal)


async def test_no_broken_links_ask_nobody(town, reading):
    """S42, 000-7."""
    town.write({"clean/a.md": "See [[Project plan]].\n"})
    async with town.bot():
        one = await town.member(1)
        assert (await one.command(NOTES, "/linkcheck clean")).ok
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "No broken links in clean"), 20)
        assert reading.buttons(done) == ["show_record"]
        outcome = await one.sees(lambda: one.thread(done["ts"], NOTES))
        assert "<@U0MEMBER1> *nothing to decide*" in reading.words(outcome[0])
        assert "no-candidates" in town.record()
