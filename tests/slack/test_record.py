"""The record in a modal: what was decided first, the properties last, and nothing lost without a count."""

from __future__ import annotations

import pytest

from bot.slack.record import page_turned, readable, record
from bot.slack.texts import EN, JA

RECORD = """---
title: Link check of daily
outcome: rejected
---
# Link check of `daily`, 2026-12-01

> [!failure] Rejected by `Member 2` · 1 Dec 2026, 14:02 · in Slack
> `Wrong folder.`

## Typos (1)

- **1** `[[Projct plan]]` → `Project plan`
  - ``a `b`.md`` line 8: `**bold** stays`
- **2** `[[Lst]]` · **Left out**

## How it went

- Asked by `Member 1`
  - `- is no list here`
"""


def shown(view) -> list[tuple[str, str]]:
    found = []
    for block in view["blocks"]:
        texts = [block["text"]] if "text" in block else block.get("elements", [])
        if block["type"] == "actions":
            continue
        found += [(block["type"], text["text"]) for text in texts]
    return found


def test_the_decision_comes_first_and_the_properties_last():
    assert shown(record(EN, "a.md", RECORD, "r")) == [
        ("context", "a.md"),
        ("header", "Link check of daily, 2026-12-01"),
        ("section", "Rejected by Member 2 · 1 Dec 2026, 14:02 · in Slack\nWrong folder."),
        ("header", "Typos (1)"),
        (
            "section",
            "1. [[Projct plan]] → Project plan\n  • a `b`.md line 8: **bold** stays\n\n2. [[Lst]] · Left out",
        ),
        ("header", "How it went"),
        ("section", "• Asked by Member 1\n  • - is no list here"),
        ("context", "Properties\ntitle: Link check of daily\noutcome: rejected"),
    ]


def test_a_text_without_front_matter_is_shown_whole():
    assert shown(record(JA, "a.md", "Words\n---\nmore\n---\n", "r")) == [
        ("context", "a.md"),
        ("section", "Words\n---\nmore\n---"),
    ]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("- **6** `[[List]]` · **Left out**", "6. [[List]] · Left out"),
        ("`` ` ``", "`"),
        ("` `", " "),
        ("`open", "`open"),
        ("> [!note]- Folded", "Folded"),
    ],
)
def test_marks_go_and_code_stays(line, read):
    assert readable(line) == read


@pytest.mark.parametrize(
    ("line", "many"),
    [
        ("## Heading {n}", 100),
        ("word {n} " * 400, 20),
        ("漢字{n} " * 1000, 20),
        ("`" * 170 + " {n}", 100),
        ("x{n}" * 3000, 10),
        ("😀{n}" * 2000, 10),
    ],
    ids=["headings", "words", "kanji", "backticks", "one word", "emoji"],
)
def test_a_long_record_is_read_page_by_page_and_nothing_of_it_is_lost(made, line, many):
    body = "".join(line.format(n=n) + "\n" for n in range(many))
    text = f"---\nkey: value\n---\n{body}"
    said, number, last = "", 1, False
    while not last:
        view = record(EN, "a.md", text, "r", number)
        assert made.wrong_with_view(view) == []
        assert view["private_metadata"] == f"r:{number}"
        said += "".join(words for _, words in shown(view)[2:])  # without the name and the number of the page
        last = "record_next" not in str(view["blocks"])
        assert last or page_turned(view, "record_next") == number + 1
        number += 1
    assert number > 2
    assert page_turned(view, "record_prev") == number - 2
    assert said.endswith("Properties\nkey: value")
    wanted = "".join(readable(one) for one in body.splitlines()).lstrip("#")
    found = "".join(said.split())
    assert [
        one for one in range(many) if "".join(readable(line.format(n=one)).lstrip("# ").split()) not in found
    ] == []
    assert len(found) >= len("".join(wanted.split())) - 300  # the marks of headings
    assert record(EN, "a.md", text, "r", 99) == view


def test_a_headline_does_not_stand_alone_at_the_end_of_a_page(made):
    body = "".join(f"words {n}\n> quoted\n" for n in range(19)) + "words\n## Last\nwords of the last\n"
    one = record(EN, "a.md", body, "r")
    assert [block["type"] for block in one["blocks"]][-2:] == ["section", "actions"]
    two = record(EN, "a.md", body, "r", 2)
    assert [words for _, words in shown(two)][2:4] == ["Last", "words of the last"]
