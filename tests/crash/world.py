"""The world of the crash tests: what outlives the program, and a small workflow whose every step is a boundary."""

import asyncio
import json
import operator
import os
import signal
import sqlite3
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from graph.approval import Answer, Failure, Person, Result, Review
from graph.store import Store
from graph.store.checkpoints import WholeWrites
from graph.workflow import Context, Workflow

ONE = Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True)
TWO = Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True)
USERS = frozenset({"U0MEMBER1", "U0MEMBER2"})


class Boundaries:
    """Counts what is crossed, and kills this process at one of them."""

    def __init__(self) -> None:
        self.names, self.deadly = [], None

    def __call__(self, name):
        self.names.append(name)
        if len(self.names) == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)


cross = Boundaries()


def watch_commits():
    """Let every commit and every checkpoint write be a boundary."""
    write, set_message = Store.write, Store._set_message

    @asynccontextmanager
    async def watched(self):
        async with write(self) as opened:
            yield opened
            cross("commit:before")
        cross("commit:after")

    async def watched_message(self, key, **values):
        cross("message:before")
        message = await set_message(self, key, **values)
        cross("message:after")
        return message

    Store.write, Store._set_message = watched, watched_message
    for name in ("aput", "aput_writes"):

        def watched_saver(original, name):
            async def saved(self, *args, **more):
                cross(f"{name}:before")
                result = await original(self, *args, **more)
                cross(f"{name}:after")
                return result

            return saved

        setattr(WholeWrites, name, watched_saver(getattr(WholeWrites, name), name))


class Outside:
    """What outlives the program: Slack's messages, what people were told, the records, a log of what nodes did."""

    def __init__(self, home, mutant):
        self.home, self.mutant = home, mutant
        self.file = sqlite3.connect(home / "outside.sqlite", isolation_level=None)
        self.file.execute(
            "CREATE TABLE IF NOT EXISTS posts (ts INTEGER PRIMARY KEY, key TEXT, thread TEXT, body TEXT)"
        )
        self.file.execute("CREATE TABLE IF NOT EXISTS told (what TEXT PRIMARY KEY, answer TEXT)")

    def post(self, key, thread, body):
        cross("slack:before-post")
        statement = "INSERT INTO posts (key, thread, body) VALUES (?, ?, ?)"
        ts = self.file.execute(statement, (key, thread, body)).lastrowid
        cross("slack:posted")
        return str(ts)

    def update(self, ts, body):
        self.file.execute("UPDATE posts SET body = ? WHERE ts = ?", (body, ts))
        cross("slack:updated")

    def find(self, key):
        row = self.file.execute("SELECT ts FROM posts WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def told(self, what):
        row = self.file.execute("SELECT answer FROM told WHERE what = ?", (what,)).fetchone()
        return json.loads(row[0]) if row else None

    def tell(self, what, answer="done"):
        cross("answer:before")
        self.file.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (what, json.dumps(answer)))
        cross("answer:after")

    def note(self, what):
        with (self.home / "did.txt").open("a") as file:
            file.write(what + "\n")

    def did(self):
        file = self.home / "did.txt"
        return file.read_text().split() if file.exists() else []


class State(TypedDict, total=False):
    folder: str
    drafts: Annotated[list[str], operator.add]
    answers: Annotated[list[dict[str, Any]], operator.add]
    failure: dict[str, Any] | None
    record: str


def chore(outside, scenario):  # noqa: C901 - one graph, read from top to bottom
    """Return a small workflow whose nodes are boundaries too."""

    async def collect(state):
        outside.note("collect")
        cross("node:collect")
        return {"drafts": []}

    async def draft(state, runtime):
        outside.note("draft")
        cross("node:draft")
        answers = state.get("answers", [])
        if scenario == "withdraw" and answers:
            outside.note("redrafting")
            await asyncio.sleep(60)
        if scenario == "failure" and not runtime.context.run.continues:
            return {"failure": {"kind": "usage_limit", "step": "draft"}}
        return {"drafts": [answers[-1]["reason"] if answers else "first"], "failure": None}

    async def review(state):
        revision = len(state.get("answers", [])) + 1
        answer = interrupt(
            Review(revision=revision, content={"draft": state["drafts"][-1]}).model_dump(mode="json")
        )
        cross("node:review")
        return {"answers": [Answer.model_validate(answer).model_dump(mode="json")]}

    async def record(state, runtime):
        outside.note("record")
        cross("node:record")
        name = f"{runtime.context.run.id}.json"
        text = json.dumps([[a["kind"], a["reason"], a["person"]["id"]] for a in state.get("answers", [])])
        new = outside.home / f"new.{os.getpid()}"
        new.write_text(text)
        try:
            os.link(new, outside.home / "records" / name)
            outside.note("effect")
        except FileExistsError:
            if outside.mutant == "record-not-once":
                outside.note("effect")
        new.unlink()
        cross("node:recorded")
        return {"record": name}

    def build():
        graph = StateGraph(State, context_schema=Context)
        for node in (collect, draft, review, record):
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "collect")
        graph.add_edge("collect", "draft")
        graph.add_conditional_edges(
            "draft", lambda s: "record" if s.get("failure") else "review", ["record", "review"]
        )
        graph.add_conditional_edges(
            "review",
            lambda s: "draft" if s["answers"][-1]["kind"] == "send_back" else "record",
            ["draft", "record"],
        )
        graph.add_edge("record", END)
        return graph

    def result(state):
        if state.get("failure"):
            return Result(
                outcome="failed", record=state["record"], failure=Failure.model_validate(state["failure"])
            )
        kind = state["answers"][-1]["kind"]
        outcome = {"approve": "approved", "reject": "rejected"}.get(kind, kind)
        return Result(outcome=outcome, record=state["record"])

    return Workflow(
        name="chore",
        version=1,
        slow=frozenset({"collect", "draft"}),
        words={},
        read_input=lambda text, settings: {"folder": text},
        build=build,
        result=result,
        counts=lambda state: {"drafts": len(state.get("drafts", []))},
        withdraw=lambda answer: ({"answers": [answer.model_dump(mode="json")]}, "review"),
        seed=lambda state: ({"folder": state["folder"], "drafts": []}, "collect"),
    )
