"""A run's LangGraph thread. The only door to LangGraph: order of steps, place to resume from, waiting.

Three of its habits are kept outside this door. It accepts stale, repeated and unknown resumes in silence, so
each answer goes to the one interrupt it is for and callers look first. `next == ()` also occurs in the middle
of a run, so *finished* means that a checkpoint exists and no task is left. And it sends what passes through a
graph to a tracing service if variables in the environment say so, so every call says that it must not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langsmith import tracing_context

from graph.approval import Answer, Decision
from graph.workflow import Context, Workflow

_STEPS_AT_MOST = 200
_MARK = "ringi_mark"
Graph = CompiledStateGraph[Any, Context, Any, Any]


def answer_of(decision: Decision, revision: int) -> Answer:
    """Return what the thread is told of a decision; the same however often it is asked for."""
    return Answer(
        kind=decision.kind,
        reason=decision.reason,
        person=decision.person,
        revision=revision,
        at=decision.at,
        items=decision.items,
        votes=list(decision.votes) if any(v.person != decision.person for v in decision.votes) else [],
    )


@dataclass(frozen=True, slots=True)
class Look:
    """How a thread is.

    Attributes:
        begun: it has a checkpoint.
        values: its state.
        asked: what is pending, by interrupt id.
        steps: names of the steps that are due or were cut off, pending questions included.
        failed: the step that ended in an exception, if the last one did.
        mark: what the last state that was written from outside says about itself.
    """

    begun: bool
    values: Mapping[str, Any]
    asked: Mapping[str, Any]
    steps: tuple[str, ...]
    failed: str | None
    mark: str | None

    @property
    def finished(self) -> bool:
        """Tell whether nothing is left to do."""
        return self.begun and not self.steps


class Graphs:
    """Graphs ready to run, each compiled once: that takes milliseconds of the processor, and a decision waits for it."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, int], Graph] = {}

    def of(self, workflow: Workflow, saver: BaseCheckpointSaver[str]) -> Graph:
        """Return a workflow's graph that keeps its threads with a saver."""
        key = workflow.name, workflow.version
        if key not in self._compiled:
            self._compiled[key] = workflow.build().compile()
        return self._compiled[key].copy({"checkpointer": saver})


async def has_begun(saver: BaseCheckpointSaver[str], run_id: str) -> bool:
    """Tell whether a thread has a checkpoint, whatever graph wrote it."""
    place: RunnableConfig = {"configurable": {"thread_id": run_id, "checkpoint_ns": ""}}
    return await saver.aget_tuple(place) is not None


class Thread:
    """One run's thread; hold its lock while using it."""

    def __init__(
        self,
        workflow: Workflow,
        run_id: str,
        saver: BaseCheckpointSaver[str],
        concurrency: int,
        graphs: Graphs | None = None,
    ) -> None:
        self._graph = (graphs or Graphs()).of(workflow, saver)
        self._config: RunnableConfig = {
            "configurable": {"thread_id": run_id},
            "recursion_limit": _STEPS_AT_MOST,
            "max_concurrency": concurrency,
        }

    async def look(self) -> Look:
        """Read how the thread is."""
        with tracing_context(enabled=False):
            snapshot = await self._graph.aget_state(self._config)
        return Look(
            begun=snapshot.created_at is not None,
            values=snapshot.values,
            asked={one.id: one.value for one in snapshot.interrupts},
            steps=tuple(task.name for task in snapshot.tasks),
            failed=next((task.name for task in snapshot.tasks if task.error is not None), None),
            mark=cast("dict[str, Any]", snapshot.metadata or {}).get(_MARK),
        )

    async def saved(self) -> Mapping[str, Any]:
        """Read the state that `write` builds on: as `look`, but without what a step finished that was cut off then."""
        with tracing_context(enabled=False):
            newest = await self._graph.aget_state(self._config)
            return (await self._graph.aget_state(newest.config)).values

    async def begin(self, given: dict[str, Any], context: Context) -> None:
        """Run from the start until it ends or waits."""
        await self._invoke(given, context)

    async def resume(self, answers: Mapping[str, Any], context: Context) -> None:
        """Hand each pending interrupt its answer and run on. Never a bare value: LangGraph would hand it to any."""
        await self._invoke(Command(resume=dict(answers)), context)

    async def go_on(self, context: Context) -> None:
        """Run on at the step that was cut off or failed; finished steps are not repeated."""
        await self._invoke(None, context)

    async def write(self, values: dict[str, Any], as_node: str, mark: str) -> None:
        """Write state as if a node had returned it, under a mark that `look` shows until the next step."""
        config: RunnableConfig = {**self._config, "metadata": {_MARK: mark}}
        with tracing_context(enabled=False):
            await self._graph.aupdate_state(config, values, as_node=as_node)

    async def _invoke(self, given: Any, context: Context) -> None:
        with tracing_context(enabled=False):
            await self._graph.ainvoke(given, self._config, context=context, durability="sync")
