"""The scan in a process of its own: the same result, progress, and no process left behind."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from graph.vault import ScanFailed, scan, scan_in_child


@pytest.fixture
def big(write_vault):
    """Return a vault that takes a while."""
    text = "[[gone]] `x` [[n1]]\n" + "words and [links](http://x.y) and `code`\n" * 800
    return write_vault({f"n{i}.md": text for i in range(300)})


async def until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


def children(pid: int | str = "self") -> set[int]:
    found = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            found |= {int(child) for child in (task / "children").read_text().split()}
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False


async def test_the_result_is_that_of_a_plain_call(write_vault):
    files = {
        "d/n.md": "[[x]] [[d/n#gone]] [[Nn]]\n",
        "d/b.canvas": "{",
        "r/r.md": "[[y]]",
        "a\nb\udcff.md": "",
    }
    vault = write_vault(
        {name: text for name, text in files.items() if sys.platform != "darwin" or name.isascii()}
    )
    assert await scan_in_child(vault, ".") == scan(vault, ".")
    there = await scan_in_child(vault, ".", anchors=True, without=["r"])
    assert there == scan(vault, ".", anchors=True, without=["r"])
    assert {f.kind for f in there.findings} == {"missing", "missing-heading"}


async def test_progress_is_told_seldom_and_at_the_end(big):
    told = []
    began = time.monotonic()
    await scan_in_child(big, ".", report=lambda *counts: told.append(counts))
    assert len(told) <= (time.monotonic() - began) * 10 + 2
    assert told[-1] == (300, 300, 300)
    assert told == sorted(told)


async def test_the_event_loop_goes_on_meanwhile(big):
    longest = 0.0
    task = asyncio.create_task(scan_in_child(big, "."))
    while not task.done():
        began = time.monotonic()
        await asyncio.sleep(0.005)
        longest = max(longest, time.monotonic() - began)
    await task
    assert longest < 1.0


@pytest.mark.parametrize("place", ["", "{}/", "{}/deep/"], ids=["one folder", "a folder each", "deeper"])
async def test_a_second_process_finds_the_same(write_vault, place):
    texts = ["[[gone]]\n", "[[n1]]\n", "", "`[[x]]` [[n2]] [y](away.md)\n"]
    files = {f"{place.format(i)}n{i}.md": texts[i % 4] for i in range(2100)}
    vault = write_vault({**files, "b.canvas": "{", "c.canvas": '{"nodes": [{"file": "gone.md"}]}'})
    told = []
    there = await scan_in_child(vault, ".", report=lambda *counts: told.append(counts))
    assert there == scan(vault, ".")
    assert there.findings == scan(vault, ".", plain=True).findings
    assert told[-1] == (2100, 2100, 1051)


@pytest.mark.slow
async def test_a_second_process_that_finds_much_looks_for_near_names_itself(write_vault, monkeypatch):
    vault = write_vault({f"note {i}.md": f"[[Note{i}]]" for i in range(2100)})
    there = await scan_in_child(vault, ".")
    monkeypatch.setattr("graph.vault.halves._WORTH", 1 << 30)
    assert there == scan(vault, ".")
    assert all(finding.nearby for finding in there.findings)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes through /proc")
async def test_a_second_process_that_is_killed_loses_nothing(write_vault):
    vault = write_vault(
        {f"n{i}.md": "[[gone]]\n" + "words and [links](http://x.y)\n" * 500 for i in range(2100)}
    )
    before = children()
    task = asyncio.create_task(scan_in_child(vault, "."))
    await until(lambda: any(children(pid) for pid in children() - before), seconds=30)
    (other,) = children((children() - before).pop())
    os.kill(other, signal.SIGKILL)
    result = await task
    assert (len(result.findings), result.notes) == (2100, 2100)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes through /proc")
async def test_a_cancelled_scan_leaves_no_process(big):
    before = children()
    task = asyncio.create_task(scan_in_child(big, "."))
    await until(lambda: children() - before)
    (child,) = children() - before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(child)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes through /proc")
async def test_the_child_dies_with_its_parent(big):
    program = f"""
        import asyncio, pathlib
        from graph.vault import scan_in_child
        asyncio.run(scan_in_child(pathlib.Path({str(big)!r}), "."))
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)])  # noqa: ASYNC220 - returns at once
    await until(lambda: children(parent.pid))
    (child,) = children(parent.pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    await until(lambda: not alive(child))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes through /proc")
async def test_a_killed_child_is_an_error_and_no_empty_result(big):
    before = children()
    task = asyncio.create_task(scan_in_child(big, "."))
    await until(lambda: children() - before)
    os.kill((children() - before).pop(), signal.SIGKILL)
    with pytest.raises(ScanFailed, match="ended with code -9"):
        await task


async def test_a_vault_that_is_gone_is_said_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        await scan_in_child(tmp_path / "gone", ".")


async def test_the_child_sees_no_secrets_and_imports_nothing_from_where_it_runs(
    write_vault, monkeypatch, tmp_path
):
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-marked")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    seen = []
    real = asyncio.create_subprocess_exec

    async def watch(*args, **kwargs):
        seen.append(kwargs["env"])
        return await real(*args, **kwargs)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", watch)
    assert len((await scan_in_child(write_vault({"n.md": "[[x]]"}), ".")).findings) == 1
    assert not any("xoxb-marked" in value for value in seen[0].values())


def test_a_scan_nobody_waits_for_any_more_ends_without_a_word(tmp_path):
    (tmp_path / "note.md").write_text("[[Nowhere]]")
    child = subprocess.Popen(
        [sys.executable, "-m", "graph.vault"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    _, said = child.communicate(
        json.dumps({"vault": str(tmp_path), "folder": "."}).encode() + b"\n", timeout=60
    )
    assert said == b""
