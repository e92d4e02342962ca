"""The whole of what is asked, as one Markdown file: for when a card shows little of it. Pure.

As in a record, everything that is not ours is one line in a code span.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph.approval import Language
from graph.workflows.linkcheck.markdown import code
from graph.workflows.linkcheck.page import SENTENCES, item_lines
from graph.workflows.linkcheck.sentences import Sentences, number, plural
from graph.workflows.linkcheck.state import Report


def listing(report: Report, card: Sentences, verdicts: tuple[str, ...], language: Language) -> str:
    """Return every item in question with its evidence, by verdict and number."""
    return "".join(f"{line}\n" for line in _lines(report, card, verdicts, language))


def _lines(report: Report, card: Sentences, verdicts: tuple[str, ...], language: Language) -> Iterator[str]:
    say = SENTENCES[language]
    folder = card.whole_vault if report.folder == "." else code(report.folder, path=True)
    yield f"# {plural(card.question, len(report.items), folder=folder)}"
    for verdict in verdicts:
        items = sorted((i for i in report.items if i.verdict == verdict), key=lambda item: item.number)
        if items:
            yield from ("", f"## {say.group[verdict].format(n=number(len(items)))}", "")
        for item in items:
            lacks = say.lacks.get(item.candidate.kind)
            yield from item_lines(item, item.candidate, language, f" · {lacks}" if lacks else "")
