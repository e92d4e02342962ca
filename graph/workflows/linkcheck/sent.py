"""Which prompts were sent, word by word: written again from the state, and held against the hash of each call."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from graph.approval import Run
from graph.workflow import Call, Sent
from graph.workflows.linkcheck import question
from graph.workflows.linkcheck.judged import Instruction, Verdict
from graph.workflows.linkcheck.report import answers, candidates, pieces
from graph.workflows.linkcheck.state import Candidate, Piece, State


def sent(values: Mapping[str, Any], run: Run) -> list[Sent]:
    """Return the prompt of every call of a thread, oldest first; a repeated call had the same words.

    What `question.write` needs is all in the state: candidates, evidence, the words of people, earlier verdicts.
    """
    state: State = values  # type: ignore[assignment]  # the engine hands us LangGraph's plain mapping
    known = {candidate.id: candidate for candidate in candidates(state)}
    every = pieces(state)
    found: list[Sent] = []
    for piece in every:
        text = _text(piece, every, known, state, run)
        digest = None if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        for receipt in piece.judged.calls:
            call = Call(receipt.id, receipt.prompt, receipt.at, receipt.answered)
            same = text if digest == receipt.prompt else None
            found.append(Sent(call, piece.judged.prompt, same))
    return sorted(found, key=lambda one: one.call.at)


def _text(
    piece: Piece, every: list[Piece], known: Mapping[str, Candidate], state: State, run: Run
) -> str | None:
    evidence = piece.judged.evidence
    if evidence is None or piece.judged.prompt is None:
        return None
    said = [a for a in answers(state) if a.kind == "send_back"][: piece.draft - 1]
    try:
        return question.write(
            [known[one] for one in piece.asked],
            evidence,
            language=run.language,
            folder=state["folder"],
            instructions=[Instruction(person=a.person.name, words=a.reason) for a in said],
            earlier=_earlier(piece, every),
            version=piece.judged.prompt,
        )
    except LookupError:  # a version, or a candidate, that is not kept any more
        return None


def _earlier(piece: Piece, every: list[Piece]) -> dict[str, Verdict]:
    """Return the verdicts that stood when this batch was asked, in the order of its candidates.

    For each candidate they are those of the last drafting before that was about it.
    """
    found: dict[str, Verdict] = {}
    for one in piece.asked:
        drafts = [p.draft for p in every if p.draft < piece.draft and one in p.asked]
        last = [p for p in every if drafts and p.draft == max(drafts)]
        verdict = next((v for p in last for v in p.judged.verdicts if v.id == one), None)
        if verdict is not None:
            found[one] = verdict
    return found
