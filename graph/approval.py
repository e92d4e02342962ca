"""The words of an approval: people, reviews, requests, votes, decisions, and the run they belong to.

Everything here is plain data. What travels through LangGraph or into a JSON column is a pydantic model
(`Person`, `Review`, `Vote`, `Answer`, `Progress`, `Failure`, `Result`); what a table row looks like to the rest of
the program is a frozen dataclass (`Run`, `Request`, `Decision`, `Message`, `Order`, `Event`). All times are aware and in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from graph.errors import ReviewTooLarge

Language = Literal["en", "ja"]
Surface = Literal["slack", "terminal", "clock"]
Kind = Literal["approve", "reject", "send_back", "expired", "withdrawn"]
"""What a decision says. People choose the first three; the clock expires, the requester withdraws."""

RunState = Literal[
    "queued",  # accepted; no step has begun
    "running",  # a step before the review is at work
    "waiting",  # an open request waits for people
    "resuming",  # a decision stands; the thread has not taken it to its end yet
    "done",  # ended with a record
    "failed",  # ended by an exception, by `stop`, or by a failure the workflow recorded
    "cancelled",  # ended before anyone was asked; no record
]
ENDED: frozenset[RunState] = frozenset({"done", "failed", "cancelled"})
HOLD = "hold"
"""Step of a run that waits until new checks are released."""
PAUSED = "paused"
"""Step of a run whose work ended because the program did; it goes on at the next start."""
LONGEST_PAUSE = timedelta(hours=2)
"""More than any pause between two tries; a next try further off was set by a clock that has been set back since."""
AT_ONCE = frozenset({"cancel", "stop"})
"""Orders that no time is set for; whose clock dated them does not matter."""
RequestState = Literal["open", "decided", "superseded"]
Outcome = Literal[
    "approved", "approved-in-part", "rejected", "expired", "withdrawn", "no-candidates", "failed"
]
"""How a run with a record ended; also the `outcome` of the record's front matter."""


class _Json(BaseModel):
    """Immutable, closed, and the same after `model_dump(mode="json")` and back."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Person(_Json):
    """Someone who acts on a run.

    Attributes:
        id: `T…/U…` (team and user) in Slack, the operating system's login in the terminal, `clock` for a timer.
        name: what people call them; shown, never compared.
        verified: Slack vouches for its users; a terminal's login is only what the machine says.
    """

    id: str
    name: str
    surface: Surface
    verified: bool


AGREE, LEAVE = "agree", "leave"
"""What a person may say of any item: the verdict as it stands, or not part of the approval."""


CLOCK = Person(id="clock", name="", surface="clock", verified=True)


class Review(_Json):
    """What a person is to look at; the value that `interrupt()` carries and `requests.payload` keeps.

    Attributes:
        revision: 1 for the first question of a run; each new question counts on.
        content: the workflow's own model as JSON. Only the workflow and its `Words` read it.
        choices: what may be said of each item beside `agree` and `leave`, by item id; None = decided as a whole.
    """

    version: Literal[1] = 1
    revision: int = Field(ge=1)
    content: dict[str, JsonValue]
    choices: dict[str, list[str]] | None = None


MOST_BYTES = 64 << 20
"""Of a review as JSON: it is copied into a checkpoint and a row, and read for each card."""


def carried(review: Review) -> dict[str, Any]:
    """Return a review as `interrupt()` carries it: plain JSON of a bounded size.

    Raises:
        ReviewTooLarge: nobody would be served by such a question.
    """
    value = review.model_dump(mode="json")
    if (size := len(json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass"))) > MOST_BYTES:
        raise ReviewTooLarge(size, MOST_BYTES)
    return value


class Vote(_Json):
    """What one person said of a request. It is never changed; the one that completes the policy brings the decision.

    Attributes:
        reason, items: as in `Answer`.
        at: when it was committed, UTC.
    """

    kind: Kind
    reason: str = ""
    person: Person
    at: datetime
    items: dict[str, str] | None = None


class Answer(_Json):
    """What the thread is resumed with: the decision, complete enough to be recorded.

    Attributes:
        reason: verbatim; empty if none was given.
        items: what is said of every item, item id → `agree`, a word of `Review.choices`, `leave`; None = the whole.
        at: when the decision was committed, UTC.
        votes: what everyone said, oldest first, if others than `person` voted; else empty.
    """

    kind: Kind
    reason: str = ""
    person: Person
    revision: int
    at: datetime
    items: dict[str, str] | None = None
    votes: list[Vote] = []


class Progress(_Json):
    """How far a step is.

    Attributes:
        step: the workflow's name for it (`collect`, `draft`), `queue` while it waits for its turn, or `hold` while
            it waits for new checks to be released.
        counts: the numbers its sentence needs, by name (`read`, `notes`, `found`, `batch`, `batches`, `done`, `all`, `ahead`).
    """

    step: str
    counts: dict[str, int] = {}


class Failure(_Json):
    """Why a run stopped without a decision.

    Attributes:
        kind: a closed set per workflow, plus `stopped`, `cannot-post`, and what `graph.engine.faults` tells apart.
        step: where (`collect`, `draft`, `record` …).
        words: what the failing part said, truncated; foreign text.
        resets_at: when trying again makes sense, if known.
        reference: a short id that is also in the log, for `exception`.
    """

    kind: str
    step: str
    words: str = ""
    resets_at: datetime | None = None
    reference: str | None = None


class Result(_Json):
    """How a graph ended: what its last node leaves for the engine to project.

    Attributes:
        record: file name of the record (no folder), None if there is none.
        patch: file name of the patch beside it, None if there is none.
        counts: numbers worth keeping on the run's row and on the card (`notes`, `links`, `candidates`, `approved`, `dropped` …).
    """

    outcome: Outcome
    record: str | None = None
    patch: str | None = None
    failure: Failure | None = None
    counts: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class Run:
    """One run, as its row says."""

    id: str  #: UUID; also LangGraph's thread_id
    source: str  #: unique: `slack:<team>:<trigger id>`, `terminal:<uuid>` …; a redelivery meets it
    workflow: str
    version: int  #: of the workflow that started it
    input: dict[str, Any]  #: the workflow's own, JSON
    requester: Person
    language: Language  #: of everything shared: card, thread, record
    zone: str  #: IANA name; times in the record and on buttons
    place: str | None  #: Slack channel (C…/D…) or user (U…) the card goes to; None = no card
    state: RunState
    created: datetime
    changed: datetime
    ended: datetime | None = None
    progress: Progress | None = None
    result: Result | None = None  #: once ended with a record
    failure: Failure | None = None  #: why it is `failed`
    continues: str | None = None  #: id of the run it carries on
    response_url: str | None = None  #: of the slash command; 30 minutes, 5 uses
    retry_offered: bool = False  #: a failed run that may still be retried
    retry_at: datetime | None = None  #: a retry the engine does by itself (record not written yet)
    interventions: int = 0  #: decisions of people so far
    counts: dict[str, int] = field(default_factory=dict)  #: numbers of the thread so far (`Workflow.counts`)
    ended_by: Person | None = None  #: who cancelled, stopped or, while a revision was drafted, withdrew it

    @property
    def on_hold(self) -> bool:
        """Tell whether its next step was found to wait because new checks were on hold: a mark beside a state."""
        at_work = self.state in {"queued", "running", "resuming"}
        return at_work and self.progress is not None and self.progress.step == HOLD

    def is_held(self, hold: Order | None) -> bool:
        """Tell whether this run waits for the release of a hold, be it that nobody came to mark it yet.

        Args:
            hold: the one that stands now; None = none does.
        """
        return hold is not None and (self.state == "queued" or self.on_hold)

    @property
    def let_go(self) -> bool:
        """Tell whether it stopped and does not go on itself: another run carries it on, or a person ended it."""
        return self.state == "failed" and not self.retry_offered

    @property
    def is_paused(self) -> bool:
        """Tell whether its step at work was ended with the program."""
        return self.progress is not None and self.progress.step == PAUSED

    def waits_for_retry(self, now: datetime) -> bool:
        """Tell whether the engine's own next try has not come yet."""
        return self.retry_at is not None and now < self.retry_at <= now + LONGEST_PAUSE


@dataclass(frozen=True, slots=True)
class Request:
    """A review put to people."""

    id: str  #: uuid5 of run and interrupt: differs per revision
    run_id: str
    interrupt_id: str  #: LangGraph's
    revision: int
    review: Review
    state: RequestState
    created: datetime
    deadline: datetime | None = None  #: when it expires; counted anew until its card stands in Slack
    remind_at: datetime | None = None  #: when its one reminder is due; None = there is none (any more)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a person has chosen for items of a request so far, and not sent yet.

    Attributes:
        items: item id → `agree`, a word of `Review.choices`, or `leave`.
        reason: as typed at the end; empty if they have not been there.
    """

    items: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What stands for a request."""

    request_id: str
    kind: Kind
    reason: str
    person: Person
    at: datetime
    items: dict[str, str] | None = None
    run_id: str | None = field(default=None, compare=False)  #: of whoever has just decided; no column
    votes: tuple[Vote, ...] = field(default=(), compare=False)  #: that were given, oldest first; no column


@dataclass(frozen=True, slots=True)
class Message:
    """A message that should exist in Slack."""

    key: str  #: `progress:<run>`, `card:<request>`, `outcome:<request or run>`, `remind:<request>`, `file:<run>:record` …
    run_id: str
    place: str  #: where to post: channel or user id
    thread: str | None  #: key of the message whose thread it stands in
    data: dict[str, Any] | None  #: what no row says (words of one who came second; why the place is refused)
    wanted: int  #: counts up whenever a row behind the message changes
    shown: int  #: the `wanted` that Slack shows; 0 = never posted
    digest: str | None  #: of the content last sent; equal content is not sent again
    tries: int
    next_try: datetime | None
    channel: str | None  #: as Slack answered
    ts: str | None  #: a file's is the id of the file
    problem: str | None = None  #: Slack's error name when it is *not shown*


@dataclass(frozen=True, slots=True)
class Behind:
    """A message that shows less than its rows say, with no more than tells whose turn it is."""

    key: str
    run_id: str
    place: str
    posted: bool  #: it stands in Slack already and has to be edited
    tried: bool  #: Slack failed at it before
    state: RunState  #: of its run


@dataclass(frozen=True, slots=True)
class Order:
    """Something a person or a timer tells the process that owns a run."""

    id: int
    kind: Literal["cancel", "stop", "retry", "hold", "release"]
    run_id: str | None  #: None = all
    person: Person
    due: datetime
    done: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        """Tell whether it is to be carried out."""
        return self.kind in AT_ONCE or self.due <= now


@dataclass(frozen=True, slots=True)
class Whole:
    """A run and everything that belongs to it."""

    run: Run
    requests: tuple[Request, ...]  #: by revision
    decisions: tuple[Decision, ...]  #: by revision
    messages: tuple[Message, ...]  #: oldest first
    orders: tuple[Order, ...]  #: that are not done, by due time
    continued_by: str | None  #: id of the run that carries it on
    hold: Order | None  #: the hold whose release it waits for
    votes: Mapping[str, tuple[Vote, ...]] = field(default_factory=dict)  #: by request, oldest first


@dataclass(frozen=True, slots=True)
class Event:
    """A line of a run's history."""

    at: datetime
    run_id: str
    person: Person | None
    what: str  #: `accepted`, `asked`, `decided`, `refused-click` …
    data: dict[str, Any] = field(default_factory=dict)
