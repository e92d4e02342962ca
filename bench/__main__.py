"""`make bench`: the figures of docs/benchmarks.md. `python -m bench acks resume` measures only these.

A goal that is missed is marked, and fails the command only with `--strict`: a busy machine is no broken program.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
import time

from bench import (
    acks,
    burst,
    claude,
    clicks,
    figures,
    home,
    large,
    links,
    postgres,
    resume,
    start,
    state,
    waiting,
)

PARTS = {
    "start": start.measure,
    "state": state.measure,
    "claude": claude.measure,
    "postgres": postgres.measure,
    "home": home.measure,
    "large": large.measure,
    "waiting": waiting.measure,
    "burst": burst.measure,
    "clicks": clicks.measure,
    "links": links.measure,
    "acks": acks.measure,
    "resume": resume.measure,
}  # the longest last


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="all unless named")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a goal is missed")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.system()}\n\n{figures.HEAD}", flush=True)
    missed = False
    for name in given.parts or PARTS:
        begun = time.monotonic()
        print(f"{name} …", file=sys.stderr, flush=True)
        # Told part by part: what was measured is not lost if a later one is cut off.
        for figure in asyncio.run(PARTS[name]()):
            print(figures.row(figure), flush=True)
            missed |= figure.met is False
        print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return int(given.strict and missed)


if __name__ == "__main__":
    sys.exit(main())
