"""Two worker processes on PostgreSQL, one killed in each phase; and how soon an idle worker begins a run.

The server is a throw-away one with every durability setting as shipped. Nothing here talks to Slack or Claude.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

from bench.figures import Figure, p50_p99
from bench.small import PEOPLE, POLICY, Log, small
from graph.errors import AlreadyDecided
from graph.intake import Intake
from graph.runtime import open_store
from graph.settings import Settings
from graph.store import Store

ROOT = Path(__file__).parent.parent
RUNS = 200
IDLE_STARTS = 50
PART = 0.4
GOAL_SECONDS = 10.0
PAUSE_SECONDS = 5.0


def throwaway() -> Any:
    """Return the module that the tests start servers with."""
    spec = importlib.util.spec_from_file_location(
        "throwaway_postgres", ROOT / "tests" / "throwaway_postgres.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Town:
    """A database, a folder of records, and the processes that move its runs."""

    def __init__(self, address: str, folder: Path, draft_seconds: float) -> None:
        self.address, self.folder, self.draft_seconds = address, folder, draft_seconds
        self.log = Log(folder)
        self.workers: list[subprocess.Popen[str]] = []
        self.store: Store
        self.sql: psycopg.AsyncConnection[tuple[str, int]]

    def worker(self) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "bench.small",
            self.address,
            str(self.folder),
            str(self.draft_seconds),
        ]
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
        )
        self.workers.append(process)
        return process

    async def ready(self, *workers: subprocess.Popen[str]) -> None:
        for worker in workers:
            assert worker.stdout is not None
            assert (await asyncio.to_thread(worker.stdout.readline)).strip() == "ready"

    async def start(self, number: int) -> str:
        run, _ = await Intake(self.store, POLICY).start(
            small(self.log),
            {"folder": "notes"},
            source=f"bench:{number}",
            requester=PEOPLE[0],
            language="en",
            zone="UTC",
            place="C0NOTES",
        )
        return run.id

    async def decide(self, run_id: str) -> str:
        """Let two people say different things in the same moment; return what stands."""
        [request] = await self.store.requests(run_id)
        intake = Intake(self.store, POLICY)
        said = await asyncio.gather(
            intake.decide(request.id, 1, "approve", PEOPLE[0]),
            intake.decide(request.id, 1, "reject", PEOPLE[1], "no"),
            return_exceptions=True,
        )
        [refused] = [one for one in said if isinstance(one, AlreadyDecided)]
        [stands] = [one for one in said if not isinstance(one, BaseException)]
        assert refused.decision == stands
        return stands.kind

    async def states(self) -> Counter[str]:
        found = await self.sql.execute("SELECT state, count(*) FROM runs GROUP BY state")
        return Counter(dict(await found.fetchall()))

    async def until(self, enough: Callable[[Counter[str]], bool], seconds: float = 300) -> float:
        """Wait for the states of the runs; return when they were so."""
        end = time.monotonic() + seconds
        while not enough(states := await self.states()):
            if time.monotonic() > end:
                raise TimeoutError(str(states))
            await asyncio.sleep(0.05)
        return time.monotonic()

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()


@asynccontextmanager
async def town(server: Any, draft_seconds: float) -> AsyncIterator[Town]:
    with tempfile.TemporaryDirectory() as place:
        there = Town(server.url(server.new_database()), Path(place), draft_seconds)
        async with (
            open_store(Settings(RINGI_DATABASE=there.address)) as there.store,
            await psycopg.AsyncConnection.connect(there.address, autocommit=True) as there.sql,
        ):
            try:
                yield there
            finally:
                there.close()


async def two_workers(
    server: Any, runs: int, idle: int, blow: signal.Signals, draft: float
) -> dict[str, Any]:
    """Start runs, hit one worker; decide them, hit the other; return what was counted."""
    async with town(server, draft) as here:
        first, second = here.worker(), here.worker()
        await here.ready(first, second)
        waits = []
        for number in range(idle):
            begun = time.time()
            run_id = await here.start(-1 - number)
            await here.until(lambda s, n=number: s["waiting"] > n)  # type: ignore[misc] # the default is an int
            waits.append(next(e["at"] for e in here.log.read("draft") if e["run"] == run_id) - begun)
        idle_runs = {run.id for run in await here.store.runs()}

        run_ids = [await here.start(number) for number in range(runs)]
        await here.until(lambda s: s["waiting"] - idle >= runs * PART)
        hit = time.monotonic()
        first.send_signal(blow)
        if blow == signal.SIGSTOP:
            await asyncio.sleep(PAUSE_SECONDS)
            first.send_signal(signal.SIGCONT)
        waiting = await here.until(lambda s: s["waiting"] == runs + idle) - hit
        if blow == signal.SIGKILL:
            third = here.worker()
            await here.ready(third)

        stands = {}
        done = asyncio.create_task(here.until(lambda s: s["done"] >= runs * PART))
        for run_id in run_ids:
            stands[run_id] = await here.decide(run_id)
            if done.done():
                break
        hit = time.monotonic()
        second.send_signal(blow)
        for run_id in run_ids[len(stands) :]:
            stands[run_id] = await here.decide(run_id)
        if blow == signal.SIGSTOP:
            await asyncio.sleep(PAUSE_SECONDS)
            second.send_signal(signal.SIGCONT)
        ended = await here.until(lambda s: s["done"] == runs) - hit
        await done

        records = {path.name: json.loads(path.read_text())["kind"] for path in here.log.records.iterdir()}
        drafts = Counter(event["run"] for event in here.log.read("draft") if event["run"] not in idle_runs)
        return {
            "runs": runs,
            "idle_starts": waits,
            "waiting_after": waiting,
            "done_after": ended,
            "effects": len(here.log.read("effect")),
            "as_decided": sum(records.get(run_id) == kind for run_id, kind in stands.items()),
            "drafts": sum(drafts.values()),
            "record_executions": len(here.log.read("record")),
            "overlapping": _overlapping(here.log),
        }


def _overlapping(log: Log) -> int:
    """Count steps that were under way twice at once: two processes with one run."""
    ended = {(e["run"], e["pid"]): e["at"] for e in log.read("drafted")}
    begun: dict[str, list[tuple[float, float]]] = {}
    for event in log.read("draft"):
        end = ended.get((event["run"], event["pid"]), event["at"])
        begun.setdefault(event["run"], []).append((event["at"], end))
    return sum(
        later[0] < earlier[1]
        for spans in begun.values()
        for earlier, later in zip(sorted(spans), sorted(spans)[1:], strict=False)
    )


async def measure() -> list[Figure]:
    module = throwaway()
    binaries = module.find_binaries()
    if binaries is None:
        return [Figure("PostgreSQL", f"not measured; {module.INSTALL}")]
    server = module.Server(binaries, durable=True)
    try:
        found = await two_workers(server, RUNS, IDLE_STARTS, signal.SIGKILL, 0.02)
    finally:
        server.close()
    whole = found["effects"] == found["as_decided"] == RUNS
    return [
        Figure(
            f"PostgreSQL, {RUNS} runs, two workers, one killed in each phase: records that say what was decided",
            f"{found['as_decided']} of {RUNS}, {found['effects']} effects ({found['record_executions']} executions, {found['drafts']} drafts)",
            f"{RUNS} of {RUNS}",
            whole,
        ),
        Figure(
            "all wait for people, after the kill",
            f"{found['waiting_after']:.1f} s",
            f"≤ {GOAL_SECONDS:.0f} s",
            found["waiting_after"] <= GOAL_SECONDS,
        ),
        Figure(
            "all done, after the kill (two people decide each in the same moment meanwhile)",
            f"{found['done_after']:.1f} s",
            f"≤ {GOAL_SECONDS:.0f} s",
            found["done_after"] <= GOAL_SECONDS,
        ),
        Figure(
            f"an idle worker begins a run, p50 / p99 of {IDLE_STARTS}",
            p50_p99([seconds * 1e3 for seconds in found["idle_starts"]]),
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--idle", type=int, default=0)
    parser.add_argument("--draft", type=float, default=0.02, help="seconds that a draft takes")
    parser.add_argument(
        "--pause", action="store_true", help="stop a worker for a while instead of killing two"
    )
    given = parser.parse_args()
    module = throwaway()
    server = module.Server(module.find_binaries())
    blow = signal.SIGSTOP if given.pause else signal.SIGKILL
    try:
        print(json.dumps(asyncio.run(two_workers(server, given.runs, given.idle, blow, given.draft))))
    finally:
        server.close()


if __name__ == "__main__":
    main()
