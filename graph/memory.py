"""What people approved in earlier runs, so that nobody is asked twice the same thing.

A verdict is about a link on a line of a note. It counts for as long as that line stays as it was; whatever the note
looks like around it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from graph.approval import Person


@dataclass(frozen=True, slots=True)
class Spot:
    """A link on one line: what a verdict is about.

    Attributes:
        vault: absolute path of the vault.
        file: relative to it, in NFC.
        kind: what is wrong with the link; a heading that is missing is another question than a missing note.
        target: the name it gives, in the form in which names are compared.
        subpath: what follows the first `#`, empty if nothing does.
        line_hash: of its whole source line.
    """

    vault: str
    file: str
    kind: str
    target: str
    subpath: str
    line_hash: str

    @property
    def key(self) -> str:
        """Return SHA-256 over all of it: paths may be longer than a database can index."""
        parts = [self.vault, self.file, self.kind, self.target, self.subpath, self.line_hash]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Approved:
    """A verdict that somebody approved.

    Attributes:
        verdict: the workflow's word for it.
        goes_to: the name a typo stands for.
        person: who approved it.
        at: when, UTC.
    """

    spot: Spot
    verdict: str
    goes_to: str | None
    person: Person
    at: datetime


class Memory(Protocol):
    """What was approved before; the store."""

    async def judged_before(self, spots: Collection[Spot]) -> set[Spot]:
        """Return those of the spots whose verdict somebody has approved."""
        ...


class NoMemory:
    """Nothing was approved before."""

    async def judged_before(self, spots: Collection[Spot]) -> set[Spot]:
        """Return none of them."""
        del spots
        return set()
