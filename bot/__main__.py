"""Where a process begins: `ringi`, and `python -m bot`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    _open_what_is_closed()
    try:
        from bot.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _open_what_is_closed() -> None:
    """Put nothing behind standard streams that were closed (`>&-`).

    Else the next file opened gets the number of one, and what is meant for a terminal lands in the database.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole process
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole process


if __name__ == "__main__":
    main()
