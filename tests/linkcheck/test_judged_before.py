"""Nobody is asked twice the same thing: what was approved stays approved while its line stays as it is."""

from __future__ import annotations

import pytest

from graph.memory import Approved
from graph.workflows.linkcheck import WORKFLOW
from graph.workflows.linkcheck.texts import EN, JA

NEXT = "11111111-6d0e-4c1b-9a77-2f60d1c3b9e4"


class Kept:
    """What earlier runs handed over."""

    def __init__(self) -> None:
        self.approved: list[Approved] = []

    async def judged_before(self, spots):
        return set(spots) & {one.spot for one in self.approved}


@pytest.fixture
def later(link_check, tmp_path):
    """Make one run after another on one vault, each with what was approved before."""
    kept, number = Kept(), 0

    def make(*args, **more):
        nonlocal number
        number += 1
        check = link_check(*args, run_id=f"{number}1111111-6d0e-4c1b-9a77-2f60d1c3b9e4", **more)
        check.root = tmp_path / f"state{number}"
        check.root.mkdir()
        check.memory = kept
        return check

    async def ended(check):
        kept.approved += WORKFLOW.approved((await check.state()).values)

    make.ended, make.kept = ended, kept
    return make


async def test_a_later_run_asks_only_about_what_is_new(later, claude, write_notes):
    first = later()
    await first.start()
    await first.answer("approve")
    await later.ended(first)
    claude.says["Brand new"] = ("missing-note", "New.", None)
    write_notes({"daily/2026-11-10.md": "[[Brand new]], and again [[Projct plan]]\n"})

    second = later({})
    review = await second.start()

    assert [item.label for item in EN.items(review)] == ["[[Projct plan]]", "[[Brand new]]"]
    assert claude.asked(2) == ["Brand new", "Projct plan"]  # on its new line; the old one is settled
    assert EN.items(review)[0].place == "2026-11-10, line 1"
    assert "2 more links were judged before and are not asked again." in EN.notes(review, "Asia/Tokyo")
    assert "ほか2件は判断済みのため、改めてお願いしません。" in JA.notes(review, "Asia/Tokyo")
    counts = WORKFLOW.counts((await second.state()).values)
    assert counts["judged_before"] == 2
    assert EN.ready(counts) == "2 broken links (2 judged before)"


async def test_nobody_is_asked_when_nothing_is_new(later, claude, write_notes):
    first = later()
    await first.start()
    await first.answer("approve")
    await later.ended(first)
    write_notes(
        {"daily/2026-11-03.md": "A line above.\n\nAsk for the numbers in [[Projct plan]] before Friday.\n"}
    )

    second = later({})
    assert await second.start() is None

    assert len(claude.prompts) == 1
    result = await second.result()
    assert (result.outcome, result.counts["judged_before"]) == ("no-candidates", 3)
    assert EN.nothing("daily", result) == (
        "No new broken links in daily",
        "4 notes, 4 links. 3 judged before, nothing new.",
    )
    record = next(p for p in second.records if "21111111" in p.name).read_text(encoding="utf-8")
    assert "judged_before: 3" in record
    assert "> [!info] No new broken links, nobody had to decide" in record
    assert "3 links lead nowhere and were judged before; nothing is new." in record
    await later.ended(second)
    assert len(later.kept.approved) == 4


async def test_a_changed_line_is_asked_again(later, claude, write_notes):
    first = later()
    await first.start()
    await first.answer("approve")
    await later.ended(first)
    write_notes({"daily/2026-11-03.md": "Ask for other numbers in [[Projct plan]].\n"})
    assert [item.label for item in EN.items(await later({}).start())] == ["[[Projct plan]]"]


async def test_only_an_approval_settles_anything(later):
    for kind in ("reject", "withdrawn", "expired"):
        check = later()
        await check.start()
        await check.answer(kind, "no")
        await later.ended(check)
    assert later.kept.approved == []


async def test_what_was_approved_before_the_rest_was_rejected_is_settled_each_under_its_name(
    later, write_notes
):
    check = later()
    await check.start()
    write_notes({"daily/2026-11-05.md": "Nothing.\n", "daily/How we write.md": "Now [[link to note]].\n"})
    again = await check.answer("approve")
    assert [item.label for item in EN.items(again)] == ["[[link to note]]"]
    await check.answer("reject", "not this one")
    await later.ended(check)
    assert [(a.spot.file, a.spot.target, a.verdict, a.goes_to) for a in later.kept.approved] == [
        ("daily/2026-11-03.md", "projct plan", "typo", "Project plan"),
        ("daily/2026-11-06.md", "move to new office", "missing-note", None),
    ]
    assert {a.person.name for a in later.kept.approved} == {"Member 2"}


async def test_everything_is_asked_again_when_that_is_wanted(later):
    first = later()
    await first.start()
    await first.answer("approve")
    await later.ended(first)
    review = await later({}, everything=True).start()
    assert len(EN.items(review)) == 3
    assert not any("before" in note for note in EN.notes(review, "Asia/Tokyo"))
