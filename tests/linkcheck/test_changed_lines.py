"""Lines that change between the draft and the approval."""

from __future__ import annotations

import pytest

from graph.approval import CLOCK
from graph.workflows.linkcheck.texts import EN, JA

pytestmark = pytest.mark.slow  # whole runs, one after the other


async def test_only_the_changed_line_is_asked_again_and_the_rest_stays_approved(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "Ask Tuesday in [[Projct plan]] instead.\n"})

    review = await check.answer("approve")

    assert review.revision == 2
    (item,) = EN.items(review)
    assert (item.number, item.label) == (1, "[[Projct plan]]")
    (warning,) = EN.warnings(review)
    assert (warning.lead, warning.text) == (
        "1 line changed since the draft",
        "Only these are asked again. The other 2 stay as Member 2 decided.",
    )
    assert EN.ask(review) == "1 line in daily changed since the draft – decide this again?"
    assert EN.changes(review) == []
    assert JA.warnings(review)[0].lead == "判定後に1行が変わりました"

    assert await check.answer("approve") is None
    assert (check.front["outcome"], check.front["approved"]) == ("approved", 3)
    assert "Ask Tuesday in [[Projct plan]] instead." in check.record


async def test_what_was_approved_stays_when_the_changed_line_is_rejected(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "Other words, [[Projct plan]].\n"})
    await check.answer("approve")
    assert await check.answer("reject", "No longer needed.") is None
    front = check.front
    assert (front["outcome"], front["approved"], front["left_out"]) == ("approved-in-part", 2, 1)
    assert front["decided_by"] == ["Member 2"]
    assert "> [!success] Approved 2 of 3 by `Member 2`" in check.record
    assert "- **1** `[[Projct plan]]` → `Project plan` · **Not approved**" in check.record


async def test_what_was_approved_stays_when_nobody_answers_about_the_changed_line(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "Other words, [[Projct plan]].\n"})
    await check.answer("approve")
    await check.answer("expired", person=CLOCK)
    assert (check.front["outcome"], check.front["approved"]) == ("approved-in-part", 2)


async def test_sending_back_changed_lines_has_only_them_judged_again(link_check, write_notes, claude):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "Other words, [[Projct plan]].\n"})
    await check.answer("approve")
    claude.says["Projct plan"] = ("ignore", "Not meant.", None)
    review = await check.answer("send_back", "Look again.")
    assert claude.asked(2) == ["Projct plan"]
    assert [item.verdict for item in EN.items(review)] == ["ignore"]
    assert review.revision == 3
    await check.answer("approve")
    assert (check.front["outcome"], check.front["approved"]) == ("approved", 3)


async def test_a_line_that_only_moved_is_not_asked_again(link_check, write_notes):
    check = link_check()
    await check.start()
    moved = "A new first line.\n\nAsk for the numbers in [[Projct plan]] before Friday.\n"
    write_notes({"daily/2026-11-03.md": moved})
    assert await check.answer("approve") is None
    assert "`daily/2026-11-03.md` line 3" in check.record


async def test_a_vanished_link_needs_no_decision(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "The link is gone.\n"})
    assert await check.answer("approve") is None
    front = check.front
    assert (front["outcome"], front["approved"], front["left_out"]) == ("approved", 2, 0)
    assert "1 link vanished before it could be approved" in check.record
    assert "- **1** `[[Projct plan]]` → `Project plan` · **Vanished**" in check.record


async def test_one_changed_place_of_several_is_left_out_and_counted(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-06.md": "- changed: [[Move to new office]]\n"})
    assert await check.answer("approve") is None
    assert check.front["approved"] == 3
    assert "1 place changed before the approval and is not part of it" in check.record
    assert "daily/2026-11-06.md" not in check.record


async def test_a_deleted_note_is_a_vanished_link(link_check):
    check = link_check()
    await check.start()
    (check.settings.vault / "daily/2026-11-03.md").unlink()
    assert await check.answer("approve") is None
    assert check.front["approved"] == 2


async def test_a_line_that_changes_twice_is_asked_twice(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "First [[Projct plan]].\n"})
    await check.answer("approve")
    write_notes({"daily/2026-11-03.md": "Second [[Projct plan]].\n"})
    review = await check.answer("approve")
    assert review.revision == 3
    assert EN.total(review) == 1
    assert await check.answer("approve") is None
    assert check.front["approved"] == 3
