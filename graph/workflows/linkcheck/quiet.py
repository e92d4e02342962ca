"""The quiet lines under a report: who judged, with which prompt, what became of words sent back, what was not seen."""

from __future__ import annotations

from graph.approval import Language
from graph.workflows.linkcheck.looking import time_of
from graph.workflows.linkcheck.question import installed
from graph.workflows.linkcheck.sentences import Sentences, number, plural
from graph.workflows.linkcheck.state import Report


def notes(report: Report, say: Sentences, language: Language, zone: str) -> list[str]:
    """Return them, what a card must not leave out first; times are those of a zone."""
    by_claude = report.drafter == "claude"
    seen = say.seen_folder if by_claude else say.seen_rules
    gap = " " if language == "en" else ""
    lines = [f"{seen}{gap}{say.by_use}" if report.billing == "api" else seen]
    if report.redrafted and not by_claude:
        lines.append(say.unheard)
    if by_claude:
        lines += _prompt(report, say)
        lines += _delivered(report, say, language, zone)
    if report.not_read:
        lines.append(plural(say.not_read, report.not_read))
    if report.judged_before:
        lines.append(plural(say.judged_before, report.judged_before))
    if report.retries:
        lines.append(plural(say.asked_again, report.retries))
    if report.stale and report.stale.gone:
        lines.append(plural(say.gone, report.stale.gone))
    return lines


def _prompt(report: Report, say: Sentences) -> list[str]:
    """Name the version of the prompt where it says something: an older one waits, or it changed between revisions."""
    if report.prompt is None:
        return []
    if report.prompt != (now := installed()):
        return [say.outdated.format(prompt=report.prompt, installed=now)]
    if report.prompt_before:
        return [say.other_prompt.format(prompt=report.prompt, before=report.prompt_before)]
    return []


def _delivered(report: Report, say: Sentences, language: Language, zone: str) -> list[str]:
    """Say which call carried the words sent back last; those sent back before went along with them."""
    newest = report.delivered[-1] if report.delivered else None
    if newest is None or newest.call is None or newest.prompt is None or newest.at is None:
        return []
    values = {"r": number(newest.revision), "call": newest.call[:8], "prompt": newest.prompt[:12]}
    return [say.delivered.format(**values, time=time_of(say, language, newest.at, zone))]
