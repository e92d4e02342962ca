"""Children of a server that died: noted while they live, found and ended by the next server.

A note is one small file, `<pid>.json`. A pid alone proves nothing, for it may have been given to a stranger since:
a child is ended only if its start time is the one noted, and only if the server that noted it is gone too.

What a child started may outlive it, or leave its group. It is known by its environment: the child's folder for
temporary files has a name that nobody else was given, and what it starts inherits it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from graph.settings import Settings, data_dir

log = logging.getLogger(__name__)

TEMPORARY = "ringi-claude-"
"""How the children's folders for temporary files begin."""

OLD = 7 * 24 * 3600.0
"""Seconds after which a note of another machine, or of another start of this one, is thrown away."""


def folder(settings: Settings) -> Path:
    """Return where notes lie: beside the database file, or in the data folder if there is no file."""
    beside = data_dir() if settings.on_postgres else Path(settings.database).parent
    return beside / "claude-children"


def note(
    notes: Path, pid: int, temporary: Path | None = None, home: str | None = None, call: str | None = None
) -> Path:
    """Note a living child of ours, and what it leaves if it is killed; returns the file, to be removed with it."""
    notes.mkdir(mode=0o700, parents=True, exist_ok=True)
    said = {
        "pid": pid,
        "started": started(pid),
        "owner": os.getpid(),
        "owner_started": started(os.getpid()),
        "machine": machine(),
        "temporary": None if temporary is None else str(temporary),
        "home": home,
        "call": call,
    }
    file, fresh = notes / f"{pid}.json", notes / f".{pid}"
    fresh.write_text(json.dumps(said))
    fresh.replace(file)
    return file


def end(notes: Path) -> int:
    """End every noted child whose server is gone, and remove what is left of it; returns how many were ended.

    Notes of servers at work, and of other machines that share the folder, are left alone.
    """
    ended = 0
    for file in sorted(notes.glob("*.json")):
        try:
            said = json.loads(file.read_text())
        except (OSError, ValueError):
            said = None
        if not isinstance(said, dict) or said.get("machine") != machine():
            with contextlib.suppress(OSError):
                if time.time() - file.stat().st_mtime > OLD:
                    file.unlink()
            continue
        if _lives(said.get("owner"), said.get("owner_started")):
            continue
        if _lives(said.get("pid"), said.get("started")):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(said["pid"], signal.SIGKILL)
                ended += 1
        if (temporary := _temporary(said.get("temporary"))) is not None:
            ended += end_started(temporary)
            shutil.rmtree(temporary, ignore_errors=True)
        forget_session(said.get("home"), said.get("call"))
        with contextlib.suppress(OSError):
            file.unlink()
    if ended:
        log.warning("children of a server that died were ended", extra={"number": ended})
    return ended


def end_started(temporary: Path) -> int:
    """End every process that was given this folder for temporary files; returns how many. Linux alone tells.

    Source: https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
    """
    mark, ended = b"TMPDIR=" + os.fsencode(temporary), set[int]()
    while found := {pid for pid in _processes() if mark in _environment(pid)} - ended:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended |= found
    return len(ended)


def _processes() -> list[int]:
    try:
        return [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]
    except OSError:
        return []


def _environment(pid: int) -> list[bytes]:
    """Return what a process was started with; nothing of strangers, and of those that only wait to be reaped."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def orphans(notes: Path) -> int:
    """Return how many noted children still run although the server that noted them is gone; changes nothing."""
    living = 0
    for file in notes.glob("*.json"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            said = json.loads(file.read_text())
            gone = not _lives(said.get("owner"), said.get("owner_started"))
            if said.get("machine") == machine() and gone:
                living += _lives(said.get("pid"), said.get("started"))
    return living


def forget_session(home: Any, call: Any) -> None:
    """Remove the line about a call that the command keeps under HOME while it runs, if it could not do so itself."""
    if not isinstance(home, str) or not isinstance(call, str):
        return
    for file in Path(home, ".claude", "sessions").glob("*.json"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if json.loads(file.read_text()).get("sessionId") == call:
                file.unlink()


def started(pid: int) -> str | None:
    """Return when a process began, in the system's own words; None if there is none, or it only waits to be reaped.

    Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html (fields 3 and 22)
    """
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in {"Z", "X"} else fields[19]
    asked = subprocess.run(  # noqa: S603 - our own words and a number
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or None


def machine() -> str:
    """Return what tells this start of this machine, and this container on it, from others that share a folder."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    return os.uname().nodename


def _lives(pid: Any, since: Any) -> bool:
    return isinstance(pid, int) and pid > 1 and isinstance(since, str) and started(pid) == since


def _temporary(path: Any) -> Path | None:
    """Return a child's folder for temporary files; None for what does not look like one of ours."""
    if not isinstance(path, str):
        return None
    place = Path(path)
    ours = place.name.startswith(TEMPORARY) and place.parent == Path(tempfile.gettempdir())
    return place if ours else None
