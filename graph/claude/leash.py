"""What ends a child when we cannot do it any more: a watchdog beside us, and a note for the next start.

A server that is killed outright runs none of its own code. So every call has two things outside of it:

* a **watchdog**, one shell for the whole process, told of each child through a pipe that only we hold. The system
  closes the pipe when we die, whatever killed us, and the shell then ends the group of every child it still knows. It
  works on Linux and macOS alike, and reaches the children's own children; `prctl(PR_SET_PDEATHSIG)` does neither, and
  needs Python code between fork and exec.
* a **note** of pid and start time, read by the next server (`leftovers.py`), for the case that the watchdog was
  killed too.

There is no moment without them that could spend: a child gets its prompt only after both are there, and one that
is never given a prompt ends by itself as soon as its stdin closes.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
from pathlib import Path

from graph.claude import leftovers

log = logging.getLogger(__name__)

SHELL = "/bin/sh"
WATCH = (
    "pids=; while read -r sign pid; do case $sign in "
    '+) pids="$pids $pid";; '
    '-) left=; for one in $pids; do [ "$one" = "$pid" ] || left="$left $one"; done; pids=$left;; '
    'esac; done; for one in $pids; do kill -s KILL -- "-$one"; done'
)
PATIENCE = 2.0
"""Seconds a watchdog that was told to go may take to be gone."""


class Watchdog:
    """One shell that outlives us for a moment. Started when the first child is; started again if it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pids: set[int] = set()

    def watch(self, pid: int) -> None:
        """Have the group of this child ended if we die.

        Raises:
            OSError: there is no shell, or no room for one.
        """
        self._pids.add(pid)
        if self._process is None or self._process.poll() is not None:
            self._start()
            for one in self._pids:
                self._tell(f"+ {one}")
        else:
            self._tell(f"+ {pid}")

    def forget(self, pid: int) -> None:
        """Say that this child has ended."""
        self._pids.discard(pid)
        if self._process is not None and self._process.poll() is None:
            self._tell(f"- {pid}")

    def close(self) -> None:
        """End the watchdog; what it still knows it takes with it."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> None:
        self.close()
        self._process = subprocess.Popen(  # noqa: S603 - our own words
            [SHELL, "-c", WATCH, f"ringi-watchdog-{os.getpid()}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            bufsize=0,
            start_new_session=True,  # Ctrl-C, and a signal to our group, are not for it
        )

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(f"{line}\n".encode())
            except BrokenPipeError:  # it was killed a moment ago; the next child starts another
                log.warning("watchdog gone")


WATCHDOG = Watchdog()
atexit.register(WATCHDOG.close)


class Leash:
    """Holds one child, from `take` to `let_go`.

    Args:
        notes: folder of the notes, created when it is needed.
        temporary: the child's own folder for temporary files; the next start removes it if we can't.
        home: where the child keeps a line about its session while it runs; the next start removes that too.
        call: the session's id.
    """

    def __init__(
        self, notes: Path, temporary: Path | None = None, home: str | None = None, call: str | None = None
    ) -> None:
        self._notes = notes
        self._leaves = (temporary, home, call)
        self._note: Path | None = None
        self._pid: int | None = None

    def take(self, pid: int) -> None:
        """Note a child that has just been started in a session of its own, and have it watched.

        What cannot be had (no shell, a full disk) is logged and done without: it only matters if we are killed.
        """
        self._pid = pid
        try:
            self._note = leftovers.note(self._notes, pid, *self._leaves)
        except OSError as error:
            log.warning("claude call not noted", extra={"error": type(error).__name__, "why": error.strerror})
        try:
            WATCHDOG.watch(pid)
        except OSError as error:
            log.warning(
                "claude call not watched", extra={"error": type(error).__name__, "why": error.strerror}
            )

    def let_go(self) -> None:
        """End the watch; the child has ended."""
        if self._pid is not None:
            WATCHDOG.forget(self._pid)
        if self._note is not None:
            self._note.unlink(missing_ok=True)
