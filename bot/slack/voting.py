"""What is said of approvals that others have to join, and of the time there is to decide."""

from __future__ import annotations

from bot.slack import blocks as b
from bot.slack.fit import brief, cut_words, lines, safe
from bot.slack.scene import Scene
from graph.approval import AGREE, Decision, Request, Vote

SECTION_COLUMNS = 40
WORDS, WORD_LINES = 80, 2  #: of each approval, on a card that still waits and on one that is decided
SAID_AT_MOST = 3  #: approvals whose words a card shows


def deadline(scene: Scene, request: Request) -> tuple[list[b.Block], int]:
    """Say until when it can be decided, and how many lines that takes."""
    if request.deadline is None:
        return [], 0
    when = b.moment(request.deadline, scene.run.zone, request.created)
    return [b.quiet(scene.texts.deadline.format(time=when))], 1


def so_far(scene: Scene, request: Request) -> tuple[list[b.Block], int]:
    """Say who approved already, with their words, and how many more have to; and how many lines that takes."""
    t, votes = scene.texts, scene.votes.get(request.id, ())
    left = missing(scene, request)
    if not votes:
        return ([b.quiet(rule(scene, left))], 1) if left > 1 else ([], 0)
    who = t.separator.join(
        t.count_who.format(
            who=scene.who(vote.person), time=b.moment(vote.at, scene.run.zone, request.created)
        )
        for vote in votes
    )
    shown = [b.marked(t.count.format(k=len(votes), n=len(votes) + left, who=who))]
    cost = 2 + len(votes)
    for vote in votes[-SAID_AT_MOST:]:
        if said := _said(scene, vote, alone=len(votes) == 1):
            shown.append(b.plain(said))
            cost += lines(said, SECTION_COLUMNS)
    return [*shown, b.quiet(rule(scene, left))], cost


def missing(scene: Scene, request: Request) -> int:
    """Count the approvals that are still needed."""
    return max(1, scene.policy.approvals - len(scene.votes.get(request.id, ())))


def rule(scene: Scene, left: int) -> str:
    """Say how many approvals are needed yet, and that one reject is enough."""
    t = scene.texts
    return (t.count_rule if left == 1 else t.count_rules).format(n=left)


def note(scene: Scene, request: Request) -> str:
    """Return the notification of a card that waits: what is asked, how far it is, by when, by whom."""
    t, w, review = scene.texts, scene.words, request.review
    who, votes = scene.named(scene.run.requester), scene.votes.get(request.id, ())
    by = b.clock(request.deadline, scene.run.zone, request.created) if request.deadline else ""
    if votes:
        left = missing(scene, request)
        ask = t.count_note.format(
            question=safe(w.question(review)), k=len(votes), n=len(votes) + left, left=left
        )
    else:
        ask = safe(w.ask(review))
    return t.asked_note_by.format(ask=ask, by=by, who=who) if by else t.asked_note.format(ask=ask, who=who)


def would_be(scene: Scene, request: Request) -> list[b.Block]:
    """Say in a modal that approves the how many-th approval this would be; nothing where one is enough."""
    votes, needed = scene.votes.get(request.id, ()), scene.policy.approvals
    if needed == 1 and not votes:
        return []
    n = len(votes) + missing(scene, request)
    return [b.quiet(scene.texts.modal_count.format(k=len(votes) + 1, n=n))]


def others(scene: Scene, request: Request, decision: Decision) -> list[b.Block]:
    """Name who else approved, on a card that is decided."""
    t, shown = scene.texts, []
    votes = [v for v in scene.votes.get(request.id, ()) if v.person != decision.person]
    for k, vote in enumerate(votes, 1):
        where = t.in_terminal if vote.person.surface == "terminal" else t.in_slack
        when = b.moment(vote.at, scene.run.zone, request.created)
        shown.append(b.quiet(t.approval.format(k=k, who=scene.who(vote.person), time=when, where=where)))
        said = _said(scene, vote, alone=True) if k <= SAID_AT_MOST else ""
        if said:
            shown.append(b.plain(said))
    return shown


def expired(scene: Scene, request: Request, decision: Decision) -> str:
    """Say that time was up: nobody had answered, or too few had."""
    t, votes = scene.texts, scene.votes.get(request.id, ())
    when = b.moment(request.deadline or decision.at, scene.run.zone, request.created)
    return t.expired_short.format(time=when, k=len(votes)) if votes else t.expired.format(time=when)


def _said(scene: Scene, vote: Vote, *, alone: bool) -> str:
    """Return the words of an approval, cut, and that it does not agree with everything; plain."""
    t = scene.texts
    kept, _ = cut_words(vote.reason, WORDS, WORD_LINES)
    quote = t.quote.format(words=kept) if kept else ""
    changed = sum(said != AGREE for said in (vote.items or {}).values())
    own = t.count_items.format(n=f"{changed:,}") if changed else ""
    parts = [part for part in (quote, own) if part]
    name = "" if alone or not parts else f"{brief(vote.person.name, 40)}{t.colon}"
    return name + "\n".join(parts)
