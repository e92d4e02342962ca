"""How a run is spoken of that this program cannot carry on: by its workflow and version, for nothing else is sure.

What its review holds was written by another version, and is left for that one to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.approval import Failure, Kind, Language, Progress, Result, Review
from graph.looking import Evidence, Options
from graph.workflow import Caution, ItemText


@dataclass(frozen=True, slots=True)
class OtherWords:
    """Implements `graph.workflow.Words`.

    Attributes:
        name: of the workflow.
        version: of the workflow that began the run.
    """

    name: str
    version: int
    language: Language

    @property
    def _run(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def _sentence(self) -> str:
        return _SENTENCE[self.language]

    def subject(self, given: Mapping[str, Any]) -> str:
        """Name workflow and version."""
        del given
        return self._run

    def doing(self, subject: str) -> str:
        """Say who could go on with it."""
        return f"{subject}{_COLON[self.language]}{self._sentence}"

    def did(self, subject: str) -> str:
        """Say who could go on with it."""
        return self.doing(subject)

    def matter(self, subject: str) -> str:
        """Name workflow and version."""
        return subject

    def job(self, subject: str) -> str:
        """Name workflow and version."""
        return subject

    def act(self, kind: Kind) -> str:
        """Name workflow and version."""
        del kind
        return self._run[:24]

    def question(self, review: Review) -> str:
        """Say who could go on with it."""
        del review
        return self.doing(self._run)

    def what(self, review: Review) -> str:
        """Name workflow and version."""
        del review
        return self._run

    def size(self, review: Review) -> str:
        """Say who could go on with it."""
        del review
        return self._sentence

    def total(self, review: Review) -> int:
        """Count nothing."""
        del review
        return 0

    def ask(self, review: Review) -> str:
        """Say who could go on with it."""
        return self.question(review)

    def counts(self, review: Review, items: Sequence[ItemText] | None = None) -> list[str]:
        """Count nothing."""
        del review, items
        return []

    def others(self, review: Review, shown: Sequence[ItemText]) -> list[str]:
        """Count nothing."""
        del review, shown
        return []

    def consequence(self, review: Review) -> str:
        """Say who could go on with it."""
        del review
        return self._sentence

    def next(self, kind: Kind, review: Review, *, item_by_item: bool = False) -> tuple[str, str]:
        """Say who could go on with it."""
        del kind, review, item_by_item
        return "", self._sentence

    def example(self, kind: Kind) -> str:
        """Give none."""
        del kind
        return ""

    def items(self, review: Review) -> list[ItemText]:
        """Return none."""
        del review
        return []

    def decided(self, review: Review, said: Mapping[str, str]) -> list[ItemText]:
        """Return none."""
        del review, said
        return []

    def listing(self, review: Review) -> str:
        """Return nothing."""
        del review
        return ""

    def options(self, review: Review, ids: Sequence[str]) -> list[Options]:
        """Return none."""
        del review, ids
        return []

    def evidence(self, review: Review, ids: Sequence[str], zone: str) -> list[Evidence]:
        """Return none."""
        del review, ids, zone
        return []

    def spent_on(self, review: Review) -> str:
        """Say nothing."""
        del review
        return ""

    def changes(self, review: Review) -> list[str]:
        """Return none."""
        del review
        return []

    def notes(self, review: Review, zone: str) -> list[str]:
        """Return none."""
        del review, zone
        return []

    def warnings(self, review: Review) -> list[Caution]:
        """Return none."""
        del review
        return []

    def ready(self, counts: Mapping[str, int]) -> str:
        """Name workflow and version."""
        del counts
        return self._run

    def progress(self, progress: Progress) -> tuple[str, str]:
        """Say who could go on with it."""
        del progress
        return self._sentence, ""

    def stopped_at(self, progress: Progress | None) -> str:
        """Say nothing."""
        del progress
        return ""

    def nothing(self, subject: str, result: Result) -> tuple[str, str]:
        """Name workflow and version."""
        del result
        return subject, ""

    def failure(self, failure: Failure) -> tuple[str, str]:
        """Name the kind of the failure."""
        return failure.kind, ""

    def spent(self, counts: Mapping[str, int]) -> list[str]:
        """Return nothing."""
        del counts
        return []

    def kept(self, counts: Mapping[str, int]) -> str:
        """Say nothing."""
        del counts
        return ""


_SENTENCE: Mapping[Language, str] = {
    "en": "begun by another version of ringi, which alone can go on with it",
    "ja": "別の版の ringi が始めたもので、続けられるのはその版だけです",
}
_COLON: Mapping[Language, str] = {"en": ": ", "ja": "："}
