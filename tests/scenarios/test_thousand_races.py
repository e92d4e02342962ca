"""Approve and reject in the same moment, again and again: one decision, one effect, and a loser who knows.

Two people in Slack, one in Slack and one in the terminal, two terminals: each terminal is a process of its own.
"""

from __future__ import annotations

import asyncio
import functools
import json
import re
import sqlite3
import sys
import time
import uuid
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.slack import relay
from graph.engine.projection import request_id

NOTES = "C0NOTES"
BATCH = 50  # cards in the channel at a time
SPREAD = 0.03  # seconds; about what one side needs to reach the database
PAIRS = [("one", "two"), ("one", "desk"), ("two", "shell"), ("desk", "shell")]
NAMES = {"one": "<@U0MEMBER1>", "two": "<@U0MEMBER2>", "desk": "desk", "shell": "shell"}
TERMINAL_NAMES = NAMES | {"one": "Member 1", "two": "Member 2"}


def copies(database: Path, run_id: str, how_many: int) -> None:
    """Put copies of a waiting run into a database that nobody uses; each asks on a card of its own."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT interrupt_id FROM requests WHERE run_id = ?"
        (interrupt,) = connection.execute(query, [run_id]).fetchone()
        for _ in range(how_many):
            new = str(uuid.uuid4())
            asked = request_id(new, interrupt)
            copy(connection, "runs", "id", run_id, id=new, source=f"terminal:{new}")
            copy(connection, "requests", "run_id", run_id, id=asked, run_id=new)
            copy(connection, "checkpoints", "thread_id", run_id, thread_id=new)
            copy(connection, "writes", "thread_id", run_id, thread_id=new)
            values = "(key, run_id, place, wanted, shown, tries) VALUES (?, ?, ?, 1, 0, 0)"
            connection.execute(f"INSERT INTO messages {values}", [f"card:{asked}", new, NOTES])
        connection.commit()


def copy(connection: sqlite3.Connection, table: str, key: str, value: str, **other: str) -> None:
    """Copy rows of a table, with other values in some columns."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    names = ", ".join(f'"{column}"' for column in columns)
    taken = ", ".join(f"'{other[column]}'" if column in other else f'"{column}"' for column in columns)
    connection.execute(f"INSERT INTO {table} ({names}) SELECT {taken} FROM {table} WHERE {key} = ?", [value])  # noqa: S608 - our own names


@asynccontextmanager
async def terminal(database: Path, login: str):
    """Start someone at a terminal; yields how to let them decide."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(Path(__file__).with_name("rival.py")), str(database), login),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )

    async def decide(request: str, kind: str, reason: str, when: float) -> dict:
        told = {"request": request, "revision": 1, "kind": kind, "reason": reason, "when": when}
        process.stdin.write(json.dumps(told).encode() + b"\n")
        return json.loads(await asyncio.wait_for(process.stdout.readline(), 60))

    try:
        assert await asyncio.wait_for(process.stdout.readline(), 60) == b"ready\n"
        yield decide
    finally:
        process.stdin.close()
        await process.wait()


@dataclass
class Round:
    """One request and the two who decide it at the same moment."""

    number: int
    request: str
    sides: tuple[str, str]
    kinds: list[str]
    late: tuple[float, float]

    def reason(self, index: int) -> str:
        return f"{self.kinds[index]} by {self.sides[index]} in round {self.number}"


class Ring:
    """Everyone who decides: two in Slack, two at terminals."""

    def __init__(self, town, reading, people, desks) -> None:
        self.town, self.reading, self.people, self.desks = town, reading, people, desks

    def cards(self) -> dict[str, dict]:
        """Return the open cards by request."""
        found = [m for m in self.people["one"].messages(NOTES) if "approve" in self.reading.buttons(m)]
        return {m["blocks"][-1]["elements"][0]["value"].partition(":")[0]: m for m in found}

    async def play(self, this: Round, card: dict) -> str:
        """Let both decide; check what each is told; return the side that won."""
        modals = {}
        for side, kind in zip(this.sides, this.kinds, strict=True):
            if side in self.people:
                await self.people[side].click(card, kind)
                modals[side] = await self.people[side].modal("decide", 30)
        begin = time.monotonic() + 0.01
        said = await asyncio.gather(*(self._decide(this, index, begin, modals) for index in (0, 1)))
        decision = await self.town.engine.store.decision(this.request)
        won = this.kinds.index(decision.kind)
        lost = 1 - won
        assert decision.reason == this.reason(won)
        assert said[won] is None, said
        told, names = said[lost], NAMES if this.sides[lost] in self.people else TERMINAL_NAMES
        assert names[this.sides[won]] in told
        assert re.search(r"\d\d:\d\d|<!date\^", told)
        assert this.reason(won) in told
        assert this.reason(lost) in told
        for side in modals:
            for view in self.people[side].views:
                await self.people[side].close(view)
        return this.sides[won]

    async def _decide(self, this: Round, index: int, begin: float, modals: dict) -> str | None:
        """Decide for one side; return what they are told if another was first."""
        side, when = this.sides[index], begin + this.late[index]
        if side in self.desks:
            said = await self.desks[side](this.request, this.kinds[index], this.reason(index), when)
            return None if said["stands"] else "\n".join(said["lines"])
        await asyncio.sleep(max(0.0, when - time.monotonic()))
        answer = await self.people[side].submit(modals[side], {"reason": this.reason(index)})
        assert answer.ok, answer
        if answer.view is None:
            return None
        offered = [
            b["element"].get("initial_value", "") for b in answer.view["blocks"] if b["type"] == "input"
        ]
        return "\n".join([self.reading.words(answer.view), *offered])


@pytest.fixture
def races(town, asked, reading, monkeypatch):
    """Let rivals decide that many requests, one after the other; return the winners."""
    monkeypatch.setattr(relay, "Budget", functools.partial(relay.Budget, per_minute=10**6))
    town.slack.rates.clear()

    async def run(rounds: int) -> list[str]:
        winners: list[str] = []
        async with (
            town.bot(RINGI_APPROVERS="U0MEMBER1,U0MEMBER2", RINGI_SELF_APPROVAL="yes"),
            AsyncExitStack() as stack,
        ):
            people = {"one": await town.member(1), "two": await town.member(2)}
            desks = {
                login: await stack.enter_async_context(terminal(town.database, login))
                for login in ("desk", "shell")
            }
            ring = Ring(town, reading, people, desks)
            await asked(people["one"])
            (template,) = await town.engine.store.runs()
            while len(winners) < rounds:
                here = min(BATCH, rounds - len(winners))
                await town.all_shown()
                town.slack.workspace.messages[NOTES].clear()
                await asyncio.to_thread(copies, town.database, template.id, here)
                await people["one"].sees(lambda here=here: len(ring.cards()) == here, 60)
                for request, card in ring.cards().items():
                    winners.append(await ring.play(round_of(len(winners), request), card))
                await people["one"].sees(lambda: ring.cards() == {}, 60)
                await town.all_shown()
                one_post_each(town, here)
        one_effect_each(town, rounds)
        return winners

    return run


def round_of(number: int, request: str) -> Round:
    """Return who decides what, and who is how much ahead: every few rounds something else."""
    kinds = ["approve", "reject"] if number % 8 < 4 else ["reject", "approve"]
    ahead = (number * 7919 % 61 - 30) / 30 * SPREAD
    return Round(number, request, PAIRS[number % len(PAIRS)], kinds, (max(0.0, ahead), max(0.0, -ahead)))


def one_post_each(town, rounds: int) -> None:
    """Each run has one card, and one reply that tells the outcome."""
    posted = [m for m in town.slack.workspace.messages[NOTES] if m.metadata]
    keys = [m.metadata["event_payload"]["key"] for m in posted]
    assert len(keys) == len(set(keys)) == 2 * rounds


def one_effect_each(town, rounds: int) -> None:
    """Read from the files what the races left: one decision, one vote and one record for each."""
    with closing(sqlite3.connect(town.database)) as connection:
        for count in ("SELECT count(*) FROM decisions", "SELECT count(*) FROM votes"):
            assert connection.execute(count).fetchone() == (rounds,)
        states = connection.execute("SELECT state, count(*) FROM runs GROUP BY state").fetchall()
        assert states == [("done", rounds), ("waiting", 1)]
        stand = dict(
            connection.execute(
                "SELECT run_id, decisions.reason FROM decisions JOIN requests ON requests.id = request_id"
            )
        )
    records = [path.read_text(encoding="utf-8") for path in town.records.glob("*.md")]
    assert len(records) == rounds
    for record in records:
        run = re.search(r"^run: (\S+)", record, re.MULTILINE)[1]
        assert stand.pop(run) in record


async def test_of_rivals_at_the_same_moment_one_decides_and_the_other_learns_who_when_and_why(races):
    """S8, S9, S10, L14, R31."""
    assert len(await races(48)) == 48


@pytest.mark.slow
@pytest.mark.timeout(1500)
async def test_a_thousand_times(races):
    """S8, S9, S10, L14, R31: and it was a race, for each side won often."""
    winners = await races(1000)
    assert min(winners.count(side) for side in NAMES) > 50
