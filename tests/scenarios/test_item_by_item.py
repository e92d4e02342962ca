"""Item by item and Everything, over the real socket: pages, choices that outlive them, and the decision."""

from __future__ import annotations

import pytest

from bot import limits

NOTES = "C0NOTES"
BOTH = {"RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2", "RINGI_SELF_APPROVAL": "yes", "RINGI_DRAFTER": "claude"}


@pytest.fixture
def twelve(town):
    """Twelve links that lead nowhere; the model calls each a missing note."""
    (town.vault / "daily/2026-11-03.md").unlink()
    (town.vault / "daily/2026-11-05.md").unlink()
    town.write({f"daily/{n:02}.md": f"See [[Plan {n:02}]].\n" for n in range(1, 13)})
    return town


@pytest.fixture
def open_view(reading):
    """Press a button and return the modal that then says this."""

    async def press(member, where, action: str, part: str, **more):
        answer = await member.click(where, action, **more)
        assert answer.ok, answer
        return await member.sees(lambda: shown(member, part))

    def shown(member, part: str):
        view = member.views[-1] if member.views else None
        return view if view and part in reading.words(view) else None

    return press


def field(view, number: int) -> str:
    """Return the block id of an item's select, by the number people see."""
    return next(
        b["block_id"] for b in view["blocks"] if b.get("label", {}).get("text", "").startswith(f"{number}. ")
    )


async def test_nine_of_twelve_over_three_pages_closed_reopened_and_restarted(
    twelve, asked, reading, open_view
):
    """S9: what was chosen outlives pages, a closed modal and the process; the card and the record count it."""
    town = twelve
    async with town.bot(**BOTH):
        one = await town.member(1)
        card = await asked(one)
        view = await open_view(one, card, "items", "Page 1 of 3")
        assert limits.check_view({k: view[k] for k in ("type", "title", "blocks", "submit", "close")}) == []
        answer = await one.submit(view, {field(view, 2): "Ignore"})
        view = answer.view
        assert "*Page 2 of 3* · 6–10 of 12 · 1 changed on other pages" in reading.words(view)
        assert (await one.click(view, "item", block_id=field(view, 6), choose="Leave out")).ok
        await one.close(view)
    async with town.bot():
        one = await town.member(1)
        view = await open_view(one, card, "items", "Page 2 of 3")  # goes on where it was left
        view = await open_view(one, view, "items_back", "Page 1 of 3")
        assert view["blocks"][2]["element"]["initial_option"]["value"] == "ignore"
        view = (await one.submit(view)).view
        said = next(b for b in view["blocks"] if b.get("block_id") == field(view, 6))
        assert said["element"]["initial_option"]["text"]["text"] == "Leave out"
        view = (await one.submit(view, {field(view, 8): "Leave out"})).view
        view = (await one.submit(view, {field(view, 12): "Leave out"})).view
        assert "*You approve 9 of 12* · 1 changed · 3 left out" in reading.words(view)
        assert view["submit"]["text"] == "Approve 9 of 12"
        assert (await one.submit(view, {"reason": "Friday."})).ok
        assert one.views == []
        done = await one.sees(
            lambda: reading.find(one.messages(NOTES), "Approved 9 of 12: links in daily"), 20
        )
        assert done["ts"] == card["ts"]
        assert "\n1 changed, 3 left out" in reading.words(done)
        run = await town.outcome()
        assert run.result.outcome == "approved-in-part"
        told = await one.sees(lambda: reading.find(one.thread(card["ts"]), "*9 of 12 approved*"))
        assert "“Friday.”" in reading.words(told)
        record = town.record()
        assert record.count("**Left out** by `Member 1`") == 3
        assert record.count("**Changed** by `Member 1` from missing note to ignore") == 1


async def test_words_typed_at_the_end_are_there_again_after_another_look_at_the_pages(
    twelve, asked, reading, open_view
):
    town = twelve
    async with town.bot(**BOTH):
        one = await town.member(1)
        card = await asked(one)
        view = await open_view(one, card, "items", "Page 1 of 3")
        for _ in range(3):
            view = (await one.submit(view)).view
        back = await open_view(one, view, "items_back", "Page 3 of 3", typed={"reason": "Half a sentence"})
        await one.close(back)
    async with town.bot():
        one = await town.member(1)
        view = await open_view(one, card, "items", "*You approve 12 of 12*")
        assert view["state"]["values"]["reason.approve.1"]["reason"]["value"] == "Half a sentence"
        back = await open_view(one, view, "items_back", "Page 3 of 3")
        end = (await one.submit(back, {field(back, 12): "Leave out"})).view
        assert end["state"]["values"]["reason.approve.1"]["reason"]["value"] == "Half a sentence"
        assert (await one.submit(end, {"reason": "A whole one."})).ok
        await town.outcome()
        assert "A whole one." in town.record()
        assert "Half a sentence" not in town.record()


async def test_each_sees_their_own_choices_and_who_comes_second_is_told(twelve, asked, reading, open_view):
    town = twelve
    async with town.bot(**BOTH):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        view = await open_view(one, card, "items", "Page 1 of 3")
        view = (await one.submit(view, {field(view, 1): "Leave out"})).view
        other = await open_view(two, card, "items", "1/3ページ")
        assert "変更" not in other["blocks"][0]["elements"][0]["text"]
        kept = await open_view(
            one, card, "approve", "What you changed or left out in Item by item (1) is not part of this."
        )
        await one.close(kept)
        mine = await open_view(one, card, "items", "Page 2 of 3")
        end = await open_view(one, mine, "items_skip", "you have not opened")
        assert "2 you have not opened" in reading.words(end)
        end = await open_view(two, other, "items_skip", "まだ見ていない 7件")
        [rest] = [b["block_id"] for b in end["blocks"] if str(b.get("block_id")).startswith("rest.")]
        assert (await two.submit(end)).errors.keys() == {rest}
        assert (await two.submit(end, {rest: "leave"})).ok
        await one.sees(lambda: reading.find(one.messages(NOTES), "Approved 5 of 12"), 20)
        late = one.views[-1]
        [rest] = [b["block_id"] for b in late["blocks"] if str(b.get("block_id")).startswith("rest.")]
        answer = await one.submit(late, {rest: "agree", "reason": "Fine."})
        assert "<@U0MEMBER2> approved this" in reading.words(answer.view)
        assert (await town.outcome()).result.counts["approved"] == 5


async def test_two_screens_of_one_person_never_approve_what_they_do_not_show(
    twelve, asked, reading, open_view
):
    town = twelve
    async with town.bot(**BOTH):
        one = await town.member(1)
        card = await asked(one)
        view = await open_view(one, card, "items", "Page 1 of 3")
        for _ in range(3):
            view = (await one.submit(view)).view
        assert view["submit"]["text"] == "Approve all 12"
        request = (await town.engine.store.requests((await town.engine.store.runs())[0].id))[0]
        person = (await town.engine.store.runs())[0].requester
        await town.engine.intake.choose(request.id, 1, person, {"c3": "leave"})  # on another screen
        answer = await one.submit(view, {"reason": ""})
        assert "*Your choices have changed meanwhile.*" in reading.words(answer.view)
        assert answer.view["submit"]["text"] == "Approve 11 of 12"
        assert (await one.submit(answer.view)).ok
        assert (await town.outcome()).result.counts["left_out"] == 1


async def test_nothing_left_to_approve_is_a_rejection_with_a_reason(town, asked, reading, open_view):
    async with town.bot(**BOTH):
        one = await town.member(1)
        card = await asked(one)
        view = await open_view(one, card, "items", "Page 1 of 1")
        view = (await one.submit(view, {field(view, 1): "leave", field(view, 2): "leave"})).view
        assert view["submit"]["text"] == "Reject"
        blank = await one.submit(view, {"reason": " \n"})
        assert blank.errors == {"reason.reject.1": "Say why in a few words. They go to Member 1."}
        assert (await one.submit(view, {"reason": "All of it is wrong."})).ok
        assert (await town.outcome()).result.outcome == "rejected"


async def test_after_a_decision_an_open_page_says_so_and_keeps_nothing(twelve, asked, reading, open_view):
    town = twelve
    async with town.bot(**BOTH):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        view = await open_view(one, card, "items", "Page 1 of 3")
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": ""})).ok
        await one.click(view, "item", block_id=field(view, 1), choose="Leave out")
        told = await one.sees(
            lambda: one.views[-1] if "Already decided" in reading.words(one.views[-1]) else None
        )
        assert told["callback_id"] == "notice"
        assert (await town.outcome()).result.outcome == "approved"


async def test_only_who_may_decide_opens_the_items_and_the_requester_may_look(
    town, asked, reading, open_view
):
    async with town.bot():
        one, two, three = [await town.member(n) for n in (1, 2, 3)]
        card = await asked(one)
        await one.click(card, "items")
        await one.sees(lambda: reading.find(one.ephemeral(NOTES), "You can't decide this one."))
        view = await open_view(one, card, "everything", "1–2 of 2")
        assert "“See [[Projct plan]].”" in reading.words(view)
        assert view["submit"] is None
        for action in ("items", "everything"):
            await three.click(card, action)
        refused = await three.sees(
            lambda: three.ephemeral(NOTES)[-2:] if len(three.ephemeral(NOTES)) > 1 else None
        )
        assert all("[[" not in reading.words(message) for message in refused)
        assert three.views == []
        assert await open_view(two, card, "everything", "2件中 1〜2件目")


async def test_five_hundred_hostile_links_can_be_read_and_decided(town, asked, reading, open_view):
    """S38, S41, S43: every page is one that Slack takes, and mentions nobody."""
    bad = ["<!channel>", "`x`", "&lt;b&gt;", "a\u202eb", "漢字" * 60, "😀" * 50, "*b* _i_"]
    links = [f"[[{bad[n % len(bad)]} {n}]]" for n in range(500)]
    town.write({f"daily/many {n}.md": "\n".join(links[n * 50 : n * 50 + 50]) for n in range(10)})
    async with town.bot(**BOTH | {"RINGI_DRAFTER": "rules"}):
        one = await town.member(1)
        card = await asked(one)
        view = await open_view(one, card, "everything", "page 1 of")
        last = await open_view(one, view, "all_next", "page 2 of")
        assert last["id"] == view["id"]
        await one.close(last)
        view = await open_view(one, card, "items", "Page 1 of")
        text = reading.words(view)
        assert "<!channel>" in text  # as plain text, which mentions nobody
        assert not [b for b in view["blocks"] if "<!channel>" in str(b) and '"mrkdwn"' in str(b)]
        view = (await one.submit(view, {field(view, 1): "leave"})).view
        end = await open_view(one, view, "items_skip", "you have not opened")
        [rest] = [b["block_id"] for b in end["blocks"] if str(b.get("block_id")).startswith("rest.")]
        assert (await one.submit(end, {rest: "agree"})).ok
        run = await town.outcome()
        assert run.result.counts["left_out"] == 1
        assert run.result.counts["approved"] == run.result.counts["candidates"] - 1
