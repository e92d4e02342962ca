"""A run as a person sees it in a terminal, and as JSON: what it asks, who decided, what became of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bot import outcome
from bot.terminal import holding, report, voting
from bot.terminal.report import LOUD, headline, how_to_decide, line, quiet, quotation, to_type, unbroken
from bot.terminal.screen import NARROW, safe
from bot.terminal.sentences import Texts
from bot.terminal.texts import ascii_signs, by_whom, clock, short
from graph.approval import Decision, Language, Order, Request, Run, Vote
from graph.policy import Policy
from graph.workflow import Words


@dataclass(frozen=True, slots=True)
class Story:
    """A run with all that belongs to it, as the rows say.

    Attributes:
        requests: by revision.
        decisions: in the order they were taken.
        continued_by: id of the run that carries it on.
        records: folder of the records.
        not_shown: Slack's error, if Slack does not show what it should.
        hold: who put new checks on hold, if this run waits for their release.
        goes_on: this program can carry it on; False = another version of it began the run.
        votes: what people said, by request, oldest first.
        timer: the retry that is set for later.
    """

    run: Run
    requests: Sequence[Request]
    decisions: Sequence[Decision]
    continued_by: str | None
    records: Path
    not_shown: str | None = None
    hold: Order | None = None
    goes_on: bool = True
    votes: Mapping[str, tuple[Vote, ...]] = field(default_factory=dict)
    timer: Order | None = None

    @property
    def open(self) -> Request | None:
        """The request that waits for an answer."""
        if self.run.state != "waiting":
            return None
        return next((r for r in reversed(self.requests) if r.state == "open"), None)

    @property
    def latest(self) -> Request | None:
        """The newest revision, answered or not."""
        return self.requests[-1] if self.requests else None

    @property
    def record(self) -> Path | None:
        """The record's place, once there is one."""
        result = self.run.result
        return self.records / result.record if result and result.record else None

    @property
    def patch(self) -> Path | None:
        """The place of the patch, if there is one."""
        result = self.run.result
        return self.records / result.patch if result and result.patch else None

    @property
    def final(self) -> Decision | None:
        """The decision about the newest revision."""
        latest = self.latest
        return next((d for d in reversed(self.decisions) if latest and d.request_id == latest.id), None)

    @property
    def said(self) -> Mapping[str, str]:
        """What the decision about the newest revision says of its items; empty if nothing of any alone."""
        return (self.final.items if self.final else None) or {}


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks, and how.

    Attributes:
        now: the present, for years and deadlines.
    """

    language: Language
    texts: Texts
    zone: str
    width: int
    now: datetime
    policy: Policy

    def time(self, at: datetime) -> str:
        """Say a time in the reader's zone."""
        return clock(at, self.language, self.zone, now=self.now)


def of_run(story: Story, words: Words, reader: Reader, *, items: bool = True) -> list[RenderableType]:
    """Return a run for the eye: question or outcome first, then who, then the items, then what to type.

    Args:
        story: the run.
        words: of its workflow.
        reader: who looks.
        items: also the table; what has just been decided needs no second look.
    """
    run, texts, latest = story.run, reader.texts, story.latest
    things: list[RenderableType] = [headline(_title(story, words, texts), _tag(story, texts), reader.width)]
    if latest is not None and (
        counts := words.counts(latest.review, words.decided(latest.review, story.said))
    ):
        things.append(line(texts.comma.join(counts)))
    things += _outcome(story, words, reader)
    if story.hold is not None:
        things += holding.lines(story.hold, run, words, reader)
    things.append(quiet(_asked(story, reader)))
    things += voting.waiting(story, reader)
    if story.not_shown:
        things.append(line(texts.not_shown.format(problem=story.not_shown)))
    things += _history(story, reader)
    if run.continues:
        things.append(quiet(texts.continues.format(run=short(run.continues))))
    if story.continued_by:
        things.append(quiet(texts.continued_by.format(run=short(story.continued_by))))
    if spent := words.spent(run.counts):
        things.append(quiet(ascii_signs(texts.comma.join(spent), texts)))
    if latest is not None and items:
        things += report.of_review(latest.review, words, texts, reader.width, story.said, reader.zone)
    return [*things, *_to_type(story, reader)]


def _to_type(story: Story, reader: Reader) -> list[RenderableType]:
    """Return what a person may type about it now."""
    run, texts = story.run, reader.texts
    if not story.goes_on:
        return [Text(), line(texts.other_version)]
    if story.open is not None:
        return how_to_decide(run, texts, reader.width, card=_on_a_card(run, reader.policy))
    if run.state == "failed" and run.retry_offered:
        name = short(run.id)
        commands = [(f"ringi retry {name}", texts.go_on), (f"ringi cancel {name}", texts.end)]
        return [Text(), to_type(commands, reader.width)]
    return []


def state_word(run: Run, texts: Texts) -> str:
    """Say where a run stands; of an ended one, how it ended."""
    if run.state == "done" and run.result is not None:
        return texts.outcomes[run.result.outcome]
    return texts.states[run.state]


def _title(story: Story, words: Words, texts: Texts) -> str:
    run, latest, final = story.run, story.latest, story.final
    subject = words.subject(run.input)
    if run.state == "failed":
        title = texts.stopped.format(what=words.matter(subject))
    elif run.state == "cancelled":
        title = texts.cancelled.format(what=words.matter(subject))
    elif run.state == "done" and run.result and run.result.outcome == "no-candidates":
        title = words.nothing(subject, run.result)[0]
    elif latest and story.open:
        title = words.question(latest.review)
    elif final and (some := outcome.approved_of(run, final)):
        a, n = (f"{number:,}" for number in some)
        title = texts.headline_some.format(a=a, n=n, matter=words.matter(subject))
    elif latest and final:
        title = texts.headline.format(act=texts.acts[final.kind], what=words.what(latest.review))
    else:
        title = words.doing(subject)
    return ascii_signs(title, texts)


def _tag(story: Story, texts: Texts) -> str:
    form = texts.tag_revision if story.latest else texts.tag
    revision = story.latest.revision if story.latest else 0
    state = state_word(story.run, texts)
    if story.run.let_go and not story.continued_by:
        state += texts.comma + texts.not_continued
    return form.format(run=short(story.run.id), revision=revision, state=state)


def _asked(story: Story, reader: Reader) -> str:
    run, texts = story.run, reader.texts
    asked = texts.asked_by.format(who=safe(run.requester.name), time=reader.time(run.created))
    if story.open is None:
        return asked
    voted = {reader.policy.voter(vote.person) for vote in story.votes.get(story.open.id, ())}
    able = (*reader.policy.deciders(run.requester), *sorted(reader.policy.groups))
    deciders = [user for user in able if user not in voted] if run.place else []
    waits = texts.waits_for.format(who=texts.either.join(deciders)) if deciders else texts.waits_here
    return f"{asked}{texts.comma}{waits}"


def _on_a_card(run: Run, policy: Policy) -> bool:
    return run.place is not None and policy.approvals == 1 and policy.somebody(run.requester)


def _outcome(story: Story, words: Words, reader: Reader) -> list[RenderableType]:
    """Say what happened, for a run that is not simply waiting."""
    run, texts, final = story.run, reader.texts, story.final
    things: list[RenderableType] = []
    if final is not None:
        things += _decided(final, story, reader)
        things += voting.others(final, story.votes.get(final.request_id, ()), reader)
    if run.state == "failed":
        things += _failure(story, words, reader)
    elif run.state == "cancelled":
        things.append(line(ascii_signs(words.stopped_at(run.progress), texts)))
        things.append(line(texts.nothing_recorded))
    elif run.state == "done" and run.result and run.result.outcome == "no-candidates":
        things.append(line(ascii_signs(words.nothing(words.subject(run.input), run.result)[1], texts)))
    elif run.state == "resuming" and run.retry_at:
        things.append(line(texts.retry_at.format(time=reader.time(run.retry_at))))
    elif run.state == "resuming" and final is not None and final.kind != "send_back":
        things.append(line(texts.record_later))
    elif run.state in {"queued", "running", "resuming"} and run.progress is not None and not run.on_hold:
        things.append(line(step(words, run, texts)))
    if story.record is not None:
        things.append(unbroken(texts.recorded.format(path=story.record)))
    if story.patch is not None:
        things.append(unbroken(texts.patch.format(path=story.patch)))
    return things


def _decided(final: Decision, story: Story, reader: Reader) -> list[RenderableType]:
    run, texts = story.run, reader.texts
    things: list[RenderableType] = [line(by_whom(final, texts, reader.time(final.at), final.person.name))]
    numbers = zip((texts.n_changed, texts.n_left_out), outcome.chosen(run, final), strict=True)
    if counts := [text.format(n=f"{n:,}") for text, n in numbers if n]:
        things.append(line(texts.comma.join(counts)))
    if final.reason.strip():
        things.append(quotation(final.reason, texts))
    decisions = {decision.request_id: decision for decision in story.decisions}
    fate = outcome.fate_of_words(run, story.requests, decisions, final.request_id, story.continued_by)
    if fate is not None:
        things.append(quiet(texts.fate[fate].format(run=short(story.continued_by or ""))))
    return things


def step(words: Words, run: Run, texts: Texts) -> str:
    """Say in one line how far a run is: `Step 2 of 3, judging: batch 3 of 7, 80 of 268 links judged`."""
    if run.progress is None:
        return texts.states[run.state]
    head, rest = (ascii_signs(part, texts) for part in words.progress(run.progress))
    return f"{head}{texts.colon}{rest[:1].lower()}{rest[1:]}" if rest else head


def _failure(story: Story, words: Words, reader: Reader) -> list[RenderableType]:
    run, texts = story.run, reader.texts
    failure = run.failure or (run.result.failure if run.result else None)
    if failure is None:
        return []
    head, rest = (ascii_signs(part, texts) for part in words.failure(failure))
    things: list[RenderableType] = [line(f"{head}{texts.colon}{rest}" if rest else head, LOUD)]
    if failure.words.strip():
        things.append(line(texts.said.format(words=failure.words.strip())))
    if failure.reference:
        things.append(quiet(texts.reference.format(reference=failure.reference)))
    if story.timer is not None:
        who = safe(story.timer.person.name)
        things.append(line(texts.timer.format(time=reader.time(story.timer.due), who=who), LOUD))
    elif failure.resets_at is not None:
        things.append(line(texts.resets.format(time=reader.time(failure.resets_at))))
    if kept := words.kept(run.counts):
        things.append(line(ascii_signs(kept, texts)))
    return things


def _history(story: Story, reader: Reader) -> list[RenderableType]:
    """Return who sent back which revision, with their words."""
    texts = reader.texts
    revisions = {request.id: request.revision for request in story.requests}
    things: list[RenderableType] = []
    for decision in story.decisions:
        if decision is story.final or decision.request_id not in revisions:
            continue
        said = texts.revision_by.format(
            revision=revisions[decision.request_id],
            act=texts.acts[decision.kind].lower(),
            who=decision.person.name,
            time=reader.time(decision.at),
        )
        things.append(quiet(said))
        if decision.reason.strip():
            things.append(quotation(decision.reason, texts))
    return things


def of_runs(
    runs: Sequence[tuple[Run, str]], reader: Reader, problems: Mapping[str, str], carriers: Mapping[str, str]
) -> RenderableType:
    """Return runs as a table, newest first; each with its job in words.

    Args:
        runs: each with its job.
        reader: who looks.
        problems: why Slack does not show what it should, by run.
        carriers: the run that carries one on, by that one.
    """
    texts = reader.texts

    def state(run: Run) -> str:
        words = [state_word(run, texts)]
        if run.let_go:
            other = carriers.get(run.id)
            words.append(texts.goes_on_as.format(run=short(other)) if other else texts.not_continued)
        if run.id in problems:
            words.append(texts.not_shown_mark)
        return texts.comma.join(words)

    if reader.width < NARROW:
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for run, job in runs:
            grid.add_row(Text(short(run.id), style=LOUD), Text(safe(job)))
            asked = texts.asked_by.format(who=safe(run.requester.name), time=reader.time(run.created))
            grid.add_row("", quiet(f"{state(run)}{texts.comma}{asked}"))
        return grid
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=f"{LOUD} underline")
    table.add_column(texts.run, no_wrap=True)
    table.add_column(texts.state, no_wrap=True)
    table.add_column(texts.what, overflow="fold")
    table.add_column(texts.asked, overflow="fold")
    for run, job in runs:
        style = LOUD if run.state in {"waiting", "failed"} else ""
        table.add_row(
            short(run.id),
            Text(state(run), style=style),
            Text(safe(job)),
            quiet(f"{safe(run.requester.name)}{texts.comma}{reader.time(run.created)}"),
        )
    return table
