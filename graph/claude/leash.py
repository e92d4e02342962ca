"""What ends a child when we cannot do it any more: a watchdog beside it, and a note for the next start.

A server that is killed outright runs none of its own code. So every call has two things outside of it:

* a **watchdog**, a shell that waits on a pipe only we hold: the system closes the pipe when we die, whatever
  killed us, and the shell then ends the child's whole group. It works on Linux and macOS alike, and reaches the
  child's own children; `prctl(PR_SET_PDEATHSIG)` does neither, and needs Python code between fork and exec.
* a **note** of pid and start time, read by the next server (`leftovers.py`), for a machine on which the watchdog
  was killed too.

There is no moment without them that could spend: a child gets its prompt only after both are there, and one that
is never given a prompt ends by itself as soon as its stdin closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path

from graph.claude import leftovers

log = logging.getLogger(__name__)

SHELL = "/bin/sh"
WATCH = 'read -r _ || kill -s KILL -- "-$1"'
"""A line says that all is well; the end of the pipe without one says that we are gone."""

PATIENCE = 2.0
"""Seconds a watchdog that was told to go may take to be gone."""


class Leash:
    """Holds one child, from `take` to `let_go`.

    Args:
        notes: folder of the notes, created when it is needed.
        temporary: the child's own folder for temporary files; the next start removes it if we can't.
    """

    def __init__(self, notes: Path, temporary: Path | None = None) -> None:
        self._notes = notes
        self._temporary = temporary
        self._note: Path | None = None
        self._watchdog: asyncio.subprocess.Process | None = None

    async def take(self, pid: int) -> None:
        """Note a child that has just been started in a session of its own, and have it watched.

        What cannot be had (no shell, a full disk) is logged and done without: it only matters if we are killed.
        """
        try:
            self._note = leftovers.note(self._notes, pid, self._temporary)
        except OSError as error:
            log.warning("claude call not noted", extra={"error": type(error).__name__, "why": error.strerror})
        try:
            self._watchdog = await _watch(pid)
        except OSError as error:
            log.warning(
                "claude call not watched", extra={"error": type(error).__name__, "why": error.strerror}
            )

    async def let_go(self) -> None:
        """End the watch; the child has ended."""
        if self._note is not None:
            self._note.unlink(missing_ok=True)
        if self._watchdog is None:
            return
        if self._watchdog.stdin is not None:
            with contextlib.suppress(OSError):
                self._watchdog.stdin.write(b"\n")
            self._watchdog.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._watchdog.wait(), PATIENCE)


async def _watch(pid: int) -> asyncio.subprocess.Process:
    nothing = asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(
        *(SHELL, "-c", WATCH, "ringi", str(pid)),
        stdin=asyncio.subprocess.PIPE,
        stdout=nothing,
        stderr=nothing,
        env={},
        start_new_session=True,  # Ctrl-C, and a signal to our group, are not for it
    )
