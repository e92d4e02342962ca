"""Judge candidates by asking Claude: one call a batch, its answer believed only as far as it can be checked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph.approval import Failure, Progress
from graph.vault.names import Names, key, nfc
from graph.vault.tree import walk
from graph.workflow import Context, NoReply, Reply
from graph.workflows.linkcheck import question
from graph.workflows.linkcheck.judged import (
    Evidence,
    Instruction,
    Judged,
    Judgement,
    NotJudged,
    Receipt,
    Verdict,
)
from graph.workflows.linkcheck.state import Candidate

LONGEST_REASON = 300


class Item(BaseModel):
    """One answer, as Claude gives it."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(description="copied from the data")
    link: str = Field(description="copied from the data")
    verdict: Judgement
    reason: str = Field(min_length=1, description="one sentence")
    target: str | None = Field(None, description="with `typo` only: the name it should have")


class Answers(BaseModel):
    """The shape of the whole answer; its schema travels with the question."""

    model_config = ConfigDict(extra="forbid")

    summary: str
    items: list[Item]


SCHEMA: Mapping[str, Any] = Answers.model_json_schema()
"""Without `$schema`: the command knows draft-07 only, and refuses to start with the name of a newer one."""


async def judge(
    candidates: Sequence[Candidate],
    context: Context,
    *,
    folder: Path,
    instructions: Sequence[Instruction],
    earlier: Mapping[str, Verdict],
) -> Judged | NotJudged:
    """Ask about these candidates in one call; see `state.py` for what all drafters promise.

    Send back is a fresh call: our fixed words, the evidence, the earlier verdicts and the person's words.
    """
    vault = _vault(context)
    evidence = await asyncio.to_thread(question.gather, candidates, vault, datetime.now(UTC).date())
    text = question.write(
        candidates,
        evidence,
        language=context.run.language,
        folder=str(context.run.input.get("folder", ".")),
        instructions=instructions,
        earlier=earlier,
    )
    reply = await context.claude.ask(
        text,
        SCHEMA,
        folder=str(folder),
        max_turns=2 * len(candidates) + 10,
        waiting=lambda ahead: context.report(Progress(step="queue", counts={"ahead": ahead})),
        doing=lambda what, number: context.report(Progress(step="draft", counts={what: number})),
    )
    spent = _spent(reply, context, evidence)
    if isinstance(reply, NoReply):
        return NotJudged(reply.failure, spent)
    items = reply.output.get("items")
    if not isinstance(items, list):
        failure = Failure(kind="no_structured_output", step="draft", words="the answer holds no items")
        return NotJudged(failure, spent)
    verdicts = await asyncio.to_thread(_believed, items, candidates, vault)
    return spent.model_copy(
        update={"verdicts": verdicts, "dropped": len(items) - len(verdicts), "model": reply.model}
    )


def _spent(reply: Reply | NoReply, context: Context, evidence: Evidence) -> Judged:
    """Return what the call was and cost, without an answer."""
    return Judged(
        verdicts=[],
        facts=reply.facts,
        refused=list(reply.refused),
        prompt=question.installed(),
        billing=context.settings.claude_billing,
        calls=[Receipt(id=c.id, prompt=c.prompt, at=c.at, answered=c.answered) for c in reply.calls],
        evidence=evidence,
    )


def _vault(context: Context) -> Path | None:
    """Return the vault the run was started on; the setting may have changed while it waited."""
    given = context.run.input.get("vault")
    return Path(given) if isinstance(given, str) else context.settings.vault


def _believed(items: Iterable[Any], candidates: Sequence[Candidate], vault: Path | None) -> list[Verdict]:
    """Return the answers that match what was asked; the first one for an id wins."""
    asked = {candidate.id: candidate for candidate in candidates}
    notes = _Notes(vault)
    verdicts: dict[str, Verdict] = {}
    for given in items:
        try:
            item = Item.model_validate(given)
        except ValidationError:
            continue
        candidate = asked.get(item.id)
        if candidate is None or item.id in verdicts or not _same_link(item.link, candidate):
            continue
        reason, to = _line(item.reason), None
        if item.verdict == "typo":
            to = _near_name(item.target or "", candidate) or notes.existing(item.target or "")
            if to is None:
                continue
        if reason:
            verdicts[item.id] = Verdict(id=item.id, verdict=item.verdict, reason=reason, to=to, by="claude")
    return list(verdicts.values())


def _same_link(link: str, candidate: Candidate) -> bool:
    said = nfc(link).strip()
    return said in {nfc(name).strip() for name in (question.name(candidate), candidate.label)}


def _near_name(target: str, candidate: Candidate) -> str | None:
    """Return the near name that is meant, by the name to write or by its path."""
    said = key(_bare(target))
    for nearby in candidate.nearby:
        if said and said in {key(nearby.target), key(nearby.path), key(nearby.path.removesuffix(".md"))}:
            return nearby.target
    return None


class _Notes:
    """The files of the vault, listed only when an answer names one that was not offered."""

    def __init__(self, vault: Path | None) -> None:
        self._vault = vault
        self._names: Names | None = None

    def existing(self, target: str) -> str | None:
        """Return the name if a link with it would lead somewhere."""
        name = _bare(target)
        if self._vault is None or not name or name != _line(name):
            return None
        if self._names is None:
            self._names = Names(walk(self._vault).places)
        return name if self._names.find(name) else None


def _bare(target: str) -> str:
    """Return a name without the brackets that answers like to add."""
    name = nfc(target).strip()
    return name[2:-2].strip() if name.startswith("[[") and name.endswith("]]") else name


def _line(text: str) -> str:
    """Squeeze Claude's words into one printable line of bounded length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"
