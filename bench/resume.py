"""From the first line of the listener that takes a submission to the first line of the node after `review`.

The real bot over its real socket to a local Slack, with the real link check, all in this process so that both ends
can be timed. Each is paired with a bare LangGraph resume in the same database, timed to its return: a graph of
two nodes and nothing around it.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypedDict

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from bench.acks import cards
from bench.bot import MEMBER, environment
from bench.figures import Figure, p50_p99
from bench.postgres import throwaway
from bot.emulator import Emulator
from bot.manifest import read_manifest
from bot.settings import BotSettings
from bot.slack import app, submissions
from graph import open_engine
from graph.settings import Settings, read
from graph.workflows.linkcheck import graph as linkcheck

PAIRS = 60
GOAL = 2.0


class _State(TypedDict, total=False):
    answer: str


async def _ask(_: _State) -> _State:
    return {"answer": interrupt({"question": "?"})}


async def _after(_: _State) -> _State:
    return {}


class Bare:
    """LangGraph alone, in the same database."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        graph = StateGraph(_State)
        graph.add_node("ask", _ask)
        graph.add_node("after", _after)
        graph.add_edge(START, "ask")
        graph.add_edge("ask", "after")
        graph.add_edge("after", END)
        self._graph = graph.compile(checkpointer=saver)

    async def resume(self) -> float:
        """Start a thread, and return how long its resume takes, in seconds."""
        config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
        await self._graph.ainvoke({}, config, durability="sync")
        (asked,) = (await self._graph.aget_state(config)).interrupts
        begun = time.perf_counter()
        await self._graph.ainvoke(Command(resume={asked.id: "yes"}), config, durability="sync")
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
async def _bare(settings: Settings) -> AsyncIterator[Bare]:
    """Open LangGraph's own saver on the same database."""
    if settings.on_postgres:
        async with AsyncPostgresSaver.from_conn_string(settings.database) as saver:
            yield Bare(saver)
        return
    async with aiosqlite.connect(settings.database, timeout=30) as connection:
        await connection.execute("PRAGMA synchronous=FULL")
        yield Bare(AsyncSqliteSaver(connection))


async def _measured(name: str, database: str | None) -> list[Figure]:
    marks, ours, bare, wire = Marks(), [], [], []
    with tempfile.TemporaryDirectory() as place, marking(marks):
        home, vault = Path(place), Path(place) / "vault"
        (vault / ".obsidian").mkdir(parents=True)
        (vault / "notes").mkdir()
        (vault / "notes" / "one.md").write_text("See [[Missing page]] and [[Other page]].\n")
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
            for _ in range(PAIRS):
                await member.command("C0NOTES", "/linkcheck notes")
            await member.sees(lambda: len(cards(member)) >= PAIRS or None, timeout=300)
            async with _bare(settings) as other:
                for card in cards(member):
                    await member.click(card, "approve")
                    view = await member.modal("decide")
                    marks.reached.clear()
                    begun = time.perf_counter()
                    await member.submit(view, {"reason": "Checked."})
                    await marks.reached.wait()
                    wire.append(marks.listener - begun)
                    ours.append(marks.node - marks.listener)
                    await member.sees(
                        lambda ts=card["ts"]: "Recorded" in member.message(ts)["text"] or None, 60
                    )
                    bare.append(await other.resume())
            stop.set()
            await serving
        await slack.close()
    ratio = statistics.median(ours) / statistics.median(bare)
    return [
        Figure(
            f"{name}: listener to the node after `review`, p50 of {PAIRS}, against a bare resume to its return",
            f"{ratio:.2f}× ({statistics.median(ours) * 1e3:.1f} against {statistics.median(bare) * 1e3:.1f} ms)",
            f"≤ {GOAL:.0f}×",
            ratio <= GOAL,
        ),
        Figure(
            f"{name}: before it, socket and Bolt: envelope sent to listener, p50 / p99",
            p50_p99([seconds * 1e3 for seconds in wire]),
        ),
    ]
