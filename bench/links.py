"""`ringi links` beside the floor: a fresh process that walks once, reads every note with two processes and forgets the bytes.

`python -m bench.links --notes 1000 10000 100000 --pairs 9` measures large vaults; `--peers FOLDER` also the other
tools that are installed in `FOLDER/bin`. All ratios are of whole commands, start included, in alternating pairs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bench import make_vault
from bench.figures import Figure, table
from bench.links_peers import PEERS, Peer, pair

HEALTHY = ("--broken", "0.001", "--decoys", "0.01")
VAULTS = {"healthy": HEALTHY, "harsh": ()}
GOALS = {"healthy": 2.5, "harsh": 4.0}
TIMES = {"healthy": 6, "harsh": 3}  # faster than the fastest peer that reads wikilinks
GROWN = 100_000  # notes from which on the goals are set
MOST_MEMORY = 150

FLOOR = """
import os, sys
files, todo = [], [sys.argv[1]]
while todo:
    with os.scandir(todo.pop()) as entries:
        for entry in entries:
            if entry.name[0] == ".":
                continue
            if entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)
            elif entry.name.endswith(".md") and entry.path.startswith(sys.argv[2]):
                files.append(entry.path)
child = os.fork()
for path in files[child == 0 :: 2]:
    handle = os.open(path, os.O_RDONLY)
    while len(os.read(handle, 65536)) == 65536:
        pass
    os.close(handle)
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
"""
# Linux counts to a process what the one that started it held by then, so a small one starts it.
STARTER = """
import json, os, sys, time
begun = time.perf_counter()
child = os.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
_, _, used = os.wait4(child, 0)
took = time.perf_counter() - begun
os.write(int(sys.argv[1]), json.dumps([took, used.ru_utime + used.ru_stime, used.ru_maxrss]).encode())
"""
BARE = "import typer, pyromark, yaml, rapidfuzz\napp = typer.Typer()\napp.command()(lambda: None)\napp()\n"
CDIST = """
import json, sys, time
import numpy
from rapidfuzz import process
from rapidfuzz.fuzz import ratio
from graph.vault.fold import fold_all
from graph.vault.names import Names
from graph.vault.nearby import Book, stem
from graph.vault.tree import walk
from pathlib import Path
names = Names(walk(Path(sys.argv[1])).places)
targets = json.loads(sys.stdin.read())
begun = time.process_time()
Book(names).near_names(targets)
ours = time.process_time() - begun
choices = sorted(set(fold_all(map(stem, names.stored))))
wanted = sorted(set(fold_all(map(stem, targets))))
begun = time.process_time()
for at in range(0, len(wanted), 64):
    process.cdist(wanted[at : at + 64], choices, scorer=ratio, score_cutoff=75)
print(json.dumps([len(wanted), len(choices), ours, time.process_time() - begun]))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took: seconds, and of its largest process the memory in MiB."""

    wall: float
    cpu: float
    memory: float


def cost(command: list[str], out: Path | None = None) -> Cost:
    """Run a whole command."""
    with (out or Path(os.devnull)).open("wb") as file, tempfile.TemporaryFile("w+") as told:
        starter = [sys.executable, "-I", "-S", "-c", STARTER, str(told.fileno()), *command]
        subprocess.run(
            starter,
            stdout=file,
            stderr=subprocess.DEVNULL,
            env=environment(),
            pass_fds=[told.fileno()],
            check=True,
        )
        told.seek(0)
        wall, processor, memory = json.load(told)
    return Cost(wall, processor, memory / (1 << 20 if sys.platform == "darwin" else 1 << 10))


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("RINGI_")}


def pairs(one: list[str], other: list[str], times: int) -> list[tuple[Cost, Cost]]:
    """Run two commands in turn."""
    return [(cost(one), cost(other)) for _ in range(times)]


def ratio(measured: list[tuple[Cost, Cost]], what: str = "wall") -> float:
    return statistics.median(getattr(a, what) / getattr(b, what) for a, b in measured)


def median(measured: list[tuple[Cost, Cost]], which: int, what: str) -> float:
    return statistics.median(getattr(pair[which], what) for pair in measured)


def ringi(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from bot.cli import main; main()", *arguments]


def floor(vault: Path, folder: str = "") -> list[str]:
    return [sys.executable, "-c", FLOOR, str(vault), str(vault / folder)]


def shared_memory(command: list[str]) -> float | None:
    """Return the most memory all processes of a command held at once, MiB, what they share counted once; on Linux."""
    if not Path("/proc/self/smaps_rollup").exists():
        return None
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment())
    most = 0
    done = threading.Event()
    while process.poll() is None and not done.wait(0.05):
        most = max(most, sum(map(_held, _family(process.pid))))
    return most / 1024


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(member for child in children for member in _family(int(child)))]


def _held(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def found(vault: Path, out: Path) -> Counter[tuple[str, int, str]]:
    """Return what our command says."""
    cost(ringi("links", str(vault), "--format", "json"), out)
    findings = json.loads(out.read_text(encoding="utf-8"))["findings"]
    return Counter((f["file"], f["line"], f["target"]) for f in findings)


def truth(vault: Path) -> list[dict[str, str]]:
    """Return what is broken, as the generator says."""
    lines = vault.with_name(vault.name + ".truth.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def make(place: Path, kind: str, notes: int) -> Path:
    vault = place / f"{kind}-{notes}"
    if not vault.exists():
        with contextlib.redirect_stdout(sys.stderr):
            make_vault.main([str(vault), "--notes", str(notes), *VAULTS[kind]])
    return vault


def whole(vault: Path, kind: str, notes: int, times: int) -> tuple[list[Figure], float]:
    """Measure a whole vault; also return the seconds of processor time of the median run."""
    is_wanted = Counter((b["file"], int(b["line"]), b["target"]) for b in truth(vault))
    is_found = found(vault, vault.with_name("found.json"))
    missed, invented = (is_wanted - is_found).total(), (is_found - is_wanted).total()
    measured = pairs(ringi("links", str(vault), "--format", "json"), floor(vault), times)
    by = ratio(measured)
    held = shared_memory(ringi("links", str(vault), "--format", "json"))
    of = f"{notes:,} {kind} notes"
    large = notes >= GROWN
    figures = [
        Figure(f"{of}: missed / invented", f"{missed} / {invented}", "0 / 0", not missed + invented),
        Figure(
            f"{of}: wall against the floor, median of {times} pairs",
            f"{by:.1f}× ({median(measured, 0, 'wall'):.2f} / {median(measured, 1, 'wall'):.2f} s)",
            f"≤ {GOALS[kind]}×" if large else "–",
            by <= GOALS[kind] if large else None,
        ),
        Figure(
            f"{of}: processor time against the floor",
            f"{ratio(measured, 'cpu'):.1f}× ({median(measured, 0, 'cpu'):.2f} / {median(measured, 1, 'cpu'):.2f} s)",
        ),
        Figure(
            f"{of}: memory of the larger process; of both, shared pages once",
            f"{median(measured, 0, 'memory'):.0f} MiB; {f'{held:.0f} MiB' if held else 'not known here'}",
            f"< {MOST_MEMORY} MiB",
            max(median(measured, 0, "memory"), held or 0) < MOST_MEMORY,
        ),
    ]
    return figures, median(measured, 0, "cpu")


def one_folder(vault: Path, notes: int, times: int) -> Figure:
    """Measure the largest folder of the vault's root, which is never more than a part."""
    tops = [path for path in vault.iterdir() if path.is_dir() and not path.name.startswith(".")]
    sizes = {path: sum(1 for _ in path.rglob("*.md")) for path in tops}
    folder = sorted(tops, key=lambda path: (sizes[path], path.name))[len(tops) // 2]
    arguments = ("links", str(folder.resolve()), "--format", "json")
    by = ratio(measured := pairs(ringi(*arguments), floor(vault, folder.name + "/"), times))
    return Figure(
        f"one folder of {sizes[folder]:,} notes in {notes:,}: wall against the walk and that folder",
        f"{by:.1f}× ({median(measured, 0, 'wall'):.2f} / {median(measured, 1, 'wall'):.2f} s); "
        f"processor {ratio(measured, 'cpu'):.1f}× ({median(measured, 0, 'cpu'):.2f} / {median(measured, 1, 'cpu'):.2f} s)",
        "≤ 2×" if notes >= GROWN else "–",
        by <= 2 if notes >= GROWN else None,
    )


def near_names(vault: Path, notes: int, most: int = 1000) -> Figure:
    targets = list(dict.fromkeys(b["target"] for b in truth(vault)))[:most]
    command = [sys.executable, "-c", CDIST, str(vault)]
    done = subprocess.run(command, input=json.dumps(targets), capture_output=True, text=True, check=True)
    asked, among, ours, cdist = json.loads(done.stdout)
    return Figure(
        f"near names, {asked:,} against {among:,}: processor time against one `cdist` pass",
        f"{ours / cdist:.2f}× ({ours:.2f} / {cdist:.2f} s)",
        "< 3×" if notes >= GROWN else "–",
        ours < 3 * cdist if notes >= GROWN else None,
    )


def start_up(place: Path, times: int) -> list[Figure]:
    ten = make(place, "healthy", 10)
    bare = [sys.executable, "-c", BARE]
    figures = []
    for what, command, most in (
        ("`ringi --help`", ringi("--help"), 2.0),
        ("`ringi links` on ten notes", ringi("links", str(ten)), 1.5),
    ):
        by = ratio(measured := pairs(command, bare, times))
        value = (
            f"{by:.2f}× ({median(measured, 0, 'wall'):.2f} / {median(measured, 1, 'wall'):.2f} s); "
            f"processor {ratio(measured, 'cpu'):.2f}×"
        )
        figures.append(
            Figure(
                f"start: {what} against an empty command that imports the same",
                value,
                f"≤ {most}×",
                by <= most,
            )
        )
    return figures


def peer(tool: Peer, programs: Path, vault: Path, of: str) -> tuple[Figure, Cost | None]:
    """Run another tool once, and hold what it says against the generator's list."""
    program = programs / tool.program
    if not program.exists():
        return Figure(f"{of}: {tool.name}", f"not measured, for {program} is not there"), None
    out = vault.with_name("peer.out")
    took = cost(tool.command(str(program), vault), out)
    wanted = {pair(b["file"], b["target"], vault) for b in truth(vault)}
    says = tool.read(out.read_text(encoding="utf-8", errors="replace"), vault)
    value = f"{took.wall:.1f} s, {took.cpu:.1f} s of processor, {took.memory:.0f} MiB"
    return Figure(
        f"{of}: {tool.name}; missed / invented", f"{value}; {len(wanted - says)} / {len(says - wanted)}"
    ), took


def peers(programs: Path, vault: Path, kind: str, notes: int) -> list[Figure]:
    """Run the other tools in turn, and ourselves beside the fastest that reads wikilinks."""
    of = f"{notes:,} {kind} notes"
    rows, took = [], {}
    for tool in PEERS:
        row, cost_of = peer(tool, programs, vault, of)
        rows.append(row)
        if cost_of and tool.wikilinks:
            took[tool] = cost_of
    if took:
        fastest = min(took, key=lambda tool: took[tool].wall)
        theirs = fastest.command(str(programs / fastest.program), vault)
        measured = pairs(theirs, ringi("links", str(vault), "--format", "json"), 3)
        by, processor = ratio(measured), ratio(measured, "cpu")
        goal = TIMES[kind] if notes >= GROWN else None
        rows.append(
            Figure(
                f"{of}: {fastest.name}, the fastest that reads wikilinks, against ours: wall; processor",
                f"{by:.1f}×; {processor:.1f}×",
                f"≥ {goal}×" if goal else "–",
                by >= goal if goal else None,
            )
        )
    return rows


def figures(sizes: list[int], times: int, programs: Path | None, place: Path) -> list[Figure]:
    rows = []
    for kind in VAULTS:
        seconds = {}
        for notes in sizes:
            vault = make(place, kind, notes)
            more, seconds[notes] = whole(vault, kind, notes, times)
            rows += more
            if programs:
                rows += peers(programs / "bin", vault, kind, notes)
        if len(sizes) > 1:
            few, many = sorted(sizes)[-2:]
            growth = seconds[many] / seconds[few]
            rows.append(
                Figure(
                    f"{kind}: processor time from {few:,} to {many:,} notes",
                    f"{growth:.1f}×",
                    f"≤ {many / few:.0f}×",
                    growth <= many / few,
                )
            )
    rows.append(one_folder(make(place, "healthy", max(sizes)), max(sizes), times))
    rows.append(near_names(make(place, "harsh", max(sizes)), max(sizes)))
    return rows + start_up(place, 2 * times + 1)


async def measure() -> list[Figure]:
    """Measure vaults that are quickly made; the goals are about larger ones."""
    place = Path(tempfile.mkdtemp(prefix="ringi-links-"))
    try:
        return figures([1000, 10_000], 5, None, place)
    finally:
        shutil.rmtree(place)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.links", description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="a virtual environment with other tools")
    parser.add_argument("--vaults", type=Path, metavar="FOLDER", help="where vaults are made, or were")
    given = parser.parse_args()
    place = given.vaults or Path(tempfile.mkdtemp(prefix="ringi-links-"))
    place.mkdir(exist_ok=True)
    try:
        print(table(figures(given.notes, given.pairs, given.peers, place)))
    finally:
        if not given.vaults:
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
