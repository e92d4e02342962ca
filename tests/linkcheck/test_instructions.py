"""What became of a person's words, what exactly was sent to Claude, with which prompt, and what it all cost."""

from __future__ import annotations

import hashlib
from datetime import date
from string import Template

import pytest

from graph.approval import Failure
from graph.workflows import find_workflow
from graph.workflows.linkcheck import question
from graph.workflows.linkcheck.judged import Instruction, Verdict
from graph.workflows.linkcheck.report import deliveries, facts
from graph.workflows.linkcheck.sent import sent
from graph.workflows.linkcheck.state import Candidate, Nearby, Place
from graph.workflows.linkcheck.texts import EN, JA

pytestmark = pytest.mark.slow  # whole runs, one after the other

OTHER_RUN = "aaaaaaaa-6d0e-4c1b-9a77-2f60d1c3b9e4"


async def values(check):
    return (await check.state()).values


async def delivered(check):
    return [(one.revision, one.state) for one in deliveries(await values(check))]


async def test_words_are_delivered_once_a_call_that_carried_them_is_answered(link_check, claude):
    check = link_check()
    await check.start()
    review = await check.answer("send_back", "Ignore offices.")
    (one,) = deliveries(await values(check))
    assert (one.revision, one.state, one.call) == (1, "delivered", "ca110002-0000")
    assert one.prompt == hashlib.sha256(claude.prompts[1].encode()).hexdigest()
    note = (
        "The words sent back with revision 1 reached Claude on 1 Dec 2026, 13:40: "
        f"call ca110002, prompt {one.prompt[:12]}."
    )
    assert note in EN.notes(review, "Asia/Tokyo")
    assert any(
        "2026/12/1 13:40 に Claude に届きました" in said and "ca110002" in said
        for said in JA.notes(review, "Asia/Tokyo")
    )
    await check.answer("approve", "Good as it is: `x`.")
    told = f"  - These words reached Claude · 1 Dec 2026, 13:40 · call `ca110002`, prompt `{one.prompt[:12]}`"
    assert told in check.record
    assert "Reason: ``Good as it is: `x`.``" in check.record


async def test_words_whose_call_failed_are_queued_and_arrive_with_the_run_that_continues(link_check, claude):
    failed = link_check()
    await failed.start()
    claude.fails_at[2] = Failure(kind="usage_limit", step="", words="You've hit your limit")
    await failed.answer("send_back", "Ignore offices.")
    assert await delivered(failed) == [(1, "queued")]
    assert "These words have not reached Claude yet; the run that continues" in failed.record

    again = link_check(run_id=OTHER_RUN, continues=failed.run.id)
    await again.write(*find_workflow("linkcheck").seed(await values(failed)))
    await again.go_on()
    assert "Ignore offices." in claude.prompts[2]
    assert await delivered(again) == [(1, "delivered")]


async def test_words_of_a_run_withdrawn_before_they_arrived_are_superseded(link_check, claude):
    check = link_check()
    await check.start()
    claude.fails_at[2] = Failure(kind="overloaded", step="", words="Overloaded")
    await check.answer("send_back", "Ignore offices.")
    state = await values(check)
    withdrawn = dict(state["answers"][-1]) | {"kind": "withdrawn", "reason": ""}
    ended = {**state, "answers": [*state["answers"], withdrawn]}
    assert [one.state for one in deliveries(ended)] == ["superseded"]


async def test_every_send_back_has_its_own_receipt_and_all_words_go_along(link_check, claude):
    check = link_check(batch=2)
    await check.start()
    await check.answer("send_back", "First words.")
    await check.answer("send_back", "Second words.")
    first, second = deliveries(await values(check))
    assert (first.call, second.call) == ("ca110003-0000", "ca110005-0000")
    assert "First words." in claude.prompts[4]
    assert "Second words." in claude.prompts[4]


async def test_the_numbers_of_a_run_tell_how_many_of_its_send_backs_were_delivered(link_check, claude):
    def heard(state):
        return find_workflow("linkcheck").counts(state)["heard"]

    failed = link_check(batch=2)
    await failed.start()
    assert heard(await values(failed)) == 0
    await failed.answer("send_back", "First words.")
    claude.fails_at[5] = Failure(kind="usage_limit", step="", words="You've hit your limit")
    await failed.answer("send_back", "Second words.")
    assert heard(await values(failed)) == 1
    again = link_check(run_id=OTHER_RUN, batch=2, continues=failed.run.id)
    await again.write(*find_workflow("linkcheck").seed(await values(failed)))
    await again.go_on()
    assert heard(await values(again)) == 0, "what was said in the run before is not said in this one"
    await again.answer("send_back", "Third words.")
    assert heard(await values(again)) == 1


async def test_what_must_not_be_overlooked_stands_first_among_the_quiet_lines(link_check, newer_prompt):
    check = link_check()
    await check.start()
    review = await check.answer("send_back", "Ignore offices.")
    newer_prompt()
    content = {**review.content, "not_read": 1, "judged_before": 3, "retries": 2}
    notes = EN.notes(review.model_copy(update={"content": content}), "Asia/Tokyo")
    starts = ("Claude saw this folder only.", "Judged with prompt", "The words sent back", "1 file could not")
    assert [note.startswith(start) for note, start in zip(notes, starts, strict=False)] == [True] * 4


async def test_rules_follow_no_words_and_claim_no_delivery(link_check):
    check = link_check(drafter="rules")
    await check.start()
    review = await check.answer("send_back", "Ignore offices.")
    assert await delivered(check) == []
    assert not [note for note in EN.notes(review, "Asia/Tokyo") if "reached" in note]


async def test_every_prompt_can_be_shown_exactly_as_it_was_sent(link_check, claude, write_notes):
    claude.says["Move to new office"] = None
    check = link_check(batch=2)
    await check.start()
    write_notes({"daily/2026-11-03.md": "All new.\n\n[[Projct plan]]\n", "work/Project plan.md": "Other.\n"})
    await check.answer("send_back", "Ignore offices, @all `x`.")
    claude.says["Move to new office"] = ("missing-note", "Announced.", None)
    await check.answer("send_back", "Once more.")
    shown = sent(await values(check), check.run)
    assert len(shown) == len(claude.prompts) == 8
    assert [one.text for one in shown] == claude.prompts
    assert {one.version for one in shown} == {question.installed()}
    assert all(one.call.answered for one in shown)


async def test_prompts_of_a_run_that_continues_another_can_be_shown_too(link_check, claude):
    failed = link_check(batch=1)
    await failed.start()
    claude.fails_at[5] = Failure(kind="timeout", step="", words="no answer in time")
    await failed.answer("send_back", "Ignore offices.")
    shown = sent(await values(failed), failed.run)
    assert [one.text for one in shown] == claude.prompts
    assert [one.call.answered for one in shown] == [True, True, True, True, False]

    again = link_check(run_id=OTHER_RUN, batch=1, continues=failed.run.id)
    await again.write(*find_workflow("linkcheck").seed(await values(failed)))
    await again.go_on()
    assert [one.text for one in sent(await values(again), again.run)][-2:] == claude.prompts[-2:]


async def test_what_cannot_be_proven_is_not_shown(link_check, claude):
    check = link_check()
    await check.start()
    state = await values(check)
    state["drafts"][0]["judged"]["evidence"]["today"] = "1999-01-01"
    (one,) = sent(state, check.run)
    assert (one.text, one.call.prompt) == (None, hashlib.sha256(claude.prompts[0].encode()).hexdigest())
    state["drafts"][0]["judged"]["prompt"] = "linkcheck/1"
    assert [one.text for one in sent(state, check.run)] == [None]


@pytest.fixture
def newer_prompt(monkeypatch):
    """Install a newer version of the prompt, as an update of the program would."""

    def install():
        current = question.prompt(question.installed())
        newer = question.Prompt(
            "linkcheck/99", Template("New words. " + current.first.template), current.again
        )
        kept = question.prompt
        monkeypatch.setattr(question, "prompt", lambda v: newer if v == newer.version else kept(v))
        for module in ("question", "quiet"):
            monkeypatch.setattr(f"graph.workflows.linkcheck.{module}.installed", lambda: newer.version)
        return current.version

    return install


async def test_a_run_that_waits_with_an_older_prompt_says_so_and_send_back_uses_the_new_one(
    link_check, claude, newer_prompt
):
    check = link_check()
    first = await check.start()
    assert not [note for note in EN.notes(first, "Asia/Tokyo") if "prompt" in note]
    version = newer_prompt()
    waiting = await check.question()
    assert waiting == first, "a revision that is out never changes"
    note = f"Judged with prompt {version}; linkcheck/99 is installed now, and Send back judges again with it."
    assert note in EN.notes(waiting, "Asia/Tokyo")
    assert any("linkcheck/99" in said and "差し戻す" in said for said in JA.notes(waiting, "Asia/Tokyo"))
    second = await check.answer("send_back", "Again.")
    assert claude.prompts[1].startswith("New words.")
    assert f"Judged with prompt linkcheck/99; the revision before with {version}." in EN.notes(
        second, "Asia/Tokyo"
    )
    assert [one.version for one in sent(await values(check), check.run)] == [version, "linkcheck/99"]
    assert [one.text for one in sent(await values(check), check.run)] == claude.prompts
    await check.answer("approve")
    assert check.front["prompt"] == "linkcheck/99"


async def test_approving_an_older_draft_records_the_prompt_it_was_made_with(link_check, newer_prompt):
    check = link_check()
    await check.start()
    version = newer_prompt()
    await check.answer("approve")
    assert check.front["prompt"] == version


GOLDEN = {"linkcheck/2": "4f51bd081d41"}


def test_no_version_of_the_prompt_has_changed_since_it_went_out():
    near = Nearby(target="Plan", path="work/Plan.md", reason="alike", percent=90, detail="missing")
    place = Place(file="daily/a.md", line=2, raw="[[Pln|p]]", text="See [[Pln|p]].", embed=True)
    candidate = Candidate(
        id="c1", target="Pln", subpath="H", tags=["template"], places=[place] * 4, nearby=[near], linked=4
    )
    evidence = question.Evidence(
        today="2026-12-01",
        around={"c1": [question.Around(before=["a"], after=["b"], changed="2026-11-03")] * 3},
        near={"c1": ["2026-11-04"]},
    )
    found = {}
    for version in GOLDEN:
        text = question.write(
            [candidate],
            evidence,
            language="ja",
            folder="daily",
            instructions=[Instruction(person="Member 1", words="Words.")],
            earlier={"c1": Verdict(id="c1", verdict="ignore", reason="Why.", by="claude")},
            version=version,
        )
        found[version] = hashlib.sha256(text.encode()).hexdigest()[:12]
    assert found == GOLDEN, "a version that is out never changes: add a new one and keep this"
    assert question.installed() == list(GOLDEN)[-1], "a new version belongs into this test"


def test_evidence_without_a_vault_is_the_day_alone():
    assert question.gather([], None, date(2026, 12, 1)).model_dump() == {
        "today": "2026-12-01",
        "around": {},
        "near": {},
    }


async def test_what_it_cost_is_summed_over_batches_revisions_and_failed_calls(link_check, claude):
    check = link_check(batch=2)
    await check.start()
    claude.fails_at[4] = Failure(kind="overloaded", step="", words="Overloaded")
    await check.answer("send_back", "Again.")
    state = await values(check)
    assert len(claude.prompts) == 4
    spent = {"calls": 4, "retries": 0, "turns": 8, "refused_reads": 0}
    spent |= {"input_tokens": 400, "output_tokens": 40, "list_price": 1_000_000}
    assert facts(state) == spent
    counts = find_workflow("linkcheck").counts(state)
    assert spent.items() <= counts.items()
    assert EN.spent(counts) == [
        "4 calls, 8 turns",
        "400 tokens read, 40 written",
        "$1.00 at list price, an estimate; the plan covers it",
    ]
    assert JA.spent(counts | {"retries": 1, "by_use": 1}) == [
        "呼び出し 4回、うちやり直し 1回、やり取り 8回",
        "読み取り 400 トークン、書き出し 40 トークン",
        "定価換算 1.00 ドル（概算。従量課金です）",
    ]
    assert EN.spent({}) == []
    front = check.front
    assert (front["calls"], front["turns"], front["input_tokens"], front["output_tokens"]) == (4, 8, 400, 40)
    assert (front["list_price_usd"], front["billing"]) == (1.0, "subscription")


async def test_paying_by_use_is_named_on_the_card_and_in_the_record(link_check):
    check = link_check()
    paying = {"claude_billing": "api"}
    check.settings = check.settings.model_copy(update=paying)
    review = await check.start()
    assert any("billed by use, on ANTHROPIC_API_KEY" in note for note in EN.notes(review, "Asia/Tokyo"))
    assert any("従量課金" in note for note in JA.notes(review, "Asia/Tokyo"))
    await check.answer("approve")
    assert check.front["billing"] == "api"
    assert "billed by use" in check.record


async def test_a_card_speaks_of_repeated_calls_only_if_there_were_some(link_check):
    check = link_check()
    review = await check.start()
    assert not [note for note in EN.notes(review, "Asia/Tokyo") if "repeated" in note]
    content = {**review.content, "retries": 2}
    assert "2 calls had to be repeated." in EN.notes(
        review.model_copy(update={"content": content}), "Asia/Tokyo"
    )
