"""`make bench`: the figures of docs/benchmarks.md. `python -m bench acks resume` measures only these."""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
import time

from bench import acks, burst, claude, figures, resume, start, state

PARTS = {
    "acks": acks.measure,
    "burst": burst.measure,
    "claude": claude.measure,
    "resume": resume.measure,
    "state": state.measure,
    "start": start.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="all unless named")
    chosen = parser.parse_args().parts or list(PARTS)
    rows: list[figures.Figure] = []
    for name in chosen:
        begun = time.monotonic()
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += asyncio.run(PARTS[name]())
        print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    print(f"\nPython {platform.python_version()}, {platform.system()}\n")
    print(figures.table(rows))
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
