"""How long a Home tab takes to build, with many runs waiting for the one who opens it and as many ended ones."""

from __future__ import annotations

import tempfile
import time
import uuid
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa
from slack_sdk.web.async_client import AsyncWebClient

from bench.figures import Figure, percentile
from bot.settings import BotSettings
from bot.slack.desk import Desk, Workspace
from bot.slack.homes import build
from graph import find_workflow, open_engine
from graph.approval import Person
from graph.engine import Engine
from graph.settings import Settings, read
from graph.store.concerns import Group
from graph.store.tables import requests, runs

FEW, MANY = 100, 10_000
TIMES = 60
LINKS = 12
GOAL = 200.0
ASKS, DECIDES = "U0MEMBER1", "U0MEMBER2"


def lay_out(vault: Path) -> None:
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "notes").mkdir()
    lines = [
        f"On day {day} it was about [[A missing page {day}]] and nothing else.\n" for day in range(LINKS)
    ]
    (vault / "notes" / "one.md").write_text("".join(lines))


async def wait_with(engine: Engine, many: int, settings: Settings) -> None:
    """Have one real run ask, and copy its rows until so many wait and so many have ended."""
    member = Person(id=f"T0TEAM/{ASKS}", name="Member 1", surface="slack", verified=True)
    workflow = find_workflow("linkcheck")
    run, _ = await engine.intake.start(
        workflow,
        workflow.read_input("notes", settings),
        source="bench",
        requester=member,
        language="en",
        zone="UTC",
        place="C0NOTES",
    )
    await engine.settled(run.id)
    async with engine.store._reading.connect() as connection:  # noqa: SLF001 - rows are copied as they are
        one = dict((await connection.execute(sa.select(runs))).mappings().one())
        its = dict((await connection.execute(sa.select(requests))).mappings().one())
    new_runs, new_requests = [], []
    for number in range(1, 2 * many):
        at = one["created"] - timedelta(minutes=number)
        run_id, ended = str(uuid.uuid4()), number >= many
        new_runs.append(
            one
            | {"id": run_id, "source": f"bench {number}", "created": at, "changed": at}
            | ({"state": "done", "ended": at, "result": {"outcome": "approved"}} if ended else {})
        )
        state = {"state": "decided" if ended else "open", "created": at}
        new_requests.append(its | {"id": str(uuid.uuid4()), "run_id": run_id} | state)
    async with engine.store._writing.begin() as connection:  # noqa: SLF001 - as above
        for at in range(0, len(new_runs), 500):
            await connection.execute(sa.insert(runs), new_runs[at : at + 500])
            await connection.execute(sa.insert(requests), new_requests[at : at + 500])


async def milliseconds(many: int, pages: dict[Group, int]) -> tuple[list[float], float]:
    """Build the tab again and again; return what each time took, and the processor time of one."""
    with tempfile.TemporaryDirectory() as place:
        vault = Path(place) / "vault"
        lay_out(vault)
        over = {"vault": vault, "database": str(Path(place) / "state" / "ringi.sqlite"), "drafter": "rules"}
        settings = read(Settings, {}, **over, records=Path(place) / "records")
        bot = BotSettings.model_validate({"RINGI_STARTERS": ASKS, "RINGI_APPROVERS": DECIDES})
        async with open_engine(settings, bot.policy("T0TEAM")) as engine:
            await wait_with(engine, many, settings)
            client = AsyncWebClient()
            desk = Desk(engine, bot, Workspace("T0TEAM", "bench", "ringi"), client, client)
            reader = desk.reader_at_once({"user_id": DECIDES, "team_id": "T0TEAM"})
            took, used = [], time.process_time()
            for _ in range(TIMES):
                begun = time.perf_counter()
                view = await build(desk, reader, pages)
                took.append((time.perf_counter() - begun) * 1000)
            if f"Waiting for you: {many:,}" not in str(view):
                raise RuntimeError("the tab does not show what waits")
            return took, (time.process_time() - used) * 1000 / TIMES


async def measure() -> list[Figure]:
    figures = []
    for many, pages in ((FEW, {}), (MANY, {}), (MANY, {"wait": MANY // 10})):
        took, used = await milliseconds(many, pages)
        p95 = percentile(took, 95)
        where = "last page" if pages else "first page"
        figures.append(
            Figure(
                f"Home tab built, {many:,} waiting and as many ended, {where}: p50 / p95",
                f"{percentile(took, 50):.0f} / {p95:.0f} ms ({used:.0f} ms of processor)",
                f"p95 < {GOAL:.0f} ms",
                p95 < GOAL,
            )
        )
    return figures
