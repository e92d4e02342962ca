"""What only looks like a link: addresses, code, placeholders, dates, wiki markup. Told by name, line and folder alone.

`look` returns the kind of lookalike; `by_rules.py` says it in words. How right it is: `python -m bench.verdicts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from graph.workflows.linkcheck.state import Candidate, Place

Kind = Literal["template", "url", "code", "wiki", "footnote", "placeholder", "date", "lesson", "comment"]

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_IN_DIGITS = (
    r"\d{4}[-/._年]?(?:第?w?\d{1,2}週?|q[1-4]|\d{1,2}(?:[-/._月]?\d{1,2}日?)?月?)"
    r"|\d{1,2}[-/._月]\d{1,2}(?:[-/._]\d{4}|日)"
)
DATE = re.compile(
    rf"(?:{_IN_DIGITS})(?:\s*[（(][月火水木金土日](?:曜日?)?[）)])?"
    rf"|(?:{_DAY},?\s+)?(?:\d{{1,2}}\s+{_MONTH}|{_MONTH}\s+\d{{1,2}}),?\s+\d{{4}}"
    r"|today|tomorrow|yesterday|(?:last|this|next) (?:week|month|year)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|今日|明日|昨日|明後日|一昨日|(?:先|今|来)(?:週|月|年)|[月火水木金土日]曜日?",
    re.IGNORECASE,
)
"""A name that is a day, a week, a month or a quarter, and nothing else."""

_WORDS = """
example examples link links linkname linktonote linktopage wikilink wikilinks page pagename pagetitle note notename
notetitle name title filename file target targetnote targetpage foo bar baz foobar xxx yyy zzz abc todo tbd placeholder
yourname yournote yourpage anothernote somenote someimage image untitled author projectname topic insertlink
insertlinkhere linkhere
例 サンプル リンク リンク先 ここにリンク ノート ノート名 ページ ページ名 ファイル名 タイトル 名前 氏名 見出し 未定 ほげ ふが
画像 年月日 日付 無題 無題のファイル 案件名 著者名 担当者名 会社名 商品名 人名 件名 題名 プロジェクト名
"""
PLACEHOLDERS = frozenset(_WORDS.split())
"""Names that texts about links, and templates, use; compared without case, spaces, hyphens and a number at the end."""

_PLACEHOLDER = re.compile(
    r"[.…?*_-]+|x{2,}|<[^<>]*>|\{\{.*\}\}|\$\{.*\}|<%.*%>|[〇○◯△□×●☓]{1,}[^\w\s]*(?:さん|様|氏|社|部|課)?",
    re.IGNORECASE,
)
_PATTERN = re.compile(r"(?=.*(?:YY|yy))(?=.*(?:MM|DD|dd|ww|WW|Q))[YMDHQWydhmswgEo\[\]\s:._/年月日第週-]+")
"""`YYYY-MM-DD` and its kin: what date plugins replace."""

_WIKI = re.compile(
    r"(?:category|file|image|template|help|user|talk|wikt|カテゴリ|ファイル|画像|利用者)\s*:\s*\S.*|[a-z]{2}:\S.*",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"-[a-z] \S.*|.*\$[A-Za-z_{].*|.*(?:&&|\|\||==|!=|=~).*|.* -(?:eq|ne|gt|lt|ge|le|nt|ot|ef) .*|[\d., ]*\]\s*,\s*\[.*"
)
_FOOTNOTE = re.compile(r"\d{1,3}")
_TEMPLATES = frozenset({"templates", "template", "_templates", "テンプレート", "ひな形", "雛形", "ひながた"})
_LESSON = re.compile(
    r"\bwiki-?links?\b|\bbrackets\b|\blinks? (?:are )?(?:as|written)\b|\bdead links?\b"
    r"|ウィキリンク|内部リンク|角括弧|リンク(?:は|を).{0,30}(?:書き|記述|表し)",
    re.IGNORECASE,
)
"""A line that teaches how links are written."""


def look(candidate: Candidate, *, has_near: bool) -> Kind | None:
    """Return what a candidate is if nobody needs it to lead somewhere, None if somebody may.

    Args:
        candidate: with its places.
        has_near: a name that exists is clearly meant; then only what can be no name at all is a lookalike.
    """
    name = candidate.target.strip()
    bare = name.rpartition("/")[2].strip()
    certain: Sequence[tuple[bool, Kind]] = (
        ("template" in candidate.tags, "template"),
        ("url" in candidate.tags, "url"),
        (bool(_PLACEHOLDER.fullmatch(name) or _PATTERN.fullmatch(name)), "placeholder"),
        (bool(_CODE.fullmatch(name)), "code"),
    )
    likely: Sequence[tuple[bool, Kind]] = (
        (_plain(bare) in PLACEHOLDERS, "placeholder"),
        (bool(_WIKI.fullmatch(name)), "wiki"),
        (bool(_FOOTNOTE.fullmatch(name)), "footnote"),
        (bool(DATE.fullmatch(bare)), "date"),
        (all(_in_template(place) for place in candidate.places), "template"),
        (all(_LESSON.search(place.text) for place in candidate.places), "lesson"),
        (all(place.place == "comment" for place in candidate.places), "comment"),
    )
    rules = certain if has_near else (*certain, *likely)
    return next((kind for fits, kind in rules if fits), None)


def _plain(name: str) -> str:
    """Return a name without case, spaces, hyphens, the ending of a file and a number at the end."""
    stem = re.sub(r"\.(?:md|png|jpe?g|gif|svg|pdf)$", "", name, flags=re.IGNORECASE)
    return re.sub(r"[\s_-]|\d{1,2}$", "", stem).lower()


def _in_template(place: Place) -> bool:
    return any(folder.lower() in _TEMPLATES for folder in place.file.split("/")[:-1])
