"""From the first line of the listener that takes a submission to the first line of the node after `review`.

The real bot over its real socket to a local Slack, with the real link check, all in this process so that both ends
can be timed. Each is paired with LangGraph alone, in the same database, timed from `ainvoke(Command(resume=…))` to
its return: the same link check of the same notes, and a graph of two nodes with nothing in them. A pause comes before
each, so that neither is timed while what the one before left behind is still under way.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from bench.acks import cards, lay_out_folders
from bench.bot import MEMBER, environment
from bench.figures import Figure, p50_p99
from bench.postgres import throwaway
from bot.emulator import Emulator
from bot.manifest import read_manifest
from bot.settings import BotSettings
from bot.slack import app, submissions
from graph import open_engine
from graph.approval import Answer, Run
from graph.claude import ClaudeCode
from graph.settings import Settings, read
from graph.workflow import Context
from graph.workflows.linkcheck import graph as linkcheck

PAIRS = 200
GOAL = 2.0
PAUSE = 0.2  #: seconds


class _State(TypedDict, total=False):
    answer: str


async def _ask(_: _State) -> _State:
    return {"answer": interrupt({"question": "?"})}


async def _after(_: _State) -> _State:
    return {}


def two_nodes() -> StateGraph[Any, Any, Any, Any]:
    """Return the smallest graph that asks and goes on."""
    graph = StateGraph(_State)
    graph.add_node("ask", _ask)
    graph.add_node("after", _after)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "after")
    graph.add_edge("after", END)
    return graph


class Bare:
    """LangGraph alone: a graph and a saver, and nobody who knows about runs, people or messages."""

    def __init__(self, graph: StateGraph[Any, Any, Any, Any], saver: BaseCheckpointSaver[str]) -> None:
        self._graph = graph.compile(checkpointer=saver)

    async def resume(self, given: dict[str, Any], context: Context | None, answer: Any) -> float:
        """Start a thread, and return how long its resume takes, in seconds."""
        config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
        await self._graph.ainvoke(given, config, context=context, durability="sync")
        (asked,) = (await self._graph.aget_state(config)).interrupts
        await asyncio.sleep(PAUSE)
        begun = time.perf_counter()
        await self._graph.ainvoke(
            Command(resume={asked.id: answer}), config, context=context, durability="sync"
        )
        return time.perf_counter() - begun


class Marks:
    """When a submission reached the listener, and when the node after `review` began."""

    def __init__(self) -> None:
        self.listener = self.node = 0.0
        self.reached = asyncio.Event()


@contextmanager
def marking(marks: Marks) -> Iterator[None]:
    """Note both times; the code between them is as it is."""
    submitted, verify = submissions.Submissions.submitted, linkcheck.verify

    async def listener(self: submissions.Submissions, ack: Any, body: dict[str, Any]) -> None:
        marks.listener = time.perf_counter()
        await submitted(self, ack, body)

    async def node(state: Any) -> Any:
        marks.node = time.perf_counter()
        marks.reached.set()
        return await verify(state)

    node.__annotations__ = verify.__annotations__
    submissions.Submissions.submitted = listener  # type: ignore[method-assign] # timed, not changed
    linkcheck.verify = node  # type: ignore[assignment] # the same
    try:
        yield
    finally:
        submissions.Submissions.submitted = submitted  # type: ignore[method-assign] # put back
        linkcheck.verify = verify


async def measure() -> list[Figure]:
    found = await _measured("SQLite", None)
    module = throwaway()
    binaries = module.find_binaries()
    if binaries is None:
        return [*found, Figure("the same on PostgreSQL", f"not measured; {module.INSTALL}")]
    server = module.Server(binaries, durable=True)
    try:
        return found + await _measured("PostgreSQL", server.url(server.new_database()))
    finally:
        server.close()


@asynccontextmanager
async def _saver(settings: Settings) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open LangGraph's own saver on the same database."""
    if settings.on_postgres:
        async with AsyncPostgresSaver.from_conn_string(settings.database) as saver:
            yield saver
        return
    async with aiosqlite.connect(settings.database, timeout=30) as connection:
        await connection.execute("PRAGMA synchronous=FULL")
        yield AsyncSqliteSaver(connection)


async def _alone(bare: Bare, run: Run, settings: Settings) -> float:
    """Resume a link check of the same notes by LangGraph alone; return the seconds it takes."""
    run = replace(run, id=str(uuid.uuid4()))
    context = Context(run=run, settings=settings, claude=ClaudeCode(settings), report=lambda _: None)
    answer = Answer(kind="approve", reason="Checked.", person=run.requester, revision=1, at=datetime.now(UTC))
    return await bare.resume(run.input, context, answer.model_dump(mode="json"))


async def _measured(name: str, database: str | None) -> list[Figure]:
    marks, ours, same, least, wire = Marks(), [], [], [], []
    with tempfile.TemporaryDirectory() as place, marking(marks):
        home, vault = Path(place), Path(place) / "vault"
        (vault / ".obsidian").mkdir(parents=True)
        lay_out_folders(vault, PAIRS)
        slack = Emulator(read_manifest())
        slack.rates.clear()
        await slack.start()
        variables = environment(home, vault) | {
            "SLACK_API_URL": slack.api_url,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
        }
        if database is not None:
            variables["RINGI_DATABASE"] = database
        settings, bot = read(Settings, variables), read(BotSettings, variables)
        stop, ready = asyncio.Event(), asyncio.Event()
        async with open_engine(settings, bot.policy()) as engine:
            serving = asyncio.create_task(app.serve(engine, bot, ready=lambda _: ready.set(), stop=stop))
            await ready.wait()
            member = await slack.person(MEMBER)
            for number in range(PAIRS):
                await member.command("C0NOTES", f"/linkcheck notes/{number}")
            await member.sees(lambda: len(cards(member)) >= PAIRS or None, timeout=600)
            async with _saver(settings) as saver:
                check, small = Bare(linkcheck.build(), saver), Bare(two_nodes(), saver)
                (run, *_) = await engine.store.runs()
                for card in cards(member):
                    await member.click(card, "approve")
                    view = await member.modal("decide")
                    await asyncio.sleep(PAUSE)
                    marks.reached.clear()
                    begun = time.perf_counter()
                    await member.submit(view, {"reason": "Checked."})
                    await marks.reached.wait()
                    wire.append(marks.listener - begun)
                    ours.append(marks.node - marks.listener)
                    same.append(await _alone(check, run, settings))
                    least.append(await small.resume({}, None, "yes"))
            stop.set()
            await serving
        await slack.close()
    return [
        _against(f"{name}: listener to the node after `review`", ours, "the same check alone", same, GOAL),
        _against(f"{name}: listener to the node after `review`", ours, "an empty graph alone", least),
        Figure(
            f"{name}: before it, socket and Bolt: envelope sent to listener, p50 / p99",
            p50_p99([seconds * 1e3 for seconds in wire]),
        ),
    ]


def _against(
    what: str, ours: list[float], whose: str, theirs: list[float], goal: float | None = None
) -> Figure:
    one, other = statistics.median(ours), statistics.median(theirs)
    ratio = one / other
    return Figure(
        f"{what}, p50 of {len(ours)}, against `ainvoke(Command(resume=…))` of {whose}, to its return",
        f"{ratio:.2f}× ({one * 1e3:.1f} against {other * 1e3:.1f} ms)",
        *((f"≤ {goal:.0f}×", ratio <= goal) if goal else ()),
    )
