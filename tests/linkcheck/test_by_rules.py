"""Verdicts without a model: what the names alone tell."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graph.approval import Person, Run
from graph.settings import Settings
from graph.workflow import Context
from graph.workflows.linkcheck.by_rules import judge
from graph.workflows.linkcheck.judged import Instruction
from graph.workflows.linkcheck.state import Candidate, Nearby, Place

MEMBER1 = Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True)


def link(
    target: str, *near: Nearby, linked: int = 1, tags: list[str] | None = None, place: str = "body", **where
):
    shown = {"file": "daily/a.md", "text": f"See [[{target}]]."} | where
    places = [Place(line=1, raw=f"[[{target}]]", place=place, **shown)]
    return Candidate(id="c1", target=target, places=places, nearby=list(near), linked=linked, tags=tags or [])


def near(target: str, reason: str = "alike", percent: int = 100, folder: str = "work"):
    return Nearby(target=target, path=f"{folder}/{target}.md", reason=reason, percent=percent)


def context(language: str = "en") -> Context:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    run = Run(
        id="8f3c2a51-6d0e-4c1b-9a77-2f60d1c3b9e4",
        source="terminal:1",
        workflow="linkcheck",
        version=1,
        input={},
        requester=MEMBER1,
        language=language,
        zone="Asia/Tokyo",
        place=None,
        state="running",
        created=now,
        changed=now,
    )
    no_claude: Any = None  # rules have nobody to ask
    return Context(run=run, settings=Settings(), claude=no_claude, report=lambda _: None)


async def one(candidate: Candidate, language: str = "en", words: str = ""):
    said = [Instruction(person="Member 1", words=words)] if words else []
    judged = await judge([candidate], context(language), folder=Path("/v"), instructions=said, earlier={})
    (verdict,) = judged.verdicts
    assert (verdict.id, verdict.by) == ("c1", "rules")
    assert (judged.model, judged.prompt, judged.facts, judged.dropped) == (None, None, {}, 0)
    return verdict


@pytest.mark.parametrize(
    ("candidate", "to"),
    [
        (link("Projct plan", near("Project plan", percent=96)), "Project plan"),
        (link("old/Project plan", near("Project plan", "moved")), "Project plan"),
        (link("Weekly  review", near("Weekly review", "spacing")), "Weekly review"),
        (link("Budget-2026", near("Budget 2026", "separator")), "Budget 2026"),
        (link("ＡＰＩ設計", near("API設計", "width")), "API設計"),
        (link("カイギ", near("かいぎ", "kana")), "かいぎ"),
        (link("サーバー", near("サーバ", percent=86)), "サーバ"),
        (link("2026年12月1日", near("2026-12-01", "date")), "2026-12-01"),
        (link("JS", near("JavaScript", "alias")), "JavaScript"),
        (link("Links", near("links", "case")), "links"),
        (link("Team agreement", near("Team agreements", percent=97)), "Team agreements"),
        (link("会議メモも", near("会議メモ", percent=89)), "会議メモ"),
        (link("サーバー", near("サーバ", percent=86), file="templates/a.md"), "サーバ"),
        (
            link("Project plan", near("Project plans", percent=96), near("Project pan", percent=92)),
            "Project plans",
        ),
        (link("Plan", near("Pan", percent=88), near("PLAN", "case"), linked=9), "PLAN"),
    ],
)
async def test_a_clear_near_name_makes_a_typo(candidate, to):
    verdict = await one(candidate)
    assert (verdict.verdict, verdict.to) == ("typo", to)
    assert f"“{to}” exists: " in verdict.reason


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (link("Move to new office"), "Nothing similar in the vault."),
        (link("Move to new office", linked=6), "Linked 6 times, nothing similar in the vault."),
        (link("議事録2024", near("議事録2025", "digits", 86)), "Closest is “議事録2025”"),
        (link("Invoice 12", near("Invoice 13", "digits", 90)), "Closest is “Invoice 13”"),
        (link("API", near("APP", percent=67)), "Closest is “APP”"),
        (link("Project plan", near("Project plans", percent=96), linked=5), "Closest is “Project plans”"),
        (
            link("Planing", near("Planning", percent=93), near("Plaining", percent=93)),
            "Closest is “Planning”",
        ),
        (link("Shopping", near("Lists#Shopping", "heading")), "Closest is “Lists#Shopping”"),
        (link("Project plan B", near("Project plan", percent=96)), "Closest is “Project plan”"),
        (link("API design v2", near("API design", percent=90)), "Closest is “API design”"),
        (link("偏微分方程式", near("微分方程式", percent=91)), "Closest is “微分方程式”"),
        (link("Photosynthesis"), "Nothing similar"),
    ],
)
async def test_what_is_not_clear_is_a_missing_note(candidate, reason):
    verdict = await one(candidate)
    assert (verdict.verdict, verdict.to) == ("missing-note", None)
    assert verdict.reason.startswith(reason)


@pytest.mark.parametrize(
    "candidate",
    [
        link("{{date}}", tags=["template"]),
        link("<% tp.file.title %>", tags=["template"]),
        link("https://example.com", tags=["url"]),
        link("Note name"),
        link("リンク先"),
        link("xxx"),
        link("..."),
        link("…"),
        link("<page>"),
        link("2026-11-30"),
        link("daily/2026-11-30"),
        link("2026年11月30日"),
        link("11月30日"),
        link("2026-W48"),
        link("20261130"),
        link("2026-11"),
        link("Someday", place="comment"),
        link("YYYY-MM-DD"),
        link("YYYY-[W]ww"),
        link("〇〇さん"),
        link("案件名"),
        link("Untitled 3"),
        link("画像.png"),
        link("tomorrow"),
        link("Friday"),
        link("2026-11-10（火）"),
        link("Monday, 9 November 2026"),
        link("-f config.toml"),
        link("$count -gt 3"),
        link("1, 2], [3, 4"),
        link("Category:Botany"),
        link("de:Photosynthese"),
        link("12"),
        link("Somebody's book", file="templates/Book.md"),
        link("こうなります", text="二重の角括弧で囲むと [[こうなります]]。"),
        link("my page", text="Write links as [[my page]]."),
    ],
)
async def test_what_only_looks_like_a_link_is_ignored(candidate):
    verdict = await one(candidate)
    assert (verdict.verdict, verdict.to) == ("ignore", None)
    assert verdict.reason


@pytest.mark.parametrize(
    "target",
    [
        *(
            "Example project",
            "Page numbers",
            "2026 plan",
            "Meeting 2026-11-30",
            "12 rules",
            "1984",
            "Sun",
            "May",
        ),
        *("Friday lunch", "MMORPG", "DDD", "Cost $5", "案件名簿", "画像処理", "日曜大工"),
    ],
)
async def test_a_name_that_only_begins_like_an_example_or_a_date_is_a_note(target):
    assert (await one(link(target))).verdict == "missing-note"


async def test_reasons_are_in_the_language_of_the_run():
    typo = await one(link("サーバー", near("サーバ", percent=86)), "ja")
    assert typo.reason.startswith("「サーバ」があります（")
    assert (await one(link("新しい事務所"), "ja")).reason == "保管庫に似た名前はありません。"


async def test_words_sent_back_change_nothing():
    verdict = await one(link("Move to new office"), words="That one is to be ignored.")
    assert (verdict.verdict, verdict.reason) == ("missing-note", "Nothing similar in the vault.")


async def test_three_thousand_are_judged_at_once():
    many = [
        link(f"Note {n}", near(f"Note  {n}", "spacing")).model_copy(update={"id": f"c{n}"})
        for n in range(3_000)
    ]
    judged = await judge(many, context(), folder=Path("/v"), instructions=[], earlier={})
    assert [verdict.id for verdict in judged.verdicts] == [candidate.id for candidate in many]
