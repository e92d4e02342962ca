"""What a workflow is to the rest of the program, and the ports its nodes are handed.

A workflow is a named graph with an input. The engine runs it, the surfaces show it; neither knows what it is
about. What it has to say to people it says through `Words`, one per language; all strings are plain text, never
markup: each surface escapes and decorates them its own way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graph.approval import Answer, Failure, Kind, Language, Progress, Result, Review, Run
from graph.form import Form
from graph.looking import Evidence, Options
from graph.memory import Approved, Memory, NoMemory
from graph.settings import Settings

if TYPE_CHECKING:
    from langgraph.graph import StateGraph


@dataclass(frozen=True, slots=True)
class Call:
    """One call that was made: the receipt for what it was given.

    Attributes:
        id: a UUID of its own; also in the log.
        prompt: SHA-256 of exactly what it was given, in hexadecimal.
        at: when it was given, UTC.
        answered: an answer came that could be used.
    """

    id: str
    prompt: str
    at: datetime
    answered: bool


@dataclass(frozen=True, slots=True)
class Sent:
    """A prompt that was sent, written again.

    Attributes:
        call: its receipt.
        version: of the fixed words.
        text: exactly what was given, proven by the receipt's hash; None if this version of the program can no longer
            write it.
    """

    call: Call
    version: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer.

    Attributes:
        output: the structured answer, an object of the schema asked for (validate again: it is model output).
        facts: what the call cost and did, for record and counters: `calls`, `retries`, `turns`, `refused_reads`,
            `input_tokens`, `output_tokens`, and `list_price`, an estimate in millionths of a US dollar.
        refused: paths outside the folder that the model asked for and was refused.
        model: its name, as reported.
        calls: a receipt for each call, in order; more than one if the first was repeated.
    """

    output: dict[str, Any]
    facts: dict[str, int]
    refused: tuple[str, ...] = ()
    model: str | None = None
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class NoReply:
    """Why there is no answer.

    Attributes:
        failure: its `kind` is a word of the table in `graph/claude/failures.py`; `step` is filled in by the caller.
        facts: as in `Reply`; what was spent all the same.
        calls: as in `Reply`; empty if nothing was started.
    """

    failure: Failure
    facts: dict[str, int]
    refused: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()


class Claude(Protocol):
    """Answer this prompt in this shape."""

    async def ask(  # noqa: PLR0913 - the question, its bounds, and whom to tell
        self,
        prompt: str,
        schema: Mapping[str, Any],
        *,
        folder: str,
        max_turns: int,
        waiting: Callable[[int], None] | None = None,
        doing: Callable[[str, int], None] | None = None,
        begin: Callable[[], Awaitable[None]] | None = None,
    ) -> Reply | NoReply:
        """Make one call, confined to reading inside `folder`.

        Args:
            prompt: begins with our own words; given on stdin.
            schema: JSON Schema of an object, without `$schema`.
            folder: absolute path; the working directory and the only place the model may read.
            max_turns: bound on the model's tool loop.
            waiting: told how many calls are ahead while this one waits for its turn, and 0 when it has come.
            doing: told what the call is at: `reading` and how many notes it has looked into, `retrying` and how often
                the service was asked again, `answering` and 1. Never what a note says or is called.
            begin: awaited once its turn has come, before anything is spent.

        Cancelling the task ends the child process and all its children.
        """
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """What a node may use besides its state (LangGraph's `context_schema`); never checkpointed.

    Attributes:
        run: the row as it was when this advance began. `created`, `requester`, `language`, `zone`, `continues` do not change.
        report: say how far the step is; cheap, may be called often and from any thread.
        shared: what the tasks of one advance have in common in this process; empty when an advance begins.
        memory: what people approved in earlier runs.
    """

    run: Run
    settings: Settings
    claude: Claude
    report: Callable[[Progress], None]
    shared: dict[str, Any] = field(default_factory=dict, compare=False)
    memory: Memory = field(default_factory=NoMemory, compare=False)


@dataclass(frozen=True, slots=True)
class ItemText:
    """One item in the grammar every surface uses: a title line and a detail line.

    Attributes:
        id: the item's id in the review's content.
        number: what people call it; the same in every revision, page, record and terminal.
        label: as written: `[[Projct plan]]`.
        to: what it should name, if the verdict says so.
        verdict: machine word (`typo`).
        verdict_text: for people, sentence case (`Typo`).
        place: `2026-11-03, line 8`, with ` and 5 more` when it stands in several.
        file: `2026-11-03.md:8`, so that editors open it.
        why: near name's reason or the drafter's words, one line.
        was: the verdict in the revision before, for people, if it changed; of an item that a decision changed or left
            out, what was proposed.
        said: `changed` or `left-out`, if a decision says that of it.
    """

    id: str
    number: int
    label: str
    to: str | None
    verdict: str
    verdict_text: str
    place: str
    file: str
    why: str
    was: str | None = None
    said: Literal["changed", "left-out"] | None = None


@dataclass(frozen=True, slots=True)
class Caution:
    """Something unusual that must not be overlooked.

    Attributes:
        lead: the bold first word(s): `Warning`.
        text: the rest of the sentence.
        details: foreign strings that belong to it (paths).
    """

    lead: str
    text: str
    details: tuple[str, ...] = ()


class Words(Protocol):
    """How a workflow speaks in one language. Examples are linkcheck's, in English.

    Of a review in brief (`Workflow.brief`) `items` are the first few; `decided`, `listing`, `options` and `evidence` need
    the whole, and everything else says the same of both.
    """

    def subject(self, given: Mapping[str, Any]) -> str:
        """Name what a run with this input is about: `daily`."""
        ...

    def doing(self, subject: str) -> str:
        """`Checking links in daily`."""
        ...

    def did(self, subject: str) -> str:
        """`Checked links in daily`."""
        ...

    def matter(self, subject: str) -> str:
        """`links in daily`: what a headline without a number is about (`Stopped: links in daily`)."""
        ...

    def job(self, subject: str) -> str:
        """`link check of daily`."""
        ...

    def act(self, kind: Kind) -> str:
        """Title of the modal, at most 24 characters: `Approve link check`."""
        ...

    def question(self, review: Review) -> str:
        """`12 links in daily lead nowhere`."""
        ...

    def what(self, review: Review) -> str:
        """`12 links in daily`, after an outcome and a colon."""
        ...

    def size(self, review: Review) -> str:
        """`12 links`."""
        ...

    def total(self, review: Review) -> int:
        """Number of items."""
        ...

    def ask(self, review: Review) -> str:
        """One line of a notification that asks: `12 links in daily lead nowhere – approve the report?`."""
        ...

    def counts(self, review: Review, items: Sequence[ItemText] | None = None) -> list[str]:
        """`["4 typos", "6 missing notes", "2 to ignore"]`, of all items or of these; zeros left out."""
        ...

    def others(self, review: Review, shown: Sequence[ItemText]) -> list[str]:
        """Count as `counts` does what is not among these; also of a review in brief."""
        ...

    def consequence(self, review: Review) -> str:
        """`Approve to record this. No note is changed.`."""
        ...

    def next(self, kind: Kind, review: Review, *, item_by_item: bool = False) -> tuple[str, str]:
        """What the act does, as (bold lead, rest): `("Next:", "the report is recorded as it stands. …")`."""
        ...

    def example(self, kind: Kind) -> str:
        """Placeholder of the reason: `e.g. Checked against the plan`."""
        ...

    def items(self, review: Review) -> list[ItemText]:
        """Return every item, in the order a person would care."""
        ...

    def decided(self, review: Review, said: Mapping[str, str]) -> list[ItemText]:
        """Return every item as a decision leaves it; `said` as in `Answer.items`, empty for a decision of the whole."""
        ...

    def listing(self, review: Review) -> str:
        """Return the whole of it with its evidence, as Markdown in which nothing foreign runs."""
        ...

    def options(self, review: Review, ids: Sequence[str]) -> list[Options]:
        """Return what a person may say of each of these items, beside leaving it out; as `Review.choices`."""
        ...

    def evidence(self, review: Review, ids: Sequence[str], zone: str) -> list[Evidence]:
        """Return what the verdicts of these items rest on; days are those of a time zone. Reads no file."""
        ...

    def spent_on(self, review: Review) -> str:
        """`Calls to Claude 1, retries 0, answers left out 0`; empty if nobody was called."""
        ...

    def changes(self, review: Review) -> list[str]:
        """`["2 changed", "10 as before"]` since the revision before; empty for the first. Zeros left out."""
        ...

    def notes(self, review: Review, zone: str) -> list[str]:
        """Return quiet lines under the items: who judged, what could not be seen; times are those of a zone. May be empty."""
        ...

    def warnings(self, review: Review) -> list[Caution]:
        """Return refused reads, dropped answers, links not judged. Usually empty."""
        ...

    def ready(self, counts: Mapping[str, int]) -> str:
        """`12 broken links`: what was found, on the progress message that points to the card."""
        ...

    def progress(self, progress: Progress) -> tuple[str, str]:
        """(bold head, line): `("Step 2 of 3 · judging", "Batch 3 of 7 · 80 of 268 links judged")`; the line may be empty.

        While it is on hold the line is a whole sentence on what is kept.
        """
        ...

    def stopped_at(self, progress: Progress | None) -> str:
        """`Stopped while judging, batch 3 of 7.`; of a run that was cancelled."""
        ...

    def nothing(self, subject: str, result: Result) -> tuple[str, str]:
        """(headline, line) when there was nothing to decide: `("No broken links in daily", "3,012 notes, 9,840 links, all lead somewhere.")`."""
        ...

    def failure(self, failure: Failure) -> tuple[str, str]:
        """(bold head, what it means and what to do): `("Usage limit reached", "step 2 of 3, judging …")`. No foreign words; times are the surface's."""
        ...

    def spent(self, counts: Mapping[str, int]) -> list[str]:
        """Return what judging took so far: `["3 calls, 1 repeated, 24 turns", "41,200 tokens read, 2,100 written", …]`; empty if nothing was spent."""
        ...

    def kept(self, counts: Mapping[str, int]) -> str:
        """`80 of 268 links are judged and kept; nothing is asked twice.`; empty if nothing is."""
        ...


class ReadInput(Protocol):
    """Turn what a person typed into a run's input."""

    def __call__(self, typed: str, settings: Settings, *, everything: bool = False) -> dict[str, Any]:
        """With `everything` also what was approved before is asked again.

        Raises:
            UnknownFolder: there is nothing of that name.
        """
        ...


@dataclass(frozen=True, slots=True)
class Workflow:
    """A named graph with an input; also the slash command and the CLI verb.

    Attributes:
        name: `linkcheck`.
        version: counted up when a waiting thread of the older graph could not be resumed by this one.
        slow: nodes that need a place among the runs at work; the others never wait for one.
        words: how it speaks, by language.
        read_input: what a person typed as the run's input.
        build: make the graph, not compiled; imports LangGraph, so it is called late.
        result: read a finished thread's state.
        counts: numbers of a thread under way or finished, for cards (`candidates`, `judged` …).
        withdraw: given a thread's state and all that was answered, oldest first, the state update that makes it record
            what of that it does not know yet and end, and the node it is written as.
        seed: the state to continue a recorded failure with (finished parts kept), and the node it is written as;
            None if nothing can be carried on.
        sent: every prompt of a thread, oldest first, as it was given; None if it sends none.
        tidy: clear away what a process that was killed left half-done before a time (seconds since the epoch).
        approved: what people approved in a finished thread, so that later runs need not ask for it; None if it keeps
            nothing.
        brief: a review with as much as a card and a modal that decides need, so that a click reads little; None if its
            reviews are small.
        form: how it is started from a form; None if it has none.
    """

    name: str
    version: int
    slow: frozenset[str]
    words: Mapping[Language, Words]
    read_input: ReadInput
    build: Callable[[], StateGraph[Any, Context, Any, Any]]
    result: Callable[[Mapping[str, Any]], Result]
    counts: Callable[[Mapping[str, Any]], dict[str, int]]
    withdraw: Callable[[Mapping[str, Any], Sequence[Answer]], tuple[dict[str, Any], str]]
    seed: Callable[[Mapping[str, Any]], tuple[dict[str, Any], str] | None]
    sent: Callable[[Mapping[str, Any], Run], list[Sent]] | None = None
    tidy: Callable[[Settings, float], None] | None = None
    approved: Callable[[Mapping[str, Any]], list[Approved]] | None = None
    brief: Callable[[Review], Review] | None = None
    form: Form | None = None
