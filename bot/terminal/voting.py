"""How approvals that others have to join, and the time that is left, are said in the terminal. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType

from bot.terminal.report import line, quiet, quotation
from bot.terminal.screen import safe
from graph.approval import Decision, Person, Vote
from graph.errors import Both
from graph.policy import Policy

if TYPE_CHECKING:
    from bot.terminal.story import Reader, Story


TOO_FEW = Both(
    "is {needed}, but what {who} starts can be approved by {there} only. List more people in RINGI_APPROVERS, or lower it.",
    "は {needed} ですが、{who} が始めた run を承認できるのは {there} 人だけです。RINGI_APPROVERS に人を加えるか、数を減らしてください。",
)


def too_few(policy: Policy, requester: Person) -> tuple[str, Both] | None:
    """Say that fewer people can approve what is started here than have to; who is in a user group only Slack knows."""
    here = {policy.voter(requester)} if policy.may_decide(requester, requester) else set()
    there = len({*policy.deciders(requester), *here})
    if there >= policy.approvals or policy.groups:
        return None
    who = safe(requester.name)
    return "RINGI_APPROVALS", TOO_FEW.fill(needed=policy.approvals, there=there, who=who)


def waiting(story: Story, reader: Reader) -> list[RenderableType]:
    """Say of an open question who approved so far, how many more have to, and until when."""
    request = story.open
    if request is None:
        return []
    votes = story.votes.get(request.id, ())
    texts, needed = reader.texts, reader.policy.approvals - len(votes)
    things = _each(votes, reader)
    if votes or needed > 1:
        things.append(line(texts.remaining.format(n=max(1, needed))))
    if request.deadline is not None:
        things.append(line(texts.expires.format(time=reader.time(request.deadline))))
    return things


def others(decision: Decision, votes: Sequence[Vote], reader: Reader) -> list[RenderableType]:
    """Say who else approved what is decided now."""
    return _each([vote for vote in votes if vote.person != decision.person], reader)


def _each(votes: Sequence[Vote], reader: Reader) -> list[RenderableType]:
    things: list[RenderableType] = []
    for k, vote in enumerate(votes, 1):
        who, where = safe(vote.person.name), reader.texts.where[vote.person.surface]
        things.append(
            quiet(reader.texts.approval.format(k=k, who=who, time=reader.time(vote.at), where=where))
        )
        if vote.reason.strip():
            things.append(quotation(vote.reason, reader.texts))
    return things
