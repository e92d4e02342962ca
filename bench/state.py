"""How large the state file grows for a run over 3,000 candidates, against those candidates as plain JSON."""

from __future__ import annotations

import json
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure
from graph import find_workflow, open_engine
from graph.approval import Person
from graph.policy import Policy
from graph.settings import Settings, read
from graph.vault import scan
from graph.workflow import Reply
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


class Obliging:
    """A model that calls everything a missing note, at once."""

    async def ask(self, prompt: str, _schema: object, **_: object) -> Reply:
        links = json.loads(re.search(r"```json\n(.*?)\n```", prompt, re.DOTALL)[1])
        items = [
            {
                "id": link["id"],
                "link": link["link"],
                "verdict": "missing-note",
                "reason": "Nobody wrote it yet.",
            }
            for link in links
        ]
        return Reply({"summary": "", "items": items}, {"calls": 1}, model="bench")


@dataclass(frozen=True, slots=True)
class Took:
    """A run from start to record: bytes of its state and of its candidates as JSON, seconds to question and record."""

    grown: int
    plain: int
    asked: float
    done: float


async def approve(links: int, drafter: str) -> Took:
    """Start a run over so many candidates, approve it once it asks, and see it through."""
    operator = Person(id="bench", name="bench", surface="terminal", verified=False)
    with tempfile.TemporaryDirectory() as place:
        vault, file = Path(place) / "vault", Path(place) / "state" / "ringi.sqlite"
        lay_out(vault, links)
        over = {"vault": vault, "database": str(file), "records": Path(place) / "records", "drafter": drafter}
        settings = read(Settings, {}, **over)
        found = [one.model_dump(mode="json") for one in candidates(scan(vault, "notes").findings)]
        plain = len(json.dumps(found, ensure_ascii=False).encode())
        workflow = find_workflow("linkcheck")
        begun = time.perf_counter()
        async with open_engine(settings, Policy(), claude=Obliging()) as engine:
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
            asked = time.perf_counter() - begun
            request = (await engine.store.requests(run.id))[-1]
            await engine.intake.decide(request.id, request.revision, "approve", operator, "")
            engine.wake(run.id)
            run = await engine.settled(run.id)
            done = time.perf_counter() - begun
        if run.state != "done":
            raise RuntimeError(f"the run is {run.state}")
        return Took(file.stat().st_size - empty, plain, asked, done)


async def measure() -> list[Figure]:
    small = await approve(1_000, "rules")
    figures = [Figure("1,000 candidates from start to record, rules", f"{small.done:.1f} s")]
    for drafter in ("rules", "claude"):
        took = await approve(CANDIDATES, drafter)
        ratio = took.grown / took.plain
        size = f"their JSON ({took.plain / 1e6:.1f} MB)"
        figures.append(
            Figure(
                f"state of an approved run, {CANDIDATES:,} candidates, {drafter}, against {size}",
                f"{ratio:.1f}×",
                f"≤ {GOAL:.0f}×",
                ratio <= GOAL,
            )
        )
        if drafter == "rules":
            figures.append(
                Figure(f"{CANDIDATES:,} candidates from start to question, rules", f"{took.asked:.1f} s")
            )
    return figures
