"""A record as Markdown: front matter for programs, then what was decided, item by item, then how it went.

Everything that is not ours is one line in a code span (`markdown.py`); the sentences are `texts_*.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from graph.approval import AGREE, LEAVE, Answer, Failure, Language, Person, Run, Vote
from graph.vault import why
from graph.workflows.linkcheck import report, texts_en, texts_ja
from graph.workflows.linkcheck.ending import Decided, approvers, outcome
from graph.workflows.linkcheck.looking import MONTHS, day_of
from graph.workflows.linkcheck.markdown import code, front_matter, lines, plain
from graph.workflows.linkcheck.properties import properties
from graph.workflows.linkcheck.sentences import RecordSentences, number, plural
from graph.workflows.linkcheck.state import (
    NOT_JUDGED,
    Candidate,
    Delivery,
    Item,
    Nearby,
    Outline,
    Place,
    Scope,
    State,
)
from graph.workflows.linkcheck.texts import EN, JA, VERDICTS

MOST_PLACES = 20
CALLOUT = {"approved": "success", "approved-in-part": "success", "rejected": "failure", "failed": "danger"}
SENTENCES: dict[Language, RecordSentences] = {"en": texts_en.RECORD, "ja": texts_ja.RECORD}


@dataclass(frozen=True, slots=True)
class Patched:
    """The patch beside the record.

    Attributes:
        name: of the file, None if there is none.
        fixed: approved typos that it mends.
        unfixed: approved typos that it does not.
    """

    name: str | None
    fixed: int
    unfixed: int


def page(state: State, run: Run, patched: Patched | None = None) -> str:
    """Return the whole record."""
    return "".join(Page(state, run, patched).parts())


class Page:
    """The parts of one record, in order."""

    def __init__(self, state: State, run: Run, patched: Patched | None = None) -> None:
        self.state, self.run = state, run
        self.patched = patched or Patched(None, 0, 0)
        self.say = SENTENCES[run.language]
        self.words = EN if run.language == "en" else JA
        self.zone = ZoneInfo(run.zone)
        self.outcome = outcome(state)
        self.decided = Decided.of(state)
        self.outline = report.outline(state) or Outline(revision=0, draft=0, items=[])
        self.by_id = {candidate.id: candidate for candidate in report.candidates(state)}
        self.approved, self.gone = set(state.get("approved", [])), set(state.get("gone", []))
        self.left_out, self.left_out_by = report.left_out(state), report.left_out_by(state)
        self.scope = Scope.model_validate(state.get("scope") or {"notes": 0, "links": 0})
        self.facts = report.facts(state)
        self.drafting = self.outline.draft or report.drafting(state)
        self.failure = Failure.model_validate(state["failure"]) if state.get("failure") else None
        self.folder = (
            code(state["folder"], path=True) if state["folder"] != "." else self.words.say.whole_vault
        )

    def parts(self) -> Iterator[str]:
        """Yield front matter and body."""
        yield front_matter(properties(self.state, self.run, self._plain_title()))
        yield f"# {self.say.title.format(folder=self.folder, date=self._date())}\n\n"
        yield self._callout(CALLOUT.get(self.outcome, "info"), self._headline(), self._reason())
        yield f"{self._sums()}\n\n"
        yield from self._warnings()
        for verdict in VERDICTS:
            yield from self._group(verdict)
        yield f"## {self.say.how}\n\n"
        for line in self._how():
            yield f"{line}\n" if line.startswith(" ") else f"- {line}\n"

    def _plain_title(self) -> str:
        folder = self.words.subject({"folder": self.state["folder"]})
        return self.say.title.format(folder=folder, date=self._date())

    def _headline(self) -> str:
        last = self.decided.last
        words = self.say.outcome.get(self.outcome, "")
        if not self.by_id and self.scope.judged_before and not self.failure:
            words = self.say.nothing_new
        if self.outcome == "approved-in-part":
            words = self.say.outcome_part.format(
                approved=number(len(self.approved)), all=number(len(self.by_id))
            )
        if last is None:
            return words
        if last.person.surface == "clock":
            return plural(self.say.expired_short, len(last.votes)) if last.votes else words
        signed = self._signed(last)
        if several := approvers(last):
            signed["who"] = self.say.and_.join(map(self._name, several))
        return self.say.by.format(what=words, **signed)

    def _reason(self) -> list[str]:
        """Say why, in the words of who decided, or what the failing part said."""
        if self.failure:
            head, _ = self.words.failure(self.failure)
            name = self.words.say.step_name.get(self.failure.step, self.failure.step)
            title = self.say.failure_title.format(head=head, step=name)
            who = "other" if self.failure.step in {"record", "collect"} else "claude"
            said = _led(self.say.failure_words[who], lines(self.failure.words))
            at = self.failure.resets_at
            resets = [self.say.resets.format(time=self._time(at))] if at else []
            return [title, self.words.next_step(self.failure), *resets, *said]
        return _led(self.say.reason, lines(self.decided.last.reason if self.decided.last else ""))

    def _sums(self) -> str:
        notes = plural(self.words.say.notes, self.scope.notes)
        links = plural(self.words.say.links, self.scope.links)
        if not self.by_id and (before := self.scope.judged_before):
            return plural(self.say.sums_none_new, before, notes=notes, links=links, folder=self.folder)
        if not self.by_id:
            return self.say.sums_none.format(notes=notes, links=links, folder=self.folder)
        if self.failure:
            judged = number(len(report.judged(self.state)))
            return plural(
                self.say.sums_failed, len(self.by_id), judged=judged, notes=notes, folder=self.folder
            )
        counts = self.words.tally([item.verdict for item in self.outline.items])
        joined = (", " if self.run.language == "en" else "、").join(counts)
        return plural(self.say.sums, len(self.by_id), folder=self.folder, counts=joined, notes=notes)

    def _warnings(self) -> Iterator[str]:
        """Yield a callout for everything unusual; usually none."""
        paths = ", ".join(code(path, path=True) for path in report.refused(self.state))
        refused = self.say.refused.format(paths=paths) if paths else ""
        unjudged = sum(item.verdict == NOT_JUDGED for item in self.outline.items)
        read = [f"{code(path, path=True)}: {code(reason)}" for path, reason in self.scope.not_read]
        say = self.say
        for pair, n, text in (
            (say.refused_title, self.facts.get("refused_reads", 0), [refused]),
            (say.not_judged_title, unjudged, [say.not_judged]),
            (say.dropped_title, report.dropped(self.state), [say.dropped]),
            (say.gone_title, len(self.gone), [say.gone]),
            (say.places_title, self.state.get("places_dropped", 0), [say.places]),
            (say.not_read_title, len(read), [f"- {line}" for line in read]),
        ):
            if n:
                yield self._callout("warning", plural(pair, n), [line for line in text if line])

    def _group(self, verdict: str) -> Iterator[str]:
        items = sorted((i for i in self.outline.items if i.verdict == verdict), key=lambda i: i.number)
        if not items or (self.failure and not self.approved):
            return
        yield f"## {self.say.group[verdict].format(n=number(len(items)))}\n\n"
        for item in items:
            yield from (f"{line}\n" for line in self._item(item, self.by_id[item.id]))
        yield "\n"

    def _item(self, item: Item, candidate: Candidate) -> Iterator[str]:
        mark = f" · {self._changed(item, candidate)}" if item.changed else ""
        if item.id in self.gone:
            mark += f" · {self.say.vanished}"
        elif item.id in self.left_out and (self.approved or item.id in self.left_out_by):
            by = self.left_out_by.get(item.id)
            who = self.say.between.join(self._name(person) for person in by or [])
            left_out = self.say.left_out_by.format(who=who) if by else self.say.left_out
            mark += f" · {left_out}"
        if candidate.kind in self.say.lacks:
            mark = f" · {self.say.lacks[candidate.kind]}{mark}"
        yield from item_lines(item, candidate, self.run.language, mark, self.run.zone)

    def _changed(self, item: Item, candidate: Candidate) -> str:
        """Say who gave the item its verdict, and what it was before."""
        before = item.changed
        assert before is not None  # noqa: S101 - asked by the caller
        was = self._verdict(before.verdict, before.to, candidate.kind)
        now = self._verdict(item.verdict, item.to, candidate.kind)
        return self.say.changed_by.format(who=code(before.person), before=was, now=now)

    def _verdict(self, verdict: str, to: str | None, kind: str) -> str:
        say = self.words.say
        lacks = say.lower_lacks.get(kind) if verdict == "missing-note" else None
        word = lacks or say.lower[verdict]
        return f"{word}{self.say.arrow}{code(to)}" if to else word

    def _how(self) -> Iterator[str]:
        """Tell the run's story: who asked, who judged, every decision with its words."""
        run, say = self.run, self.say
        yield say.asked.format(
            who=self._name(run.requester),
            time=self._time(run.created),
            where=say.where[run.requester.surface],
        )
        if run.continues:
            yield say.continues.format(run=code(run.continues))
        if self.scope.judged_before:
            yield plural(say.judged_before, self.scope.judged_before)
        yield from self._judging()
        said, asked = report.answers(self.state), report.asked_at(self.state)
        delivered = {one.revision: one for one in report.deliveries(self.state)}
        for n, answer in enumerate(said):
            yield from self._answer(answer, asked[n] if n < len(asked) else None)
            if answer.kind == "send_back" and answer.revision in delivered:
                yield f"  - {self._delivery(delivered[answer.revision])}"
        people = report.counts(self.state).get("interventions", 0)
        yield plural(say.interventions, people) if said else say.nobody_asked
        if self.patched.name:
            yield plural(say.patch, self.patched.fixed, file=code(self.patched.name))
        if self.patched.unfixed:
            yield plural(say.not_in_patch, self.patched.unfixed)

    def _judging(self) -> Iterator[str]:
        say, rules = self.say, self.state["drafter"] == "rules"
        if not self.by_id:
            yield say.judged_nobody
            return
        if rules:
            yield say.judged_rules
        else:
            calls, retries = self.facts.get("calls", 0), self.facts.get("retries", 0)
            yield say.judged_claude.format(
                calls=plural(say.calls, calls), retries=plural(say.retries, retries)
            )
            yield from self._cost()
        if n := report.dropped(self.state):
            yield plural(say.dropped_part, n)
        if n := self.facts.get("refused_reads", 0):
            yield plural(say.refused_part, n)
        if not rules:
            model, prompt = report.model(self.state), report.prompt(self.state, self.drafting)
            if model or prompt:
                yield say.model.format(model=code(model or ""), prompt=code(prompt or ""))
            yield say.seen

    def _cost(self) -> Iterator[str]:
        spent = self.words.spent({**report.counts(self.state), "calls": 0, "retries": 0})
        if spent:
            yield (", " if self.run.language == "en" else "、").join(spent)

    def _delivery(self, one: Delivery) -> str:
        say = self.say
        if one.call is None or one.prompt is None or one.at is None:
            return say.words[one.state]
        return say.words[one.state].format(
            time=self._time(one.at), call=code(one.call[:8]), prompt=code(one.prompt[:12])
        )

    def _answer(self, answer: Answer, asked: datetime | None) -> Iterator[str]:
        say, signed = self.say, self._signed(answer)
        if answer.kind == "send_back":
            line = say.sent_back.format(r=number(answer.revision), **signed)
        else:
            word = {"approve": "approved", "reject": "rejected"}.get(answer.kind, answer.kind)
            after = say.after.format(duration=self._duration(answer.at - asked)) if asked else ""
            line = say.line_decided.format(
                r=number(answer.revision), what=say.outcome[word], after=after, **signed
            )
            line = line.rstrip("; 。")
        yield line
        others = [vote for vote in answer.votes if vote.person != answer.person]
        for vote in others:
            yield f"  - {say.line_vote.format(**self._signed(vote))}"
            for words in _led(say.reason, lines(vote.reason)):
                yield f"      {words}" if words.startswith("- ") else f"    - {words}"
            yield from [f"    - {self._said(vote.items)}"] if vote.items else []
        own = next((vote.items for vote in answer.votes if vote.person == answer.person), answer.items)
        if answer.kind == "approve" and own:
            yield f"  - {self._said(own)}"
        for words in _led(say.reason, lines(answer.reason)):
            yield f"    {words}" if words.startswith("- ") else f"  - {words}"

    def _said(self, items: Mapping[str, str]) -> str:
        """Count what was said item by item, zeros left out."""
        said = list(items.values())
        agreed, out = said.count(AGREE), said.count(LEAVE)
        say = self.say
        counts = ((say.as_proposed, agreed), (say.changed, len(said) - agreed - out), (say.out, out))
        parts = [text.format(n=number(n)) for text, n in counts if n]
        return say.between.join(parts)

    def _callout(self, kind: str, title: str, text: Sequence[str]) -> str:
        body = "".join(f"> {line}\n" for line in text)
        return f"> [!{kind}] {title}\n{body}\n"

    def _signed(self, answer: Answer | Vote) -> dict[str, str]:
        where = self.say.where[answer.person.surface]
        if not answer.person.verified:
            where += (
                f" ({self.say.unverified})" if self.run.language == "en" else f"（{self.say.unverified}）"
            )
        return {"who": self._name(answer.person), "time": self._time(answer.at), "where": where}

    def _name(self, person: Person) -> str:
        return self.say.where["clock"] if person.surface == "clock" else code(person.name or person.id)

    def _here(self, at: datetime) -> datetime:
        return at.astimezone(self.zone).replace(microsecond=0)

    def _date(self) -> str:
        return self._here(self.run.created).date().isoformat()

    def _time(self, at: datetime) -> str:
        here = self._here(at)
        month = MONTHS[here.month - 1] if self.run.language == "en" else f"{here.month:02}"
        day = str(here.day) if self.run.language == "en" else f"{here.day:02}"
        return self.say.date_time.format(day=day, month=month, year=here.year, time=f"{here:%H:%M}")

    def _duration(self, length: timedelta) -> str:
        minutes = max(0, int(length.total_seconds() // 60))
        if minutes < 2 * 60:
            return plural(self.say.minutes, minutes)
        hours = minutes // 60
        return plural(self.say.hours, hours) if hours < 2 * 24 else plural(self.say.days, hours // 24)


def item_lines(
    item: Item, candidate: Candidate, language: Language, mark: str = "", zone: str = "UTC"
) -> Iterator[str]:
    """Yield what is known of one item, as a list in a list; `mark` goes behind its first line, days are the zone's."""
    say = SENTENCES[language]
    to = f"{say.arrow}{code(item.to)}" if item.to else ""
    yield f"- **{item.number}** {code(candidate.label)}{to}{mark}"
    for place in candidate.places[:MOST_PLACES]:
        yield f"  - {_place(place, say)}"
    if (more := len(candidate.places) - MOST_PLACES) > 0:
        yield f"  - {plural(say.more_places, more)}"
    if plain(item.reason) and item.by:
        yield f"  - {say.drafter[item.by].format(words=code(item.reason))}"
    near = next((n for n in candidate.nearby if n.target == item.to), None)
    if near:
        yield f"  - {_near(near, say, language, zone)}"
    if candidate.linked > 1:
        yield f"  - {plural(say.linked, candidate.linked)}"


def _near(near: Nearby, say: RecordSentences, language: Language, zone: str) -> str:
    values = {"path": code(near.path, path=True), "why": code(why(near, language))}
    if near.changed is None:
        return say.near.format(**values)
    card = (EN if language == "en" else JA).say
    return say.near_day.format(**values, day=day_of(card, language, near.changed, zone))


def _place(place: Place, say: RecordSentences) -> str:
    template = say.place if place.line else say.place_alone
    return template.format(
        file=code(place.file, path=True), line=number(place.line), text=code(place.text or place.raw)
    )


def _led(lead: str, said: Sequence[str]) -> list[str]:
    """Put our word before what was said; several lines become a list."""
    if len(said) > 1:
        return [lead.rstrip(), *(f"- {line}" for line in said)]
    return [f"{lead}{line}" for line in said]
