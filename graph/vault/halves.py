"""Read notes with two processes: threads gain nothing, since all the work holds the interpreter's lock.

The second process is a fork, so it has the index of names already; it sends back only what it found.
"""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import signal
import struct
import threading
from collections.abc import Callable, Sequence

from graph.vault.evidence import Evidence
from graph.vault.reading import Reading, Source

_WORTH = 2000  # notes; below, a second process costs more than it gains
_MUCH = 1000  # findings of the other process; below, it leaves near names to this one
_TURNS, _MINE = 16, frozenset({0, 2, 4, 7, 9, 11, 13})
_COUNTS = struct.Struct("qq")


def read_all(
    reading: Reading,
    sources: Sequence[Source],
    evidence: Evidence,
    told: Callable[[int, int], None] | None = None,
) -> None:
    """Read notes and canvases into `reading`, in two processes where that is quicker.

    Args:
        reading: nothing read yet.
        sources: what to read.
        evidence: each process looks for names near what it found; the other one only if that is much, for it has
            to prepare as much as this one.
        told: called after every few files of this process, and at the end, with (files read, links found) by both.
    """
    alone = threading.active_count() > 1 or (os.cpu_count() or 1) < 2  # noqa: PLR2004 - forking threads may hang
    if alone or sum(len(source.files) for source in sources) < _WORTH:
        _read(reading, sources, told)
    else:
        _read_halves(reading, sources, evidence, told)
    if told:
        told(reading.files, len(reading.findings))


def _read(reading: Reading, sources: Sequence[Source], told: Callable[[int, int], None] | None) -> None:
    def tell() -> None:
        if told:
            told(reading.files, len(reading.findings))

    for source in sources:
        reading.read(source, tell)


def _read_halves(
    reading: Reading,
    sources: Sequence[Source],
    evidence: Evidence,
    told: Callable[[int, int], None] | None,
) -> None:
    halves = [
        [_share(source, number, mine=mine) for number, source in enumerate(sources)] for mine in (True, False)
    ]
    counts = mmap.mmap(-1, _COUNTS.size)
    out, into = os.pipe()
    parent = os.getpid()
    gc.freeze()  # a collection in either process would copy every page of the index
    child = os.fork()
    if child == 0:
        os.close(out)
        _be_the_other(reading, halves[1], evidence, (counts, into, parent))
    os.close(into)
    try:

        def both(read: int, found: int) -> None:
            if told:
                also, more = _COUNTS.unpack(counts[:])
                told(read + also, found + more)

        _read(reading, halves[0], both)
        evidence.look(reading.findings)
        with os.fdopen(out, "rb") as pipe:
            sent = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if status == 0:
        files, notes, looked_up, findings, problems, near = pickle.loads(sent)  # noqa: S301 - written by our own fork
        reading.files += files
        reading.notes += notes
        reading.looked_up += looked_up
        reading.findings += findings
        reading.problems += problems
        evidence.near.update(near)
    else:  # killed or broken: then this one does it all
        _read(reading, halves[1], told)


def _share(source: Source, number: int, *, mine: bool) -> Source:
    """Return what one process reads of a folder, in turn; a vault may be folders of one note each.

    The other process gets a little more, for this one has near names to prepare.
    """
    files = [file for n, file in enumerate(source.files, number) if ((n % _TURNS) in _MINE) is mine]
    return Source(source.folder, files)


def _be_the_other(
    reading: Reading, sources: Sequence[Source], evidence: Evidence, ways: tuple[mmap.mmap, int, int]
) -> None:  # pragma: no cover - runs in a fork
    """Read one half, send what was found, and leave without anything a normal exit would do."""
    counts, into, parent = ways

    def tell(read: int, found: int) -> None:
        counts[:] = _COUNTS.pack(read, found)
        if os.getppid() != parent:
            os._exit(1)

    try:
        _read(reading, sources, tell)
        tell(reading.files, len(reading.findings))
        if len(reading.findings) > _MUCH:
            evidence.look(reading.findings)
        with os.fdopen(into, "wb") as pipe:
            read = (reading.files, reading.notes, reading.looked_up, reading.findings, reading.problems)
            done = (*read, evidence.near)
            pickle.dump(done, pipe)
        os._exit(0)
    finally:
        os._exit(1)
