"""The whole graph: from a folder to a record, in every way it can go."""

from __future__ import annotations

import pytest

from graph.approval import CLOCK, Failure, Person
from graph.workflows import find_workflow
from graph.workflows.linkcheck.texts import EN

TERMINAL = Person(id="member3", name="member3", surface="terminal", verified=False)


def titles(review):
    return [(item.number, item.label, item.verdict) for item in EN.items(review)]


async def test_an_approved_report_is_recorded_as_it_stands(link_check):
    check = link_check()
    review = await check.start()
    assert titles(review) == [
        (1, "[[Projct plan]]", "typo"),
        (2, "[[Move to new office]]", "missing-note"),
        (3, "[[link to note]]", "ignore"),
    ]
    assert EN.question(review) == "3 links in daily lead nowhere"

    assert await check.answer("approve", "Checked against the plan") is None

    (path,) = check.records
    assert path.name == "2026-12-01-1331-linkcheck-daily-8f3c2a51.md"
    assert check.front["outcome"] == "approved"
    assert (check.front["links"], check.front["approved"], check.front["interventions"]) == (3, 3, 1)
    assert "> [!success] Approved by `Member 2` · 1 Dec 2026, 14:02 · in Slack" in check.record
    assert "> Reason: `Checked against the plan`" in check.record
    assert "- **1** `[[Projct plan]]` → `Project plan`" in check.record
    result = await check.result()
    assert (result.outcome, result.record) == ("approved", path.name)


async def test_a_rejected_report_is_recorded_with_the_reason(link_check):
    check = link_check()
    await check.start()
    await check.answer("reject", "Wrong folder: the archive was meant.")
    assert check.front["outcome"] == "rejected"
    assert (check.front["approved"], check.front["left_out"]) == (0, 3)
    assert "> [!failure] Rejected by `Member 2`" in check.record
    assert "> Reason: `Wrong folder: the archive was meant.`" in check.record


async def test_sent_back_twice_the_words_reach_claude_and_stand_in_the_record(link_check, claude):
    check = link_check()
    await check.start()
    claude.says["Move to new office"] = ("ignore", "Moved already.", None)
    second = await check.answer("send_back", "We have moved: ignore it.")
    assert second.revision == 2
    assert EN.changes(second) == ["1 changed", "2 as before"]
    first = EN.items(second)[0]
    assert (first.number, first.verdict, first.was) == (2, "ignore", "missing note")
    assert "We have moved: ignore it." in claude.prompts[1]

    claude.says["link to note"] = ("missing-note", "Somebody wants it.", None)
    third = await check.answer("send_back", "Three is wanted.")
    assert [item.number for item in EN.items(third)] == [3, 1, 2]
    assert "We have moved: ignore it." in claude.prompts[2]
    assert "Three is wanted." in claude.prompts[2]

    await check.answer("approve")
    assert (check.front["revision"], check.front["interventions"]) == (3, 3)
    story = check.record.partition("## How it went")[2]
    assert "- Revision 1 sent back by `Member 2`" in story
    assert "- Reason: `We have moved: ignore it.`" in story
    assert "- Reason: `Three is wanted.`" in story
    assert "Judged by Claude in 3 calls, 0 retries" in story


async def test_without_candidates_nobody_is_asked(link_check, claude):
    check = link_check({"daily/a.md": "See [[b]].\n", "daily/b.md": "Here.\n"})
    assert await check.start() is None
    assert claude.prompts == []
    assert check.front["outcome"] == "no-candidates"
    assert check.front["interventions"] == 0
    assert "Nobody was asked to decide" in check.record
    result = await check.result()
    assert EN.nothing("daily", result) == (
        "No broken links in daily",
        "2 notes, 1 link, all lead somewhere.",
    )


async def test_when_claude_fails_nobody_is_asked_and_its_words_are_recorded(link_check, claude):
    claude.fails_at[1] = Failure(kind="usage_limit", step="", words="You've hit your limit · resets 8:34pm")
    check = link_check()
    assert await check.start() is None
    assert (check.front["outcome"], check.front["failure"]) == ("failed", "usage_limit")
    assert "> Claude said: `You've hit your limit · resets 8:34pm`" in check.record
    result = await check.result()
    assert (result.failure.kind, result.failure.step) == ("usage_limit", "draft")


async def test_after_a_failed_batch_the_next_ones_are_not_begun_and_finished_verdicts_are_kept(
    link_check, claude
):
    claude.fails_at[2] = Failure(kind="overloaded", step="", words="Overloaded")
    check = link_check(batch=1)
    await check.start()
    assert len(claude.prompts) == 2
    values = (await check.state()).values
    counts = find_workflow("linkcheck").counts(values)
    assert (counts["judged"], counts["candidates"]) == (1, 3)
    assert EN.kept(counts) == "1 of 3 links are judged and kept; nothing is asked twice."


async def test_a_folder_that_became_a_link_meanwhile_is_not_given_to_claude(link_check, claude, tmp_path):
    """A vault that is synchronised may change in the days a run waits; Claude may read where it stands."""
    secret = tmp_path / "secret"
    (secret / "daily").mkdir(parents=True)
    check = link_check()
    await check.start()
    daily = tmp_path / "Notes" / "daily"
    daily.rename(tmp_path / "before")
    daily.symlink_to(secret)
    assert await check.answer("send_back", "Look again.") is None
    assert len(claude.prompts) == 1
    result = await check.result()
    assert (result.failure.kind, result.failure.step) == ("not-there", "draft")
    assert "Put it back where it was" in EN.failure(result.failure)[1]
    daily.unlink()
    (tmp_path / "before").rename(daily)
    again = link_check(run_id="aaaaaaaa-6d0e-4c1b-9a77-2f60d1c3b9e4", continues=check.run.id)
    await again.write(*find_workflow("linkcheck").seed((await check.state()).values))
    assert await again.go_on() is not None
    assert "Look again." in claude.prompts[1]


async def test_a_run_that_continues_asks_only_about_what_was_open(link_check, claude):
    claude.fails_at[2] = Failure(kind="overloaded", step="", words="Overloaded")
    failed = link_check(batch=1)
    await failed.start()

    again = link_check(run_id="aaaaaaaa-6d0e-4c1b-9a77-2f60d1c3b9e4", batch=1, continues=failed.run.id)
    update, node = find_workflow("linkcheck").seed((await failed.state()).values)
    await again.write(update, node)
    review = await again.go_on()
    assert [claude.asked(call) for call in (3, 4)] == [["Move to new office"], ["link to note"]]
    assert EN.total(review) == 3
    await again.answer("approve")
    record = next(path for path in again.records if "aaaaaaaa" in path.name).read_text()
    assert f"continues: {failed.run.id}" in record
    assert f"Continues run `{failed.run.id}`" in record


async def test_a_run_that_continues_a_sent_back_one_still_follows_the_words(link_check, claude):
    failed = link_check()
    await failed.start()
    claude.fails_at[2] = Failure(kind="timeout", step="", words="no answer in time")
    assert await failed.answer("send_back", "Ignore offices.") is None

    again = link_check(run_id="aaaaaaaa-6d0e-4c1b-9a77-2f60d1c3b9e4", continues=failed.run.id)
    await again.write(*find_workflow("linkcheck").seed((await failed.state()).values))
    review = await again.go_on()
    assert "Ignore offices." in claude.prompts[2]
    assert review.revision == 1
    await again.answer("approve")
    result = await again.result()
    assert (result.outcome, result.counts["interventions"]) == ("approved", 1)


async def test_links_left_out_are_asked_about_once_more_together(link_check, claude):
    claude.says["link to note"] = None
    check = link_check()
    review = await check.start()
    assert claude.asked(2) == ["link to note"]
    assert EN.items(review)[0].verdict == "not-judged"
    assert EN.counts(review) == ["1 not judged", "1 typo", "1 missing note"]
    assert "1 link was not judged" in EN.warnings(review)[0].text
    await check.answer("approve")
    assert check.front["not_judged"] == 1
    assert check.record.index("## Not judged (1)") < check.record.index("## Typos (1)")


async def test_invented_answers_are_dropped_and_counted(link_check, claude):
    claude.invents = [
        {"id": "c99", "link": "Nowhere", "verdict": "typo", "reason": "Invented.", "target": "Project plan"},
        {"id": "c1", "link": "Other link", "verdict": "ignore", "reason": "Invented."},
    ]
    check = link_check()
    review = await check.start()
    assert EN.total(review) == 3
    assert "2 answers did not match any link" in EN.warnings(review)[0].text
    await check.answer("approve")
    assert check.front["dropped"] == 2
    assert "Invented" not in check.record


async def test_refused_reads_stand_on_the_card_and_in_the_record(link_check, claude):
    claude.refused = ("../private/keys.md", "../archive/2025.md")
    check = link_check()
    (warning,) = EN.warnings(await check.start())
    assert warning.text == "Claude tried to read 2 files outside this folder and was refused."
    assert warning.details == claude.refused
    await check.answer("approve")
    assert check.front["refused_reads"] == 2
    assert "Claude asked for `../private/keys.md`, `../archive/2025.md`. It saw none of it." in check.record


async def test_the_node_before_the_question_does_nothing_twice(link_check, claude):
    """Feature 000-10: LangGraph runs the asking node again on resume."""
    check = link_check()
    await check.start()
    before = (await check.state()).values
    await check.go(None)
    await check.answer("approve")
    after = (await check.state()).values
    assert len(claude.prompts) == 1
    assert after["asked"] == before["asked"]
    assert len(after["answers"]) == 1


async def test_expired_is_recorded_and_is_no_refusal(link_check):
    check = link_check()
    await check.start()
    await check.answer("expired", person=CLOCK)
    assert (check.front["outcome"], check.front["interventions"]) == ("expired", 0)
    assert check.front["decided_by"] == []
    assert "That is not a refusal" in check.record


async def test_withdrawn_while_it_is_judged_again_leaves_a_record(link_check, claude):
    check = link_check()
    await check.start()
    claude.says = {}
    with pytest.raises(KeyError):
        await check.answer("send_back", "Again.")
    from graph.approval import Answer

    said = Answer(
        kind="withdrawn", person=check.run.requester, revision=1, at="2026-12-01T05:10:00Z", reason=""
    )
    await check.write(*find_workflow("linkcheck").withdraw({}, [said]))
    await check.go_on()
    assert check.front["outcome"] == "withdrawn"
    assert check.front["decided_by"] == ["Member 1"]


async def test_a_decision_in_the_terminal_is_recorded_as_not_verified(link_check):
    check = link_check()
    await check.start()
    await check.answer("approve", person=TERMINAL)
    front = check.front
    assert (front["decided_in"], front["verified"], front["decided_by_id"]) == ("terminal", False, [])
    assert "in the terminal (not verified)" in check.record


async def test_rules_judge_without_a_model(link_check, claude):
    check = link_check(drafter="rules")
    review = await check.start()
    assert claude.prompts == []
    assert EN.notes(review, "Asia/Tokyo") == ["Judged by name likeness alone, no model was asked."]
    await check.answer("approve")
    assert check.front["judged_by"] == "rules"
    assert "model" not in check.front


async def test_nothing_in_the_folder_under_check_is_touched(link_check):
    check = link_check()
    vault = check.settings.vault
    before = {
        path: (path.stat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in vault.rglob("*")
    }
    await check.start()
    await check.answer("approve")
    after = {
        path: (path.stat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in vault.rglob("*")
    }
    assert after == before


async def test_progress_counts_links_and_batches(link_check):
    check = link_check(batch=2)
    await check.start()
    lines = [EN.progress(p) for p in check.progress if p.step == "draft"]
    assert lines[0] == ("Step 2 of 3 · judging", "Batch 1 of 2 · 0 of 3 links judged")
    assert lines[-1] == ("Step 2 of 3 · judging", "Batch 2 of 2 · 3 of 3 links judged")


async def test_after_a_crash_in_the_middle_finished_batches_are_not_asked_again(link_check, claude):
    check = link_check(batch=1)
    remembered = claude.says.pop("link to note")
    with pytest.raises(KeyError):
        await check.start()
    claude.says["link to note"] = remembered
    asked = len(claude.prompts)
    review = await check.go_on()
    assert [claude.asked(call) for call in range(asked + 1, len(claude.prompts) + 1)] == [["link to note"]]
    assert EN.total(review) == 3
    assert EN.progress(check.progress[-1])[1] == "Batch 3 of 3 · 3 of 3 links judged"


async def test_a_failure_before_anything_was_found_carries_nothing_on():
    assert find_workflow("linkcheck").seed({"vault": "/v", "folder": "daily"}) is None
