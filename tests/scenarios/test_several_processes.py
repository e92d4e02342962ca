"""Several bots on one PostgreSQL and one Slack: any of them takes any envelope, one relays, and one may die."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import psycopg
import pytest

NOTES = "C0NOTES"
DEADLINE = 60


@pytest.fixture
def address(postgres):
    name = postgres.new_database()
    yield postgres.url(name)
    postgres.drop(name)


def folders(town, many):
    """Make folders that are checked at the same time: of one folder one check is at work at a time."""
    names = [f"folder {number}" for number in range(many)]
    town.write({f"{name}/a.md": "See [[Nowhere at all]].\n" for name in names})
    return names


def cards(member, reading):
    return [m for m in member.messages(NOTES) if "approve" in reading.buttons(m)]


async def test_any_of_two_bots_takes_any_envelope_and_one_of_them_relays(town, address, reading):
    one, two = await town.member(1), await town.member(2)
    async with town.bot(RINGI_DATABASE=address) as first, town.bot(RINGI_DATABASE=address) as second:
        await town.slack.sockets.connected(2)
        for folder in folders(town, 6):
            assert (await one.command(NOTES, f"/linkcheck {folder}")).ok
        await one.sees(lambda: len(cards(one, reading)) == 6 or None, DEADLINE)
        for number, card in enumerate(cards(one, reading)):
            await two.click(card, "approve" if number % 2 else "reject")
            assert (await two.submit(await two.modal("decide", DEADLINE), {"reason": "seen"})).ok
        await one.sees(lambda: len(list(town.records.glob("*.md"))) == 6 or None, DEADLINE)
        await one.sees(lambda: not cards(one, reading) or None, DEADLINE)
        async with asyncio.timeout(DEADLINE):
            while {run.state for run in await first.store.runs()} != {"done"}:  # noqa: ASYNC110 - rows of another process
                await asyncio.sleep(0.1)
            while await first.store.behind(first.store.now()):  # noqa: ASYNC110 - the same
                await asyncio.sleep(0.1)
        runs = await first.store.runs()
        assert await second.store.runs() == runs
        shown = [m for m in await _messages(first, runs) if m.ts]
        assert len(shown) == len({(m.channel, m.ts) for m in shown}) == 24  # progress, card, outcome, record


async def _messages(engine, runs):
    return [message for run in runs for message in await engine.store.messages(run.id)]


class Process:
    """`ringi serve` on the shared database."""

    def __init__(self, town, address: str, folder: Path) -> None:
        self.log = folder / f"serve-{os.urandom(3).hex()}.txt"
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        self.environment = kept | {
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "RINGI_VAULT": str(town.vault),
            "RINGI_RECORDS": str(town.records),
            "RINGI_DATABASE": address,
            "SLACK_BOT_TOKEN": town.slack.bot_token,
            "SLACK_APP_TOKEN": town.slack.app_token,
            "SLACK_API_URL": town.slack.api_url,
            **town.given,
        }

    async def start(self, *arguments: str) -> Process:
        with self.log.open("w") as out:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "serve", *arguments),
                env=self.environment,
                stdout=out,
                stderr=out,
            )
        async with asyncio.timeout(DEADLINE):
            while "ready:" not in self.log.read_text():
                assert self.process.returncode is None, self.log.read_text()
                await asyncio.sleep(0.05)
        return self

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


@pytest.mark.slow
async def test_when_the_bot_that_relays_dies_another_goes_on_and_nothing_is_posted_twice(
    town, address, reading, tmp_path
):
    one, two = await town.member(1), await town.member(2)
    first, second = [await Process(town, address, tmp_path).start() for _ in range(2)]
    worker = await Process(town, address, tmp_path).start("--worker")
    try:
        for folder in folders(town, 3):
            assert (await one.command(NOTES, f"/linkcheck {folder}")).ok
        await one.sees(lambda: len(cards(one, reading)) == 3 or None, DEADLINE)
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as sql:
            relays = await _who_relays(sql, {first.process.pid: first, second.process.pid: second})
            for card in cards(one, reading)[:2]:
                await two.click(card, "approve")
                assert (await two.submit(await two.modal("decide", DEADLINE))).ok
            relays.process.send_signal(signal.SIGKILL)  # in the middle of showing it
            await relays.process.wait()
            await one.sees(lambda: len(list(town.records.glob("*.md"))) == 2 or None, DEADLINE)
            await one.sees(lambda: len(cards(one, reading)) == 1 or None, DEADLINE)
            [left] = cards(one, reading)
            await two.click(left, "reject")
            assert (await two.submit(await two.modal("decide", DEADLINE), {"reason": "no"})).ok
            await one.sees(lambda: not cards(one, reading) or None, DEADLINE)
            behind = (
                "SELECT (SELECT count(*) FROM runs WHERE state <> 'done')"
                " + (SELECT count(*) FROM messages WHERE shown < wanted)"
            )
            async with asyncio.timeout(DEADLINE):
                while await (await sql.execute(behind)).fetchone() != (0,):  # noqa: ASYNC110 - a row, written by any process
                    await asyncio.sleep(0.1)
            stored = await (await sql.execute("SELECT channel, ts FROM messages")).fetchall()
        assert len(stored) == len(set(stored)) == 12
        whole = list(one.messages(NOTES))
        threads = [r for m in whole for r in one.thread(m["ts"]) if r["ts"] != m["ts"]]
        known = [m["files"][0]["id"] if m.get("files") else m["ts"] for m in [*whole, *threads]]
        assert sorted(known) == sorted(ts for _, ts in stored)
    finally:
        for process in (first, second, worker):
            await process.end()


async def _who_relays(sql, processes):
    """Tell which process holds the relay's lock: the one whose death frees it is found by its socket."""
    async with asyncio.timeout(DEADLINE):
        while True:
            held = await sql.execute(
                "SELECT a.client_port FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory'"
                " AND l.objsubid = 1 AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended('ringi:relay', 0)"
            )
            if row := await held.fetchone():
                return processes[_owner_of_port(row[0], processes)]
            await asyncio.sleep(0.1)


def _owner_of_port(port: int, pids) -> int:
    """Return which process has a TCP connection from this port of loopback."""
    wanted = {
        fields[9]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if int((fields := line.split())[1].partition(":")[2], 16) == port
    }
    for pid in pids:
        for fd in Path(f"/proc/{pid}/fd").iterdir():
            try:
                link = str(fd.readlink())
            except OSError:
                continue
            if link.startswith("socket:[") and link[8:-1] in wanted:
                return pid
    raise AssertionError("nobody has that connection")
