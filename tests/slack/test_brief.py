"""A review of thousands is read in brief where a card or a modal shows no more of it, and nobody sees a difference."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.slack import cards, status, views
from bot.slack.answers import Reader
from bot.slack.rows import Line
from graph.approval import Review
from graph.workflows.linkcheck.numbers import KEPT, brief
from graph.workflows.linkcheck.state import Report, ReportItem
from graph.workflows.linkcheck.texts import EN, JA

WORDS = {"en": EN, "ja": JA}
VERDICTS = ("not-judged", "typo", "missing-note", "ignore")
KINDS = ("approve", "reject", "send_back", "expired", "withdrawn")


def review(verdicts, altered, revision=1, **more):
    """Return a review of so many items, the altered ones first, as `assembled` puts them."""
    items = []
    for n, verdict in enumerate(verdicts, 1):
        candidate = {
            "id": f"c{n}",
            "target": f"Pln {n}",
            "places": [{"file": f"daily/a{n % 7}.md", "line": n % 9, "raw": f"[[Pln {n}]]"}],
            "nearby": [{"target": f"Plan {n}", "path": f"Plan {n}.md", "reason": "alike", "percent": 90}],
        }
        items.append(
            ReportItem.model_validate(
                {
                    "id": f"c{n}",
                    "number": n,
                    "verdict": verdict,
                    "to": f"Plan {n}" if verdict == "typo" else None,
                    "by": "claude",
                    "was": "ignore" if n <= altered else None,
                    "candidate": candidate,
                }
            )
        )
    content = {"folder": "daily", "vault": "Notes", "notes": 9, "links": 99, "drafter": "claude"} | more
    report = Report(items=items, revision=revision, **content)
    return Review(
        revision=revision, content=report.model_dump(mode="json"), choices={i.id: [] for i in items}
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    verdicts=st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=60),
    altered=st.integers(0, 20),
    revision=st.integers(1, 2),
    stale=st.booleans(),
    language=st.sampled_from(["en", "ja"]),
)
def test_card_modals_and_row_of_a_review_in_brief_are_those_of_the_whole(
    *, made, verdicts, altered, revision, stale, language
):
    again = {"stale": {"rest": 9, "person": "Member 2", "gone": 1}} if stale else {"redrafted": revision > 1}
    whole = review(verdicts, altered if revision > 1 else 0, revision, **again)
    short = brief(whole)
    assert len(Report.model_validate(short.content).items) == min(KEPT, len(verdicts))
    seen = []
    for one in (whole, short):
        request = made.request(revision, review=one)
        earlier = (made.request(1, "decided", review=one),) if revision > 1 else ()
        said = {"req1": made.decision("approve" if stale else "send_back", "Again.")} if earlier else {}
        scene = made.scene(WORDS[language], language=language, requests=(*earlier, request), decisions=said)
        reader = Reader(made.MEMBER_2, scene.policy, language, "Asia/Tokyo")
        decided = made.replace(
            scene,
            requests=(made.request(1, "decided", review=one),),
            decisions={"req1": made.decision("reject", "No.")},
        )
        shown = [cards.card(scene, request, 1), cards.card(decided, decided.requests[0], 2)]
        shown += [views.reason(scene, request, kind) for kind in ("approve", "reject", "send_back")]
        shown += [
            views.decide(scene, request),
            views.already_decided(scene, request, made.decision(), "", "UTC"),
        ]
        shown.append(status.status(reader, [Line(scene, "wait")], {"wait": 1}))
        seen.append(shown)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("words", [EN, JA], ids=["en", "ja"])
def test_every_sentence_of_a_review_in_brief_is_that_of_the_whole(words):
    verdicts = VERDICTS * 7
    for more in ({}, {"redrafted": True}, {"stale": {"rest": 9, "person": "Member 2"}}):
        whole = review(verdicts, 13, 2, dropped=3, refused_reads=2, judged_before=4, **more)
        short = brief(whole)
        for name in [
            "question",
            "what",
            "size",
            "total",
            "ask",
            "counts",
            "changes",
            "warnings",
            "consequence",
            "spent_on",
        ]:
            say = getattr(words, name)
            assert say(whole) == say(short), name
        assert words.notes(whole, "UTC") == words.notes(short, "UTC")
        for kind in KINDS:
            for by_item in (False, True):
                said = [words.next(kind, one, item_by_item=by_item) for one in (whole, short)]
                assert said[0] == said[1]
        shown = words.items(whole)[:4]
        assert words.items(short) == words.items(whole)[:KEPT]
        assert words.others(whole, shown) == words.others(short, shown)
        assert words.others(whole, shown) == words.counts(whole, words.items(whole)[4:])


def test_a_small_review_is_its_own_brief():
    whole = review(["typo"] * KEPT, 0)
    assert brief(whole) is whole
