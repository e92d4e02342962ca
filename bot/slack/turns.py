"""Whose turn it is: which of the messages that are behind go to Slack now, and which wait for their pace.

Posts come first, for a run that nobody sees is nobody's to decide; then edits of what was decided; then mere
progress. Nothing is read or drawn for a message before its turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.slack.budget import Budget
from bot.slack.pace import Pace
from graph.approval import Behind


def is_progress(behind: Behind) -> bool:
    """Tell whether this is a progress message of a run at work, whose edits may wait for all others."""
    return _kind(behind) == "progress" and behind.state in {"queued", "running", "resuming"}


def next_turns(
    behind: Iterable[Behind], under_way: Mapping[str, Behind], budget: Budget, pace: Pace
) -> list[Behind]:
    """Choose what goes out now, in order.

    Args:
        behind: what is behind its rows, in the order it came up.
        under_way: what is being sent, by key.
        budget: of edits.
        pace: of posts.
    """
    waiting = [one for one in behind if one.key not in under_way]
    posts = [one for one in waiting if not one.posted]
    asking = {one.run_id for one in [*posts, *under_way.values()] if not one.posted and _kind(one) == "card"}
    edits = [one for one in waiting if one.posted and not _waits_for_card(one, asking)]
    busy = {one.place for one in under_way.values() if not one.posted}
    editing = sum(one.posted for one in under_way.values())
    return _posts(posts, busy, pace) + _edits(edits, editing, budget)


def _posts(posts: Sequence[Behind], busy: Collection[str], pace: Pace) -> list[Behind]:
    """Choose one post a place: first what Slack failed at, then the rest in the order it came up.

    A run's first message goes right before what it leads to; that of a run which asks nothing yet, after all others.
    """
    leads_to: dict[str, int] = {}
    for at, one in enumerate(posts):
        if _kind(one) != "progress":
            leads_to.setdefault(one.run_id, at)

    def turn(numbered: tuple[int, Behind]) -> tuple[bool, int, bool]:
        at, one = numbered
        if one.tried or _kind(one) != "progress":
            return not one.tried, at, True
        return True, leads_to.get(one.run_id, len(posts)), False

    chosen: dict[str, Behind] = {}
    for _, one in sorted(enumerate(posts), key=turn):
        if one.place not in busy and pace.free(one.place):
            chosen.setdefault(one.place, one)
    return list(chosen.values())


def _edits(edits: Sequence[Behind], editing: int, budget: Budget) -> list[Behind]:
    # What waits has a card already, and is merely looked over: what has just been decided does not wait for that.
    decided = sorted(
        (one for one in edits if not is_progress(one)),
        key=lambda one: (one.state == "waiting", _kind(one) == "progress"),
    )
    room = max(0, budget.room() - editing)
    chosen = decided[:room]
    if len(chosen) < room and budget.room(progress=True):
        mere = [one for one in edits if is_progress(one)]
        chosen += sorted(mere, key=lambda one: budget.last(one.key))[:1]
    return chosen


def _waits_for_card(edit: Behind, asking: Collection[str]) -> bool:
    """Tell whether an edit would point to a card that is not there yet: *replaced by*, or *the next message*."""
    return edit.run_id in asking and not is_progress(edit)


def _kind(behind: Behind) -> str:
    return behind.key.partition(":")[0]
