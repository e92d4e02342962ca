"""The scan in a process of its own, so that whoever waits for it stays quick to answer.

The child is `python -m graph.vault`: it reads one JSON line that says what to scan and writes JSON lines on its
standard output (progress, findings, the end). The parent kills it, and what it has forked, when the scan is
cancelled; when the parent itself dies, the child notices within half a second and leaves.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from graph.vault.finding import Scan, finding_from_json, to_json
from graph.vault.scan import scan

Report = Callable[[int, int, int], None]
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")
_LINE = 1 << 24  # longest line of the child, bytes; a finding is some hundred to some thousand
_AT_ONCE = 50
_PAUSE = 0.1  # seconds between two reports
_NICE = 5  # whoever answers people goes first
_LOOK = 0.5  # seconds between two looks at the parent


class ScanFailed(Exception):
    """The scanning process ended without a result."""


async def scan_in_child(
    vault: Path,
    folder: str,
    *,
    report: Report | None = None,
    anchors: bool = False,
    without: Sequence[str] = (),
) -> Scan:
    """Do what `scan` does in a child process; the result is the same.

    The child ends when the task is cancelled and when this process dies.

    Args:
        vault: its folder.
        folder: as `resolve_folder` returns it.
        report: called in the event loop, at most ten times a second and once at the end.
        anchors: also find missing headings and blocks.
        without: folders whose notes are not read.

    Raises:
        OSError: if the vault cannot be listed.
        ScanFailed: if the child was killed from outside or broke.
    """
    import asyncio  # a scan without a child, and the child itself, start quicker without it

    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # what lies in the working directory is never imported
        "-m",
        "graph.vault",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment | {"PYTHONIOENCODING": "utf-8"},
        limit=_LINE,
        start_new_session=True,
    )
    assert child.stdin is not None  # noqa: S101 - asked for a pipe above
    assert child.stdout is not None  # noqa: S101 - the same
    try:
        order = {"vault": os.fspath(vault), "folder": folder, "anchors": anchors, "without": list(without)}
        child.stdin.write(json.dumps(order).encode() + b"\n")
        await child.stdin.drain()
        findings = []
        while line := await child.stdout.readline():
            message = json.loads(line)
            if "read" in message:
                if report:
                    report(message["read"], message["notes"], message["found"])
            elif "finding" in message:
                findings.append(finding_from_json(message["finding"]))
                if len(findings) % _AT_ONCE == 0:
                    await asyncio.sleep(0)  # lines that are here already are read without a pause
            elif "error" in message:
                raise OSError(message["errno"], message["error"], os.fspath(vault))
            else:
                return _scan(message, findings)
        raise ScanFailed(f"The scan of {folder!r} ended with code {await child.wait()} and no result.")
    finally:
        child.stdin.close()
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        await asyncio.shield(child.wait())


def _scan(message: dict[str, Any], findings: list[Any]) -> Scan:
    from graph.vault.finding import NotRead

    return Scan(
        **{
            **message,
            "findings": tuple(findings),
            "not_read": tuple(NotRead(**n) for n in message["not_read"]),
        }
    )


def main() -> None:
    """Scan what the first line of standard input says."""
    order = json.loads(sys.stdin.buffer.readline())
    order["vault"] = Path(order["vault"])
    os.nice(_NICE)
    parent = os.getppid()
    signal.signal(signal.SIGALRM, lambda *_: os.getppid() == parent or os._exit(1))
    signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
    last = 0.0

    def report(read: int, notes: int, found: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= _PAUSE or read == notes:
            last = now
            _say({"read": read, "notes": notes, "found": found})

    try:
        done = scan(**order, report=report)
    except OSError as error:
        _say({"error": error.strerror or str(error), "errno": error.errno or 0})
        return
    for finding in done.findings:
        _say({"finding": to_json(finding)}, flush=False)
    _say({**to_json(done), "findings": []})


def _say(message: dict[str, Any], *, flush: bool = True) -> None:
    try:
        sys.stdout.write(json.dumps(message) + "\n")
        if flush:
            sys.stdout.flush()
    except BrokenPipeError:
        os._exit(1)  # whoever waited for it is gone, and a traceback would stand in their terminal
