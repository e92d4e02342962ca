"""Read notes with two processes: threads gain nothing, since all the work holds the interpreter's lock.

The second process is a fork, so it has the index of names already; it sends back only what it found. Neither has a
half of its own: the folders are cut into slices, and whoever is free takes the next one, so both are done at the same
time, whatever else each of them has to do.
"""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import signal
import struct
import threading
from collections.abc import Callable, Iterator, Sequence

from graph.vault.evidence import Evidence
from graph.vault.reading import Reading, Source

_WORTH = 2000  # notes; below, a second process costs more than it gains
_MUCH = 1000  # findings of the other process; below, it leaves near names to this one
_SLICES = 256  # so that the number of one is a byte
_AT_ONCE = 128  # files of one folder
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
        _read_with_another(reading, _slices(sources), evidence, told)
    if told:
        told(reading.files, len(reading.findings))


def _read(reading: Reading, sources: Sequence[Source], told: Callable[[int, int], None] | None) -> None:
    def tell() -> None:
        if told:
            told(reading.files, len(reading.findings))

    for source in sources:
        reading.read(source, tell)


def _slices(sources: Sequence[Source]) -> list[list[Source]]:
    """Cut what is to be read into at most 256 slices of about the same size."""
    parts = [
        Source(source.folder, source.files[begin : begin + _AT_ONCE])
        for source in sources
        for begin in range(0, len(source.files), _AT_ONCE)
    ]
    size = -(-len(parts) // _SLICES)
    return [parts[begin : begin + size] for begin in range(0, len(parts), size)]


def _turns(slices: int) -> int:
    """Return a pipe from which each reader takes numbers of slices that no other gets."""
    turns, into = os.pipe()
    os.write(into, bytes(range(slices)))
    os.close(into)
    return turns


def _taken(turns: int) -> Iterator[int]:
    while turn := os.read(turns, 1):
        yield turn[0]


def _read_with_another(
    reading: Reading,
    slices: Sequence[Sequence[Source]],
    evidence: Evidence,
    told: Callable[[int, int], None] | None,
) -> None:
    counts = mmap.mmap(-1, _COUNTS.size)
    out, into = os.pipe()
    turns = _turns(len(slices))
    parent = os.getpid()
    gc.freeze()  # a collection in either process would copy every page of the index
    child = os.fork()
    if child == 0:
        os.close(out)
        _be_the_other(reading, slices, evidence, (turns, counts, into, parent))
    os.close(into)
    mine = set()
    try:

        def both(read: int, found: int) -> None:
            if told:
                also, more = _COUNTS.unpack(counts[:])
                told(read + also, found + more)

        for turn in _taken(turns):
            mine.add(turn)
            _read(reading, slices[turn], both)
            if any(finding.kind == "missing" for finding in reading.findings):
                evidence.prepare()  # while the other process reads on
        evidence.look(reading.findings)
        with os.fdopen(out, "rb") as pipe:
            sent = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(turns)
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
        for turn in sorted(set(range(len(slices))) - mine):
            _read(reading, slices[turn], told)


def _be_the_other(
    reading: Reading,
    slices: Sequence[Sequence[Source]],
    evidence: Evidence,
    ways: tuple[int, mmap.mmap, int, int],
) -> None:  # pragma: no cover - runs in a fork
    """Read slices, send what was found, and leave without anything a normal exit would do."""
    turns, counts, into, parent = ways

    def tell(read: int, found: int) -> None:
        counts[:] = _COUNTS.pack(read, found)
        if os.getppid() != parent:
            os._exit(1)

    try:
        for turn in _taken(turns):
            _read(reading, slices[turn], tell)
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
