"""How large the state file grows for a run over 3,000 candidates, against those candidates as plain JSON."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from bench.figures import Figure
from graph import find_workflow, open_engine
from graph.approval import Person, Policy
from graph.settings import Settings, read
from graph.store import Store
from graph.vault import scan
from graph.workflows.linkcheck.collect import candidates

CANDIDATES = 3_000
GOAL = 10.0
WORDS = [
    "budget",
    "garden",
    "invoice",
    "kitchen",
    "letter",
    "market",
    "orchard",
    "printer",
    "quarter",
    "reading",
    "summary",
    "travel",
    "window",
]


def lay_out(vault: Path, links: int = CANDIDATES) -> None:
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "notes").mkdir()
    for number in range(links // 10):
        word, other = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
        (vault / f"{word} {other} {number}.md").write_text("# A note\n")
        lines = [
            f"On day {day} the {word} was about [[{word} {other}s {number}-{day}]] and nothing else.\n"
            for day in range(10)
        ]
        (vault / "notes" / f"{number:03}.md").write_text("".join(lines))


async def measure() -> list[Figure]:
    operator = Person(id="bench", name="bench", surface="terminal", verified=False)
    with tempfile.TemporaryDirectory() as place:
        vault, file = Path(place) / "vault", Path(place) / "state" / "ringi.sqlite"
        lay_out(vault)
        settings = read(
            Settings,
            {},
            vault=vault,
            database=str(file),
            records=Path(place) / "records",
            drafter="rules",
        )
        plain = json.dumps(
            [one.model_dump(mode="json") for one in candidates(scan(vault, "notes").findings)],
            ensure_ascii=False,
        )
        workflow = find_workflow("linkcheck")
        begun = time.perf_counter()
        async with open_engine(settings, Policy()) as engine:
            empty = file.stat().st_size
            run, _ = await engine.intake.start(
                workflow,
                workflow.read_input("notes", settings),
                source="bench",
                requester=operator,
                language="en",
                zone="UTC",
                place=None,
            )
            await engine.settled(run.id)
            waited = time.perf_counter() - begun
            request = await _open_request(engine.store, run.id)
            await engine.intake.decide(request.id, request.revision, "approve", operator, "")
            engine.wake(run.id)
            run = await engine.settled(run.id)
        grown = file.stat().st_size - empty
    ratio = grown / len(plain.encode())
    if run.state != "done":
        raise RuntimeError(f"the run is {run.state}")
    return [
        Figure(
            f"state of an approved run, {CANDIDATES:,} candidates, against their JSON ({len(plain) / 1e6:.1f} MB)",
            f"{ratio:.1f}×",
            f"≤ {GOAL:.0f}×",
            ratio <= GOAL,
        ),
        Figure(f"{CANDIDATES:,} candidates from start to question, rules", f"{waited:.1f} s"),
    ]


async def _open_request(store: Store, run_id: str) -> object:
    return (await store.requests(run_id))[-1]
