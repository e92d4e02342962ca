"""Private answers: every error has its sentence, in the reader's language, and strangers learn nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.slack import answers
from bot.slack.answers import ListGone, Reader, RecordGone, TooLateToOpen
from bot.slack.rows import Line
from bot.slack.status import status
from bot.slack.texts import EN, JA
from graph.approval import Failure, Person, Result
from graph.errors import (
    AlreadyDecided,
    AlreadyVoted,
    NotAllowed,
    NotRetryable,
    NotRunning,
    Replaced,
    RunEnded,
    UnknownRequest,
    UnknownRun,
)
from graph.policy import Policy

POLICY = Policy(
    starters=frozenset({"U0MEMBER1"}), approvers=frozenset({"U0MEMBER2"}), self_approval=False, team="T0TEAM"
)


def reader(made, language="en", person=None) -> Reader:
    return Reader(person or made.MEMBER_1, POLICY, language, "Europe/London")


def said(content) -> str:
    return content.blocks[0]["text"]["text"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_refusal_has_one_sentence(made, language):
    errors = [
        NotAllowed(),
        NotAllowed(("U0MEMBER2",)),
        *(
            AlreadyDecided(made.decision(kind))
            for kind in ("approve", "reject", "send_back", "withdrawn", "expired")
        ),
        AlreadyVoted(),
        Replaced(2),
        RunEnded(made.run()),
        NotRunning(made.run()),
        NotRetryable(made.run()),
        NotRetryable(made.run(), "8f3c2a1b-0000"),
        UnknownRequest(),
        UnknownRun("8f3c2a"),
        TooLateToOpen(),
        ListGone(),
        RecordGone("a<b>.md"),
    ]
    for error in errors:
        content = answers.refused(error, reader(made, language))
        assert content is not None, error
        assert made.wrong_with(content) == []
        assert "{" not in said(content).replace("{time}", "").replace("{date_short_pretty}", "")


def test_a_late_click_says_who_decided_and_when(made):
    content = answers.refused(AlreadyDecided(made.decision("reject")), reader(made))
    assert said(content).startswith("*Already decided.* <@U0MEMBER2> rejected it at <!date^")
    assert said(content).endswith("Your click changed nothing.")


@pytest.mark.parametrize(
    "person",
    [
        Person(id="T0TEAM/U0STRANGER", name="Member 3", surface="slack", verified=True),
        Person(id="T0OTHER/U0MEMBER1", name="Member 1", surface="slack", verified=True),
    ],
    ids=["a stranger", "a starter's id in another team"],
)
def test_whoever_is_not_named_in_the_settings_gets_the_same_sentence_for_everything(made, person):
    for error in (NotAllowed(("U0MEMBER2",)), AlreadyDecided(made.decision()), UnknownRequest()):
        for language, texts in (("en", EN), ("ja", JA)):
            assert said(answers.refused(error, reader(made, language, person))) == texts.refused


def test_what_is_no_refusal_gets_a_reference_that_is_in_no_note(made):
    assert answers.refused(ValueError("note text"), reader(made)) is None
    content, reference = answers.broken(reader(made))
    assert reference in said(content)
    assert "note text" not in said(content)


def row(made, state, problem=None, **run):
    scene = made.scene(made.Speech(item_list=[made.item(1)]), run=made.run(state=state, **run))
    group = {"waiting": "mine", "running": "run", "failed": "fail", "done": "done"}[state]
    return Line(scene, group, problem)


def test_a_status_has_ten_rows_and_says_how_many_more_there_are(made):
    lines = [row(made, "waiting") for _ in range(10)]
    content = status(reader(made), lines, {"mine": 14})
    assert made.wrong_with(content) == []
    text = [b["text"]["text"] for b in content.blocks if b["type"] in {"header", "section"}]
    assert text[0] == "You asked: 14"
    assert len(text) == 11
    assert content.blocks[-1]["elements"][0]["text"] == "4 more, in a terminal: ringi runs"


def test_a_run_that_nobody_works_on_just_now_says_so(made):
    content = status(reader(made), [replace(row(made, "running"), idle=True)], {"run": 1})
    assert made.wrong_with(content) == []
    assert "Nothing works on it just now; it goes on by itself." in content.blocks[1]["text"]["text"]


def test_a_card_that_is_not_shown_is_marked(made):
    """S26."""
    content = status(reader(made), [row(made, "waiting", problem="is_archived")], {"mine": 1})
    assert "Not shown in Slack: is_archived" in content.blocks[1]["text"]["text"]


def test_each_group_has_the_button_that_fits_it(made):
    failure = Failure(kind="usage_limit", step="draft")
    lines = [
        row(made, "waiting"),
        row(made, "running"),
        row(made, "failed", failure=failure, retry_offered=True),
        row(made, "done", result=Result(outcome="approved", record="a.md")),
    ]
    content = status(reader(made), lines, {"mine": 1, "run": 1, "fail": 1, "done": 1})
    assert made.wrong_with(content) == []
    buttons = [b["accessory"]["action_id"] for b in content.blocks if "accessory" in b]
    assert buttons == ["cancel", "cancel", "continue_now", "show_record"]


def test_nothing_waits(made):
    assert said(status(reader(made), [], {})).startswith("*Nothing waits for you*")
