"""Kill the real bot wherever it can be killed, start it again, and see what is left.

A run of one scenario is lived once without harm, to learn its boundaries. Then, for each of them, another town with
its own local Slack, vault and database lives the same, and there the bot dies; `--random` instead kills it twice, at
boundaries drawn by lot. Bots are forked from a process that has imported everything and opened nothing, for a cold
start takes seconds; one in twenty starts cold.

usage: kills.py --help
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import re
import secrets
import shutil
import sys
import tempfile
import time
import traceback
from contextlib import nullcontext, suppress
from pathlib import Path

from boundaries import HARMS
from left import settled, wrong_with
from mutants import MUTANTS
from people import SCENARIOS, People, Wrong
from town import Cold, Cradle, Town, a_database, die_with_parent, small_disk

from graph.runtime import open_store

COLD = 20  #: one in so many starts cold
SECOND = 120  #: the second of two kills falls within so many boundaries


async def lived(town, scenario):
    """Let people live through a scenario in a town, until all is quiet and the bot has ended by itself."""
    people = People(town)
    await people.meet()
    await SCENARIOS[scenario](people)
    while town.lives[-1:] != [0]:
        life = town.life
        async with open_store(town.settings) as store:
            while town.life == life and not await settled(store):  # noqa: ASYNC110 - another process writes
                await asyncio.sleep(0.02)
        if town.life == life:
            await town.up()
            town.end()
            while town.life == life:  # noqa: ASYNC110 - another process ends
                await asyncio.sleep(0.005)


async def one_town(base, args, cradle, kills, *, cold=False):
    """Live once with these kills; return what is wrong, how its lives ended and what the first one crossed."""
    home = Path(tempfile.mkdtemp(dir=base))
    begun = time.monotonic()
    disk = small_disk(home / "state") if args.harm == "full" else nullcontext()
    with disk, args.fresh(home) as database:
        town = Town(home, database, Cold() if cold else cradle, kills, args)
        wrong = await _until_quiet(town, args)
    crossed = [_lines(home / f"crossed.{number}") for number in range(len(town.lives))]
    steps = [name for names in crossed for name in names if re.fullmatch("step:.*:before", name)]
    result = {
        "wrong": wrong,
        "lives": town.lives,
        "died": _lines(home / "harmed"),
        "crossed": crossed[0] if crossed else [],
        "steps": len(steps),
        "seconds": round(time.monotonic() - begun, 2),
    }
    if wrong:
        result["log"] = "".join(_lines(home / "bot.log", keep=True)[-40:])
    shutil.rmtree(home, ignore_errors=True)
    return result


async def _until_quiet(town, args):
    """Let a town live; return what is wrong with it in the end."""
    async with town.slack:
        keeping = asyncio.create_task(town.keep_alive())
        living = asyncio.create_task(lived(town, args.scenario))
        done, late = await asyncio.wait(
            {keeping, living}, timeout=args.patience, return_when="FIRST_EXCEPTION"
        )
        wrong = [_sentence(task.exception()) for task in done if task.exception()]
        wrong += [f"lost: it took more than {args.patience} s"] if late and not wrong else []
        living.cancel()
        town.end(at_once=True)
        await asyncio.wait({living, keeping})
        with suppress(Exception if wrong else ()):  # what is left of a town that went wrong may be anything
            wrong += await wrong_with(town, args.scenario)
    return wrong


def _sentence(error):
    return str(error) if isinstance(error, Wrong) else f"lost: {error!r}"


def _lines(path, *, keep=False):
    return path.read_text().splitlines(keepends=keep) if path.exists() else []


def numbered(names):
    """Name each boundary by its name and the how manyth of that name it is."""
    seen, boundaries = {}, []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        boundaries.append([name, seen[name]])
    return boundaries


def at_work(args, base, tasks, tell):
    """Be one of the processes that live through towns, one after the other; `tell` what came of each."""
    die_with_parent()
    cradle = Cradle()

    async def work():
        for number, kills, cold in tasks:
            if (base / "enough").exists():
                return
            result = await one_town(base, args, cradle, kills, cold=cold)
            if kills and len(kills) == 1 and not result["died"] and not result["wrong"]:
                result = await one_town(
                    base, args, cradle, kills, cold=cold
                )  # not every life crosses the same
            tell(result | {"number": number, "kills": kills, "cold": cold})
            if result["wrong"] and args.first:
                (base / "enough").touch()

    asyncio.run(work())
    cradle.close()


def share(args, base, tasks):
    """Live through towns in several processes at once; yield what came of each as it comes."""
    results = multiprocessing.get_context("fork").SimpleQueue()
    workers = []
    for worker in range(min(args.jobs, len(tasks))):
        pid = os.fork()
        if pid == 0:
            try:
                at_work(args, base, tasks[worker :: args.jobs], results.put)
            except BaseException:  # noqa: BLE001 - a child ends here, whatever happened
                traceback.print_exc()
            finally:
                results.put(None)
                os._exit(0)
        workers.append(pid)
    at_rest = 0
    while at_rest < len(workers):
        result = results.get()
        at_rest += result is None
        if result is not None:
            yield result
    for pid in workers:
        os.waitpid(pid, 0)


def main():
    args = _arguments()
    args.seed = _seed(args)
    with tempfile.TemporaryDirectory() as folder, a_database(args.database) as args.fresh:
        (whole,) = list(share(args, Path(folder), [(0, [], False)]))
        results = [whole] if whole["wrong"] else []
        for result in [] if whole["wrong"] else share(args, Path(folder), _tasks(args, whole["crossed"])):
            results.append(result)
            _keep(args, result)
            if not args.json:
                _progress(args, result)
    report = sums(whole, results if args.state is None else _known(args))
    sys.stdout.write(json.dumps(report) + "\n" if args.json else in_words(args, report))
    if args.state:
        args.state.unlink()  # all of it is done and said
    return 1 if report["wrong"] and args.mutant is None else 0


def _tasks(args, crossed):
    """Say which towns to live through: their numbers, their kills, and whether their bots start cold."""
    if not args.random:
        boundaries = [one for one in numbered(crossed) if re.search(args.only, one[0])][:: args.every]
        return [(number, [one], number % COLD == COLD - 1) for number, one in enumerate(boundaries)]
    done = {result["number"] for result in _known(args)} if args.state else set()
    tasks = []
    for number in range(args.random):
        lot = random.Random(f"{args.seed}:{number}")  # noqa: S311 - no secret
        kills = [lot.randint(1, len(crossed)), lot.randint(1, SECOND)]
        if number not in done:
            tasks.append((number, kills, number % COLD == COLD - 1))
    return tasks


def _keep(args, result):
    if args.state:
        with args.state.open("a") as file:
            file.write(json.dumps(result | {"crossed": []}) + "\n")


def _known(args):
    """Return everything that the state file knows, of this call and of earlier ones."""
    return [one for one in map(json.loads, _lines(args.state)) if "number" in one]


def _seed(args):
    """Return what the lots are drawn with: as given, as in the state file, else new, and then kept there."""
    kept = _lines(args.state)[:1] if args.state else []
    seed = args.seed or (json.loads(kept[0])["seed"] if kept else secrets.token_hex(4))
    if args.state and not kept:
        args.state.write_text(json.dumps({"seed": seed}) + "\n")
    return seed


def sums(whole, results):
    """Sum up what came of it; `lost`, `doubled` and `untrue` count towns."""
    wrong = {f"{r.get('number')} {r.get('kills')}": r["wrong"] for r in results if r["wrong"]}
    kinds = {
        kind: sum(any(sentence.startswith(kind) for sentence in found) for found in wrong.values())
        for kind in ("lost", "doubled", "untrue")
    }
    return kinds | {
        "boundaries": len(whole["crossed"]),
        "kinds": sorted(set(whole["crossed"])),
        "towns": len(results),
        "killed": sum(len(r["died"]) for r in results),
        "killed_at": sorted({name for r in results for name in r["died"]}),
        "missed": [r["kills"] for r in results if r.get("kills") and not r["died"]],
        "repeated": sum(r["steps"] > whole["steps"] for r in results),
        "cold": sum(bool(r.get("cold")) for r in results),
        "wrong": wrong,
        "logs": [r["log"] for r in results if r.get("log")][:3],
        "seconds": [
            min((r["seconds"] for r in results), default=0),
            max((r["seconds"] for r in results), default=0),
        ],
    }


def _progress(args, result):
    sys.stderr.write(
        f"{result['number']}: {' and '.join(result['died']) or 'not killed'}; {result['seconds']} s\n"
    )


def in_words(args, report):
    lines = [f"{where}: {'; '.join(found)}" for where, found in report["wrong"].items()] + report["logs"]
    told = "{towns} runs, {killed} kills at {places} kinds of boundaries, {cold} from a cold start, {repeated} repeated a step: "
    told += "lost {lost}, doubled {doubled}, untrue {untrue}\n"
    return "\n".join([*lines, told.format(**report, places=len(report["killed_at"]))])


def _arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenario", choices=SCENARIOS, default="approve")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--database", default="sqlite")
    parser.add_argument("--harm", choices=HARMS, default="kill")
    parser.add_argument("--mutant", choices=MUTANTS)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--seed")
    parser.add_argument("--patience", type=int, default=90)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
