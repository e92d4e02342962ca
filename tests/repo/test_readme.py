"""Every command of the READMEs works as it stands there."""

import asyncio
import configparser
import os
import plistlib
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
READMES = ("README.md", "README.ja.md")
BY_CI = {"make test", "make bench", "make install", "make check", "make fast"}
BY_READER = {"git clone <this repository> ringi && cd ringi"}  # its address is wherever they found it
SLACK = "# needs a Slack app"


def shell_lines(name: str) -> list[str]:
    text = (ROOT / name).read_text()
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


def command(line: str) -> str:
    return line.partition(" #")[0].strip()


def lines_of_all() -> list[str]:
    return list(dict.fromkeys(line for name in READMES for line in shell_lines(name)))


def test_every_shell_line_is_run_by_a_test_or_by_the_check_before_landing():
    run_here = {"make demo"} | BY_READER
    for line in lines_of_all():
        known = command(line) in BY_CI | run_here or command(line).startswith("ringi ")
        assert known, f"no test runs: {line}"


def test_the_check_before_landing_runs_the_make_lines():
    ci = (ROOT / ".ci/run").read_text()
    for line in BY_CI:
        assert line in ci or line == "make fast", line


def test_both_readmes_give_the_same_commands():
    first, second = ([command(line) for line in shell_lines(name)] for name in READMES)
    assert first == second


IMAGE = re.compile(r'<img src="([^"]+)"[^>]*? alt="([^"]+)">')
JOURNEY = ["form", "progress", "card", "reason", "items", "your-decision", "outcome", "record"]


def test_both_readmes_show_the_journey_in_their_own_language():
    for name, language in zip(READMES, ("en", "ja"), strict=True):
        shown = [Path(source).name for source, _ in IMAGE.findall((ROOT / name).read_text())]
        assert shown[: len(JOURNEY)] == [f"{step}.{language}.png" for step in JOURNEY]


def test_every_picture_is_shown_and_every_shown_picture_is_there_and_described():
    shown = set()
    for page in (*(ROOT / name for name in READMES), *(ROOT / "docs").glob("*.md")):
        text = page.read_text()
        assert text.count("<img ") == len(IMAGE.findall(text)), (
            f"{page.name}: a picture without a description"
        )
        shown |= {(page.parent / source).resolve() for source, _ in IMAGE.findall(text)}
    assert shown == {path.resolve() for path in (ROOT / "docs" / "images").iterdir()}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment like a reader's: a vault with a folder `daily`, `ringi` on PATH."""
    daily = tmp_path / "Notes" / "daily"
    daily.mkdir(parents=True)
    (tmp_path / "Notes" / ".obsidian").mkdir()
    (tmp_path / "Notes" / "Project plan.md").write_text("# Plan\n")
    (daily / "2026-11-03.md").write_text("Ask for numbers in [[Projct plan]].\n")
    return {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "RINGI_VAULT": str(tmp_path / "Notes"),
        "RINGI_DRAFTER": "rules",
    }


@pytest.mark.slow
def test_the_terminal_lines_do_what_they_say_one_after_the_other(home, tmp_path):
    run_id = None
    for line in shell_lines("README.md"):
        if not command(line).startswith("ringi ") or SLACK in line:
            continue
        text = command(line).replace("8f3c2a", run_id or "8f3c2a")
        done = subprocess.run(
            text.split(), cwd=tmp_path, env=home, capture_output=True, text=True, timeout=100, check=False
        )
        expected = 1 if text.startswith("ringi links") else 0
        assert done.returncode == expected, f"{text}\n{done.stdout}\n{done.stderr}"
        if text.startswith("ringi linkcheck"):
            run_id = re.search(r"ringi resume ([0-9a-f]{6,})", done.stdout)[1]
    assert run_id
    (record,) = (tmp_path / ".local/share/ringi/records").glob("*.md")
    assert "outcome: approved" in record.read_text()


@pytest.mark.slow
def test_the_line_for_cron_asks_once_and_then_no_more(home, tmp_path):
    lines = [
        re.findall(r"^```crontab\n(.*?)^```", (ROOT / n).read_text(), re.MULTILINE | re.DOTALL)
        for n in READMES
    ]
    assert lines[0] == lines[1]
    [line] = lines[0]
    when, act = line.split(maxsplit=5)[:5], line.split(maxsplit=5)[5]
    assert all(re.fullmatch(r"[\d*]+", field) for field in when)
    (tmp_path / "ringi" / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / "ringi" / ".venv" / "bin" / "ringi").symlink_to(BIN / "ringi")
    asked = {"PATH": "/usr/bin:/bin", **{n: home[n] for n in ("HOME", "RINGI_VAULT", "RINGI_DRAFTER")}}
    if path := os.environ.get("PYTHONPATH"):
        asked["PYTHONPATH"] = path

    def run(text: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", text], env=asked, capture_output=True, text=True, timeout=100, check=True
        )
        return done.stdout

    run_id = re.search(r"ringi resume ([0-9a-f]{6,})", run(act))[1]
    run(f"{BIN}/ringi resume {run_id} approve")
    assert "1 judged before, nothing new." in run(act)


async def follow(process: asyncio.subprocess.Process, ready: str, seconds: float = 90) -> str:
    """Read a long-running command's output until its ready line."""
    seen = ""
    async with asyncio.timeout(seconds):
        while not re.search(ready, seen):
            line = await process.stdout.readline()
            assert line, f"ended before it was ready:\n{seen}"
            seen += line.decode()
    return seen


async def end(process: asyncio.subprocess.Process) -> int:
    process.send_signal(signal.SIGINT)
    async with asyncio.timeout(30):
        await process.communicate()
    return process.returncode


@pytest.mark.slow
async def test_the_slack_lines_work_against_a_local_slack(home, tmp_path):
    from bot.emulator import Emulator

    slack = Emulator()
    await slack.start()
    home |= {
        "SLACK_API_URL": slack.api_url,
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "RINGI_STARTERS": "U0MEMBER1",
        "RINGI_OPERATOR": "U0MEMBER1",
    }
    try:
        lines = [command(line) for line in shell_lines("README.md") if SLACK in line]
        assert lines == ["ringi doctor", "ringi serve"]
        pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.STDOUT}
        doctor = await asyncio.create_subprocess_exec(*lines[0].split(), cwd=tmp_path, env=home, **pipes)
        said = (await asyncio.wait_for(doctor.communicate(), 90))[0].decode()
        assert doctor.returncode == 0, said
        serve = await asyncio.create_subprocess_exec(*lines[1].split(), cwd=tmp_path, env=home, **pipes)
        await follow(serve, r"(?i)ready")
        assert await end(serve) == 0
    finally:
        await slack.close()


@pytest.mark.slow
async def test_make_demo_prints_an_address_and_ends_on_ctrl_c(tmp_path):
    if (ROOT / ".venv").resolve() != BIN.parent:
        pytest.skip("runs where the environment is .venv, as `make demo` makes it")
    demo = await asyncio.create_subprocess_exec(
        "make",
        "demo",
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    seen = await follow(demo, r"/linkcheck notes")
    assert re.search(r"http://127\.0\.0\.1:\d+/\S+", seen)
    os.killpg(demo.pid, signal.SIGINT)
    begun = time.monotonic()
    await asyncio.wait_for(demo.communicate(), 30)
    assert time.monotonic() - begun < 30


def test_make_without_words_lists_its_commands():
    make = shutil.which("make")
    done = subprocess.run([make], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in ("demo", "test", "install", "check", "bench"):
        assert re.search(rf"^{name}\b", done.stdout, re.MULTILINE)


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"^ *```{language}\n(.*?)^ *```", (ROOT / name).read_text(), re.MULTILINE | re.DOTALL)


def test_what_keeps_it_running_can_be_read_by_systemd_and_launchd_and_serves():
    for language in ("ini", "xml"):
        assert blocks(READMES[0], language) == blocks(READMES[1], language)
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str
    unit.read_string(blocks("README.md", "ini")[-1])
    agent = plistlib.loads(blocks("README.md", "xml")[0].encode())
    assert unit["Service"]["ExecStart"] == "%h/ringi/.venv/bin/ringi serve"
    assert [Path(agent["ProgramArguments"][0]).name, *agent["ProgramArguments"][1:]] == ["ringi", "serve"]
    for folder in (unit["Service"]["WorkingDirectory"], agent["WorkingDirectory"]):
        assert Path(folder).name == "ringi"
    assert (unit["Service"]["Restart"], agent["KeepAlive"]) == ("on-failure", True)


def test_both_readmes_have_the_same_chapters_tables_and_pictures():
    first, second = ((ROOT / name).read_text() for name in READMES)
    for mark in (r"^#+ ", r"^\|", r"<img ", r"^\d\. ", r"^- \*\*"):
        assert len(re.findall(mark, first, re.MULTILINE)) == len(re.findall(mark, second, re.MULTILINE)), mark
    for name in sorted(set(re.findall(r"RINGI_[A-Z_]+|SLACK_[A-Z_]+|--[a-z-]+|docs/[a-z]+\.md", first))):
        assert name in second, name
