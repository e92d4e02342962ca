"""A server that is killed outright leaves no child behind: at once by the watchdog, else at the next start."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graph.claude import child, leftovers
from graph.claude.leash import Leash

SERVER = """
import asyncio, sys
from pathlib import Path
from graph.claude import child
from graph.claude.leash import Leash

CHILD = '''
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "600"])
print(os.getpid(), flush=True)
time.sleep(600)
'''

def line(raw):
    print(raw.decode(), flush=True)
    return True

asyncio.run(child.run(
    (sys.executable, "-ISc", CHILD), folder="/", environment={"PATH": "/usr/bin:/bin"}, stdin=b"",
    line=line, timeout=600, leash=Leash(Path(sys.argv[1])),
))
"""


async def until(true, seconds=30.0):
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.02)


async def start_server(notes):
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, str(notes), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        return server, int(await server.stdout.readline())


def watchdogs(pid):
    """Pids of the shells that watch a child."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,args="], check=True, stdout=subprocess.PIPE, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if line.endswith(f" ringi {pid}")]


async def test_a_server_that_is_killed_takes_its_child_and_grandchild_with_it(tmp_path, gone):
    server, pid = await start_server(tmp_path / "notes")
    server.kill()
    await server.wait()
    await until(lambda: gone(pid))
    await until(lambda: not watchdogs(pid))


async def test_what_outlived_its_watchdog_too_is_ended_by_the_next_start(tmp_path, gone):
    server, pid = await start_server(tmp_path / "notes")
    assert leftovers.end(tmp_path / "notes") == 0, "its server lives"
    (watchdog,) = watchdogs(pid)
    os.kill(watchdog, signal.SIGKILL)
    server.kill()
    await server.wait()
    assert not gone(pid)
    assert leftovers.end(tmp_path / "notes") == 1
    await until(lambda: gone(pid))
    assert list((tmp_path / "notes").iterdir()) == []


@pytest.fixture
def stranger():
    """A process in a session of its own."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def noted(notes, pid, **other):
    """A note whose server is gone."""
    file = leftovers.note(notes, pid)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"owner": 2**22 + 1} | other))
    return file


def test_a_pid_that_belongs_to_a_stranger_by_now_is_left_alone(tmp_path, stranger):
    file = noted(tmp_path, stranger.pid, started="12345")
    assert leftovers.end(tmp_path) == 0
    assert stranger.poll() is None
    assert not file.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '"text"', '{"pid": -1}', '{"pid": "1"}'])
def test_a_note_that_makes_no_sense_ends_nothing(tmp_path, text):
    (tmp_path / "1.json").write_text(text)
    assert leftovers.end(tmp_path) == 0


def test_notes_of_another_machine_are_left_for_it_until_they_are_old(tmp_path, stranger):
    file = noted(tmp_path, stranger.pid, machine="another")
    assert leftovers.end(tmp_path) == 0
    assert file.exists()
    os.utime(file, (0, time.time() - leftovers.OLD - 60))
    assert leftovers.end(tmp_path) == 0
    assert stranger.poll() is None
    assert not file.exists()


def test_only_folders_of_ours_are_removed_with_a_note(tmp_path, stranger, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    ours, other, deep = tmp_path / "ringi-claude-1", tmp_path / "other", tmp_path / "a" / "ringi-claude-1"
    for place in (ours, other, deep):
        place.mkdir(parents=True)
        noted(tmp_path / "notes", stranger.pid, started="1", temporary=str(place))
        leftovers.end(tmp_path / "notes")
    assert [place.exists() for place in (ours, other, deep)] == [False, True, True]


def test_there_is_nothing_to_end_where_nothing_was_noted(tmp_path):
    assert leftovers.end(tmp_path / "never made") == 0


async def test_a_child_that_ended_leaves_neither_note_nor_watchdog(tmp_path):
    seen = []

    def line(raw):
        seen.append((sorted(p.name for p in notes.iterdir()), watchdogs(int(raw))))
        return True

    notes = tmp_path / "notes"
    code = "import os, sys; sys.stdin.read(); print(os.getpid())"
    await child.run(
        (sys.executable, "-ISc", code),
        folder=str(tmp_path),
        environment={},
        stdin=b"go",
        line=line,
        timeout=60,
        leash=Leash(notes),
    )
    ((files, watched),) = seen
    assert len(files) == len(watched) == 1
    assert list(notes.iterdir()) == []
    assert not [pid for pid in watched if leftovers.started(pid)]
    assert oct(notes.stat().st_mode)[-3:] == "700"


async def test_a_place_that_cannot_be_written_costs_the_note_and_not_the_call(tmp_path):
    (tmp_path / "notes").write_text("a file")
    lines = []
    ending = await child.run(
        (sys.executable, "-ISc", "print('done')"),
        folder=str(tmp_path),
        environment={},
        stdin=b"",
        line=lambda raw: lines.append(raw) or True,
        timeout=60,
        leash=Leash(Path(tmp_path / "notes")),
    )
    assert (ending.code, lines) == (0, [b"done"])


def test_a_process_that_only_waits_to_be_reaped_is_gone():
    process = subprocess.Popen(["true"])
    while leftovers.started(process.pid) is not None:
        time.sleep(0.01)
    assert leftovers.started(process.pid) is None
    process.wait()
    assert leftovers.started(os.getpid()) is not None
