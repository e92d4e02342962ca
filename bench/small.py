"""A small workflow whose every step leaves a line, and a process that moves its runs: what the PostgreSQL figures count.

`python -m bench.small ADDRESS FOLDER NAME` moves runs until it is told to end.
"""

from __future__ import annotations

import asyncio
import json
import operator
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from bot.serving import stopped_by_signals
from graph import open_engine
from graph.approval import Answer, Person, Result, Review
from graph.policy import Policy
from graph.settings import Settings
from graph.workflow import Context, Workflow

DRAFT_SECONDS = 0.02
PEOPLE = [
    Person(id=f"T0TEAM/U0MEMBER{n}", name=f"Member {n}", surface="slack", verified=True) for n in (1, 2)
]
USERS = frozenset({"U0MEMBER1", "U0MEMBER2"})
POLICY = Policy(starters=USERS, approvers=USERS, self_approval=True)


class _State(TypedDict, total=False):
    folder: str
    answers: Annotated[list[dict[str, Any]], operator.add]
    record: str


class Log:
    """One line an event, of every process: atomic, for each is one short write at the file's end."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "events.jsonl"
        self.records = folder / "records"
        self.records.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(self, what: str, run: str) -> None:
        line = {"what": what, "run": run, "at": time.time(), "pid": os.getpid()}
        os.write(self._file, (json.dumps(line) + "\n").encode())

    def read(self, what: str) -> list[dict[str, Any]]:
        return [e for line in self.path.read_text().splitlines() if (e := json.loads(line))["what"] == what]


def small(log: Log, draft_seconds: float = DRAFT_SECONDS) -> Workflow:
    async def draft(_: _State, runtime: Runtime[Context]) -> _State:
        log.say("draft", runtime.context.run.id)
        await asyncio.sleep(draft_seconds)
        log.say("drafted", runtime.context.run.id)
        return {}

    def review(state: _State) -> _State:
        asked = Review(revision=len(state.get("answers", [])) + 1, content={"folder": state["folder"]})
        answer = interrupt(asked.model_dump(mode="json"))
        return {"answers": [Answer.model_validate(answer).model_dump(mode="json")]}

    async def record(state: _State, runtime: Runtime[Context]) -> _State:
        run = runtime.context.run.id
        log.say("record", run)
        path, said = log.records / run, state["answers"][-1]
        whole = path.with_suffix(f".{os.getpid()}")
        whole.write_text(json.dumps(said))
        try:
            path.hardlink_to(whole)
            log.say("effect", run)
        except FileExistsError:
            pass
        whole.unlink()
        return {"record": path.name}

    def build() -> StateGraph[Any, Any, Any, Any]:
        graph = StateGraph(_State, context_schema=Context)
        graph.add_node("draft", draft)
        graph.add_node("review", review)
        graph.add_node("record", record)
        graph.add_edge(START, "draft")
        graph.add_edge("draft", "review")
        graph.add_edge("review", "record")
        graph.add_edge("record", END)
        return graph

    def result(state: Any) -> Result:
        kind = state["answers"][-1]["kind"]
        return Result(outcome={"approve": "approved", "reject": "rejected"}[kind], record=state["record"])

    return Workflow(
        name="small",
        version=1,
        slow=frozenset({"draft"}),
        words={},
        read_input=lambda text, _, everything=False: {"folder": text},  # noqa: ARG005 - what every workflow is given
        build=build,
        result=result,
        counts=lambda _: {},
        withdraw=lambda answer: ({"answers": [answer.model_dump(mode="json")]}, "review"),
        seed=lambda state: ({"folder": state["folder"]}, "draft"),
    )


async def work(address: str, folder: Path, draft_seconds: float) -> None:
    """Move runs until told to end."""
    log = Log(folder)
    workflow = small(log, draft_seconds)
    settings = Settings(RINGI_DATABASE=address)
    with stopped_by_signals() as stop:
        async with open_engine(
            settings, POLICY, claude=SimpleNamespace(), workflow=lambda _: workflow
        ) as engine:
            watching = asyncio.create_task(engine.watch())
            print("ready", flush=True)
            await stop.wait()
            watching.cancel()


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])))
