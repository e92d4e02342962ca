"""The record in a modal: what was decided first, the properties last, and nothing lost without a count."""

from __future__ import annotations

import pytest

from bot import limits
from bot.slack.record import BLOCKS, readable, record
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
        found += [(block["type"], text["text"]) for text in texts]
    return found


def test_the_decision_comes_first_and_the_properties_last():
    assert shown(record(EN, "a.md", RECORD)) == [
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
    assert shown(record(JA, "a.md", "Words\n---\nmore\n---\n")) == [
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
    "line",
    ["## Heading {n}", "word " * 400, "漢字" * 1000, "`" * 70],
    ids=["headings", "words", "kanji", "backticks"],
)
def test_what_does_not_fit_is_counted(made, line):
    body = "".join(line.format(n=n) + "\n" for n in range(400))
    view = record(EN, "a.md", f"---\nkey: value\n---\n{body}")
    assert made.wrong_with_view(view) == []
    assert len(view["blocks"]) <= BLOCKS + 5
    texts = [text for _, text in shown(view)]
    assert texts[-1] == "Properties\nkey: value"
    (missing,) = [t for t in texts if t.startswith("… ")] or [f"… {0} more"]
    kept = sum(limits.length(text) for _, text in shown(view)[1:-2])
    assert kept > 500 or "… 0" in missing
