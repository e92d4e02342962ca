"""The process itself, with small programs in the place of the real one: pipes, signals, and an end that is certain."""

from __future__ import annotations

import asyncio
import resource
import sys
import time

import pytest

from graph.claude import child
from graph.claude.turns import Turns

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-ISc", code)


async def run(command, tmp_path, *, stdin=b"", timeout=20.0, line=None):  # noqa: ASYNC109 - handed on
    lines = []

    def keep(raw):
        lines.append(raw)
        return line is None or line(raw)

    ending = await child.run(
        command, folder=str(tmp_path), environment=ENVIRONMENT, stdin=stdin, line=keep, timeout=timeout
    )
    return ending, lines


async def test_stdin_is_given_whole_and_closed(tmp_path):
    prompt = b"words\n" * 400_000
    ending, lines = await run(
        python("import sys; print(len(sys.stdin.buffer.read()))"), tmp_path, stdin=prompt
    )
    assert (ending.code, lines) == (0, [b"2400000"])


async def test_a_child_that_reads_nothing_is_no_error(tmp_path):
    ending, lines = await run(python("print('done')"), tmp_path, stdin=b"x" * 5_000_000)
    assert (ending.code, lines) == (0, [b"done"])


async def test_lines_have_no_longest_length_and_the_last_needs_no_end(tmp_path):
    _, lines = await run(python("print('a' * 3_000_000); print(); print('b', end='')"), tmp_path)
    assert [len(line) for line in lines] == [3_000_000, 0, 1]


async def test_a_flood_on_stderr_neither_blocks_nor_is_kept(tmp_path):
    ending, lines = await run(
        python("import sys; sys.stderr.write('e' * 2_000_000); print('done'); sys.exit(3)"), tmp_path
    )
    assert (ending.code, lines, ending.stderr) == (3, [b"done"], "e" * child.LONGEST_STDERR)


async def test_a_time_out_ends_the_child_and_its_children(tmp_path, gone):
    code = (
        "import os, subprocess, sys, time\n"
        "subprocess.Popen(['sleep', '60'])\n"
        "print(os.getpid(), flush=True)\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    ending, lines = await run(python(code), tmp_path, timeout=1)
    assert ending.timed_out
    assert time.monotonic() - began < 5
    assert gone(int(lines[0]))


async def test_one_that_will_not_go_is_killed(tmp_path, gone, monkeypatch):
    monkeypatch.setattr(child, "GRACE", 0.5)
    code = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(os.getpid(), flush=True)\n"
        "time.sleep(60)"
    )
    ending, lines = await run(python(code), tmp_path, timeout=1)
    assert (ending.code, ending.timed_out) == (-9, True)
    assert gone(int(lines[0]))


async def test_a_grandchild_that_holds_the_pipes_does_not_hold_us(tmp_path, gone):
    code = "import os, subprocess; subprocess.Popen(['sleep', '60']); print(os.getpid())"
    began = time.monotonic()
    ending, lines = await run(python(code), tmp_path)
    assert (ending.code, ending.timed_out) == (0, False)
    assert time.monotonic() - began < 5
    assert gone(int(lines[0]))


async def test_a_line_may_end_the_child_at_once(tmp_path, gone):
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60); print('spent')"
    ending, lines = await run(python(code), tmp_path, line=lambda _: False)
    assert (ending.code, len(lines)) == (-9, 1)
    assert gone(int(lines[0]))


@pytest.mark.parametrize("ignores", [False, True])
async def test_cancelling_leaves_no_process(tmp_path, gone, monkeypatch, ignores):
    monkeypatch.setattr(child, "GRACE", 0.5)
    code = (
        "import os, signal, subprocess, time\n"
        f"signal.signal(signal.SIGTERM, signal.SIG_{'IGN' if ignores else 'DFL'})\n"
        "subprocess.Popen(['sleep', '60'])\n"
        "print(os.getpid(), flush=True)\n"
        "time.sleep(60)"
    )
    begun: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def first(raw):
        begun.set_result(int(raw))
        return True

    task = asyncio.create_task(run(python(code), tmp_path, line=first))
    pid = await begun
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(pid)


async def test_a_missing_program_and_a_missing_folder_are_told_apart(tmp_path):
    with pytest.raises(child.NotThere) as no_program:
        await run((str(tmp_path / "nothing"),), tmp_path)
    assert no_program.value.executable
    with pytest.raises(child.NotThere) as no_folder:
        await run(python(""), tmp_path / "gone")
    assert not no_folder.value.executable
    assert no_folder.value.what == str(tmp_path / "gone")


async def test_a_machine_that_starts_no_process_now_is_not_taken_for_a_missing_program(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            await run(python(""), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_home_of_nobody_holds_no_program():
    with pytest.raises(child.NotThere) as error:
        child.find_executable("~no-such-user/claude", ENVIRONMENT)
    assert error.value.executable


async def test_a_file_that_is_no_program_is_not_one(tmp_path):
    (tmp_path / "text").write_text("hello")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(child.NotThere) as error:
        await run((str(tmp_path / "text"),), tmp_path)
    assert error.value.executable


def test_the_environment_is_a_list_of_what_may_pass():
    outside = {
        "PATH": ".:/usr/bin::relative:/bin",
        "HOME": "/home/someone",
        "LANG": "ja_JP.UTF-8",
        "ANTHROPIC_API_KEY": "other",
        "HTTPS_PROXY": "http://proxy",
    }
    assert child.child_environment(outside) == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/someone",
        "LANG": "ja_JP.UTF-8",
        **child.CONSTANTS,
    }
    assert child.child_environment(outside, "chosen")["ANTHROPIC_API_KEY"] == "chosen"
    nothing = child.child_environment({"PATH": "", "HOME": "", "LANG": ""})
    assert nothing == {"PATH": "", **child.CONSTANTS}, "with an empty HOME the command crashes at start"


async def test_turns_are_taken_in_order_and_those_who_wait_know_their_place():
    turns = Turns(1)
    told: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    order: list[str] = []
    leave = {name: asyncio.Event() for name in told}

    async def call(name: str) -> None:
        async with turns.one(told[name].append):
            order.append(name)
            await leave[name].wait()

    tasks = {}
    for name in told:
        tasks[name] = asyncio.create_task(call(name))
        await asyncio.sleep(0)
    assert told == {"a": [], "b": [1], "c": [2]}
    leave["a"].set()
    await tasks["a"]
    await asyncio.sleep(0)
    assert (order, told) == (["a", "b"], {"a": [], "b": [1, 0], "c": [2, 1]})
    for name in ("b", "c"):
        leave[name].set()
        await tasks[name]
    assert (order, told["c"]) == (["a", "b", "c"], [2, 1, 0])


async def test_one_who_stops_waiting_lets_the_next_move_up_and_no_place_is_lost():
    turns = Turns(2)
    told: list[int] = []
    async with turns.one(), turns.one():
        gone = asyncio.create_task(hold(turns, []))
        waits = asyncio.create_task(hold(turns, told))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert told == [2, 1]
    await waits
    async with turns.one(told.append), turns.one(told.append):
        assert told == [2, 1, 0]


async def test_a_turn_given_in_the_moment_of_a_cancel_goes_to_the_next():
    turns = Turns(1)
    async with turns.one():
        first = asyncio.create_task(hold(turns, []))
        second = asyncio.create_task(hold(turns, []))
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait_for(second, 5)
    with pytest.raises(asyncio.CancelledError):
        await first


async def hold(turns: Turns, told: list[int]) -> None:
    async with turns.one(told.append):
        pass


async def test_what_left_the_group_may_hold_the_pipes_but_not_us(tmp_path, monkeypatch):
    monkeypatch.setattr(child, "GRACE", 0.3)
    code = "import subprocess; print(subprocess.Popen(['sleep', '6'], start_new_session=True).pid)"
    began = time.monotonic()
    ending, lines = await run(python(code), tmp_path)
    assert (ending.code, ending.timed_out, len(lines)) == (0, False, 1)
    assert time.monotonic() - began < 5
