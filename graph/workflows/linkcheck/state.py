"""What a link check knows: candidates, verdicts, the report a person looks at, and the state that carries them.

The state holds plain JSON only, so checkpoints need no class to be read. A node validates what it reads
(`Candidate.model_validate(…)`) and returns `model_dump(mode="json")`. There is one copy of the candidates in it;
everything else names them by id, and a batch carries its own slice.

`collect(state, runtime)` returns `{"scope": Scope, "candidates": [Candidate, …]}` as JSON.
"""

from __future__ import annotations

import operator
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from graph.workflows.linkcheck.judged import Instruction, Judged, Verdict

NOT_JUDGED = "not-judged"


class _Json(BaseModel):
    """Immutable, closed, and the same after `model_dump(mode="json")` and back."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(_Json):
    """Where a link stands.

    Attributes:
        file: vault-relative path in NFC.
        line: 1-based; 0 where there are no lines (canvas).
        place: `body`, `property`, `canvas` or `comment`.
        raw: the link as written.
        text: its source line, trimmed, at most 300 characters.
        fingerprint: of the whole source line, by `graph.vault.fingerprint`.
    """

    file: str
    line: int
    place: str = "body"
    embed: bool = False
    raw: str
    text: str = ""
    fingerprint: str | None = None


class Nearby(_Json):
    """A name the link may have meant; see `graph.vault.Nearby`.

    Attributes:
        target: the name to write.
        path: of the note, vault-relative.
        reason: a word of the vault's closed set.
        percent: how alike, 0 to 100.
        detail: what exactly differs, a word of the vault's closed set; empty if none says it.
        changed: when that note was last saved, in seconds since 1970; None if that could not be told.
    """

    target: str
    path: str
    reason: str
    percent: int
    detail: str = ""
    changed: int | None = None


class Candidate(_Json):
    """A link that leads nowhere, with everywhere it stands.

    Attributes:
        id: `c1`, `c2` … within the run, in the order they were found.
        target: the note it names, as the link names it.
        subpath: what follows the first `#`, if anything.
        kind: `missing`; with `anchors` also `missing-heading`, `missing-block`: the note is there.
        tags: the vault's remarks on it.
        places: at least one, in the order of the notes.
        nearby: best first.
        linked: how often the target is linked within what was read.
    """

    id: str
    target: str
    subpath: str | None = None
    kind: str = "missing"
    tags: list[str] = []
    places: list[Place] = Field(min_length=1)
    nearby: list[Nearby] = []
    linked: int = 1

    @property
    def named(self) -> str:
        """The target and its subpath."""
        return self.target if self.subpath is None else f"{self.target}#{self.subpath}"

    @property
    def label(self) -> str:
        """The link as written at its first place: `[[Projct plan]]`."""
        return self.places[0].raw


class Scope(_Json):
    """What `collect` read.

    Attributes:
        notes: how many notes.
        links: how many links in them.
        not_read: (vault-relative path, why) of what could not be read.
        judged_before: candidates that are left out because all their places were approved in earlier runs.
    """

    notes: int
    links: int
    not_read: list[tuple[str, str]] = []
    judged_before: int = 0


class Batch(_Json):
    """One task of `draft`: the candidates it judges and what it needs to know; travels in a `Send`.

    Attributes:
        draft: which drafting this belongs to: 1, and one more after each send back.
        number: 1-based among `of` batches of this drafting.
        before: how many candidates of the drafting come before this batch, judged ones included.
        all: candidates of the drafting.
        earlier: verdicts of the revision that was sent back, by candidate id.
    """

    draft: int
    number: int
    of: int
    before: int
    all: int
    vault: str
    folder: str
    drafter: Literal["claude", "rules"]
    candidates: list[Candidate]
    instructions: list[Instruction] = []
    earlier: dict[str, Verdict] = {}


class Piece(_Json):
    """What one batch gave: an answer or a failure. Pieces are only ever added.

    Attributes:
        asked: ids of the candidates it was about, in order.
        judged: the answer; with a failure it holds what was spent and refused all the same.
        failure: a `graph.approval.Failure` as JSON.
    """

    draft: int
    asked: list[str] = []
    judged: Judged
    failure: dict[str, Any] | None = None


class Changed(_Json):
    """What a person made of an item in place of what it was.

    Attributes:
        person: a name, foreign text.
        verdict, to: what it was before.
    """

    person: str
    verdict: str
    to: str | None = None


class Item(_Json):
    """One line of a report, without its candidate.

    Attributes:
        id: the candidate's.
        number: what people call it; the same in every revision.
        verdict: a judgement, or `not-judged` when no valid answer held one.
        was: the verdict in the revision before (and its `to`), if either changed.
        changed: by whom, if a person who approved gave it this verdict.
    """

    id: str
    number: int
    verdict: str
    reason: str = ""
    to: str | None = None
    by: str = ""
    was: str | None = None
    was_to: str | None = None
    changed: Changed | None = None


class Delivery(_Json):
    """What became of the words of one send back.

    Attributes:
        revision: of the report that was sent back.
        state: `queued` until an answer came from a call that carried the words, then `delivered`; `superseded` when
            the run went another way before that.
        call: id of the first call that carried them and was answered, `prompt` the SHA-256 of what it was given.
        at: when it was given.
    """

    revision: int
    state: Literal["queued", "delivered", "superseded"]
    call: str | None = None
    prompt: str | None = None
    at: datetime | None = None


class Stale(_Json):
    """Why a revision asks for a part only: lines changed between the draft and the approval.

    Attributes:
        rest: items that stay as approved.
        person: who approved them; a name, foreign text.
        gone: items whose link has vanished; nothing to decide there.
    """

    rest: int
    person: str
    gone: int = 0


class Outline(_Json):
    """A report as the state keeps it: every item of the run, and which of them the question is about.

    Attributes:
        revision: of the question it asks, 1-based within the run.
        draft: the drafting its newest verdicts come from.
        items: in the order a person would care.
        asks: ids of the items in question; None = all.
        stale: set when only changed lines are asked again.
    """

    revision: int
    draft: int
    items: list[Item]
    asks: list[str] | None = None
    stale: Stale | None = None

    def asked(self) -> list[Item]:
        """Return the items in question."""
        return [item for item in self.items if self.asks is None or item.id in set(self.asks)]


class ReportItem(Item):
    """One line of a report, complete."""

    candidate: Candidate


class Rest(_Json):
    """The numbers of what a report in brief leaves out.

    Attributes:
        verdicts: how many items of each verdict.
        altered: items whose verdict is another than in the revision before.
        fixes: typos that a patch can mend.
    """

    verdicts: dict[str, int]
    altered: int
    fixes: int


class Report(_Json):
    """What a person is to look at: `Review.content`.

    Attributes:
        folder: vault-relative; `.` is the whole vault.
        drafter: who judged.
        items: in the order a person would care; changed ones first from the second revision on.
        revision: of the question.
        redrafted: a revision that was judged again (it has `was` and changes), not one for stale lines.
        dropped, refused_reads, refused, calls, retries: over the whole run so far.
        billing: how Claude's calls were billed; `api` if any of them was.
        prompt: version of the prompt its verdicts were drafted with; it never changes afterwards.
        prompt_before: that of the drafting before, if it was another one.
        delivered: what became of the words that were sent back so far.
        rest: of a report in brief: what is missing among `items`.
    """

    folder: str
    vault: str
    notes: int
    links: int
    drafter: Literal["claude", "rules"]
    items: list[ReportItem]
    revision: int = 1
    redrafted: bool = False
    stale: Stale | None = None
    not_read: int = 0
    judged_before: int = 0
    dropped: int = 0
    refused_reads: int = 0
    refused: list[str] = []
    calls: int = 0
    retries: int = 0
    model: str | None = None
    billing: Literal["subscription", "api"] | None = None
    prompt: str | None = None
    prompt_before: str | None = None
    delivered: list[Delivery] = []
    rest: Rest | None = None


class State(TypedDict, total=False):
    """LangGraph's state, plain JSON. Who writes what.

    Input (`read_input`): vault, folder, drafter, batch, anchors, everything · collect: scope, candidates · draft: drafts · assemble:
    again, report, failure, asked · review: answers · verify: candidates, report, asked, approved, gone,
    places_dropped · record: result. A run that continues another is seeded with all of it but failure and result.
    """

    vault: str  # absolute path of the vault
    folder: str  # vault-relative; "." = all of it
    drafter: str
    batch: int  # candidates per batch
    anchors: bool  # headings and blocks are checked too
    everything: bool  # also what was approved before is asked again
    scope: dict[str, Any]  # Scope
    candidates: list[dict[str, Any]]  # Candidate
    drafts: Annotated[list[dict[str, Any]], operator.add]  # Piece
    again: bool  # candidates without a verdict are being asked about once more
    report: dict[str, Any] | None  # Outline
    failure: dict[str, Any] | None  # graph.approval.Failure
    asked: Annotated[list[str], operator.add]  # when each question was put, ISO, UTC
    answers: Annotated[list[dict[str, Any]], operator.add]  # graph.approval.Answer
    approved: list[
        str
    ]  # ids that an approval covers, lines verified; what was left out of it is not among them
    gone: list[str]  # ids whose link vanished before it could be approved
    places_dropped: int  # single places of approved items whose line changed
    carried: int  # how many of the answers were given in the run that this one continues
    result: dict[str, Any]  # graph.approval.Result
