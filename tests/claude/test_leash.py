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

from graph.claude import ClaudeCode, child, leftovers
from graph.claude.leash import WATCHDOG, Leash
from graph.settings import Settings, read

pytestmark = pytest.mark.slow  # real processes, and their time-outs

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


def watchdogs(server):
    """Pids of the shells that watch for a process."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,args="], check=True, stdout=subprocess.PIPE, text=True
    )
    mark = f"ringi-watchdog-{server}"
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if line.endswith(mark)]


async def test_a_server_that_is_killed_takes_its_child_and_grandchild_with_it(tmp_path, gone):
    server, pid = await start_server(tmp_path / "notes")
    server.kill()
    await server.wait()
    await until(lambda: gone(pid))
    await until(lambda: not watchdogs(server.pid))


async def test_what_outlived_its_watchdog_too_is_ended_by_the_next_start(tmp_path, gone):
    server, pid = await start_server(tmp_path / "notes")
    assert leftovers.end(tmp_path / "notes") == 0, "its server lives"
    (watchdog,) = watchdogs(server.pid)
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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process was started with")
def test_what_a_child_started_is_ended_wherever_it_went_and_though_the_child_is_gone(
    tmp_path, stranger, monkeypatch
):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    ours = tmp_path / "ringi-claude-1"
    ours.mkdir()
    given = [{"TMPDIR": str(ours)}, {"TMPDIR": f"{ours}2"}]
    left, other = [subprocess.Popen(["sleep", "600"], start_new_session=True, env=env) for env in given]
    try:
        for process in (left, other):  # while a program is being loaded its environment cannot be read
            while not Path(f"/proc/{process.pid}/environ").read_bytes():
                time.sleep(0.01)
        noted(tmp_path / "notes", stranger.pid, started="12345", temporary=str(ours))
        assert leftovers.end(tmp_path / "notes") == 1
        assert left.wait(30) == -signal.SIGKILL
        assert (other.poll(), stranger.poll()) == (None, None)
    finally:
        for process in (left, other):
            process.kill()
            process.wait()


def test_there_is_nothing_to_end_where_nothing_was_noted(tmp_path):
    assert leftovers.end(tmp_path / "never made") == 0


async def run_child(notes, code, line=lambda _: True):
    return await child.run(
        (sys.executable, "-ISc", code),
        folder="/",
        environment={},
        stdin=b"go",
        line=line,
        timeout=60,
        leash=Leash(notes),
    )


async def test_a_child_that_ended_leaves_no_note_and_is_watched_no_more(tmp_path):
    notes, seen = tmp_path / "notes", []

    def line(raw):
        seen.append((int(raw), [file.name for file in notes.iterdir()], set(WATCHDOG._pids)))
        return True

    await run_child(notes, "import os, sys; sys.stdin.read(); print(os.getpid())", line)
    ((pid, files, watched),) = seen
    assert files == [f"{pid}.json"]
    assert pid in watched
    assert list(notes.iterdir()) == []
    assert pid not in WATCHDOG._pids
    assert oct(notes.stat().st_mode)[-3:] == "700"


async def test_one_watchdog_serves_all_calls_and_is_started_again_if_it_was_killed(tmp_path):
    code = "import sys; sys.stdin.read()"
    await run_child(tmp_path, code)
    (first,) = watchdogs(os.getpid())
    await run_child(tmp_path, code)
    assert watchdogs(os.getpid()) == [first]
    os.kill(first, signal.SIGKILL)
    await until(lambda: leftovers.started(first) is None)
    await run_child(tmp_path, code)
    (second,) = watchdogs(os.getpid())
    assert second != first


@pytest.mark.slow
async def test_a_process_that_ends_as_usual_takes_its_watchdog_along(tmp_path):
    script = SERVER.replace("timeout=600, leash", "timeout=0.3, leash")
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(tmp_path), stdout=asyncio.subprocess.DEVNULL
    )
    assert await server.wait() == 0
    assert watchdogs(server.pid) == []


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


LEAVES = """#!/bin/sh
case "$*" in
*"auth status"*)
    echo '{"loggedIn":true,"authMethod":"claude.ai","apiProvider":"firstParty","subscriptionType":"max"}' ;;
*)
    setsid sleep 600 </dev/null >/dev/null 2>&1 &
    echo $! >"$0.left"
    cat >/dev/null
    echo '{"type":"result","is_error":false,"structured_output":{"summary":"x"}}' ;;
esac
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process was started with")
async def test_what_a_call_started_does_not_outlive_it_even_in_a_session_of_its_own(tmp_path):
    program = tmp_path / "claude"
    program.write_text(LEAVES)
    program.chmod(0o755)
    settings = read(Settings, {"RINGI_CLAUDE": str(program)}, database=str(tmp_path / "ringi.sqlite"))
    claude = ClaudeCode(settings, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    reply = await claude.ask("Look.", {"type": "object"}, folder=str(tmp_path), max_turns=3)
    assert reply.output == {"summary": "x"}
    left = int((tmp_path / "claude.left").read_text())
    await until(lambda: leftovers.started(left) is None)
