"""A run as JSON, for scripts. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.terminal.story import Story
from graph.approval import Order, Run
from graph.workflow import Words


def to_json(story: Story, words: Words) -> dict[str, Any]:
    """Return all that is known of a run, as plain JSON; `items` in the reader's language."""
    run, latest = story.run, story.latest
    result = run.result
    failure = run.failure or (result.failure if result else None)
    return {
        **brief_json(run, story.hold),
        "request": story.open.id if story.open else None,
        "revision": latest.revision if latest else None,
        "record": str(story.record) if story.record else None,
        "patch": str(story.patch) if story.patch else None,
        "continued_by": story.continued_by,
        "not_shown": story.not_shown,
        "progress": run.progress.model_dump(mode="json") if run.progress else None,
        "failure": failure.model_dump(mode="json") if failure else None,
        "counts": (result.counts if result else None) or run.counts,
        "review": latest.review.model_dump(mode="json") if latest else None,
        "items": [asdict(item) for item in words.decided(latest.review, story.said)] if latest else [],
        "decisions": [
            {
                "request": decision.request_id,
                "kind": decision.kind,
                "reason": decision.reason,
                "person": decision.person.model_dump(mode="json"),
                "at": decision.at.isoformat(),
                "items": decision.items,
            }
            for decision in story.decisions
        ],
        "votes": [
            {"request": request_id, **vote.model_dump(mode="json")}
            for request_id, said in story.votes.items()
            for vote in said
        ],
        "continues_at": story.timer.due.isoformat() if story.timer else None,
        "deadline": story.open.deadline.isoformat() if story.open and story.open.deadline else None,
    }


def brief_json(run: Run, hold: Order | None = None) -> dict[str, Any]:
    """Return what one line of a list of runs says, as plain JSON; `hold` is the one that stands, if one does."""
    return {
        "run": run.id,
        "state": run.state,
        "outcome": run.result.outcome if run.result else None,
        "workflow": run.workflow,
        "version": run.version,
        "input": run.input,
        "requester": run.requester.model_dump(mode="json"),
        "created": run.created.isoformat(),
        "ended": run.ended.isoformat() if run.ended else None,
        "continues": run.continues,
        "retry_offered": run.retry_offered,
        "on_hold": run.is_held(hold),
    }
