"""What a link check says on cards and in terminals, in both languages."""

from __future__ import annotations

import string
from dataclasses import fields

import pytest

from graph.approval import Failure, Progress, Result, Review
from graph.workflow import Words
from graph.workflows import find_workflow
from graph.workflows.linkcheck import texts_en, texts_ja
from graph.workflows.linkcheck.sentences import Sentences
from graph.workflows.linkcheck.state import Report, ReportItem
from graph.workflows.linkcheck.texts import EN, JA

KINDS = ("approve", "reject", "send_back", "expired", "withdrawn")
FAILURES = (
    "auth overage usage_limit overloaded network timeout no_structured_output turn_limit too_long refusal model "
    "bad_schema outdated not_installed other exception stopped cannot-post "
    "no-space no-permission not-there record-taken setting"
)
PROMISES = ("Item by item", "1件ずつ", "See Everything", "すべて見る")


def item(
    number, verdict="missing-note", *, raw="[[Plan]]", file="daily/a.md", line=8, places=1, to=None, **more
):
    near = more.pop("nearby", [])
    candidate = {
        "id": f"c{number}",
        "target": "Plan",
        "places": [{"file": file, "line": line, "raw": raw}] * places,
        "nearby": near,
        "linked": more.pop("linked", 1),
    }
    return ReportItem.model_validate(
        {
            "id": f"c{number}",
            "number": number,
            "verdict": verdict,
            "to": to,
            "candidate": candidate,
            "by": "claude",
        }
        | more
    )


def review(*items, revision=1, **more):
    content = {"folder": "daily", "vault": "Notes", "notes": 3012, "links": 9840, "drafter": "claude"} | more
    report = Report(items=list(items), revision=revision, **content)
    return Review(revision=revision, content=report.model_dump(mode="json"))


TWELVE = review(
    *(item(n, "typo", to="Plan") for n in range(1, 5)),
    *(item(n) for n in range(5, 11)),
    *(item(n, "ignore") for n in (11, 12)),
)


def test_it_speaks_the_words_of_a_workflow():
    words: dict[str, Words] = dict(find_workflow("linkcheck").words)
    assert set(words) == {"en", "ja"}


def test_a_card_of_twelve_in_english():
    assert EN.question(TWELVE) == "12 links in daily lead nowhere"
    assert EN.ask(TWELVE) == "12 links in daily lead nowhere – approve the report?"
    assert EN.counts(TWELVE) == ["4 typos", "6 missing notes", "2 to ignore"]
    assert EN.consequence(TWELVE) == "Approve to record this. No note is changed."
    assert (EN.what(TWELVE), EN.size(TWELVE)) == ("12 links in daily", "12 links")
    assert EN.warnings(TWELVE) == []
    assert EN.changes(TWELVE) == []


def test_a_card_of_twelve_in_japanese():
    assert JA.question(TWELVE) == "daily のリンク切れ 12件"
    assert JA.ask(TWELVE) == "daily のリンク切れ 12件、承認しますか？"
    assert JA.counts(TWELVE) == ["誤記 4", "ノートなし 6", "対応不要 2"]
    assert JA.consequence(TWELVE) == "承認で記録します。ノートは変えません。"
    assert (JA.what(TWELVE), JA.size(TWELVE)) == ("daily のリンク切れ 12件", "12件")


def test_one_link_is_singular():
    one = review(item(1))
    assert EN.question(one) == "1 link in daily leads nowhere"
    assert EN.counts(one) == ["1 missing note"]


def test_counts_can_be_taken_of_the_items_left_out():
    left_out = EN.items(TWELVE)[5:]
    assert EN.counts(TWELVE, left_out) == ["5 missing notes", "2 to ignore"]


def test_an_item_names_its_note_without_folder_and_ending():
    near = [{"target": "Project plan", "path": "work/Project plan.md", "reason": "alike", "percent": 96}]
    (text,) = EN.items(review(item(1, "typo", places=6, to="Project plan", nearby=near)))
    assert (text.place, text.file) == ("a, line 8 and 5 more", "a.md:8")
    assert (text.verdict_text, text.why) == ("Typo", "96 % alike, in work/")
    (text,) = JA.items(review(item(1, "typo", places=6, to="Project plan", nearby=near)))
    assert (text.place, text.why) == ("a 8行目 ほか5か所", "96%一致、work/ にあり")


def test_an_item_on_a_canvas_has_no_line():
    (text,) = EN.items(review(item(1, file="daily/board.canvas", line=0)))
    assert (text.place, text.file) == ("board.canvas", "board.canvas")


def test_an_item_is_one_line_whatever_stands_in_the_note():
    (text,) = EN.items(review(item(1, raw="[[a\nb\u202ec]]", reason="two\nlines")))
    assert (text.label, text.why) == ("[[a b c]]", "two lines")


def test_a_missing_note_without_words_says_what_is_known():
    (text,) = EN.items(review(item(1, linked=6)))
    assert text.why == "linked 6 times, nothing similar"


def test_a_second_revision_says_what_changed():
    second = review(
        item(9, "ignore", was="missing-note", reason="Lives in the handbook."),
        item(1, "typo", to="Plan", was="typo", was_to="Planet"),
        *(item(n) for n in range(2, 5)),
        revision=2,
        redrafted=True,
    )
    assert EN.changes(second) == ["2 changed", "3 as before"]
    assert JA.changes(second) == ["変更 2", "同じ 3"]
    assert [text.was for text in EN.items(second)[:3]] == ["missing note", "typo for Planet", None]
    assert EN.items(second)[0].why == "Lives in the handbook."
    assert EN.ask(second) == "Revision 2: 5 links in daily – approve now? 2 verdicts changed"
    assert JA.ask(second) == "第2版：daily のリンク切れ 5件、承認しますか？判定の変更 2件"


@pytest.mark.parametrize("words", [EN, JA], ids=["en", "ja"])
def test_titles_of_the_modal_fit_slack(words):
    assert all(len(words.act(kind)) <= 24 for kind in KINDS)


@pytest.mark.parametrize("words", [EN, JA], ids=["en", "ja"])
@pytest.mark.parametrize("drafter", ["claude", "rules"])
def test_every_act_says_what_it_does(words, drafter):
    asked = review(item(1), drafter=drafter)
    for kind in KINDS:
        lead, rest = words.next(kind, asked)
        assert lead
        assert rest


def test_rules_do_not_promise_to_follow_words():
    _, rest = EN.next("send_back", review(item(1), drafter="rules"))
    assert "Rules cannot follow words" in rest
    assert "Claude" not in rest


def test_what_rules_said_of_a_missing_name_is_not_said_again_as_evidence():
    said = review(item(1, by="rules", reason="Nothing similar in the vault."), drafter="rules")
    assert EN.evidence(said, ["c1"], "UTC")[0].known == (
        "Rules: Nothing similar in the vault.",
        "Linked 1 time in what was read",
    )
    other = review(item(1, "ignore", by="rules", reason="A date; its note was not written."), drafter="rules")
    assert "No similar name in the vault" in EN.evidence(other, ["c1"], "UTC")[0].known


def test_after_a_send_back_rules_say_once_that_they_could_not_follow_the_words():
    items = (item(1, by="rules"), item(2, by="rules"))
    again = review(*items, drafter="rules", revision=2, redrafted=True)
    note = "Rules cannot follow words; those sent back go into the record."
    assert EN.notes(again, "Asia/Tokyo").count(note) == 1
    assert any("差し戻しの文面を読めません" in one for one in JA.notes(again, "Asia/Tokyo"))
    assert note not in EN.notes(review(*items, drafter="rules"), "Asia/Tokyo")
    assert note not in EN.notes(review(item(1), revision=2, redrafted=True), "Asia/Tokyo")


def test_rejecting_changed_lines_says_that_the_rest_stays():
    changed = review(item(1), stale={"rest": 9, "person": "Member 2"}, revision=2)
    assert EN.next("reject", changed)[1].startswith("this is left out, the other 9 stay approved")


def test_the_whole_vault_is_called_so_and_warned_of():
    whole = review(item(1, file="a/b.md"), folder=".")
    assert EN.question(whole) == "1 link in the whole vault leads nowhere"
    assert EN.items(whole)[0].place == "a/b, line 8"
    assert [caution.text for caution in EN.warnings(whole)] == ["Claude could read every note of the vault."]
    assert JA.subject({"folder": "."}) == "保管庫全体"


def test_progress_speaks_of_steps():
    collect = Progress(step="collect", counts={"read": 1200, "notes": 3012, "found": 40})
    assert EN.progress(collect) == (
        "Step 1 of 3 · reading notes",
        "1,200 of 3,012 read · broken links in 40 places so far",
    )
    draft = Progress(step="draft", counts={"batch": 3, "batches": 7, "done": 80, "all": 268})
    assert EN.progress(draft) == ("Step 2 of 3 · judging", "Batch 3 of 7 · 80 of 268 links judged")
    assert JA.progress(draft) == ("ステップ 2/3 · 判定中", "7回中3回目 · 268件中 80件を判定済み")
    assert EN.stopped_at(draft) == "Stopped while judging, batch 3 of 7."
    queue = Progress(step="queue", counts={"ahead": 1})
    assert EN.progress(queue) == ("Step 2 of 3 · waiting for its turn", "1 check is ahead")
    assert EN.progress(Progress(step="collect")) == ("Step 1 of 3 · reading notes", "")
    assert EN.stopped_at(None) == "Stopped before it began."


def test_nothing_found_groups_thousands():
    nothing = Result(outcome="no-candidates", counts={"notes": 3012, "links": 9840})
    assert EN.nothing("daily", nothing) == (
        "No broken links in daily",
        "3,012 notes, 9,840 links, all lead somewhere.",
    )
    assert JA.nothing("daily", nothing)[1] == "ノート 3,012件、リンク 9,840件を確認しました。"


@pytest.mark.parametrize(
    ("doing", "en", "ja"),
    [
        ({"reading": 12}, "reading note 12", "ノートを確認中（12件目）"),
        ({"reading": 12, "retrying": 1}, "asking again", "再接続中（1回目）"),
        ({"retrying": 2}, "asking again, 2 times so far", "再接続中（2回目）"),
        ({"reading": 12, "answering": 1}, "answering", "回答中"),
    ],
)
def test_what_the_call_at_work_is_at_is_told_by_numbers_alone(doing, en, ja):
    progress = Progress(step="draft", counts={"batch": 3, "batches": 7, "done": 80, "all": 268} | doing)
    assert EN.progress(progress)[1] == f"Batch 3 of 7 · 80 of 268 links judged · {en}"
    assert JA.progress(progress)[1] == f"7回中3回目 · 268件中 80件を判定済み · {ja}"


@pytest.mark.parametrize("words", [EN, JA], ids=["en", "ja"])
@pytest.mark.parametrize("kind", FAILURES.split())
def test_every_failure_says_what_to_do(words, kind):
    head, rest = words.failure(Failure(kind=kind, step="draft", words="FOREIGN"))
    assert head
    assert "2" in rest
    assert "\n" not in rest
    assert "FOREIGN" not in rest


def test_a_failure_before_any_step_names_none():
    assert EN.failure(Failure(kind="cannot-post", step="")) == (
        "The card has no place",
        "Invite the bot to the channel, then start again.",
    )


def test_an_unknown_failure_of_a_step_is_still_a_sentence():
    assert EN.failure(Failure(kind="something new", step="draft"))[0] == "Claude stopped"
    assert EN.failure(Failure(kind="something new", step="record"))[0] == "Something went wrong here"


def strings(card: Sentences):
    for field in fields(card):
        value = getattr(card, field.name)
        found = value.values() if hasattr(value, "values") else [value]
        for one in found:
            yield from (field.name, one) if isinstance(one, tuple) else [one]


@pytest.mark.parametrize("card", [texts_en.CARD, texts_ja.CARD], ids=["en", "ja"])
def test_no_sentence_promises_what_is_not_built(card):
    for sentence in strings(card):
        assert not any(word in str(sentence) for word in PROMISES), sentence


def test_both_languages_fill_in_the_same_values():
    """A pair may leave its number out in the singular; nothing else may differ."""
    for field in fields(Sentences):
        english, japanese = getattr(texts_en.CARD, field.name), getattr(texts_ja.CARD, field.name)
        if isinstance(english, str):
            assert names(english) == names(japanese), field.name
        elif isinstance(english, tuple):
            assert names(english[1]) == names(japanese[1]), field.name
        else:
            assert english.keys() == japanese.keys(), field.name


def names(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
