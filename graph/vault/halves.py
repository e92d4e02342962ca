"""Read notes with two processes: threads gain nothing, since all the work holds the interpreter's lock.

The second process is a fork, so it has the index of names already; it sends back only what it found.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any

from graph.vault.finding import NotRead, finding_from_json, to_json
from graph.vault.reading import Reading

_WORTH = 2000  # notes; below, a second process costs more than it gains
_LOOK = 64  # notes between two looks at the parent
_COUNTS = struct.Struct("qq")


def read_all(reading: Reading, paths: Sequence[str], told: Callable[[int, int], None] | None) -> None:
    """Read notes and canvases into `reading`, in two processes where that is quicker.

    Args:
        reading: nothing read yet.
        paths: as the disk spells them.
        told: called after each file of this process with (files read, links found) by both.
    """
    alone = threading.active_count() > 1 or (os.cpu_count() or 1) < 2  # noqa: PLR2004 - forking threads may hang
    if alone or len(paths) < _WORTH:
        _read(reading, paths, told)
    else:
        _read_halves(reading, paths, told)


def _read(reading: Reading, paths: Sequence[str], told: Callable[[int, int], None] | None) -> None:
    for number, path in enumerate(paths, 1):
        reading.read(path)
        if told:
            told(number, len(reading.findings))


def _read_halves(reading: Reading, paths: Sequence[str], told: Callable[[int, int], None] | None) -> None:
    mine, others = paths[::2], paths[1::2]
    counts = mmap.mmap(-1, _COUNTS.size)
    out, into = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(out)
        _be_the_other(reading, others, counts, into, parent)
    os.close(into)
    try:

        def both(read: int, found: int) -> None:
            if told:
                also, more = _COUNTS.unpack(counts[:])
                told(read + also, found + more)

        _read(reading, mine, both)
        with os.fdopen(out, "rb") as pipe:
            sent = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if status == 0:
        _take(reading, json.loads(sent))
    else:  # killed or broken: then this one does it all
        _read(reading, others, told and (lambda read, found: told(len(mine) + read, found)))
    if told:
        told(len(paths), len(reading.findings))


def _be_the_other(
    reading: Reading, paths: Sequence[str], counts: mmap.mmap, into: int, parent: int
) -> None:  # pragma: no cover - runs in a fork
    """Read one half, send what was found, and leave without anything a normal exit would do."""

    def tell(read: int, found: int) -> None:
        counts[:] = _COUNTS.pack(read, found)
        if read % _LOOK == 0 and os.getppid() != parent:
            os._exit(1)

    try:
        _read(reading, paths, tell)
        with os.fdopen(into, "wb") as pipe:
            pipe.write(json.dumps(_sent(reading)).encode())
        os._exit(0)
    finally:
        os._exit(1)


def _sent(reading: Reading) -> dict[str, Any]:
    return {
        "notes": reading.notes,
        "links": reading.links,
        "findings": [to_json(finding) for finding in reading.findings],
        "problems": [to_json(problem) for problem in reading.problems],
    }


def _take(reading: Reading, sent: dict[str, Any]) -> None:
    reading.notes += sent["notes"]
    reading.links += sent["links"]
    reading.findings += [finding_from_json(finding) for finding in sent["findings"]]
    reading.problems += [NotRead(**problem) for problem in sent["problems"]]
