"""*Item by item* and *Everything*: what stands on their pages."""

from __future__ import annotations

from bot.slack import items
from bot.slack.everything import everything
from bot.slack.sheet import Sheet
from graph.workflow import Caution

AGREE = {f"c{n}": "agree" for n in range(1, 13)}


def seen(view) -> list[str]:
    """Return what stands in a modal, top to bottom: texts, and of an input its label, choice and hint."""
    found = []
    for block in view["blocks"]:
        if block["type"] == "input":
            chosen = block["element"].get("initial_option", {}).get("text", {}).get("text", "")
            found.append(" | ".join([block["label"]["text"], chosen, block.get("hint", {}).get("text", "")]))
        elif block["type"] == "actions":
            found += [e["action_id"] for e in block["elements"]]
        elif block["type"] != "divider":
            found += [text["text"] for text in block.get("elements", [block.get("text")])]
    return found


def twelve(made):
    typo = [made.item(n) for n in range(1, 5)]
    return [
        *typo,
        *[
            made.item(n, f"[[Move {n}]]", None, verdict="missing-note", verdict_text="Missing note")
            for n in range(5, 13)
        ],
    ]


def sheet(made, chosen=(), count=None):
    speech = made.Speech(
        item_list=twelve(made) if count is None else [made.item(n) for n in range(1, count + 1)]
    )
    return made.scene(speech), Sheet(made.request(), speech, dict(chosen))


def test_a_page_asks_about_five_items_and_agrees_beforehand(made):
    scene, first = sheet(made)
    view = items.page(scene, first, 1)
    assert seen(view)[:2] == [
        "*Page 1 of 3* · 1–5 of 12",
        "1. [[Projct plan]] | Agree: typo for B | 2026-11-03, line 8 · one letter missing, in work/",
    ]
    assert seen(view)[6:] == ["items_skip", "Kept as you go. You can close this and come back."]
    select = view["blocks"][1]["element"]
    assert [o["text"]["text"] for o in select["options"]] == [
        *("Agree: typo for B", "Typo for A", "Missing note", "Ignore", "Leave out")
    ]
    assert view["blocks"][1]["dispatch_action"] is True
    assert view["submit"]["text"] == "Next"
    assert made.wrong_with_view(view) == []


def test_a_choice_that_was_kept_is_shown_with_what_was_proposed(made):
    scene, kept = sheet(made, AGREE | {"c6": "leave", "c1": "ignore"})
    view = items.page(scene, kept, 2)
    assert "*Page 2 of 3* · 6–10 of 12 · 1 changed on other pages" in seen(view)
    assert seen(view)[1].startswith("6. [[Move 6]] | Leave out | Claude said typo for B · 2026-11-03, line 8")
    assert "items_back" in seen(view)


def test_the_last_page_does_not_offer_the_end_twice(made):
    scene, kept = sheet(made)
    last = items.page(scene, kept, 3)
    assert "items_back" in seen(last)
    assert "items_skip" not in seen(last)
    one = items.page(*sheet(made, count=3), 1)
    assert [block["type"] for block in one["blocks"]] == ["context", "input", "input", "input", "context"]
    assert made.wrong_with_view(one) == []


def test_blanks_in_a_row_are_seen_in_a_label(made):
    assert items.title(made.item(2, "[[Weekly  review]]")) == "2. [[Weekly\N{NO-BREAK SPACE} review]]"


def test_the_end_sums_up_what_was_changed_and_left_out_and_submit_counts(made):
    scene, kept = sheet(made, AGREE | {"c6": "leave", "c8": "leave", "c9": "ignore", "c10": "leave"})
    view = items.summary(scene, kept)
    assert seen(view)[:3] == [
        "daily · 12 links",
        "*You approve 9 of 12* · 1 changed · 3 left out",
        "6. [[Move 6]] → Leave out\n8. [[Move 8]] → Leave out\n9. [[Move 9]] → Ignore\n10. [[Move 10]] → Leave out",
    ]
    assert view["submit"]["text"] == "Approve 9 of 12"
    assert made.wrong_with_view(view) == []
    assert items.summary(*sheet(made, AGREE))["submit"]["text"] == "Approve all 12"


def test_what_was_never_opened_needs_a_word_of_its_own_and_none_is_chosen_beforehand(made):
    """Nothing is agreed with by silence."""
    scene, kept = sheet(made, {f"c{n}": "agree" for n in range(1, 39)} | {"c39": "leave"}, count=500)
    assert kept.per_page == 10
    view = items.summary(scene, kept)
    (rest,) = [block for block in view["blocks"] if str(block.get("block_id")).startswith("rest.")]
    assert rest["label"]["text"] == "461 you have not opened"
    assert [o["text"]["text"] for o in rest["element"]["options"]] == [
        "Agree with all 461",
        "Leave all 461 out",
    ]
    assert "initial_option" not in rest["element"]
    assert rest["optional"] is False
    assert view["submit"]["text"] == "Approve"


def test_when_nothing_is_left_to_approve_it_is_a_rejection_and_needs_words(made):
    scene, kept = sheet(made, dict.fromkeys(AGREE, "leave"))
    view = items.summary(scene, kept)
    assert view["submit"]["text"] == "Reject"
    (reason,) = [block for block in view["blocks"] if block["type"] == "input"]
    assert reason["block_id"] == "reason.reject.1"
    assert reason["optional"] is False


def test_everything_shows_the_evidence_and_decides_nothing(made):
    speech = made.Speech(
        item_list=twelve(made),
        cautions=[Caution("Warning", "Claude tried to read 2 files outside.", ("../a.md", "../b.md"))],
        quiet_notes=["Claude saw this folder only."],
    )
    view = everything(made.scene(speech), made.request(), 1)
    assert seen(view)[:5] == [
        "*1–5 of 12* · page 1 of 3",
        "1. [[Projct plan]] → Project plan",
        "Typo · 2026-11-03, line 8",
        "“See [[Projct plan]].”",
        "Claude: One letter missing.\nLinked 2 times",
    ]
    assert seen(view)[-4:] == [
        "Warning Claude tried to read 2 files outside.\n../a.md\n../b.md",
        "Claude saw this folder only.\nCalls to Claude 1, retries 0, answers left out 0",
        *("all_jump", "all_next"),
    ]
    assert "submit" not in view
    last = everything(made.scene(speech), made.request(), 3)
    assert seen(last)[0] == "*11–12 of 12* · page 3 of 3"
    assert seen(last)[-2:] == ["all_jump", "all_prev"]


def test_the_link_is_seen_in_however_long_a_line(made, monkeypatch):
    speech = made.Speech(item_list=[made.item(1)])
    far = "word " * 100 + "[[Projct plan]] and more"
    evidence = speech.evidence(None, ["c1"], "UTC")[0]
    monkeypatch.setattr(speech, "evidence", lambda *_: [made.replace(evidence, line=far)], raising=False)
    view = everything(made.scene(speech), made.request(), 1)
    quoted = next(text for text in seen(view) if text.startswith("“"))
    assert "[[Projct plan]]" in quoted
    assert len(quoted) < 210
