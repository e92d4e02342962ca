"""What LangGraph's threads look like in the file: small, and nothing but plain types."""

import asyncio
import json
import operator
import os
import sqlite3
from pathlib import Path
from typing import Annotated, TypedDict

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt
from pydantic import BaseModel

from graph.approval import Review
from graph.engine.projection import waiting
from graph.engine.thread import Thread
from graph.store.checkpoints import PackedPlainJson, open_threads
from graph.workflow import Workflow


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "state" / "ringi.sqlite")


class State(TypedDict, total=False):
    candidates: list[dict]
    drafts: Annotated[list[dict], operator.add]
    answers: Annotated[list[dict], operator.add]


def large(batch):
    """Return a workflow that carries its candidates as the link check does: batches, a review of them all, again."""

    def build():
        def draft(slice_):
            return {
                "drafts": [
                    {"id": c["id"], "verdict": "typo", "reason": "one letter differs"} for c in slice_["part"]
                ]
            }

        def fan(state):
            every = state["candidates"]
            return [Send("draft", {"part": every[n : n + batch]}) for n in range(0, len(every), batch)]

        def review(state):
            return {"answers": [interrupt({"items": state["candidates"], "drafts": state["drafts"]})]}

        graph = StateGraph(State)
        graph.add_node("collect", lambda state: {"candidates": state["candidates"]})
        graph.add_node("draft", draft)
        graph.add_node("review", review)
        graph.add_node("record", lambda state: {"answers": []})
        graph.add_edge(START, "collect")
        graph.add_conditional_edges("collect", fan, ["draft"])
        graph.add_edge("draft", "review")
        graph.add_conditional_edges(
            "review",
            lambda s: "record" if s["answers"][-1]["kind"] == "approve" else "review",
            ["review", "record"],
        )
        graph.add_edge("record", END)
        return graph

    workflow = object.__new__(Workflow)
    for name, value in (("name", "test"), ("version", 1), ("build", build)):
        object.__setattr__(workflow, name, value)
    return workflow


def candidates(number):
    """Return candidates that look like a vault's: paths repeat, lines of text do not."""
    return [
        {
            "id": f"c{n}",
            "target": f"Meeting {n} {os.urandom(3).hex()}",
            "places": [
                {
                    "file": f"projects/2026/week {n % 52:02}.md",
                    "line": n % 400,
                    "raw": f"[[Meeting {n}]]",
                    "text": f"talked with the team about {os.urandom(12).hex()} and what follows from it",
                    "fingerprint": os.urandom(16).hex(),
                }
            ],
            "nearby": [
                {"target": f"Meeting {n + 1}", "path": "projects/2026", "reason": "alike", "percent": n % 100}
            ],
        }
        for n in range(number)
    ]


async def test_three_thousand_candidates_cost_at_most_ten_times_their_json(settings, store, start):
    found = candidates(3000)
    plain = len(json.dumps(found, ensure_ascii=False).encode())
    run = await start()
    path = Path(settings.database)
    async with open_threads(path, store.lock) as threads, threads.own(run.id) as held:
        thread = Thread(large(40), run.id, held.saver, 1)
        before = _size(path)
        await thread.begin({"candidates": found}, None)
        for revision, kind in ((1, "send_back"), (2, "approve")):
            asked = (await thread.look()).asked
            for interrupt_id, value in asked.items():
                content = {"items": value["items"], "drafts": value["drafts"]}
                review = Review(revision=revision, content=content)
                await waiting(store, run, {interrupt_id: review.model_dump(mode="json")}, {})
            await thread.resume({one: {"kind": kind} for one in asked}, None)
        assert (await thread.look()).finished
    assert (_size(path) - before) / plain <= 10


def _size(path):
    """Return the bytes of the database once its log is written back."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


class Foreign(BaseModel):
    words: str = "built"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_class_named_in_the_file_is_not_built():
    """L29: whatever the environment says, and whenever it is read."""
    kind, content = JsonPlusSerializer(allowed_msgpack_modules=True).dumps_typed({"x": Foreign()})
    assert kind == "msgpack"
    assert b"Foreign" in content
    assert PackedPlainJson().loads_typed((kind, content)) == {"x": {"words": "built"}}


def test_what_is_written_is_read_again_packed_or_not():
    serializer = PackedPlainJson()
    for value in ({"text": "長い文" * 1000}, {"a": 1}, None, [], "x"):
        kind, content = serializer.dumps_typed(value)
        assert serializer.loads_typed((kind, content)) == value
    assert serializer.dumps_typed({"text": "a" * 1000})[0] == "z:msgpack"
    assert ormsgpack.unpackb(serializer.dumps_typed({"a": 1})[1]) == {"a": 1}


@pytest.mark.filterwarnings(r"ignore:coroutine '(arun_with_retry|AsyncPregelLoop\..*)' was never awaited")
async def test_a_cancelled_step_leaves_no_write_half_done(settings, store, start):
    """A checkpoint write cut off before its commit would lock everyone else out of the file."""
    run = await start()
    found = candidates(500)
    async with open_threads(Path(settings.database), store.lock) as threads, threads.own(run.id) as held:
        for pause in range(12):
            thread = Thread(large(5), f"{run.id}-{pause}", held.saver, 4)
            step = asyncio.create_task(thread.begin({"candidates": found}, None))
            await asyncio.sleep(0.01 * pause)
            step.cancel()
            await asyncio.gather(step, return_exceptions=True)
            async with store.lock:
                assert not held.saver.conn.in_transaction
        await asyncio.wait_for(start("another"), 5)
