"""Every private answer, and the one place that turns an error into words."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from bot.slack import blocks as b
from bot.slack.fit import brief, safe
from bot.slack.groups import GroupUnknown
from bot.slack.texts import TEXTS, Texts
from graph.approval import Language, Order, Person, Run
from graph.errors import (
    AlreadyDecided,
    AlreadyVoted,
    Both,
    DatabaseUnusable,
    NotAllowed,
    NotRetryable,
    NotRunning,
    OtherVersion,
    Replaced,
    RunEnded,
    SettingsError,
    UnknownChoice,
    UnknownFolder,
    UnknownRequest,
    UnknownRun,
)
from graph.policy import Policy
from graph.workflow import Workflow

NEAR = 3
ANSWER_SECONDS = 2.2  #: of the three that Slack waits


class TooLateToOpen(Exception):
    """The modal did not open in time; the person has to press again."""


class ListGone(Exception):
    """The list behind a button is no longer kept."""


class RecordGone(Exception):
    """The record's file is not where it was written.

    Attributes:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


@dataclass(frozen=True, slots=True)
class Reader:
    """The person an answer is for: their language and zone, and whether they may know anything."""

    person: Person
    policy: Policy
    language: Language
    zone: str = "UTC"

    @property
    def texts(self) -> Texts:
        """Return the sentences in the reader's language."""
        return TEXTS[self.language]

    def may_see(self, run: Run) -> bool:
        """Tell whether a run concerns the reader: they asked for it or may decide it."""
        policy, person = self.policy, self.person
        return policy.may_steer(person, run.requester) or policy.may_decide(person, run.requester)


def say(text: str) -> b.Content:
    """Return one sentence as a private message; `text` is markup."""
    return b.Content(text.replace("*", ""), [b.marked(text)])


def refused(  # noqa: C901, PLR0912 - one table: an error, its sentence
    error: Exception, reader: Reader, *, steering: bool = False
) -> b.Content | None:
    """Say why an act was refused; None for an error that is no refusal.

    One who is neither starter nor approver learns nothing but that.
    """
    t = reader.texts
    if not reader.policy.may_see(reader.person):
        return say(t.refused)
    match error:
        case NotAllowed() if steering:
            text = t.cannot_steer
        case NotAllowed(allowed=allowed) if allowed:
            deciders = t.or_.join(b.mention(u) for u in allowed[:5])
            text = t.cannot_decide.format(deciders=deciders)
        case NotAllowed():
            text = t.cannot_decide_here
        case AlreadyDecided(decision=decision):
            when, who = b.moment(decision.at, reader.zone), b.who(decision.person, reader.policy)
            text = t.late_click.format(did=t.did[decision.kind].format(who=who, time=when))
        case Replaced(revision=revision):
            text = t.replaced_click.format(revision=revision)
        case GroupUnknown():
            text = t.group_unknown
        case AlreadyVoted():
            text = t.voted
        case NotRetryable(continued_by=run) | RunEnded(continued_by=run) if run:
            text = t.goes_on_as.format(run=safe(run[:8]))
        case RunEnded() | NotRunning():
            text = t.run_ended
        case NotRetryable():
            text = t.not_retryable
        case OtherVersion(run=other):
            text = t.other_version.format(begun=safe(f"{other.workflow} {other.version}"))
        case UnknownRequest() | UnknownRun() | UnknownChoice():
            text = t.unknown
        case TooLateToOpen():
            text = t.trigger
        case SettingsError(problems=problems):
            said = [f"{name} {Both.told(why, reader.language)}" for name, why in problems]
            text = t.setting.format(problem=safe(" ".join(said)))
        case ListGone():
            text = t.list_gone
        case DatabaseUnusable():
            text = t.no_database
        case RecordGone(name=name):
            text = t.no_record.format(record=safe(name))
        case _:
            return None
    return say(text)


def broken(reader: Reader) -> tuple[b.Content, str]:
    """Say that something went wrong here, and return the reference that the log has too."""
    reference = f"E-{secrets.token_hex(3).upper()}"
    return say(reader.texts.error.format(reference=reference)), reference


def unknown_folder(reader: Reader, name: str, unknown: UnknownFolder, list_id: str) -> b.Content:
    """Say that there is no such folder, with near ones as buttons that start at once; `name` is the command's."""
    t = reader.texts
    near = unknown.near[:NEAR]
    text = t.a_note if unknown.is_note else t.unknown_input if near else t.unknown_none
    text = text.format(given=brief(unknown.folder, 80), name=name)
    blocks = [b.plain(text)]
    if near:
        buttons = [
            b.button(f"start_near.{i}", brief(one, 60), f"{list_id}:{i}") for i, one in enumerate(near)
        ]
        blocks.append(b.actions("near.1", *buttons))
    return b.Content(safe(text), blocks)


def receipt(
    reader: Reader, matter: str, place: str, *, private: bool, hold: dict[str, str] | None = None
) -> b.Content:
    """Say that a run was accepted, and where its card comes; with a hold, that it waits for its release."""
    t = reader.texts
    started = (t.recorded_only if hold else t.started).format(matter=brief(matter))
    where = comes(reader, place, private=private)
    if hold is None:
        return b.Content(f"{safe(started)} {where}", [b.plain(started), b.quiet(where)])
    waits = t.waits_for_release.format(**hold)
    return b.Content(f"{safe(started)} {waits}", [b.plain(started), b.marked(waits), b.quiet(where)])


def comes(reader: Reader, place: str, *, private: bool) -> str:
    """Say where a card comes, as markup."""
    t = reader.texts
    return t.comes_to_you if private else t.comes_to.format(place=b.channel(place))


def since_hold(reader: Reader, hold: Order, now: datetime) -> dict[str, str]:
    """Say since when and by whom new checks are on hold, as values of a sentence."""
    return {"time": b.moment(hold.due, reader.zone, now), "who": b.who(hold.person, reader.policy)}


def usage(reader: Reader, workflow: Workflow) -> b.Content:
    """Say what can be typed."""
    t = reader.texts
    job = workflow.words[reader.language].job(t.given)
    lines = [
        t.help_start.format(name=workflow.name, given=t.given, job=safe(job)),
        *([t.help_form.format(name=workflow.name)] if workflow.form else []),
        t.help_status.format(name=workflow.name),
        t.help_hold.format(name=workflow.name),
        t.help_help.format(name=workflow.name),
    ]
    text = "\n".join(lines)
    return b.Content(text.replace("*", ""), [b.marked(text), b.quiet_plain(t.help_record)])
