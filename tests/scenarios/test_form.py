"""Starting from the form: the bare command, the app's shortcut and the Home tab's button."""

from __future__ import annotations

import asyncio

from graph.approval import Failure

NOTES = "C0NOTES"
ELSEWHERE = "C0ELSEWHERE"


async def chosen(member, folder: str):
    """Choose a folder in the open form and submit it."""
    return await member.submit(await member.modal("start"), {"what": folder, "judge": "rules"})


async def test_the_bare_command_opens_a_form_and_its_submission_starts_one_run(town, reading):
    async with town.bot(RINGI_DRAFTER="claude"):
        one = await town.member(1)
        assert (await one.command(NOTES, "/linkcheck")).ok
        form = await one.modal("start")
        assert "Vault" not in reading.words(form)
        listed = (await one.options(form, "what")).options
        assert [o["text"]["text"] for o in listed] == ["the whole vault", "daily", "work"]
        assert all("daily" not in o["value"] for o in listed)
        assert [o["text"]["text"] for o in (await one.options(form, "what", "DAI")).options] == ["daily"]
        answer = await one.submit(form, {"what": "daily", "judge": "rules", "language": "ja"})
        assert answer.ok, answer
        receipt = await one.modal("notice")
        assert "Started: links in daily." in reading.words(receipt)
        assert "The card comes to <#C0NOTES>." in reading.words(receipt)
        run = await town.outcome("waiting")
        assert (run.input["folder"], run.input["drafter"], run.language) == ("daily", "rules", "ja")
        assert await one.sees(lambda: reading.find(one.messages(NOTES), "daily のリンク切れ 2件"))
        linked = await one.sees(
            lambda: one.views[-1] if "goto_card" in reading.buttons(one.views[-1]) else None
        )
        first = one.messages(NOTES)[0]
        assert first["ts"].replace(".", "") in str(linked["blocks"])


async def test_the_next_form_begins_with_the_last_choices(town, asked, reading):
    async with town.bot(RINGI_LANGUAGE="ja"):
        one = await town.member(1)
        await asked(one, "work/..//daily")
        await one.command(NOTES, "/linkcheck")
        form = await one.modal("start")
        first = [b["element"].get("initial_option") for b in form["blocks"] if b["type"] == "input"]
        assert [o["text"]["text"] for o in first if o] == ["daily", "ルール", "日本語"]
        assert (await one.submit(form)).ok
        assert len(await town.engine.store.runs()) == 2


async def test_the_shortcut_opens_the_same_form_and_the_card_comes_where_the_last_one_went(
    town, asked, reading
):
    async with town.bot():
        one = await town.member(1)
        await asked(one)
        assert (await one.shortcut("check_links")).ok
        assert "The card comes to <#C0NOTES>." in reading.words(await one.modal("start"))
        assert (await chosen(one, "work")).ok
        assert "<#C0NOTES>" in reading.words(await one.modal("notice"))
        await one.sees(lambda: reading.find(one.messages(NOTES), "No broken links in work"))


async def test_a_form_whose_card_has_no_place_says_so_and_stays(town, reading):
    async with town.bot():
        one = await town.member(1)
        await one.shortcut("check_links")
        said = reading.words(await one.modal("start"))
        assert "*From here a card has no channel to come to.* Type /linkcheck in a channel" in said
        answer = await chosen(one, "daily")
        assert "A card belongs in a channel" in answer.errors["what"]
        await one.close(await one.modal("start"))
        await one.command(ELSEWHERE, "/linkcheck")
        answer = await chosen(one, "daily")
        assert "/invite @ringi" in answer.errors["what"]
        assert await town.engine.store.runs() == []


async def test_in_direct_messages_the_bare_command_is_answered_as_one_with_a_folder(
    town, asked, told, reading
):
    async with town.bot() as engine:
        one = await town.member(1)
        await asked(one)
        bare, full = [await told(one, text, one.dm) for text in ("/linkcheck", "/linkcheck work")]
        assert reading.words(bare) == reading.words(full) != ""
        assert "A card belongs in a channel" in reading.words(bare)
        assert one.views == []
        assert len(await engine.store.runs()) == 1
    async with town.bot(RINGI_CHANNEL=NOTES):
        await one.command(one.dm, "/linkcheck")
        assert "The card comes to <#C0NOTES>." in reading.words(await one.modal("start"))
        assert (await chosen(one, "work")).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "No broken links in work"))


async def judges(member) -> tuple[list[str], str]:
    """Open the form; return who it offers, and who is chosen."""
    await member.command(NOTES, "/linkcheck")
    form = await member.modal("start")
    element = next(b["element"] for b in form["blocks"] if b["block_id"] == "judge")
    await member.close(form)
    return [o["value"] for o in element["options"]], element["initial_option"]["value"]


async def test_the_form_offers_who_can_judge_here_and_not_again_who_failed(town, asked, reading, tmp_path):
    async with town.bot(RINGI_DRAFTER="claude", RINGI_CLAUDE="/nowhere/claude"):
        assert await judges(await town.member(1)) == (["rules"], "rules")
    command = tmp_path / "claude"
    command.touch(mode=0o700)
    async with town.bot(RINGI_DRAFTER="rules", RINGI_CLAUDE=str(command)):
        one = await town.member(1)
        assert await judges(one) == (["claude", "rules"], "rules")
        town.claude.failure = Failure(kind="login", step="", words="Not logged in")
        await one.command(NOTES, "/linkcheck")
        form = await one.modal("start")
        await one.submit(form, {"what": "daily", "judge": "claude"})
        await one.close(await one.modal("notice"))
        await town.outcome("failed")
        assert await judges(one) == (["claude", "rules"], "rules")


async def test_home_starts_a_run_too_and_the_card_comes_to_the_setting_s_channel(town, reading):
    async with town.bot(RINGI_CHANNEL=NOTES):
        one = await town.member(1)
        await one.open_home()
        tab = await one.sees(lambda: one.home)
        await one.click(tab, "start")
        assert (await chosen(one, "daily")).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"))
        await one.sees(lambda: "daily · 2 links" in reading.words(one.home))


async def test_who_may_not_start_sees_no_folder(town, reading):
    async with town.bot():
        one, two, stranger = [await town.member(n) for n in (1, 2, 3)]
        await one.command(NOTES, "/linkcheck")
        form = await one.modal("start")
        asking = {"type": "block_suggestion", "action_id": "what", "block_id": "what", "value": ""}
        seen = []
        for member in (two, stranger):
            await member.shortcut("check_links")
            seen.append(reading.words(await member.modal("notice")))
            payload = {
                **asking,
                "user": {"id": member.id, "team_id": "T0TEAM"},
                "team": {"id": "T0TEAM"},
                "view": form,
                "container": {"type": "view", "view_id": form["id"]},
            }
            ack = await town.slack.sockets.deliver("interactive", payload, answers=True)
            assert ack.body == {"options": []}
        assert "開始はできません" in seen[0]
        assert seen[1].startswith("Only people whom ringi's settings name")


async def test_a_folder_that_has_gone_meanwhile_is_said_beside_the_menu(town, reading):
    town.write({"gone/a.md": "[[Nowhere]]\n"})
    async with town.bot():
        one = await town.member(1)
        await one.command(NOTES, "/linkcheck")
        form = await one.modal("start")
        await one.options(form, "what", "gone")
        (town.vault / "gone" / "a.md").unlink()
        (town.vault / "gone").rmdir()
        answer = await one.submit(form, {"what": "gone", "judge": "rules"})
        assert answer.errors == {"what": "There is no such folder any more. Choose another one."}


async def test_a_check_of_the_same_folder_leads_to_the_one_under_way(town, told, reading):
    """One at work is enough; one that waits for people keeps nobody from checking again."""
    async with town.bot(RINGI_DRAFTER="claude"):
        one = await town.member(1)
        town.claude.held = asyncio.Event()
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        await town.outcome("running")
        await one.sees(lambda: one.messages(NOTES))
        answer = await told(one, "/linkcheck daily")
        assert (
            "daily is being checked already, started by Member 1 at "
            in reading.words(answer) + answer["text"]
        )
        assert len(await town.engine.store.runs()) == 1
        await one.command(NOTES, "/linkcheck")
        await chosen(one, "daily")
        notice = await one.modal("notice")
        assert notice["title"]["text"] == "Not started"
        assert "is being checked already" in reading.words(notice)
        town.claude.held.set()
        await town.outcome("waiting")
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        await one.sees(lambda: len(asking(one, reading)) == 2)


def asking(member, reading):
    return [m for m in member.messages(NOTES) if "approve" in reading.buttons(m)]
