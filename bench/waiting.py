"""Ten thousand runs that wait, against a hundred: what a restart, a list, the memory and the disk make of them.

One real run asks in the local Slack; its rows, checkpoints and card are copied under new ids, each copy with the
digest of what its card would say, as if Slack showed it. Then the bot is started again and its first card is pressed.
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from slack_sdk.web.async_client import AsyncWebClient

from bench.acks import cards
from bench.bot import MEMBER, bot_beside, environment, local_slack, resident
from bench.burst import spent
from bench.figures import Figure
from bot.emulator.model import TEAM
from bot.slack import drawing
from bot.slack.desk import Desk, Workspace
from graph import open_engine
from graph.settings import Settings, read

FEW, MANY = 100, 10_000
CLICK_GOAL, LIST_GOAL = 5.0, 0.5
IDLE = 10.0
ITS_TABLES = {
    "runs": ("id", ("source",)),
    "requests": ("run_id", ("id",)),
    "messages": ("run_id", ("key",)),
    "events": ("run_id", ()),
    "checkpoints": ("thread_id", ()),
    "writes": ("thread_id", ()),
}
"""Table → the column that names its run, and columns that hold ids of their own."""
LISTED = """
import sys, time
from bot import cli
def listed():
    try:
        cli.app(["runs", "--state", "waiting"], standalone_mode=False)
    except SystemExit:
        pass
listed()
begun = time.perf_counter()
listed()
print(time.perf_counter() - begun, file=sys.stderr)
"""


def copy_runs(database: Path, times: int) -> float:
    """Copy the one run there is; return how many bytes the file has grown for each copy."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before = database.stat().st_size
        its = {
            table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608 - our names
            for table in ITS_TABLES
        }
        [request] = its["requests"]
        connection.execute("BEGIN")
        for _ in range(times):
            new = {its["runs"][0]["id"]: str(uuid.uuid4()), request["id"]: str(uuid.uuid4())}
            new[its["runs"][0]["source"]] = f"bench:{uuid.uuid4()}"
            for table, (run_column, ids) in ITS_TABLES.items():
                for row in its[table]:
                    copy = {name: value for name, value in row.items() if name != "seq"}
                    for column in (run_column, *ids):
                        kind, colon, rest = str(copy[column]).partition(":")
                        copy[column] = new.get(str(copy[column])) or f"{kind}{colon}{new[rest]}"
                    names, marks = ", ".join(copy), ", ".join("?" * len(copy))
                    into = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - our own names
                    connection.execute(into, [*copy.values()])
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return (database.stat().st_size - before) / times


async def sign_cards(settings: Settings, bot_settings: object, team: str) -> None:
    """Give each message the digest of what it says now, so that Slack shows what the rows say."""
    client = AsyncWebClient()
    async with open_engine(settings, bot_settings.policy(team), everyone=False) as engine:
        desk = Desk(engine, bot_settings, Workspace(team, "bench", "ringi"), client, client)
        ids = [run.id for run in await engine.store.runs()]
        signed = []
        for at in range(0, len(ids), 200):
            for whole in (await engine.store.whole(ids[at : at + 200])).values():
                scene = desk.whole_scene(whole, whole.run.language)
                for message in whole.messages:
                    content = drawing.draw(scene, message, engine.store.now())
                    signed.append((drawing.digest(content), message.key))
    with closing(sqlite3.connect(settings.database)) as connection, connection:
        connection.executemany("UPDATE messages SET digest = ?, shown = wanted WHERE key = ?", signed)


def seconds_to_list(variables: dict[str, str], home: Path) -> float:
    done = subprocess.run(
        [sys.executable, "-c", LISTED], env=variables, cwd=home, check=True, capture_output=True, text=True
    )
    return float(done.stderr.splitlines()[-1])


@dataclass(frozen=True, slots=True)
class Took:
    """What so many waiting runs make of a bot.

    Attributes:
        clicked, busy: seconds from its start to the first click it took, and of processor until then.
        listed: seconds to list what waits.
        memory: MiB, idle.
        grown: bytes of the file for a run.
        idle: seconds of processor while nobody does anything.
    """

    clicked: float
    busy: float
    listed: float
    memory: float
    grown: float
    idle: float


async def one(many: int) -> Took:
    from bot.settings import BotSettings

    with tempfile.TemporaryDirectory() as place:
        home, vault = Path(place) / "home", Path(place) / "vault"
        (vault / ".obsidian").mkdir(parents=True)
        (vault / "notes").mkdir()
        home.mkdir()
        links = [
            f"On day {day} it was about [[A missing page {day}]] and nothing else.\n" for day in range(12)
        ]
        (vault / "notes" / "one.md").write_text("".join(links))
        database = home / "state" / "ringi.sqlite"
        async with local_slack() as slack:
            member = await slack.person(MEMBER)
            async with bot_beside(slack, home, vault):
                await member.command("C0NOTES", "/linkcheck notes")
                [card] = await member.sees(lambda: cards(member) or None, timeout=60)
                await asyncio.sleep(2)
            grown = copy_runs(database, many - 1)
            variables = environment(home, vault)
            bot_settings = read(BotSettings, variables)
            await sign_cards(read(Settings, variables), bot_settings, TEAM)
            begun = time.perf_counter()
            async with bot_beside(slack, home, vault, ready=False) as pid:
                clicked = await first_click(member, card, begun)
                busy = spent(pid)
                view = await member.modal("decide")
                await member.close(view)
                listed = await asyncio.to_thread(seconds_to_list, variables, home)
                used = spent(pid)
                await asyncio.sleep(IDLE)
                return Took(clicked, busy, listed, resident(pid), grown, spent(pid) - used)


async def first_click(member, card: dict, begun: float) -> float:
    """Press until a press is taken; return when it was."""
    while True:
        answer = await member.click(card, "approve")
        if answer.ok and answer.ack is not None:
            return time.perf_counter() - begun
        if time.perf_counter() - begun > 120:
            raise RuntimeError("no click was taken within two minutes")
        await asyncio.sleep(0.02)


async def measure() -> list[Figure]:
    few, many = await one(FEW), await one(MANY)
    against = f"{MANY:,} waiting, against {FEW}"
    return [
        Figure(
            f"from the start of the bot to the first click it took, {against}",
            f"{many.clicked:.1f} s ({many.clicked / few.clicked:.1f}×), {many.busy:.1f} s of processor",
            f"< {CLICK_GOAL:.0f} s",
            many.clicked < CLICK_GOAL,
        ),
        Figure(
            f"`ringi runs --state waiting` after its imports, {against}",
            f"{many.listed:.2f} s ({many.listed / few.listed:.1f}×)",
            f"< {LIST_GOAL} s",
            many.listed < LIST_GOAL,
        ),
        Figure(
            f"memory of the idle bot, {against}", f"{many.memory:.0f} MiB ({many.memory / few.memory:.1f}×)"
        ),
        Figure(
            f"processor used while idle in the first {IDLE:.0f} s after that, {against}",
            f"{many.idle / IDLE * 100:.0f} %, {few.idle / IDLE * 100:.0f} %",
        ),
        Figure(
            f"bytes on the disk for a waiting run of 12 links, {against}",
            f"{many.grown:,.0f} ({many.grown / few.grown:.1f}×)",
        ),
    ]
