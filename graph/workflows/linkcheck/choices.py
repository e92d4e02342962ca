"""What a person may say of a link instead of the drafter's verdict, and what becomes of the link then.

A typo is said as `typo:0` … `typo:4`, a place in the candidate's near names: what is chosen carries no name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph.approval import AGREE, LEAVE, Answer
from graph.workflows.linkcheck.state import Candidate, Changed, Item, Outline

TYPO = "typo:"


def others(item: Item, candidate: Candidate) -> list[str]:
    """Return the words for every other verdict: a typo for each near name, a missing note, to be ignored."""
    typos = [
        f"{TYPO}{n}"
        for n, near in enumerate(candidate.nearby)
        if near.target != item.to and near.target not in {one.target for one in candidate.nearby[:n]}
    ]
    return typos + [word for word in ("missing-note", "ignore") if word != item.verdict]


def meaning(word: str, candidate: Candidate) -> tuple[str, str | None]:
    """Return the verdict of such a word, and the name that a typo stands for."""
    if word.startswith(TYPO):
        return "typo", candidate.nearby[int(word.removeprefix(TYPO))].target
    return word, None


def said_of(answer: Answer, item: Item) -> str:
    """Return what an approval says of an item; one of the whole agrees with all."""
    return AGREE if answer.items is None else answer.items.get(item.id, LEAVE)


def covered(report: Outline, answer: Answer) -> set[str]:
    """Return the ids of the items in question that an approval does not leave out."""
    return {item.id for item in report.asked() if said_of(answer, item) != LEAVE}


def decided(report: Outline, answer: Answer, by_id: Mapping[str, Candidate]) -> Outline:
    """Return the report with the verdicts that a person gave in place of the drafter's."""
    asked = {item.id for item in report.asked()}
    items: Sequence[Item] = report.items
    return report.model_copy(
        update={"items": [_said(i, answer, by_id[i.id]) if i.id in asked else i for i in items]}
    )


def _said(item: Item, answer: Answer, candidate: Candidate) -> Item:
    word = said_of(answer, item)
    if word in {AGREE, LEAVE}:
        return item
    verdict, to = meaning(word, candidate)
    before = Changed(person=answer.person.name, verdict=item.verdict, to=item.to)
    return item.model_copy(update={"verdict": verdict, "to": to, "changed": before})
