"""What our side of a call to Claude adds to the command itself: wall and memory, against the stub."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import resource
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.figures import Figure
from bench.state import lay_out
from graph import find_workflow, open_engine
from graph.approval import Person
from graph.claude import ClaudeCode
from graph.claude.contract.place import Place
from graph.claude.contract.stub import StubServer
from graph.policy import Policy
from graph.settings import Settings, read
from graph.vault import scan
from graph.workflow import NoReply
from graph.workflows.linkcheck import question
from graph.workflows.linkcheck.by_claude import SCHEMA
from graph.workflows.linkcheck.collect import candidates

GOAL, SOON = 1.15, 1.0
ROUNDS, BATCHES, BATCH = 7, 10, 40
PROMPT = "Look at the links."
MEMBER = Person(id="bench", name="bench", surface="terminal", verified=False)
ITEM = {"id": "c1", "link": "Projct plan", "verdict": "missing-note", "reason": "Nobody wrote it."}


def binary() -> str | None:
    """The executable: RINGI_TEST_CLAUDE, else the pinned one of the tests."""
    path = Path(__file__).parents[1] / "tests" / "claude" / "install.py"
    spec = importlib.util.spec_from_file_location("ringi_bench_install", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = os.environ.get("RINGI_TEST_CLAUDE") or module.installed()
    return str(found) if found else None


@contextlib.contextmanager
def setting(claude: str) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="ringi-bench-") as root, StubServer() as stub:
        yield Place.make(Path(root).resolve(), claude, stub)


class Timed:
    """A wrapper that notes how long the bare command lives, so that what we add is told from its own moods."""

    def __init__(self, place: Place, scenario: str) -> None:
        settings = json.dumps({"env": {"ANTHROPIC_BASE_URL": place.stub.url(scenario)}})
        self._lives = place.root / f"lives-{scenario}"
        self.path = place.root / f"timed-{scenario}"
        run = f'{shlex.quote(place.binary)} --settings {shlex.quote(settings)} "$@"'
        log = f'echo "$1" "$begun" "$(date +%s%N)" >> {shlex.quote(str(self._lives))}'
        self.path.write_text(f"#!/bin/sh\nbegun=$(date +%s%N)\n{run}\ncode=$?\n{log}\nexit $code\n")
        self.path.chmod(0o755)

    def lives(self) -> list[tuple[str, float, float]]:
        """First argument, beginning (epoch seconds) and length of each."""
        if not self._lives.exists():
            return []
        rows = [line.split() for line in self._lives.read_text().splitlines()]
        return [(first, int(a) / 1e9, (int(b) - int(a)) / 1e9) for first, a, b in rows]


async def timed(work: Any) -> float:
    begun = time.perf_counter()
    reply = await work
    if isinstance(reply, NoReply):
        raise SystemExit(f"{reply.failure.kind}: {reply.failure.words}")
    return time.perf_counter() - begun


def against(what: str, ratio: float) -> Figure:
    return Figure(what, f"{ratio:.2f}×", f"≤ {GOAL}×", ratio <= GOAL)


async def one_call(place: Place, settings: Settings, wrapper: Timed) -> list[Figure]:
    """In turn a call that has to look at the login first, and one whose login is known."""
    folder = str(place.folder)
    first, known = [], []
    for _ in range(ROUNDS):
        claude = ClaudeCode(settings, place.environment())
        for ratios in (first, known):
            before = len(wrapper.lives())
            whole = await timed(claude.ask(PROMPT, SCHEMA, folder=folder, max_turns=90))
            ratios.append(whole / sum(life for _, _, life in wrapper.lives()[before:]))
    usual = statistics.median(life for first_word, _, life in wrapper.lives() if first_word == "-p")
    return [
        against(f"one call, wall, against the bare command in it ({usual:.2f} s)", statistics.median(known)),
        against("a first call, against its login check and the command", statistics.median(first)),
    ]


async def ten_batches(place: Place, claude: ClaudeCode, wrapper: Timed) -> list[Figure]:
    """What a draft of 400 links does: read the evidence, write the prompt, ask."""
    vault = place.root / "links"
    lay_out(vault, BATCHES * BATCH)
    found = candidates(scan(vault, "notes").findings)[: BATCHES * BATCH]
    await claude.ask(PROMPT, SCHEMA, folder=str(vault), max_turns=90)  # the login is known now
    held, before = _resident(), len(wrapper.lives())

    async def ask(batch: Sequence[Any]) -> NoReply | object:
        evidence = await asyncio.to_thread(question.gather, batch, vault, datetime.now(UTC).date())
        prompt = question.write(batch, evidence, language="en", folder="notes")
        return await claude.ask(prompt, SCHEMA, folder=str(vault / "notes"), max_turns=90)

    whole = sum([await timed(ask(found[at : at + BATCH])) for at in range(0, len(found), BATCH)])
    more = max(0, _resident() - held)
    lives = sum(life for _, _, life in wrapper.lives()[before:])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return [
        against(
            f"{BATCHES} batches of {BATCH} links, wall, against the bare commands in them", whole / lives
        ),
        against(f"memory in all, against the command's own ({peak / 1024:.0f} MiB)", (peak + more) / peak),
    ]


def _resident() -> int:
    """KiB this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


async def sent_back(place: Place) -> list[Figure]:
    """From the submission of a send back to the start of the child that carries its words."""
    vault = place.root / "vault"
    (vault / ".obsidian").mkdir()
    place.stub.script("judge", [{"structured": {"summary": "x", "items": [ITEM]}}])
    wrapper = Timed(place, "judge")
    over = {
        "vault": str(vault),
        "database": str(place.root / "run.sqlite"),
        "records": place.root / "records",
    }
    settings = read(Settings, {"RINGI_CLAUDE": str(wrapper.path)}, **over)
    workflow, waits = find_workflow("linkcheck"), []
    async with open_engine(settings, Policy(), claude=ClaudeCode(settings, place.environment())) as engine:
        run, _ = await engine.intake.start(
            workflow,
            workflow.read_input("daily", settings),
            source="bench",
            requester=MEMBER,
            language="en",
            zone="UTC",
            place=None,
        )
        for _ in range(5):
            await engine.settled(run.id)
            request = (await engine.store.requests(run.id))[-1]
            begun = time.time()
            await engine.intake.decide(request.id, request.revision, "send_back", MEMBER, "Again.")
            engine.wake(run.id)
            await engine.settled(run.id)
            waits.append([start for first, start, _ in wrapper.lives() if first == "-p"][-1] - begun)
    worst = max(waits)
    return [
        Figure(
            "send back submitted to Claude's start, worst of 5", f"{worst:.2f} s", f"< {SOON} s", worst < SOON
        )
    ]


async def measure() -> list[Figure]:
    claude = binary()
    if claude is None or sys.platform != "linux":
        print("claude: left out; .venv/bin/python tests/claude/install.py installs it", file=sys.stderr)
        return []
    with setting(claude) as place:
        wrapper = Timed(place, "ok")
        settings = read(
            Settings, {"RINGI_CLAUDE": str(wrapper.path)}, database=str(place.root / "state" / "ringi.sqlite")
        )
        figures = await one_call(place, settings, wrapper)
        figures += await ten_batches(place, ClaudeCode(settings, place.environment()), wrapper)
    with setting(claude) as place:
        return figures + await sent_back(place)
