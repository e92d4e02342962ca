"""The numbers of a report, whole or in brief, and how it becomes brief: a few items, and numbers for the rest.

A card or a modal that decides shows no more than that, and a click on one must not read thousands of links first.
"""

from __future__ import annotations

from collections import Counter

from graph.approval import Review
from graph.workflows.linkcheck.fixable import is_fixable
from graph.workflows.linkcheck.state import Report, Rest

KEPT = 10  #: items of a report in brief; more than any card shows


_READ: dict[int, tuple[Review, Report]] = {}
_READ_MOST = 8


def report_of(review: Review) -> Report:
    """Read the content once per review: a card asks a dozen questions about it, and it may hold thousands of links."""
    known = _READ.get(id(review))
    if known is None or known[0] is not review:
        if len(_READ) >= _READ_MOST:
            _READ.clear()
        known = _READ[id(review)] = (review, Report.model_validate(review.content))
    return known[1]


def brief(review: Review) -> Review:
    """Return a review with the first items of its report, which are those that a card shows, and numbers for the rest."""
    report = report_of(review)
    first, rest = report.items[:KEPT], report.items[KEPT:]
    if not rest:
        return review
    others = report.model_copy(update={"items": rest})
    numbers = Rest(verdicts=dict(tally(others)), altered=altered(others), fixes=fixes(others))
    shorter = report.model_copy(update={"items": first, "rest": numbers})
    return Review(
        revision=review.revision,
        content=shorter.model_dump(mode="json"),
        choices=None if review.choices is None else {},
    )


def tally(report: Report) -> Counter[str]:
    """Count by verdict."""
    counts = Counter(item.verdict for item in report.items)
    if report.rest:
        counts.update(report.rest.verdicts)
    return counts


def size(report: Report) -> int:
    """Count the items in question."""
    return tally(report).total()


def altered(report: Report) -> int:
    """Count the items whose verdict is another than in the revision before."""
    return sum(item.was is not None for item in report.items) + (report.rest.altered if report.rest else 0)


def fixes(report: Report) -> int:
    """Count the typos that a patch can mend."""
    here = sum(is_fixable(item, item.candidate) for item in report.items)
    return here + (report.rest.fixes if report.rest else 0)
