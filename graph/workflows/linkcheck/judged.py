"""What a drafter says about candidates, what it was told, and what it cost. Part of the state (`state.py`), plain JSON.

A drafter (`by_claude.py`, `by_rules.py`) is one function; it raises nothing that is not a fault of ours:

    async def judge(
        candidates: Sequence[Candidate],
        context: Context,
        *,
        folder: Path,  # absolute: the folder under check
        instructions: Sequence[Instruction],
        earlier: Mapping[str, Verdict],  # of the revision that was sent back, by candidate id
    ) -> Judged | NotJudged
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from graph.approval import Failure

Judgement = Literal["typo", "missing-note", "ignore"]
"""What a drafter may say about a link that leads nowhere."""


class _Json(BaseModel):
    """Immutable, closed, and the same after `model_dump(mode="json")` and back."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Verdict(_Json):
    """What a drafter says about one candidate.

    Attributes:
        id: the candidate's.
        reason: one line in the run's language; foreign text when Claude wrote it.
        to: the name it should have, for a typo: a near name or an existing note.
    """

    id: str
    verdict: Judgement
    reason: str
    to: str | None = None
    by: Literal["claude", "rules"]


class Instruction(_Json):
    """What a person wrote when sending the report back, verbatim."""

    person: str
    words: str


class Receipt(_Json):
    """One call to Claude; see `graph.workflow.Call`."""

    id: str
    prompt: str
    at: datetime
    answered: bool


class Around(_Json):
    """What stands around a link, as it was when it was asked about.

    Attributes:
        changed: day its note was last saved, `2026-11-03`; None if that cannot be told.
    """

    before: list[str] = []
    after: list[str] = []
    changed: str | None = None


class Evidence(_Json):
    """What was read for one question, beside what the state knows anyway; with it the question can be written again.

    Attributes:
        today: the day it was asked, UTC.
        around: by candidate id, for the places that are shown.
        near: by candidate id, the day each near name's note was last saved.
    """

    today: str
    around: dict[str, list[Around]] = {}
    near: dict[str, list[str | None]] = {}


class Judged(_Json):
    """A drafter's valid answer to some candidates.

    Attributes:
        verdicts: at most one per candidate asked about; candidates may be left out.
        dropped: answers that matched no candidate, repeated one, or named a note that does not exist.
        facts: as in `graph.workflow.Reply`, as far as known.
        refused: paths outside the folder that were asked for and refused.
        model: as reported; None for rules.
        prompt: its version (`linkcheck/2`); None for rules.
        billing: how the calls were billed; None for rules.
        calls: a receipt each, in order.
        evidence: what the question held of the notes.
    """

    verdicts: list[Verdict]
    dropped: int = 0
    facts: dict[str, int] = {}
    refused: list[str] = []
    model: str | None = None
    prompt: str | None = None
    billing: Literal["subscription", "api"] | None = None
    calls: list[Receipt] = []
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class NotJudged:
    """Why a drafter gave no answer, and what it cost all the same."""

    failure: Failure
    spent: Judged
