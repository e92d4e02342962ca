"""What a person says of each link: agreed, changed or left out, in the thread, the record and the next question."""

from __future__ import annotations

from graph.approval import Person
from graph.workflows import find_workflow

IDS = {"Projct plan": "c1", "Move to new office": "c2", "link to note": "c3"}
WORDS = {language: find_workflow("linkcheck").words[language] for language in ("en", "ja")}


async def test_a_review_names_what_may_be_said_of_each_link_and_carries_no_name_in_it(link_check):
    check = link_check()
    review = await check.start()
    assert review.choices == {
        IDS["Projct plan"]: ["missing-note", "ignore"],
        IDS["Move to new office"]: ["ignore"],
        IDS["link to note"]: ["missing-note"],
    }
    may = WORDS["en"].options(review, ["c1", "c2"])
    assert (may[0].agree, may[0].said) == ("typo for Project plan", "Claude said typo for Project plan")
    assert [(o.value, o.text, o.short) for o in may[1].others] == [("ignore", "Ignore", "Ignore")]
    assert [o.text for o in WORDS["ja"].options(review, ["c1"])[0].others] == [
        *("ノートなしに変える", "対応不要に変える")
    ]


async def test_what_is_left_out_is_not_approved_and_what_is_changed_counts_as_the_person_said(link_check):
    check = link_check()
    await check.start()
    assert (
        await check.answer("approve", "Later.", items={"c1": "agree", "c2": "leave", "c3": "missing-note"})
        is None
    )
    result = await check.result()
    assert result.outcome == "approved-in-part"
    wanted = {"approved": 2, "changed": 1, "left_out": 1, "typo": 1, "missing_note": 2, "ignore": 0}
    assert {name: result.counts[name] for name in wanted} == wanted
    assert {name: check.front[name] for name in wanted} == wanted
    assert check.front["outcome"] == "approved-in-part"
    for line in (
        "> [!success] Approved 2 of 3 by `Member 2` · 1 Dec 2026, 14:02 · in Slack\n> Reason: `Later.`",
        "- **2** `[[Move to new office]]` · **Left out** by `Member 2`\n",
        "- **3** `[[link to note]]` · **Changed** by `Member 2` from ignore to missing note\n",
        "\n  - 1 as proposed, 1 changed, 1 left out\n  - Reason: `Later.`\n",
    ):
        assert line in check.record
    assert "## Missing notes (2)" in check.record


async def test_another_near_name_becomes_the_typo_it_stands_for(link_check):
    check = link_check(
        {
            "daily/a.md": "[[Projct plan]]\n",
            "work/Project plan.md": "",
            "home/Project plans.md": "",
        }
    )
    check.claude.says["Projct plan"] = ("typo", "One letter missing.", "Project plan")
    review = await check.start()
    other = WORDS["en"].options(review, ["c1"])[0].others[0]
    assert (other.value, other.text) == ("typo:1", "Typo for Project plans")
    await check.answer("approve", items={"c1": "typo:1"})
    assert (await check.result()).outcome == "approved"
    assert "`[[Projct plan]]` → `Project plans` · **Changed** by `Member 2`" in check.record
    assert "from typo → `Project plan` to typo → `Project plans`" in check.record


async def test_a_left_out_link_whose_line_changed_is_not_asked_again(link_check, write_notes):
    check = link_check()
    await check.start()
    write_notes(
        {
            "daily/How we write.md": "Now: write links as [[link to note]].\n",
            "daily/2026-11-03.md": "Now ask for the numbers in [[Projct plan]].\n",
        }
    )
    again = await check.answer("approve", items={"c1": "ignore", "c2": "agree", "c3": "leave"})
    assert [item["id"] for item in again.content["items"]] == ["c1"]
    assert again.choices == {"c1": ["typo:0", "missing-note"]}
    [item] = WORDS["en"].items(again)
    assert (item.verdict, item.number) == ("ignore", 1)
    assert await check.answer("approve") is None
    result = await check.result()
    assert result.outcome == "approved-in-part"
    assert (result.counts["approved"], result.counts["changed"], result.counts["left_out"]) == (2, 1, 1)


async def test_the_evidence_says_where_the_near_name_is_and_when_its_note_was_saved(link_check):
    check = link_check()
    review = await check.start()
    plan, move = WORDS["en"].evidence(review, ["c1", "c2"], "Asia/Tokyo")
    assert plan.line == "Ask for the numbers in [[Projct plan]] before Friday."
    assert plan.known == (
        "Claude: One letter missing.",
        "Near name: work/Project plan.md, one letter missing, changed 12 Nov 2026",
        "Linked 1 time in what was read",
    )
    assert move.known[1:] == ("No similar name in the vault", "Linked 2 times in what was read")
    assert WORDS["ja"].evidence(review, ["c1"], "Asia/Tokyo")[0].known[1:] == (
        "似た名前：work/Project plan.md（1文字抜けている、2026/11/12 更新）",
        "読んだ範囲のリンク 1か所",
    )
    assert WORDS["en"].spent_on(review) == "Calls to Claude 1, retries 0, answers left out 0"


async def test_hostile_names_stay_in_their_code_spans_when_a_person_changes_an_item(link_check, claude):
    name = "x`` ](http://a.example) <b>"
    check = link_check({"daily/a.md": "[[Projct plan]]\n", "work/Project plan.md": ""})
    await check.start()
    person = Person(id="T0TEAM/U0MEMBER2", name=name, surface="slack", verified=True)
    await check.answer("approve", person=person, items={"c1": "ignore"})
    assert f"· **Changed** by ```{name}``` from typo" in check.record
