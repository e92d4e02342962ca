"""What tells a typo from a note still to be written: near names of each finding, and how often its target is linked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from graph.vault.anchors import Anchors
from graph.vault.finding import Finding, Nearby
from graph.vault.names import Names, key

if TYPE_CHECKING:
    from graph.vault.nearby import Book


class Evidence:
    """Adds to findings what can be said about them; loads what that takes when there are some.

    Attributes:
        near: names near the targets that were looked for so far.
    """

    def __init__(self, names: Names, load: Callable[[int], bytes], outlines: Anchors | None) -> None:
        self.near: dict[str, tuple[Nearby, ...]] = {}
        self._names, self._load, self._outlines = names, load, outlines
        self._book: Book | None = None

    def prepare(self) -> Book:
        """Make ready what looking for near names takes: a third of a second in a vault of 100,000 notes."""
        if self._book is None:
            from graph.vault.nearby import Book

            self._book = Book(self._names)
        return self._book

    def look(self, findings: Iterable[Finding]) -> None:
        """Look for names near the targets of some findings."""
        targets = [f.target for f in findings if f.kind == "missing" and f.target not in self.near]
        if targets:
            self.near.update(self.prepare().near_names(targets, self._load))

    def add(self, findings: list[Finding]) -> None:
        """Attach near names, and how often each target is linked; in place, for there may be many."""
        self.look(findings)
        linked = Counter(map(_named, findings))
        for number, finding in enumerate(findings):
            found = self.near[finding.target] if finding.kind == "missing" else self._headings(finding)
            times = linked[_named(finding)]
            if found or times > 1:
                findings[number] = replace(finding, nearby=found, linked=times)

    def _headings(self, finding: Finding) -> tuple[Nearby, ...]:
        if self._outlines is None or finding.kind != "missing-heading":
            return ()
        from graph.vault.near_headings import near_headings

        return near_headings(self._names, self._outlines, finding)


def _named(finding: Finding) -> tuple[str, ...]:
    """Return what counts as the same target."""
    if finding.kind == "missing":
        return (key(finding.target),)
    return (key(finding.target) or finding.file, finding.subpath or "")
