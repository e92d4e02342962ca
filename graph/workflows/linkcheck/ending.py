"""How a run ended, and by whose decision."""

from __future__ import annotations

from dataclasses import dataclass

from graph.approval import Answer, Outcome, Person
from graph.workflows.linkcheck import report
from graph.workflows.linkcheck.state import State


def outcome(state: State) -> Outcome:
    """Say how the run ended. What was approved stays approved when the rest of it is not."""
    if state.get("failure"):
        return "failed"
    if not state.get("candidates"):
        return "no-candidates"
    last = report.answers(state)[-1].kind
    if last == "approve" and not report.left_out(state):
        return "approved"
    if last == "approve" or state.get("approved"):
        return "approved-in-part"
    return {"reject": "rejected", "withdrawn": "withdrawn"}.get(last, "expired")  # type: ignore[return-value]  # values are outcomes


def approvers(answer: Answer) -> list[Person]:
    """Return everyone who approved, where several had to and it was approved; else nobody."""
    return [vote.person for vote in answer.votes if vote.kind == answer.kind == "approve"]


@dataclass(frozen=True, slots=True)
class Decided:
    """Who decided, in the order they did: everyone who approved, and who said the last word."""

    last: Answer | None
    people: tuple[Person, ...]

    @classmethod
    def of(cls, state: State) -> Decided:
        """Read it from the answers; a send back decides nothing, the clock is nobody."""
        said = report.answers(state)
        final = [a for n, a in enumerate(said, 1) if a.kind == "approve" or n == len(said)]
        final = [a for a in final if a.kind != "send_back"]
        people = {p.id: p for a in final for p in approvers(a) or [a.person] if p.surface != "clock"}
        last = final[-1] if final and not state.get("failure") else None
        return cls(last, tuple(people.values()))
