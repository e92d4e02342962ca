"""How a link check speaks: `Words` over the sentences of one language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph.approval import AGREE, HOLD, LEAVE, PAUSED, Failure, Kind, Language, Progress, Result, Review
from graph.looking import Evidence, Options
from graph.vault import why
from graph.workflow import Caution, ItemText
from graph.workflows.linkcheck import looking, quiet, texts_en, texts_ja
from graph.workflows.linkcheck.choices import meaning
from graph.workflows.linkcheck.markdown import plain
from graph.workflows.linkcheck.numbers import altered, fixes, report_of, size, tally
from graph.workflows.linkcheck.sentences import Sentences, number, plural
from graph.workflows.linkcheck.state import NOT_JUDGED, Candidate, Report, ReportItem

VERDICTS = (NOT_JUDGED, "typo", "missing-note", "ignore")
"""In the order they are counted and grouped."""


@dataclass(frozen=True, slots=True)
class LinkWords:
    """Implements `graph.workflow.Words`."""

    language: Language
    say: Sentences

    def subject(self, given: Mapping[str, Any]) -> str:
        """Return the folder, or words for all of it."""
        folder = str(given.get("folder", "."))
        return self.say.whole_vault if folder == "." else plain(folder)

    def doing(self, subject: str) -> str:
        """Say that it is under way."""
        return self.say.doing.format(folder=subject)

    def did(self, subject: str) -> str:
        """Say that drafting is over."""
        return self.say.did.format(folder=subject)

    def matter(self, subject: str) -> str:
        """Name what it is about, without a number."""
        return self.say.subject_matter.format(folder=subject)

    def job(self, subject: str) -> str:
        """Name the run."""
        return self.say.subject_job.format(folder=subject)

    def act(self, kind: Kind) -> str:
        """Name the act, at most 24 characters."""
        return self.say.act[kind]

    def question(self, review: Review) -> str:
        """Ask in one line; also the headline."""
        return self._about(self.say.question, review)

    def what(self, review: Review) -> str:
        """Name what was asked about."""
        return self._about(self.say.what, review)

    def size(self, review: Review) -> str:
        """Say how many."""
        return plural(self.say.size, self.total(review))

    def total(self, review: Review) -> int:
        """Count the items in question."""
        return size(report_of(review))

    def ask(self, review: Review) -> str:
        """Ask in a notification."""
        report = report_of(review)
        if report.stale:
            return self._about(self.say.ask_stale, review)
        if not report.redrafted or report.revision == 1:
            return self._about(self.say.ask, review)
        n = altered(report)
        more = plural(self.say.ask_altered, n) if n else ""
        folder = self.subject({"folder": report.folder})
        r = number(report.revision)
        return plural(self.say.ask_revision, size(report), folder=folder, r=r) + more

    def counts(self, review: Review, items: Sequence[ItemText] | None = None) -> list[str]:
        """Count by verdict, zeros left out."""
        return (
            self._counts(tally(report_of(review)))
            if items is None
            else self.tally([i.verdict for i in items])
        )

    def others(self, review: Review, shown: Sequence[ItemText]) -> list[str]:
        """Count by verdict what is not among these, zeros left out."""
        return self._counts(tally(report_of(review)) - Counter(item.verdict for item in shown))

    def tally(self, verdicts: Sequence[str]) -> list[str]:
        """Count these verdicts, zeros left out."""
        return self._counts(Counter(verdicts))

    def _counts(self, counted: Counter[str]) -> list[str]:
        return [plural(self.say.count[v], counted[v]) for v in VERDICTS if counted[v]]

    def consequence(self, _review: Review) -> str:
        """Say what Approve does."""
        return self.say.consequence

    def next(self, kind: Kind, review: Review, *, item_by_item: bool = False) -> tuple[str, str]:
        """Say what the act does, in the modal."""
        report = report_of(review)
        lead, rest = self.say.next_lead[kind], self.say.next[kind].format(r=number(report.revision + 1))
        if kind == "send_back" and report.drafter == "rules":
            rest = self.say.next_send_back_rules.format(r=number(report.revision + 1))
        fixable = fixes(report)
        if (
            kind == "approve" and fixable and not report.stale
        ):  # what was approved before may hold more of them
            rest = plural(self.say.next_approve_patch, fixable)
        if kind == "approve" and item_by_item:
            rest = self.say.next_items_patch if fixable else self.say.next_items
        if kind in {"reject", "withdrawn", "expired"} and report.stale and report.stale.rest:
            left = number(report.stale.rest)
            rest = plural(self.say.next_reject_rest, size(report), rest=left)
        return lead, rest

    def example(self, kind: Kind) -> str:
        """Give an example of a reason."""
        return self.say.example[kind]

    def items(self, review: Review) -> list[ItemText]:
        """Return every item in question, in the report's order."""
        report = report_of(review)
        return [self._item(item, report.folder) for item in report.items]

    def decided(self, review: Review, said: Mapping[str, str]) -> list[ItemText]:
        """Return every item with the verdict that a decision gave it, in the report's order."""
        report = report_of(review)
        return [self._decided(item, report.folder, said.get(item.id, AGREE)) for item in report.items]

    def _decided(self, item: ReportItem, folder: str, word: str) -> ItemText:
        if word == AGREE:
            return self._item(item, folder)
        if word == LEAVE:
            return replace(self._item(item, folder), was=self._lower(item), said="left-out")
        verdict, to = meaning(word, item.candidate)
        changed = item.model_copy(update={"verdict": verdict, "to": to, "was": None, "was_to": None})
        return replace(self._item(changed, folder), was=self._lower(item), said="changed")

    def listing(self, review: Review) -> str:
        """Return the whole report as Markdown."""
        from graph.workflows.linkcheck.listing import listing  # needs these sentences itself

        return listing(report_of(review), self.say, VERDICTS, self.language)

    def options(self, review: Review, ids: Sequence[str]) -> list[Options]:
        """Return what a person may say of each of these links."""
        report = report_of(review)
        return [looking.options(self.say, self._lower(i), report, i) for i in _named(report, ids)]

    def _lower(self, item: ReportItem) -> str:
        return self.before(item.verdict, item.to, item.candidate.kind) or ""

    def evidence(self, review: Review, ids: Sequence[str], zone: str) -> list[Evidence]:
        """Return what the verdicts of these links rest on."""
        report = report_of(review)
        return [looking.evidence(self.say, self.language, i, zone) for i in _named(report, ids)]

    def spent_on(self, review: Review) -> str:
        """Say how often Claude was called for it."""
        report = report_of(review)
        numbers = {"calls": report.calls, "retries": report.retries, "dropped": report.dropped}
        said = self.say.spent_on.format(**{name: number(n) for name, n in numbers.items()})
        return said if report.drafter == "claude" else ""

    def changes(self, review: Review) -> list[str]:
        """Count what changed since the revision before; empty for a first question and for stale lines."""
        report = report_of(review)
        if not report.redrafted or report.revision == 1:
            return []
        n = altered(report)
        parts = [(self.say.altered, n), (self.say.same, size(report) - n)]
        return [text.format(n=number(n)) for text, n in parts if n]

    def notes(self, review: Review, zone: str) -> list[str]:
        """Say who judged, with which prompt if that matters, what the words became, what could not be seen."""
        return quiet.notes(report_of(review), self.say, self.language, zone)

    def warnings(self, review: Review) -> list[Caution]:
        """Say what must not be overlooked, the most telling first."""
        report = report_of(review)
        lead = self.say.warning
        cautions = []
        if report.stale:
            rest = self.say.stale_rest.format(rest=number(report.stale.rest), who=plain(report.stale.person))
            stale = plural(self.say.stale_lead, size(report))
            cautions.append(Caution(stale, rest if report.stale.rest else ""))
        if report.refused_reads:
            paths = tuple(plain(path) for path in report.refused)
            cautions.append(Caution(lead, plural(self.say.warn_refused, report.refused_reads), paths))
        if report.folder == "." and report.drafter == "claude":
            cautions.append(Caution(lead, self.say.warn_whole_vault))
        if unjudged := tally(report)[NOT_JUDGED]:
            cautions.append(Caution(lead, plural(self.say.warn_not_judged, unjudged)))
        if report.dropped:
            cautions.append(Caution(lead, plural(self.say.warn_dropped, report.dropped)))
        return cautions

    def ready(self, counts: Mapping[str, int]) -> str:
        """Say what was found."""
        ready, before = plural(self.say.ready, counts.get("candidates", 0)), counts.get("judged_before", 0)
        return self.say.ready_before.format(ready=ready, n=number(before)) if before else ready

    def progress(self, progress: Progress) -> tuple[str, str]:
        """Say how far a step is."""
        n = Counter(progress.counts)
        values = {name: number(count) for name, count in n.items()}
        line = ""
        if progress.step == "collect" and n["notes"]:
            line = self.say.reading.format(**{"read": "0", "found": "0"} | values)
        elif progress.step == "draft" and n["all"]:
            line = self.say.judging.format(**{"batch": "1", "batches": "1", "done": "0"} | values)
            line += self._doing(n)
        elif progress.step == "queue" and n["ahead"]:
            line = plural(self.say.ahead, n["ahead"])
        elif progress.step == HOLD and n["done"]:
            line = self.say.judged.format(**values)
        elif progress.step == PAUSED and n["all"]:
            line = self.say.judging.format(**{"batch": "1", "batches": "1", "done": "0"} | values)
        return self._step(self.say.step, progress.step), line

    def _doing(self, n: Counter[str]) -> str:
        """Say what the call at work is at; the last thing it can be at comes first."""
        if n["answering"]:
            return self.say.answering
        if n["retrying"]:
            return plural(self.say.retrying, n["retrying"])
        return self.say.reading_note.format(n=number(n["reading"])) if n["reading"] else ""

    def stopped_at(self, progress: Progress | None) -> str:
        """Say where a cancelled run was."""
        if progress is not None and progress.step == "collect":
            return self.say.stopped_collect
        if progress is not None and progress.counts.get("batches"):
            values = {name: number(count) for name, count in progress.counts.items()}
            return self.say.stopped_draft.format(**{"batch": "1"} | values)
        return self.say.stopped_other

    def nothing(self, subject: str, result: Result) -> tuple[str, str]:
        """Say that there was nothing to decide."""
        n = Counter(result.counts)
        notes, links = plural(self.say.notes, n["notes"]), plural(self.say.links, n["links"])
        before, say = n["judged_before"], self.say
        title = say.nothing_new_title if before else say.nothing_title
        line = plural(say.nothing_new if before else (say.nothing,) * 2, before, notes=notes, links=links)
        unread = plural(say.not_read, n["not_read"]) if n["not_read"] else ""
        gap = " " if self.language == "en" else ""
        return title.format(folder=subject), gap.join(filter(None, (line, unread)))

    def failure(self, failure: Failure) -> tuple[str, str]:
        """Say why a run stopped, what it means and what to do; no foreign words."""
        means = self.next_step(failure)
        if failure.step in self.say.step_name:
            means = self._step(self.say.failed_step, failure.step, means=means)
        return self.say.failed_head[self._kind(failure)], means

    def next_step(self, failure: Failure) -> str:
        """Say what it means that a run stopped, and what to do; where it stopped is told elsewhere."""
        return self.say.failed_means[self._kind(failure)]

    def _kind(self, failure: Failure) -> str:
        if failure.kind in self.say.failed_head:
            return failure.kind
        return "exception" if failure.step in {"verify", "record"} else "other"

    def spent(self, counts: Mapping[str, int]) -> list[str]:
        """Say what judging by Claude took: calls, tokens, and what they would cost at list prices."""
        n, say = Counter(counts), self.say
        parts = [("calls", say.calls), ("retries", say.repeated), ("turns", say.turns)]
        made = [plural(pair, n[name]) for name, pair in parts if n[name]]
        lines = [say.comma.join(made)] if made else []
        if n["input_tokens"] or n["output_tokens"]:
            lines.append(
                say.tokens.format(read=number(n["input_tokens"]), written=number(n["output_tokens"]))
            )
        if n["list_price"]:
            price = say.price_by_use if n["by_use"] else say.price
            lines.append(price.format(price=f"{n['list_price'] / 1_000_000:.2f}"))
        return lines

    def kept(self, counts: Mapping[str, int]) -> str:
        """Say what a failed run keeps; empty if it keeps nothing."""
        done, everything = counts.get("judged", 0), counts.get("candidates", 0)
        return self.say.kept.format(done=number(done), all=number(everything)) if done else ""

    def verdict(self, item: ReportItem) -> str:
        """Return the verdict, sentence case; what a note that is there lacks is no missing note."""
        lacks = self.say.lacks.get(item.candidate.kind) if item.verdict == "missing-note" else None
        return lacks or self.say.verdict[item.verdict]

    def before(self, was: str | None, to: str | None, kind: str = "missing") -> str | None:
        """Return the verdict of the revision before, in lower case."""
        if was is None:
            return None
        if was == "missing-note" and kind in self.say.lower_lacks:
            return self.say.lower_lacks[kind]
        return self.say.lower_typo_to.format(to=plain(to)) if to else self.say.lower[was]

    def _about(self, pair: tuple[str, str], review: Review) -> str:
        report = report_of(review)
        return plural(pair, size(report), folder=self.subject({"folder": report.folder}))

    def _step(self, template: str, step: str, **values: str) -> str:
        known = step if step in self.say.step_name else "draft"
        return template.format(k=self.say.step_number[known], name=self.say.step_name[known], **values)

    def _item(self, item: ReportItem, folder: str) -> ItemText:
        place = item.candidate.places[0]
        file = plain(_within(place.file, folder))
        note = file.removesuffix(".md")
        where = (self.say.place if place.line else self.say.place_alone).format(note=note, line=place.line)
        more = len(item.candidate.places) - 1
        return ItemText(
            id=item.id,
            number=item.number,
            label=plain(item.candidate.label),
            to=plain(item.to) if item.to else None,
            verdict=item.verdict,
            verdict_text=self.verdict(item),
            place=self.say.place_more.format(place=where, n=number(more)) if more else where,
            file=f"{file}:{place.line}" if place.line else file,
            why=self._why(item),
            was=self.before(item.was, item.was_to, item.candidate.kind),
        )

    def _why(self, item: ReportItem) -> str:
        """Near name's reason for a typo, else the drafter's words, else what is known of the link."""
        if item.verdict == NOT_JUDGED:
            return self.say.not_judged_why
        near = next((n for n in item.candidate.nearby if n.target == item.to), None)
        if near is not None and item.was is None:
            return plain(why(near, self.language))
        return plain(item.reason) or self._evidence(item.candidate)

    def _evidence(self, candidate: Candidate) -> str:
        parts = [plural(self.say.linked, candidate.linked)] if candidate.linked > 1 else []
        parts += [] if candidate.nearby else [self.say.nothing_similar]
        return ", ".join(parts) if self.language == "en" else "、".join(parts)


def _named(report: Report, ids: Sequence[str]) -> list[ReportItem]:
    by_id = {item.id: item for item in report.items}
    return [by_id[name] for name in ids]


def _within(file: str, folder: str) -> str:
    """Return a file's path without the checked folder, which is the headline."""
    return file if folder == "." else file.removeprefix(f"{folder}/")


EN = LinkWords("en", texts_en.CARD)
JA = LinkWords("ja", texts_ja.CARD)
