"""What the state says: which drafting this is, what is judged, and the report that is put to people. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal

from graph.approval import LEAVE, Answer, Failure, Person, Review, Vote
from graph.workflows.linkcheck.choices import others
from graph.workflows.linkcheck.judged import Instruction, Verdict
from graph.workflows.linkcheck.state import (
    NOT_JUDGED,
    Candidate,
    Delivery,
    Item,
    Outline,
    Piece,
    Report,
    ReportItem,
    Scope,
    State,
)

COUNTED = ("calls", "retries", "turns", "refused_reads", "input_tokens", "output_tokens", "list_price")
"""Facts of the drafting that cards and terminals may tell."""

CLEAR = 5
"""A near name is clear when it is the only one, or this many points more alike than the next."""


def answers(state: State) -> list[Answer]:
    """Return what people and the clock have said so far, oldest first."""
    return [Answer.model_validate(answer) for answer in state.get("answers", [])]


def own_answers(state: State) -> list[Answer]:
    """Return the answers given in this run, without those of a run it continues."""
    return answers(state)[state.get("carried", 0) :]


def candidates(state: State) -> list[Candidate]:
    """Return the candidates, in the order they were found."""
    return [Candidate.model_validate(candidate) for candidate in state.get("candidates", [])]


def outline(state: State) -> Outline | None:
    """Return the newest report, None before the first."""
    return Outline.model_validate(state["report"]) if state.get("report") else None


def pieces(state: State) -> list[Piece]:
    """Return what each batch gave, over all draftings."""
    return [Piece.model_validate(piece) for piece in state.get("drafts", [])]


def drafting(state: State) -> int:
    """Return which drafting this is: 1, and one more after each send back."""
    return 1 + sum(answer.kind == "send_back" for answer in answers(state))


def instructions(state: State) -> list[Instruction]:
    """Return what people wrote when they sent a report back, oldest first."""
    return [
        Instruction(person=a.person.name, words=a.reason) for a in answers(state) if a.kind == "send_back"
    ]


def judged(state: State) -> dict[str, Verdict]:
    """Return the verdicts of the current drafting by candidate id; the first one for an id stands."""
    verdicts: dict[str, Verdict] = {}
    number = drafting(state)
    for piece in pieces(state):
        if piece.draft == number:
            for verdict in piece.judged.verdicts:
                verdicts.setdefault(verdict.id, verdict)
    return verdicts


def in_question(state: State) -> list[Candidate]:
    """Return what the current drafting is about: all, or what the report that was sent back asked for."""
    report = outline(state)
    if report is None or drafting(state) == 1:
        return candidates(state)
    asked = {item.id for item in report.asked()}
    return [candidate for candidate in candidates(state) if candidate.id in asked]


def open_candidates(state: State) -> list[Candidate]:
    """Return what the current drafting has not judged yet."""
    verdicts = judged(state)
    return [candidate for candidate in in_question(state) if candidate.id not in verdicts]


def failure_of(state: State) -> Failure | None:
    """Return why the current drafting failed, if it did: the first batch that says so."""
    number = drafting(state)
    failures = [piece.failure for piece in pieces(state) if piece.draft == number and piece.failure]
    return Failure.model_validate(failures[0]) if failures else None


def assembled(state: State) -> Outline:
    """Make the report of the current drafting: verdicts in order, numbers kept, what changed against before."""
    before = outline(state)
    old = {item.id: item for item in before.items} if before else {}
    verdicts = judged(state)
    asked = in_question(state)
    again = drafting(state) > 1
    items = [_item(c, verdicts.get(c.id), old.get(c.id) if again else None) for c in asked]
    by_id = {candidate.id: candidate for candidate in asked}
    items.sort(key=lambda item: _rank(item, by_id[item.id]))
    if before is None:
        items = [item.model_copy(update={"number": n}) for n, item in enumerate(items, 1)]
    kept = [item for item in before.items if item.id not in by_id] if before else []
    return Outline(
        revision=1 + len(own_answers(state)),
        draft=drafting(state),
        items=items + kept,
        asks=[item.id for item in items] if kept else None,
    )


def _item(candidate: Candidate, verdict: Verdict | None, old: Item | None) -> Item:
    """Make one line of a report; `old` is its line in the report that was sent back."""
    word = verdict.verdict if verdict else NOT_JUDGED
    to = verdict.to if verdict and verdict.verdict == "typo" else None
    changed = old is not None and (old.verdict, old.to) != (word, to)
    return Item(
        id=candidate.id,
        number=old.number if old else 0,
        verdict=word,
        reason=verdict.reason if verdict else "",
        to=to,
        by=verdict.by if verdict else "",
        was=old.verdict if old and changed else None,
        was_to=old.to if old and changed else None,
    )


def _rank(item: Item, candidate: Candidate) -> tuple[int, int, int, int]:
    """Order: not judged, changed since before, clear typos, other typos, missing notes by weight, the rest."""
    if item.verdict == NOT_JUDGED:
        return (0, 0, 0, item.number)
    changed = 0 if item.was else 1
    group = {"typo": 1 if _clear(item, candidate) else 2, "missing-note": 3}.get(item.verdict, 4)
    weight = -candidate.linked if item.verdict == "missing-note" else 0
    return (1 + changed, group, weight, item.number)


def _clear(item: Item, candidate: Candidate) -> bool:
    near = candidate.nearby
    if not near or near[0].target != item.to:
        return False
    return len(near) == 1 or near[0].percent - near[1].percent >= CLEAR


def question(state: State) -> Review:
    """Return what people are to look at, complete enough for card, terminal and record."""
    report = outline(state)
    assert report is not None  # noqa: S101 - the edge into `review` says so
    scope = Scope.model_validate(state["scope"])
    by_id = {candidate.id: candidate for candidate in candidates(state)}
    spent = facts(state)
    content = Report(
        folder=state["folder"],
        vault=PurePath(state["vault"]).name,
        notes=scope.notes,
        links=scope.links,
        drafter="rules" if state["drafter"] == "rules" else "claude",
        items=[ReportItem(**item.model_dump(), candidate=by_id[item.id]) for item in report.asked()],
        revision=report.revision,
        redrafted=report.draft > 1 and report.stale is None,
        stale=report.stale,
        not_read=len(scope.not_read),
        judged_before=scope.judged_before,
        dropped=dropped(state),
        refused_reads=spent.get("refused_reads", 0),
        refused=refused(state),
        calls=spent.get("calls", 0),
        retries=spent.get("retries", 0),
        model=model(state),
        billing=billing(state),
        prompt=prompt(state, report.draft),
        prompt_before=_other(prompt(state, report.draft - 1), prompt(state, report.draft)),
        delivered=deliveries(state),
    )
    return Review(
        revision=report.revision,
        content=content.model_dump(mode="json"),
        choices={item.id: others(item, item.candidate) for item in content.items},
    )


def facts(state: State) -> dict[str, int]:
    """Add up what all batches cost: calls, retries, refused reads, turns, tokens."""
    total: dict[str, int] = {}
    for piece in pieces(state):
        for name, number in piece.judged.facts.items():
            total[name] = total.get(name, 0) + number
    return total


def dropped(state: State) -> int:
    """Count the answers that matched no candidate, over all draftings."""
    return sum(piece.judged.dropped for piece in pieces(state))


def refused(state: State) -> list[str]:
    """Return the paths Claude asked for in vain, each once, in order."""
    return list(dict.fromkeys(path for piece in pieces(state) for path in piece.judged.refused))


def model(state: State) -> str | None:
    """Return the newest model that an answer named."""
    return next((piece.judged.model for piece in reversed(pieces(state)) if piece.judged.model), None)


def prompt(state: State, draft: int) -> str | None:
    """Return the version of the prompt a drafting was made with; the newest if it was cut off in between."""
    return next(
        (p.judged.prompt for p in reversed(pieces(state)) if p.draft == draft and p.judged.prompt), None
    )


def _other(before: str | None, now: str | None) -> str | None:
    return before if before != now else None


def billing(state: State) -> Literal["subscription", "api"] | None:
    """Return how Claude's calls were billed: `api` if any was."""
    ways = {piece.judged.billing for piece in pieces(state) if piece.judged.calls}
    return "api" if "api" in ways else "subscription" if ways else None


def deliveries(state: State) -> list[Delivery]:
    """Return what became of the words of each send back, oldest first; none where rules judge, who follow none."""
    if state["drafter"] == "rules":
        return []
    said = answers(state)
    found: list[Delivery] = []
    for answer in said:
        if answer.kind == "send_back":
            carried = [p for p in pieces(state) if p.draft > 1 + len(found)]
            call = next((call for p in carried for call in p.judged.calls if call.answered), None)
            waits = said[-1].kind == "send_back"
            found.append(
                Delivery(revision=answer.revision, state="queued" if waits else "superseded")
                if call is None
                else Delivery(
                    revision=answer.revision, state="delivered", call=call.id, prompt=call.prompt, at=call.at
                )
            )
    return found


def heard(state: State) -> int:
    """Count the send backs of this run, without those of a run it continues, whose words reached Claude."""
    own = sum(answer.kind == "send_back" for answer in own_answers(state))
    return sum(one.state == "delivered" for one in deliveries(state)[-own:]) if own else 0


def asked_at(state: State) -> list[datetime]:
    """Return when each question was put, oldest first; as many as reports, not as answers."""
    return [datetime.fromisoformat(at) for at in state.get("asked", [])]


def counts(values: Mapping[str, Any]) -> dict[str, int]:
    """Return the numbers of a thread, for cards: what is known of `notes, links, candidates, judged` and the rest."""
    state: State = values  # type: ignore[assignment]  # the engine hands us LangGraph's plain mapping
    known: dict[str, int] = {}
    if state.get("scope"):
        scope = Scope.model_validate(state["scope"])
        known |= {"notes": scope.notes, "links": scope.links, "candidates": len(state.get("candidates", []))}
        known |= {"judged_before": scope.judged_before} if scope.judged_before else {}
        known |= {"not_read": len(scope.not_read)} if scope.not_read else {}
    if state.get("drafts"):
        spent = facts(state)
        known |= {name: spent.get(name, 0) for name in COUNTED}
        known |= {"by_use": 1} if billing(state) == "api" else {}
        known |= {"judged": len(judged(state)), "dropped": dropped(state)}
        known |= {} if state["drafter"] == "rules" else {"heard": heard(state)}
    if report := outline(state):
        verdicts = [item.verdict for item in report.items]
        known |= {
            "typo": verdicts.count("typo"),
            "missing_note": verdicts.count("missing-note"),
            "ignore": verdicts.count("ignore"),
            "not_judged": verdicts.count(NOT_JUDGED),
        }
    if state.get("answers"):
        known["interventions"] = sum(a.person.surface != "clock" for a in own_answers(state))
        approved, gone = state.get("approved", []), len(state.get("gone", []))
        known |= {"approved": len(approved), "gone": gone, "places_dropped": state.get("places_dropped", 0)}
        known |= {"changed": len(changed(state)), "left_out": len(left_out(state))}
    return known


def changed(state: State) -> set[str]:
    """Return the approved items whose verdict a person changed."""
    report, approved = outline(state), set(state.get("approved", []))
    return {item.id for item in report.items if item.changed and item.id in approved} if report else set()


def left_out(state: State) -> set[str]:
    """Return the items that stand and that no approval covers, though there was one."""
    if not any(answer.kind == "approve" for answer in answers(state)):
        return set()
    covered = {*state.get("approved", []), *state.get("gone", [])}
    return {candidate.id for candidate in candidates(state)} - covered


def left_out_by(state: State) -> dict[str, list[Person]]:
    """Return who left an item out, by item id; one that approvals say different things of may be left out by nobody."""
    by: dict[str, list[Person]] = {}
    for answer in answers(state):
        votes: Sequence[Answer | Vote] = answer.votes or [answer]
        for said in votes:
            for name, word in (said.items or {}).items():
                if word == LEAVE and answer.kind == "approve":
                    by.setdefault(name, []).append(said.person)
    return by
