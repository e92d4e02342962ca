"""The card while it waits and afterwards."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.slack import cards, fit, threads
from graph.approval import Failure, Order, Result, Review, Vote
from graph.workflow import Caution

ALL = ["Approve", "Reject", "Send back", "Item by item", "Everything"]


def words(content) -> list[str]:
    """Return what stands on a card, line by line."""
    found = []
    for block in content.blocks:
        if "text" in block:
            found.append(block["text"]["text"])
        found += [e["text"] for e in block.get("elements", []) if isinstance(e.get("text"), str)]
    return found


def buttons(content) -> list[str]:
    rows = [b for b in content.blocks if b["type"] == "actions"]
    return [e["text"]["text"] for row in rows for e in row["elements"]]


def twelve(made):
    return [
        made.item(1),
        made.item(2, "[[Weekly  review]]", "Weekly review", why="two spaces instead of one"),
        made.item(3, "[[Budget-2026]]", "Budget 2026", why="hyphen for a space, in money/"),
        made.item(4, "[[Onboarding checklst]]", "Onboarding checklist", why="one letter missing, in people/"),
        *[
            made.item(
                n,
                f"[[Move {n}]]",
                None,
                verdict="missing-note",
                verdict_text="Missing note",
                place="2026-11-05, line 14 and 5 more",
                why="linked 6 times, nothing similar",
            )
            for n in range(5, 13)
        ],
    ]


def test_the_question_is_the_headline_and_the_buttons_stand_last(made):
    content = cards.card(made.scene(made.Speech(item_list=[made.item(1)])), made.request(), 1)
    assert words(content) == [
        "1 links in daily lead nowhere",
        "*1 typo*\nApprove to record this. No note is changed.",
        "Asked by <@U0MEMBER1> · for <@U0MEMBER2>",
        "1. [[Projct plan]] → Project plan",
        "Typo · 2026-11-03, line 8 · one letter missing, in work/",
    ]
    assert buttons(content) == ALL
    assert [block["type"] for block in content.blocks[-2:]] == ["actions", "actions"]
    assert {e["value"] for row in content.blocks[-2:] for e in row["elements"]} == {"req1:1"}
    assert content.text == "1 links in daily lead nowhere – approve the report? (asked by @Member 1)"


def test_five_of_twelve_items_stand_on_the_card_and_the_rest_is_counted(made):
    content = cards.card(made.scene(made.Speech(item_list=twelve(made))), made.request(), 1)
    assert "5. [[Move 5]]" in words(content)
    assert "6. [[Move 6]]" not in words(content)
    assert "7 more, not shown: 7 missing-note" in words(content)


def test_a_warning_takes_lines_from_the_items_and_never_the_buttons(made):
    speech = made.Speech(
        item_list=twelve(made),
        cautions=[Caution("Warning", "Claude tried to read 2 files outside this folder and was refused.")],
    )
    content = cards.card(made.scene(speech), made.request(), 1)
    text = words(content)
    assert "*Warning* Claude tried to read 2 files outside this folder and was refused." in text
    assert "4. [[Onboarding checklst]] → Onboarding checklist" in text
    assert "5. [[Move 5]]" not in text
    assert buttons(content) == ALL


def test_five_hundred_items_make_one_small_card(made):
    """S41, S38."""
    items = [made.item(n, "[[" + "very long name " * 40 + "]]", "名前" * 200) for n in range(1, 501)]
    content = cards.card(made.scene(made.Speech(item_list=items)), made.request(), 1)
    assert made.wrong_with(content) == []
    assert len(content.blocks) <= 18
    assert buttons(content) == ALL


def test_both_sides_of_an_arrow_are_cut_when_they_are_too_long_together(made):
    scene = made.scene(made.Speech())
    title, detail = cards.item_lines(scene, made.item(1, "[[" + "a" * 80 + "]]", "b" * 80, why="c" * 200))
    assert fit.columns(title) <= 72
    assert fit.columns(detail) <= 100
    assert "… → b" in title
    assert title.endswith("…")


def test_the_second_revision_shows_who_sent_it_back_and_only_what_changed(made):
    items = [made.item(1), made.item(9, "[[Travel policy]]", None, verdict="ignore", was="missing note")]
    scene = made.scene(
        made.Speech(item_list=items, changed=["1 changed", "1 as before"]),
        requests=(made.request(1, "decided"), made.request(2)),
        decisions={"req1": made.decision("send_back", "Policies live in the handbook.")},
    )
    text = words(cards.card(scene, scene.requests[1], 1))
    assert any(t.startswith("*Revision 2* · sent back by <@U0MEMBER2> · <!date^") for t in text)
    assert "“Policies live in the handbook.”" in text
    assert "Since revision 1: 1 changed, 1 as before" in text
    assert any(t.startswith("9. [[Travel policy]]") for t in text)
    assert not any(t.startswith("1. [[Projct plan]]") for t in text)
    assert any(t.startswith("1 as before, not shown: 1 typo") for t in text)


@pytest.mark.parametrize(
    ("language", "rest"), [("en", "in the thread of revision 1"), ("ja", "第1版のスレッドにあります")]
)
def test_long_words_of_a_send_back_are_whole_in_the_thread_and_both_cards_say_so(made, language, rest):
    """There is no record yet that could hold them."""
    words_sent = "Policies live in the handbook. " * 90 + "漢字😀" * 50
    said = made.decision("send_back", words_sent)
    scene = made.scene(
        made.Speech(language, item_list=[made.item(1, was="missing note")]),
        language=language,
        run=made.run(state="waiting"),
        requests=(made.request(1, "decided"), made.request(2)),
        decisions={"req1": said},
    )
    first = made.replace(scene, requests=scene.requests[:1], run=made.run(state="resuming"))
    for content in (cards.card(scene, scene.requests[1], 1), cards.card(first, first.requests[0], 1)):
        assert any(text.endswith(rest) or rest in text for text in words(content)), words(content)
        assert made.wrong_with(content) == []
    told = threads.decided(first, first.requests[0], said)
    assert made.wrong_with(told) == []
    assert words_sent in "".join(block["text"]["text"] for block in told.blocks)
    late = threads.late(scene, made.MEMBER_2, words_sent)
    assert made.wrong_with(late) == []
    assert words_sent in "".join(block["text"]["text"] for block in late.blocks)


def test_only_the_requester_may_decide_and_the_card_says_so(made):
    content = cards.card(made.scene(made.Speech(item_list=[made.item(1)]), approvers=()), made.request(), 1)
    assert "Asked by <@U0MEMBER1>, who alone may decide" in words(content)


def test_a_card_that_nobody_may_decide_says_so(made):
    """S18, S21: an empty list is never everyone."""
    scene = made.scene(made.Speech(item_list=[made.item(1)]), approvers=("U0MEMBER1",))
    assert any("Nobody can decide this." in t for t in words(cards.card(scene, made.request(), 1)))


def decided(made, kind="approve", reason="Checked.", *, requests=None, person=None, **run):
    scene = made.scene(
        made.Speech(item_list=[made.item(1)]),
        run=made.run(**({"state": "done", "result": Result(outcome="approved", record="a.md")} | run)),
        requests=requests or (made.request(1, "decided"),),
        decisions={"req1": made.decision(kind, reason, **({"person": person} if person else {}))},
    )
    return cards.card(scene, scene.requests[0], 2)


def test_an_approved_card_says_who_when_where_why_and_the_record(made):
    """S2."""
    content = decided(made)
    text = words(content)
    assert text[0] == "Approved: 1 links in daily"
    assert text[1].startswith("By <@U0MEMBER2> · <!date^")
    assert text[1].endswith(" · in Slack")
    assert "“Checked.”" in text
    assert "Recorded · a.md" in text
    assert "1 typo · asked by <@U0MEMBER1> · decided after 1:00" in text
    assert buttons(content) == []
    assert content.text == "Approved by @Member 2: 1 links in daily. Recorded."


def test_the_card_never_claims_what_has_not_happened(made):
    """S1, S5, S20, R27: approving, until the record exists; every word follows from what is stored."""
    content = decided(made, state="resuming", result=None)
    assert words(content)[0] == "Approving: 1 links in daily"
    assert (
        "The decision is recorded; checking that the lines are unchanged, then writing the record…"
        in words(content)[1]
    )
    assert buttons(content) == []
    again = decided(made, state="resuming", result=None, retry_at=made.AT + timedelta(minutes=1))
    assert "The decision is safe." in words(again)[1]


def test_a_decision_in_the_terminal_says_so(made):
    """S3."""
    scene = made.scene(
        made.Speech(item_list=[made.item(1)]),
        run=made.run(state="done", result=Result(outcome="approved", record="a.md")),
        requests=(made.request(1, "decided"),),
        decisions={"req1": made.decision(person=made.OPERATOR)},
    )
    text = words(cards.card(scene, scene.requests[0], 1))
    assert text[1].startswith("By operator · ")
    assert text[1].endswith("in the terminal")


def test_an_update_with_the_longest_question_and_the_longest_reason_fits(made):
    """S39: a refused update would leave live buttons on a decided request."""
    for reason in ("x" * 3000, "\n".join("漢字" for _ in range(1000)), "<!channel> " * 270):
        content = decided(made, reason=reason)
        assert made.wrong_with(content) == []
        assert "more characters in the record" in "".join(words(content))


def test_silence_is_not_a_refusal(made):
    """S4, S44: no buttons, and not called a refusal."""
    content = decided(made, kind="expired", reason="")
    assert words(content)[0].startswith("Expired:")
    assert "That is not a refusal." in words(content)[1]
    assert "Start a new check with /linkcheck daily" in words(content)


def test_who_withdrew_it_is_called_the_one_who_asked_only_if_they_did(made):
    assert "<@U0MEMBER1>, who had asked" in words(decided(made, kind="withdrawn", person=made.MEMBER_1))[1]
    assert words(decided(made, kind="withdrawn", person=made.OPERATOR))[1].startswith("By operator · ")


def test_a_sent_back_card_says_that_a_new_one_will_ask_and_then_points_to_it(made):
    content = decided(made, "send_back", "Ignore policies.", state="resuming", result=None)
    assert words(content)[0] == "Sent back: 1 links in daily"
    assert "Judging again as revision 2; a new card will ask" in words(content)
    scene = made.scene(
        made.Speech(item_list=[made.item(1)]),
        requests=(made.request(1, "decided"), made.request(2)),
        decisions={"req1": made.decision("send_back", "Ignore policies.")},
        links={"req2": "https://example.com/archives/C0NOTES/p1"},
    )
    replaced = cards.card(scene, scene.requests[0], 3)
    assert words(replaced)[0] == "Replaced by revision 2: daily"
    assert replaced.blocks[1]["accessory"]["url"] == "https://example.com/archives/C0NOTES/p1"
    assert made.wrong_with(replaced) == []


@pytest.mark.parametrize(
    ("language", "state", "more", "line"),
    [
        ("en", "resuming", {}, "These words are not delivered yet"),
        ("ja", "resuming", {}, "この指示はまだ届いていません"),
        ("en", "failed", {"retry_offered": True}, "These words are not delivered yet"),
        ("en", "failed", {"heard": 1, "retry_offered": True}, "These words were delivered"),
        ("ja", "failed", {"heard": 1, "retry_offered": True}, "この指示は届きました"),
        (
            "en",
            "failed",
            {"other": "1234567890"},
            "These words were not delivered here; run 12345678 takes them along",
        ),
        (
            "ja",
            "failed",
            {"other": "1234567890"},
            "この指示はここでは届いていません。run 12345678 が引き継ぎます",
        ),
        ("en", "failed", {}, "These words were never delivered: the run ended before"),
        ("en", "done", {}, "These words were never delivered: the run ended before"),
        ("ja", "done", {}, "この指示は届く前に run が終わりました"),
        ("en", "done", {"heard": 1}, "These words were delivered"),
    ],
)
def test_a_sent_back_card_says_what_became_of_its_words(made, language, state, more, line):
    """003-3, 003-9."""
    run = {"counts": {"heard": more.get("heard", 0)}, "retry_offered": more.get("retry_offered", False)}
    scene = made.scene(
        made.Speech(language, item_list=[made.item(1)]),
        language=language,
        run=made.run(state=state, **run),
        requests=(made.request(1, "decided"),),
        decisions={"req1": made.decision("send_back", "Ignore policies.")},
        continued_by=more.get("other"),
    )
    content = cards.card(scene, scene.requests[0], 2)
    assert line in words(content)
    assert made.wrong_with(content) == []
    followed_by_nobody = made.replace(scene, run=made.run(state=state))
    assert line not in words(cards.card(followed_by_nobody, scene.requests[0], 2))


def test_a_run_that_failed_after_the_decision_offers_to_go_on_from_its_card(made):
    content = decided(
        made,
        state="failed",
        result=None,
        retry_offered=True,
        failure=Failure(
            kind="usage_limit",
            step="draft",
            words="You've hit your limit",
            resets_at=made.AT + timedelta(hours=6),
        ),
    )
    assert words(content)[0] == "Stopped: links in daily"
    assert "It said: “You've hit your limit”" in words(content)
    assert buttons(content) == ["Continue at 20:02", "Continue now", "End run"]


def test_a_timer_that_is_set_is_named_with_who_set_it(made):
    scene = made.scene(
        made.Speech(item_list=[made.item(1)]),
        run=made.run(state="failed", retry_offered=True, failure=Failure(kind="usage_limit", step="draft")),
        requests=(made.request(1, "decided"),),
        decisions={"req1": made.decision()},
        timer=Order(1, "retry", made.run().id, made.MEMBER_1, made.AT + timedelta(hours=6)),
    )
    content = cards.card(scene, scene.requests[0], 1)
    assert words(content)[1].startswith("*Continues at <!date^")
    assert buttons(content) == ["Continue now", "End run"]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Recorded · 2 fixes in a patch file in the thread"),
        ("ja", "記録済み · 修正 2件のパッチはスレッドに"),
    ],
)
def test_a_card_speaks_of_a_patch_in_the_thread_only_if_it_is_or_will_be_there(made, language, line):
    result = Result(outcome="approved", record="a.md", patch="a.patch", counts={"fixes": 2})
    scene = made.scene(
        made.Speech(language, item_list=[made.item(1)]),
        language=language,
        run=made.run(state="done", result=result),
        requests=(made.request(1, "decided"),),
        decisions={"req1": made.decision()},
    )
    content = cards.card(scene, scene.requests[0], 2)
    assert line in words(content)
    assert made.wrong_with(content) == []
    refused = made.replace(scene, given_up=frozenset({f"file:{scene.run.id}:patch"}))
    said = words(cards.card(refused, scene.requests[0], 2))
    assert line not in said
    assert any("a.md" in text for text in said)


def test_a_long_report_is_in_the_thread_unless_slack_took_none(made):
    scene = made.scene(made.Speech(item_list=[made.item(n) for n in range(1, 57)]))
    assert "The whole report is a file in the thread." in str(cards.card(scene, made.request(), 1).blocks)
    scene = made.replace(scene, given_up=frozenset({"report:req1"}))
    assert "a file in the thread" not in str(cards.card(scene, made.request(), 1).blocks)


def test_block_ids_end_in_the_wanted_revision_of_the_message(made):
    scene = made.scene(made.Speech(item_list=[made.item(1)]))
    one, two = cards.card(scene, made.request(), 1), cards.card(scene, made.request(), 2)
    assert [block["block_id"] for block in one.blocks[-2:]] == ["decide.1", "closer.1"]
    assert [block["block_id"] for block in two.blocks[-2:]] == ["decide.2", "closer.2"]


def test_a_review_that_is_decided_as_a_whole_has_no_item_by_item(made):
    review = Review(revision=1, content={})
    content = cards.card(made.scene(made.Speech(item_list=[made.item(1)])), made.request(review=review), 1)
    assert buttons(content) == ["Approve", "Reject", "Send back", "Everything"]


def test_nine_of_twelve_approved_says_so_in_the_headline_the_notification_and_the_thread(made):
    items = (
        {f"c{n}": "agree" for n in range(1, 9)}
        | {"c9": "ignore"}
        | dict.fromkeys(("c10", "c11", "c12"), "leave")
    )
    said = made.decision(reason="The retro note will be written on Friday.", items=items)
    scene = made.scene(
        made.Speech(item_list=twelve(made)),
        run=made.run(state="resuming"),
        requests=(made.request(1, "decided"),),
        decisions={"req1": said},
    )
    content = cards.card(scene, scene.requests[0], 1)
    assert words(content)[0] == "Approving 9 of 12: links in daily"
    assert "1 changed, 3 left out" in words(content)[1]
    counts = {"candidates": 12, "approved": 9, "changed": 1, "left_out": 3}
    result = Result(outcome="approved-in-part", record="a.md", counts=counts)
    done = made.replace(scene, run=made.run(state="done", result=result))
    content = cards.card(done, scene.requests[0], 2)
    assert content.text == "Approved 9 of 12 by @Member 2: links in daily. Recorded."
    assert words(content)[0] == "Approved 9 of 12: links in daily"
    assert words(content)[1].endswith("in Slack\n1 changed, 3 left out")
    assert "Recorded · a.md" in words(content)
    assert words(content)[-1].startswith("4 typo · 7 missing-note · 1 ignore · ")
    told = threads.decided(done, scene.requests[0], said)
    assert told.text == "@Member 1 9 of 12 approved by @Member 2"
    japanese = cards.card(made.replace(done, language="ja"), scene.requests[0], 2)
    assert words(japanese)[0] == "12件中9件を承認：links in daily"
    assert words(japanese)[1].endswith("Slack\n変更 1件 · 除外 3件")


def test_nothing_promises_what_is_not_there_yet(made):
    """No deadline, no file, no Home."""
    for language in ("en", "ja"):
        scene = made.scene(made.Speech(language, item_list=twelve(made)), language=language)
        text = json.dumps(cards.card(scene, made.request(), 1).blocks, ensure_ascii=False)
        for promise in (
            "deadline",
            "期限",
        ):
            assert promise not in text


def test_approvals_of_many_and_their_hostile_words_fit_whether_the_card_waits_or_is_decided(made):
    """Who approved is named, words are cut and never markup; the buttons stay whatever was said."""
    hostile = "<!channel> *bold* `x` [[a]] " * 40 + "\n漢字" * 400
    votes = tuple(
        Vote(
            kind="approve",
            reason=hostile,
            person=made.MEMBER_2.model_copy(update={"id": f"T0TEAM/U0MEMBER{n}", "name": "<!here>"}),
            at=made.AT,
            items={"c1": "leave"},
        )
        for n in range(2, 20)
    )
    for language in ("en", "ja"):
        scene = made.scene(
            made.Speech(language, item_list=twelve(made)), language=language, votes={"req1": votes}
        )
        scene = replace(scene, policy=replace(scene.policy, approvals=20))
        request = replace(made.request(1), deadline=made.AT + timedelta(hours=30))
        waits = cards.card(scene, request, 1)
        assert made.wrong_with(waits) == []
        assert buttons(waits)[:3] == [scene.texts.approve, scene.texts.reject, scene.texts.send_back]
        marked = [b["text"]["text"] for b in waits.blocks if b.get("text", {}).get("type") == "mrkdwn"]
        assert not any("<!channel>" in text or "<!here>" in text for text in marked)
        done = replace(
            scene,
            run=made.run(state="done", result=Result(outcome="approved", record="a.md")),
            requests=(replace(request, state="decided"),),
            decisions={"req1": made.decision()},
        )
        assert made.wrong_with(cards.card(done, done.requests[0], 2)) == []


def test_nobody_is_left_to_approve_is_said_and_who_decides_alone_is_not_told_of_themselves(made):
    votes = (Vote(kind="approve", person=made.MEMBER_2, at=made.AT),)
    scene = made.scene(made.Speech(item_list=[made.item(1)]), votes={"req1": votes})
    policy = replace(scene.policy, approvers=frozenset({"U0MEMBER2"}), self_approval=False, approvals=2)
    text = "\n".join(words(cards.card(replace(scene, policy=policy), made.request(), 1)))
    assert "*Nobody is left to approve this.*" in text
    group = replace(policy, approvers=frozenset(), groups=frozenset({"S0APPROVERS"}))
    unknown = "\n".join(words(cards.card(replace(scene, policy=group, votes={}), made.request(), 1)))
    assert "for <!subteam^S0APPROVERS>" in unknown
    assert "Nobody" not in unknown
    empty = replace(group, members=frozenset())
    assert "Nobody in the user groups" in "\n".join(
        words(cards.card(replace(scene, policy=empty, votes={}), made.request(), 1))
    )
