"""Judge candidates without a model, by their names alone: at once, free, and the same each time.

Rules cannot follow words. After a send back they judge as before, and each reason says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.approval import Language
from graph.vault import why
from graph.workflow import Context
from graph.workflows.linkcheck.judged import Instruction, Judged, Judgement, Verdict
from graph.workflows.linkcheck.state import Candidate, Nearby

SAME = frozenset({"moved", "case", "spacing", "separator", "width", "kana", "date", "alias"})
"""Reasons of near names that are the same name after all."""

ALIKE = 85
"""Percent from which a similar name is a slip of the pen: `サーバー` and `サーバ` have 86."""

LEAD = 3
"""Percent by which the best similar name has to lead the next one."""

OFTEN = 4
"""A name that is linked this often is meant as it is written."""

DATE = re.compile(
    r"(\d{4})[-/._年]?(?:w\d{1,2}|q[1-4]|\d{1,2}(?:[-/._月]?\d{1,2}日?)?月?)|\d{1,2}[-/._月]\d{1,2}(?:[-/._]\d{4}|日)",
    re.IGNORECASE,
)
"""A name that is a day, a week, a month or a quarter, and nothing else."""

_WORDS = """
example examples link links linkname wikilink wikilinks page pagename pagetitle note notename notetitle name title
filename file target foo bar baz foobar xxx yyy zzz abc todo tbd placeholder yourname yournote anothernote somenote
例 サンプル リンク リンク先 ノート ノート名 ページ ページ名 ファイル名 タイトル 名前 見出し 未定 ほげ ふが
"""
PLACEHOLDERS = frozenset(_WORDS.split())
"""Names that texts about links use; compared without case, spaces, hyphens and underscores."""

_PLACEHOLDER = re.compile(r"[.…?*_-]+|x{2,}|<[^<>]*>|\{\{.*\}\}|\$\{.*\}|<%.*%>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Texts:
    """Reasons; `{…}` is filled with numbers or the vault's own words."""

    template: str
    url: str
    placeholder: str
    date: str
    comment: str
    alone: str
    often: str
    similar: str
    typo: str
    unheard: str


EN = Texts(
    template="A placeholder that a template fills in.",
    url="A web address in double brackets.",
    placeholder="A name that examples use.",
    date="A date; its note was not written.",
    comment="Stands in a comment only.",
    alone="Nothing similar in the vault.",
    often="Linked {n} times, nothing similar in the vault.",
    similar="Closest is “{name}” ({why}), not close enough.",
    typo="“{name}” exists: {why}.",
    unheard="{reason} (Rules cannot follow the words sent back.)",
)

JA = Texts(
    template="テンプレートで置き換わる仮の名前です。",
    url="二重の角括弧の中身が URL です。",
    placeholder="例として使われる名前です。",
    date="日付の名前で、そのノートは書かれていません。",
    comment="コメントの中だけにあります。",
    alone="保管庫に似た名前はありません。",
    often="{n}か所からリンクされ、似た名前はありません。",
    similar="最も近いのは「{name}」（{why}）ですが、十分には似ていません。",
    typo="「{name}」があります（{why}）。",
    unheard="{reason}（ルールでの判定は、差し戻しの指示に従えません。）",
)

TEXTS: Mapping[Language, Texts] = {"en": EN, "ja": JA}


async def judge(
    candidates: Sequence[Candidate],
    context: Context,
    *,
    folder: Path,  # noqa: ARG001 - what all drafters are given; rules look at names alone
    instructions: Sequence[Instruction],
    earlier: Mapping[str, Verdict],  # noqa: ARG001 - rules come to the same verdict again
) -> Judged:
    """Judge each candidate; see `state.py` for what all drafters promise. None is left out, nothing fails."""
    language = context.run.language
    verdicts = [verdict(candidate, language) for candidate in candidates]
    if instructions:
        unheard = TEXTS[language].unheard
        verdicts = [v.model_copy(update={"reason": unheard.format(reason=v.reason)}) for v in verdicts]
    return Judged(verdicts=verdicts)


def verdict(candidate: Candidate, language: Language) -> Verdict:
    """Judge one candidate: what only looks like a link, then a clear near name, else a missing note."""
    say = TEXTS[language]
    near = clear(candidate)
    ignored = _ignored(candidate, say, has_near=near is not None)
    to = None
    judgement: Judgement
    if ignored is not None:
        judgement, reason = "ignore", ignored
    elif near is not None:
        judgement, to = "typo", near.target
        reason = say.typo.format(name=near.target, why=why(near, language))
    else:
        judgement, reason = "missing-note", _missing(candidate, say, language)
    return Verdict(id=candidate.id, verdict=judgement, reason=reason, to=to, by="rules")


def clear(candidate: Candidate) -> Nearby | None:
    """Return the near name that is clearly meant, if there is one.

    The same name written another way always is. A similar one is if it is similar enough, leads the next one, and
    the name isn't linked so often that it must be meant as written. Names that differ in digits are other notes.
    """
    for nearby in candidate.nearby:
        if nearby.reason in SAME:
            return nearby
    alike = sorted((n for n in candidate.nearby if n.reason == "alike"), key=lambda n: -n.percent)
    if not alike or alike[0].percent < ALIKE or candidate.linked >= OFTEN:
        return None
    return alike[0] if len(alike) == 1 or alike[0].percent - alike[1].percent >= LEAD else None


def _ignored(candidate: Candidate, say: Texts, *, has_near: bool) -> str | None:
    """Say why nobody needs this link, None if somebody may."""
    name = candidate.target.strip()
    plain = re.sub(r"[\s_-]", "", name).lower()
    rules = (
        ("template" in candidate.tags, say.template),
        ("url" in candidate.tags, say.url),
        (bool(_PLACEHOLDER.fullmatch(name)), say.placeholder),
        (not has_near and plain in PLACEHOLDERS, say.placeholder),
        (not has_near and DATE.fullmatch(name.rpartition("/")[2]) is not None, say.date),
        (not has_near and all(place.place == "comment" for place in candidate.places), say.comment),
    )
    return next((reason for fits, reason in rules if fits), None)


def _missing(candidate: Candidate, say: Texts, language: Language) -> str:
    """Say why it is a note that was never written."""
    if candidate.nearby:
        nearest = candidate.nearby[0]
        return say.similar.format(name=nearest.target, why=why(nearest, language))
    return say.often.format(n=candidate.linked) if candidate.linked > 1 else say.alone
