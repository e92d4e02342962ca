"""Have candidates judged, a batch a task.

All batches of a drafting are tasks of one step, so a finished one is kept when the program stops, and the state
is saved once and not once per batch. A batch that fails returns its failure instead of raising it: its siblings'
verdicts are kept, and batches that have not begun stay unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from graph.approval import Failure, Progress
from graph.vault import folder_inside
from graph.workflow import Context
from graph.workflows.linkcheck.judged import Judged, NotJudged, Verdict
from graph.workflows.linkcheck.report import drafting, instructions, judged, open_candidates, outline
from graph.workflows.linkcheck.state import Batch, Piece, State

BATCH = 40


def batches(state: State) -> list[Batch]:
    """Cut what the current drafting still has to judge into batches; pure, so an edge may call it twice."""
    number = drafting(state)
    left = open_candidates(state)
    size = max(1, state.get("batch", BATCH))
    done = len(judged(state))
    earlier = _earlier(state)
    cuts = [left[i : i + size] for i in range(0, len(left), size)]
    return [
        Batch.model_validate(
            {
                "draft": number,
                "number": k,
                "of": len(cuts),
                "before": done + (k - 1) * size,
                "all": done + len(left),
                "vault": state["vault"],
                "folder": state["folder"],
                "drafter": state["drafter"],
                "candidates": cut,
                "instructions": instructions(state),
                "earlier": {c.id: earlier[c.id] for c in cut if c.id in earlier},
            },
            from_attributes=True,
        )
        for k, cut in enumerate(cuts, 1)
    ]


async def draft(given: Mapping[str, Any], runtime: Runtime[Context]) -> dict[str, Any]:
    """Judge one batch, unless another one of this drafting has failed already."""
    batch = Batch.model_validate(given)
    context = runtime.context
    pace = context.shared.setdefault(f"draft {batch.draft}", Pace.of(context))
    async with pace.gate:
        if pace.failed:
            return {}
        pace.begin(batch)
        context.report(pace.progress(batch))
        answer = await _judge(batch, replace(context, report=_resuming(context, pace, batch)))
        pace.end(batch)
        asked = [candidate.id for candidate in batch.candidates]
        if isinstance(answer, NotJudged):
            pace.failed = True
            failure = answer.failure.model_copy(update={"step": "draft"}).model_dump(mode="json")
            piece = Piece(draft=batch.draft, asked=asked, judged=answer.spent, failure=failure)
        else:
            piece = Piece(draft=batch.draft, asked=asked, judged=answer)
            context.report(pace.progress(batch))
    return {"drafts": [piece.model_dump(mode="json")]}


async def _judge(batch: Batch, context: Context) -> Judged | NotJudged:
    """Ask the drafter this run was started with; the other one is not even imported."""
    vault = Path(batch.vault)
    folder = await asyncio.to_thread(folder_inside, vault, batch.folder)
    if folder is None:
        why = Failure(kind="not-there", step="draft", words=f"There is no folder {batch.folder!r}.")
        return NotJudged(why, Judged(verdicts=[]))
    if batch.drafter == "rules":
        from graph.workflows.linkcheck.by_rules import judge
    else:
        from graph.workflows.linkcheck.by_claude import judge  # type: ignore[assignment]  # same signature
    return await judge(
        batch.candidates, context, folder=folder, instructions=batch.instructions, earlier=batch.earlier
    )


def _resuming(context: Context, pace: Pace, batch: Batch) -> Callable[[Progress], None]:
    """Let what a batch says of itself be told beside how far all of them are, also when its turn has come."""

    def report(progress: Progress) -> None:
        if progress.step == "queue" and progress.counts.get("ahead", 0) > 0:
            context.report(progress)
            return
        own = progress.counts if progress.step == "draft" else {}
        far = pace.progress(batch)
        context.report(far.model_copy(update={"counts": far.counts | own}))

    return report


def _earlier(state: State) -> dict[str, Verdict]:
    """Return the verdicts of the report that was sent back; none in a first drafting."""
    report = outline(state)
    if report is None or drafting(state) == 1:
        return {}
    return {
        item.id: Verdict.model_validate(item.model_dump(include={"id", "verdict", "reason", "to", "by"}))
        for item in report.items
        if item.by
    }


@dataclass
class Pace:
    """How far the batches of one drafting are in this process, and whether one has failed.

    Attributes:
        gate: as many batches at once as Claude may have children; the others have not begun.
        reached: candidates up to the end of the furthest batch that has begun. Batches begin in order, so what is
            reached and not running is judged, also after a restart in the middle.
    """

    gate: asyncio.Semaphore
    failed: bool = False
    reached: int = 0
    running: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context) -> Pace:
        """Begin with the parallelism the settings allow."""
        return cls(asyncio.Semaphore(context.settings.claude_parallel))

    def begin(self, batch: Batch) -> None:
        """Note that a batch is being judged."""
        self.running[batch.number] = len(batch.candidates)
        self.reached = max(self.reached, batch.before + len(batch.candidates))

    def end(self, batch: Batch) -> None:
        """Note that it no longer is."""
        self.running.pop(batch.number, None)

    def progress(self, batch: Batch) -> Progress:
        """Say how far the drafting is."""
        done = max(0, self.reached - sum(self.running.values()))
        counts = {"batch": batch.number, "batches": batch.of, "done": done, "all": batch.all}
        return Progress(step="draft", counts=counts)
