"""Judge candidates without a model, by their names alone: at once, free, and the same each time.

Rules cannot follow words. After a send back they judge as before; the review says so, once.
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
from graph.workflows.linkcheck.lookalikes import look
from graph.workflows.linkcheck.state import Candidate, Nearby

SAME = frozenset({"moved", "case", "spacing", "separator", "width", "kana", "date", "alias"})
"""Reasons of near names that are the same name after all."""

ALIKE = 85
"""Percent from which a similar name is a slip of the pen: `サーバー` and `サーバ` have 86."""

LEAD = 3
"""Percent by which the best similar name has to lead the next one."""

OFTEN = 4
"""A name that is linked this often is meant as it is written."""

AFFIX = re.compile(r"(?:[ぁ-ゖ]|[ァ-ヺ]|[ー・'’.,!?！？。、]|e?s|ing)?", re.IGNORECASE)
"""What one name may have more than the other at its end and still be the same name, badly typed."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Reasons; `{…}` is filled with numbers or the vault's own words."""

    template: str
    url: str
    code: str
    wiki: str
    footnote: str
    placeholder: str
    date: str
    lesson: str
    comment: str
    alone: str
    often: str
    similar: str
    typo: str
    heading: str
    block: str


EN = Texts(
    template="A placeholder in a template.",
    url="A web address in double brackets.",
    code="A piece of code in double brackets.",
    wiki="Markup of another wiki, copied with its text.",
    footnote="The number of a footnote.",
    placeholder="A name that examples and templates use.",
    date="A date; its note was not written.",
    lesson="An example in a line about links.",
    comment="Stands in a comment only.",
    alone="Nothing similar in the vault.",
    often="Linked {n} times, nothing similar in the vault.",
    similar="Closest is “{name}” ({why}), not close enough.",
    typo="“{name}” exists: {why}.",
    heading="The note is there, but it has no such heading.",
    block="The note is there, but it has no such block.",
)

JA = Texts(
    template="テンプレートの仮の名前です。",
    url="二重の角括弧の中身が URL です。",
    code="二重の角括弧の中身がコードです。",
    wiki="ほかのウィキから写した書き方です。",
    footnote="脚注の番号です。",
    placeholder="例やひな形で使われる名前です。",
    date="日付の名前で、そのノートは書かれていません。",
    lesson="リンクの書き方を説明する行の例です。",
    comment="コメントの中だけにあります。",
    alone="保管庫に似た名前はありません。",
    often="{n}か所からリンクされ、似た名前はありません。",
    similar="最も近いのは「{name}」（{why}）ですが、十分には似ていません。",
    typo="「{name}」があります（{why}）。",
    heading="ノートはありますが、その見出しはありません。",
    block="ノートはありますが、そのブロックはありません。",
)

TEXTS: Mapping[Language, Texts] = {"en": EN, "ja": JA}


async def judge(
    candidates: Sequence[Candidate],
    context: Context,
    *,
    folder: Path,  # noqa: ARG001 - what all drafters are given; rules look at names alone
    instructions: Sequence[Instruction],  # noqa: ARG001 - nor do they read
    earlier: Mapping[str, Verdict],  # noqa: ARG001 - rules come to the same verdict again
) -> Judged:
    """Judge each candidate; see `state.py` for what all drafters promise. None is left out, nothing fails."""
    language = context.run.language
    return Judged(verdicts=[verdict(candidate, language) for candidate in candidates])


def verdict(candidate: Candidate, language: Language) -> Verdict:
    """Judge one candidate: what only looks like a link, then a clear near name, else a missing note."""
    say = TEXTS[language]
    near = clear(candidate)
    # a heading or a block is missing in a note that is there: its name says nothing
    lookalike = look(candidate, has_near=near is not None) if candidate.kind == "missing" else None
    to = None
    judgement: Judgement
    if lookalike is not None:
        judgement, reason = "ignore", getattr(say, lookalike)
    elif near is not None:
        judgement, to = "typo", near.target
        reason = say.typo.format(name=near.target, why=why(near, language))
    else:
        judgement, reason = "missing-note", _missing(candidate, say, language)
    return Verdict(id=candidate.id, verdict=judgement, reason=reason, to=to, by="rules")


def clear(candidate: Candidate) -> Nearby | None:
    """Return the near name that is clearly meant, if there is one.

    The same name written another way always is. A similar one is if it is similar enough, leads the next one, and
    the name isn't linked so often that it must be meant as written. Names that differ in digits are other notes, and
    so are names of which one is the other with something more: *Project plan B*, 偏微分方程式.
    """
    for nearby in candidate.nearby:
        if nearby.reason in SAME:
            return nearby
    alike = sorted((n for n in candidate.nearby if n.reason == "alike"), key=lambda n: -n.percent)
    if alike and _longer(candidate.named, alike[0].target):
        return None
    if not alike or alike[0].percent < ALIKE or candidate.linked >= OFTEN:
        return None
    return alike[0] if len(alike) == 1 or alike[0].percent - alike[1].percent >= LEAD else None


def _longer(one: str, other: str) -> bool:
    """Tell whether one of two names is the other with more than an ending before or after it."""
    short, long = sorted((name.rpartition("/")[2].strip().lower() for name in (one, other)), key=len)
    if long.startswith(short):
        return not AFFIX.fullmatch(long[len(short) :])
    return long.endswith(short) and not re.fullmatch(r"[a-z]|[ぁ-ゖ]", long[: -len(short)])


def _missing(candidate: Candidate, say: Texts, language: Language) -> str:
    """Say why it is a note that was never written, or what a note that is there lacks."""
    if candidate.kind == "missing-block" or (candidate.kind == "missing-heading" and not candidate.nearby):
        return say.block if candidate.kind == "missing-block" else say.heading
    if candidate.nearby:
        nearest = candidate.nearby[0]
        return say.similar.format(name=nearest.target, why=why(nearest, language))
    return say.often.format(n=candidate.linked) if candidate.linked > 1 else say.alone
