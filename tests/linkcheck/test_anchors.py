"""With `RINGI_ANCHORS`, headings and blocks that a note lacks are asked about too, in words of their own."""

import pytest

from graph.workflows.linkcheck.texts import EN, JA

NOTES = {
    "daily/a.md": "[[Plan#Open questons]] [[Plan#Budget]] [[Plan#^b1]] [[2026-11-03#Notes]] [[gone]]\n",
    "daily/2026-11-03.md": "# Other\n",
    "work/Plan.md": "# Plan\n\n## Open questions\n\ntext ^b2\n",
}


def seen(review, words=EN):
    return {item.label: (item.verdict_text, item.to, item.why) for item in words.items(review)}


@pytest.mark.parametrize("drafter", ["rules", "claude"])
async def test_they_are_left_alone_unless_asked_for(link_check, claude, drafter):
    claude.says = {"gone": ("missing-note", "Not written yet.", None)}
    review = await link_check(NOTES, drafter=drafter).start()
    assert list(seen(review)) == ["[[gone]]"]


async def test_rules_take_a_like_heading_for_the_one_that_is_meant(link_check):
    check = link_check(NOTES, drafter="rules", anchors=True)
    review = await check.start()
    assert seen(review) == {
        "[[Plan#Open questons]]": ("Typo", "Plan#Open questions", "one letter missing, in work/"),
        "[[Plan#Budget]]": ("Missing heading", None, "The note is there, but it has no such heading."),
        "[[Plan#^b1]]": ("Missing block", None, "The note is there, but it has no such block."),
        "[[2026-11-03#Notes]]": ("Missing heading", None, "The note is there, but it has no such heading."),
        "[[gone]]": ("Missing note", None, "Nothing similar in the vault."),
    }
    assert seen(review, JA)["[[Plan#Budget]]"][0] == "見出しなし"
    await check.answer("approve", "Checked.")
    assert (
        "- **1** `[[Plan#Open questons]]` → `Plan#Open questions` · the note has no such heading\n"
        in check.record
    )
    assert "`[[Plan#^b1]]` · the note has no such block\n" in check.record
    assert "`[[gone]]`\n" in check.record


async def test_claude_is_told_that_the_note_exists(link_check, claude):
    claude.says = {
        "Plan#Open questons": ("typo", "Open questions is meant.", "Plan#Open questions"),
        "Plan#Budget": ("missing-note", "Not written yet.", None),
        "Plan#^b1": ("ignore", "An old block.", None),
        "2026-11-03#Notes": ("missing-note", "Not written yet.", None),
        "gone": ("missing-note", "Not written yet.", None),
    }
    check = link_check(NOTES, anchors=True)
    review = await check.start()
    lines = {
        line.split('"link": "')[1].split('"')[0]: line
        for line in claude.prompts[0].splitlines()
        if '"link": ' in line
    }
    assert '"lacks": "the note exists, only this heading is missing in it"' in lines["Plan#Open questons"]
    assert '"lacks": "the note exists, only this block is missing in it"' in lines["Plan#^b1"]
    assert "lacks" not in lines["gone"]
    assert seen(review)["[[Plan#Open questons]]"][:2] == ("Typo", "Plan#Open questions")
    claude.says["Plan#Budget"] = ("ignore", "Nobody needs it.", None)
    second = await check.answer("send_back", "No budgets.")
    assert {item.label: item.was for item in EN.items(second) if item.was} == {
        "[[Plan#Budget]]": "missing heading"
    }
