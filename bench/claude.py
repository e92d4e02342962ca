"""What our side of a call to Claude costs beside the bare command: against the stub, in one run, one after the other."""

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
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.figures import Figure
from bench.state import lay_out
from graph import find_workflow, open_engine
from graph.approval import Person, Policy
from graph.claude import ClaudeCode
from graph.claude.child import child_environment
from graph.claude.contract.place import Place
from graph.claude.contract.stub import StubServer
from graph.claude.options import arguments
from graph.settings import Settings, read
from graph.vault import scan
from graph.workflow import NoReply
from graph.workflows.linkcheck import question
from graph.workflows.linkcheck.by_claude import SCHEMA
from graph.workflows.linkcheck.collect import candidates

GOAL, SOON = 1.15, 1.0
ROUNDS, BATCHES, BATCH = 7, 10, 40
MEMBER = Person(id="bench", name="bench", surface="terminal", verified=False)
LOGIN = ("--restricted", "auth", "status")


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


async def bare(place: Place, wrapper: str, prompt: str) -> None:
    """The same command line, read to its end and not looked at."""
    environment = child_environment(place.environment(), temporary=str(place.root))
    await _run((wrapper, *arguments(SCHEMA, 90, str(uuid.uuid4()), None)), place.folder, environment, prompt)


async def _run(command: Sequence[str], folder: Path, environment: dict[str, str], given: str) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, limit=1 << 24
    )
    await process.communicate(given.encode())


async def timed(work: Any) -> float:
    begun = time.perf_counter()
    reply = await work
    if isinstance(reply, NoReply):
        raise SystemExit(f"{reply.failure.kind}: {reply.failure.words}")
    return time.perf_counter() - begun


async def one_call(place: Place, claude: ClaudeCode, wrapper: str) -> list[Figure]:
    """Alternate, so that the machine's moods fall on both."""
    prompt, folder = "Look at the links.", str(place.folder)
    await claude.ask(prompt, SCHEMA, folder=folder, max_turns=90)
    theirs, ours, check = [], [], []
    environment = child_environment(place.environment(), temporary=str(place.root))
    for _ in range(ROUNDS):
        theirs.append(await timed(bare(place, wrapper, prompt)))
        ours.append(await timed(claude.ask(prompt, SCHEMA, folder=folder, max_turns=90)))
        check.append(await timed(_run((wrapper, *LOGIN), place.folder, environment, "")))
    first = []
    for _ in range(ROUNDS):
        fresh = ClaudeCode(claude._settings, place.environment())  # noqa: SLF001 - one that has not asked for the login yet
        first.append(await timed(fresh.ask(prompt, SCHEMA, folder=folder, max_turns=90)))
    a, b, c, d = (statistics.median(times) for times in (theirs, ours, check, first))
    return [
        against(f"one call to Claude, wall, against the bare command ({a:.2f} s)", b / a),
        against(f"the first call, with its login check ({c:.2f} s bare), against both bare", d / (a + c)),
    ]


async def ten_batches(place: Place, claude: ClaudeCode, wrapper: str) -> list[Figure]:
    """What a draft of 400 links does: read the evidence, write the prompt, ask; the bare command gets the same words."""
    vault = place.root / "links"
    lay_out(vault, BATCHES * BATCH)
    found = candidates(scan(vault, "notes").findings)[: BATCHES * BATCH]
    batches = [found[at : at + BATCH] for at in range(0, len(found), BATCH)]
    prompts: list[str] = []
    before = _resident()

    async def ask_ours() -> None:
        for batch in batches:
            evidence = await asyncio.to_thread(question.gather, batch, vault, datetime.now(UTC).date())
            prompts.append(question.write(batch, evidence, language="en", folder="notes"))
            await claude.ask(prompts[-1], SCHEMA, folder=str(vault / "notes"), max_turns=90)

    async def ask_bare() -> None:
        for prompt in prompts[:BATCHES]:
            await bare(place, wrapper, prompt)

    ours = await timed(ask_ours())
    more = max(0, _resident() - before)
    theirs = await timed(ask_bare())
    again = await timed(ask_ours())
    both = await timed(ask_bare())
    wall = (ours + again) / (theirs + both)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return [
        against(f"{BATCHES} batches of {BATCH}, wall, against the bare command with the same words", wall),
        against(f"memory beside the command's own ({peak / 1024:.0f} MiB)", (peak + more) / peak),
    ]


def _resident() -> int:
    """KiB this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


def against(what: str, ratio: float) -> Figure:
    return Figure(what, f"{ratio:.2f}×", f"≤ {GOAL}×", ratio <= GOAL)


async def sent_back(place: Place) -> list[Figure]:
    """From the submission of a send back to the start of the child that carries its words."""
    vault, starts = place.root / "vault", place.root / "starts"
    (vault / ".obsidian").mkdir()
    place.stub.script("judge", [{"structured": {"summary": "x", "items": [_item()]}}])
    settings = json.dumps({"env": {"ANTHROPIC_BASE_URL": place.stub.url("judge")}})
    wrapper = place.root / "noting"
    note = f'case " $* " in *" -p "*) date +%s%N >> {shlex.quote(str(starts))} ;; esac'
    run_it = f'exec {shlex.quote(place.binary)} --settings {shlex.quote(settings)} "$@"'
    wrapper.write_text(f"#!/bin/sh\n{note}\n{run_it}\n")
    wrapper.chmod(0o755)
    over = {
        "vault": str(vault),
        "database": str(place.root / "run.sqlite"),
        "records": place.root / "records",
    }
    own = read(Settings, {"RINGI_CLAUDE": str(wrapper)}, **over)
    workflow, waits = find_workflow("linkcheck"), []
    async with open_engine(own, Policy(), claude=ClaudeCode(own, place.environment())) as engine:
        run, _ = await engine.intake.start(
            workflow,
            workflow.read_input("daily", own),
            source="bench",
            requester=MEMBER,
            language="en",
            zone="UTC",
            place=None,
        )
        for _ in range(5):
            await engine.settled(run.id)
            request = (await engine.store.requests(run.id))[-1]
            begun = time.time_ns()
            await engine.intake.decide(request.id, request.revision, "send_back", MEMBER, "Again.")
            engine.wake(run.id)
            await engine.settled(run.id)
            waits.append((int(starts.read_text().split()[-1]) - begun) / 1e9)
    worst = max(waits)
    return [
        Figure(
            "send back submitted to Claude's start, worst of 5", f"{worst:.2f} s", f"< {SOON} s", worst < SOON
        )
    ]


def _item() -> dict[str, str]:
    return {"id": "c1", "link": "Projct plan", "verdict": "missing-note", "reason": "Nobody wrote it."}


async def measure() -> list[Figure]:
    claude = binary()
    if claude is None or sys.platform != "linux":
        print("claude: left out; .venv/bin/python tests/claude/install.py installs it", file=sys.stderr)
        return []
    with setting(claude) as place:
        component = place.claude("ok")
        wrapper = component._settings.claude  # noqa: SLF001 - the wrapper just made
        figures = await one_call(place, component, wrapper)
        figures += await ten_batches(place, component, wrapper)
    with setting(claude) as place:
        return figures + await sent_back(place)
