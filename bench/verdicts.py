"""How right verdicts are, on a labelled set of our own: `bench/labelled/`, English and Japanese.

    python -m bench.verdicts                  the rules; free, at once
    python -m bench.verdicts --claude         Claude, on your login; says how many calls it makes, then asks
    python -m bench.verdicts --wrong          also every verdict that differs from its label

The rules were improved against `links.txt`; `held_out.txt` was written afterwards and tells how they do elsewhere.

The vault is laid out anew each time, so all notes have today's date.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graph.approval import Person, Run
from graph.claude import ClaudeCode
from graph.settings import Settings, read
from graph.vault import scan
from graph.workflow import Context
from graph.workflows.linkcheck import by_claude, by_rules
from graph.workflows.linkcheck.collect import candidates
from graph.workflows.linkcheck.judged import Judged, NotJudged, Verdict
from graph.workflows.linkcheck.state import Candidate

HERE = Path(__file__).parent / "labelled"
VERDICTS = ("typo", "missing-note", "ignore")
NONE = "no verdict"


@dataclass(frozen=True, slots=True)
class Label:
    """What a person says about the links of one line.

    Attributes:
        kind: why it is in the set (`slip`, `date` …).
        to: the note meant, of a typo.
        language: of the note.
        held_out: written after the rules were settled, and never used to improve them.
    """

    kind: str
    verdict: str
    to: str | None
    text: str
    language: str
    held_out: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate, its label and the verdict it got."""

    candidate: Candidate
    label: Label
    verdict: Verdict | None

    @property
    def said(self) -> str:
        return self.verdict.verdict if self.verdict else NONE

    @property
    def right(self) -> bool:
        """Tell whether verdict and, of a typo, target are those of the label."""
        return self.said == self.label.verdict and (
            self.label.to is None or (self.verdict is not None and self.verdict.to == self.label.to)
        )


def rows(name: str) -> list[str]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def lay_out(vault: Path) -> dict[tuple[str, int], Label]:
    """Write the vault; returns the label of each line that has one, by note and line."""
    (vault / ".obsidian").mkdir(parents=True)
    notes: dict[str, list[str]] = {name: ["A note.", ""] for name in rows("notes.txt")}
    labels: dict[tuple[str, int], Label] = {}
    for row, held_out in [
        (r, name == "held_out.txt") for name in ("links.txt", "held_out.txt") for r in rows(name)
    ]:
        kind, verdict, to, note, text = (part.strip() for part in row.split(" | ", 4))
        lines = notes.setdefault(note, [])
        shown = text.split("⏎")
        at = len(lines) + next(n for n, line in enumerate(shown, 1) if "[[" in line)
        language = "en" if note.isascii() else "ja"
        labels[f"{note}.md", at] = Label(kind, verdict, None if to == "-" else to, text, language, held_out)
        lines += [*shown, "", ""]
    for name, lines in notes.items():
        file = vault / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return labels


def labelled(vault: Path) -> list[tuple[Candidate, Label]]:
    """Lay the set out and return each candidate that the scan finds, with its label."""
    labels = lay_out(vault)
    found = candidates(scan(vault, ".").findings)
    pairs = [(one, labels[one.places[0].file, one.places[0].line]) for one in found]
    seen = {(place.file, place.line) for one in found for place in one.places}
    lost = [label.text for at, label in labels.items() if at not in seen]
    if lost:
        raise SystemExit("The scan finds no broken link in: " + "; ".join(lost))
    return pairs


def run_of(vault: Path, language: Any) -> Run:
    now = datetime.now(UTC)
    return Run(
        id="00000000-0000-4000-8000-000000000000",
        source="terminal:bench",
        workflow="linkcheck",
        version=1,
        input={"vault": str(vault), "folder": "."},
        requester=Person(id="bench", name="bench", surface="terminal", verified=False),
        language=language,
        zone="UTC",
        place=None,
        state="running",
        created=now,
        changed=now,
    )


async def judge(
    pairs: Sequence[tuple[Candidate, Label]], vault: Path, settings: Settings, *, claude: bool
) -> tuple[list[Compared], Counter[str]]:
    """Judge everything, a batch a call; returns what came of it and what it cost."""
    drafter = by_claude.judge if claude else by_rules.judge
    component = ClaudeCode(settings)
    context = Context(run_of(vault, "en"), settings, component, report=lambda _: None)
    verdicts: dict[str, Verdict] = {}
    cost: Counter[str] = Counter()
    for begin in range(0, len(pairs), settings.batch):
        batch = [candidate for candidate, _ in pairs[begin : begin + settings.batch]]
        answer: Judged | NotJudged = await drafter(batch, context, folder=vault, instructions=(), earlier={})
        if isinstance(answer, NotJudged):
            raise SystemExit(f"Claude stopped ({answer.failure.kind}): {answer.failure.words}")
        verdicts |= {verdict.id: verdict for verdict in answer.verdicts}
        cost.update(answer.facts)
    return [Compared(one, label, verdicts.get(one.id)) for one, label in pairs], cost


def matrix(compared: Sequence[Compared]) -> str:
    """Return the confusion matrix, and how right each kind is, as Markdown tables."""
    said = [*VERDICTS, *([NONE] if any(c.verdict is None for c in compared) else [])]
    counts = Counter((c.label.verdict, c.said) for c in compared)
    lines = [f"| label ↓ said → | {' | '.join(said)} | right |", "| --- |" + " ---: |" * (len(said) + 1)]
    for label in VERDICTS:
        all_of_it = sum(counts[label, word] for word in said)
        cells = " | ".join(str(counts[label, word]) for word in said)
        lines.append(f"| {label} ({all_of_it}) | {cells} | {percent(counts[label, label], all_of_it)} |")
    lines += ["", "| kind | links | right, English | right, Japanese |", "| --- | ---: | ---: | ---: |"]
    for kind in dict.fromkeys(c.label.kind for c in compared):
        of_kind = [c for c in compared if c.label.kind == kind]
        parts = [[c for c in of_kind if c.label.language == language] for language in ("en", "ja")]
        shares = " | ".join(percent(sum(c.right for c in part), len(part)) for part in parts)
        lines.append(f"| {kind} | {len(of_kind)} | {shares} |")
    for held_out, which in ((False, "The set"), (True, "Held out")):
        part = [c for c in compared if c.label.held_out is held_out]
        right = sum(c.right for c in part)
        share = percent(right, len(part))
        lines += ["", f"{which}: {right} of {len(part)} right ({share}), target of typos included."]
    return "\n".join(lines)


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def wrong(compared: Sequence[Compared]) -> str:
    lines = []
    for one in compared:
        if not one.right:
            meant = " → ".join(filter(None, (one.label.verdict, one.label.to)))
            said = " → ".join(filter(None, (one.said, one.verdict.to if one.verdict else None)))
            reason = one.verdict.reason if one.verdict else ""
            lines.append(f"{one.label.kind}: {one.candidate.label} is {meant}; said {said}: {reason}")
    return "\n".join(lines)


def agreed(calls: int, *, yes: bool) -> bool:
    """Say what is about to be spent and ask, unless it was agreed to on the command line."""
    print(f"This makes {calls} calls to Claude on your login; they count towards your plan.", file=sys.stderr)
    if yes:
        return True
    if not sys.stdin.isatty():
        print("Say --yes to make them.", file=sys.stderr)
        return False
    return input("Make them? [y/N] ").strip().lower() in {"y", "yes"}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.verdicts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--claude", action="store_true", help="ask Claude instead of the rules")
    parser.add_argument("--yes", action="store_true", help="make the calls without asking")
    parser.add_argument("--wrong", action="store_true", help="list what differs from its label")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ringi-verdicts-") as place:
        vault = Path(place).resolve() / "vault"
        settings = read(
            Settings, os.environ, database=str(Path(place) / "state" / "ringi.sqlite"), vault=place
        )
        pairs = labelled(vault)
        calls = -(-len(pairs) // settings.batch)
        if chosen.claude and not agreed(calls, yes=chosen.yes):
            return 2
        compared, cost = asyncio.run(judge(pairs, vault, settings, claude=chosen.claude))
    print(matrix(compared))
    if chosen.claude:
        price = cost["list_price"] / 1_000_000
        print(f"\n{cost['calls']} calls, {cost['turns']} turns, ${price:.2f} at list price, an estimate.")
    if chosen.wrong:
        print(f"\n{wrong(compared)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
