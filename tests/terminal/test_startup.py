"""How fast a command shows life, what it imports, and how it is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

WHAT_IS_LOADED = """
import sys
sys.argv = ["ringi", *sys.argv[1:]]
from bot.__main__ import main
try:
    main()
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""


@pytest.fixture
def loaded(outside):
    """Return the top packages a command line has imported by its end."""

    def run(*arguments):
        done = outside(sys.executable, "-c", WHAT_IS_LOADED, *arguments, check=True)
        return {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split()}

    return run


GRAPH = {"langgraph", "langchain_core"}
SLACK = {"slack_bolt", "slack_sdk", "aiohttp"}


def test_help_imports_nothing_of_ours_that_weighs(loaded):
    assert not loaded("--help") & (GRAPH | SLACK | {"sqlalchemy", "rich", "pydantic", "numpy"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("runs",),
        ("show", "abcdef"),
        ("resume", "abcdef", "approve"),
        ("stop", "abcdef"),
        ("cancel", "abcdef"),
        ("patch", "abcdef"),
        ("hold",),
        ("release",),
        ("forget", "."),
        ("doctor",),
    ],
)
def test_commands_that_read_or_insert_do_not_import_langgraph(loaded, arguments):
    assert not loaded(*arguments) & (GRAPH | {"slack_bolt", "numpy"})


def test_links_imports_neither_database_nor_slack_nor_rich(loaded):
    assert not loaded("links", "daily") & (GRAPH | SLACK | {"sqlalchemy", "alembic", "rich"})
    assert not loaded("links", "quiet") & {"numpy", "rapidfuzz", "asyncio", "yaml"}


LIFE = """
import sys
from importlib.abc import MetaPathFinder
class Tells(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "langgraph":
            print("LangGraph is loaded", file=sys.stderr, flush=True)
sys.meta_path.insert(0, Tells())
sys.argv = ["ringi", *sys.argv[1:]]
from bot.__main__ import main
main()
"""


@pytest.mark.slow
def test_a_command_that_runs_a_graph_shows_life_before_it_loads_langgraph(outside, ringi):
    def lines(*words):
        return outside(sys.executable, "-c", LIFE, *words, check=True).stderr.splitlines()

    started = lines("linkcheck", "daily")
    assert started[0].startswith("Checking links in daily (run ")
    assert started.index("LangGraph is loaded") > 0
    run = ringi("runs", "--format", "json").json[0]["run"]
    decided = lines("resume", run[:8], "approve")
    assert decided[0] == "Approved. This answer counts."
    assert decided.index("LangGraph is loaded") > 0


def _until(path, text, process, deadline=60.0):
    end = time.monotonic() + deadline
    while text not in path.read_text(encoding="utf-8"):
        assert time.monotonic() < end, path.read_text(encoding="utf-8")
        assert process.poll() is None, path.read_text(encoding="utf-8")
        time.sleep(0.02)


HANGING = """#!/bin/sh
case "$*" in
*auth*) echo '{{"loggedIn":true,"authMethod":"claude.ai","apiProvider":"firstParty","subscriptionType":"max"}}' ;;
*) : > "{begun}"; exec sleep 600 ;;
esac
"""


@pytest.fixture
def hanging(variables, elsewhere, tmp_path):
    """A check whose call to Claude never ends: the process, and the file that holds what it says meanwhile."""
    claude, begun, told = tmp_path / "claude", tmp_path / "begun", tmp_path / "told"
    claude.write_text(HANGING.format(begun=begun), encoding="utf-8")
    claude.chmod(0o755)
    more = {"RINGI_DRAFTER": "claude", "RINGI_CLAUDE": str(claude), "TMPDIR": str(tmp_path)}
    with told.open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "linkcheck", "daily", "--format", "json"],
            env=variables | more,
            cwd=elsewhere,
            stdout=subprocess.PIPE,
            stderr=err,
            encoding="utf-8",
        )
    try:
        _until(told, "Step 2 of 3", process)
        while not begun.exists():
            assert process.poll() is None, told.read_text(encoding="utf-8")
            time.sleep(0.02)
        yield process, told
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_run_left_in_the_middle_is_gone_on_with_by_retry(hanging, ringi, tmp_path, number):
    """What can be said before the end is said, and nothing is left behind; whatever it was, `retry` works the same."""
    process, told = hanging
    os.kill(process.pid, number)
    code = process.wait(30)
    name = told.read_text(encoding="utf-8").partition("(run ")[2][:8]
    left = [*tmp_path.rglob("claude-children/*.json"), *tmp_path.glob("ringi-claude-*")]
    assert bool(left) == (number == signal.SIGKILL), left
    if number != signal.SIGKILL:
        assert code == 128 + number
        assert f"Go on with: ringi retry {name}" in told.read_text(encoding="utf-8")
    assert ringi("runs", "--format", "json").json[0]["state"] == "running"
    assert f"Go on with: ringi retry {name}" in ringi("show", name).out

    other = ringi("linkcheck", "daily", "--format", "json").json["run"]
    assert ringi("resume", other[:8], "approve").code == 0
    assert ringi("show", name, "--format", "json").json["state"] == "running"  # nobody asked for it

    stopped = ringi("stop", name)
    assert stopped.code == 0
    assert ringi("show", name, "--format", "json").json["failure"]["kind"] == "stopped"


def test_a_closed_pager_is_no_traceback(outside):
    assert outside("sh", "-c", f"{sys.executable} -m bot links daily | true").stderr == ""


def test_an_unforeseen_error_is_a_sentence_and_the_log_has_its_reference(ringi, monkeypatch):
    async def broken(*_args, **_more):
        raise ZeroDivisionError("secret text of a note")

    monkeypatch.setattr("bot.terminal.look.runs", broken)
    said = ringi("runs")
    assert said.code == 1
    assert "secret" not in said.err
    sentence = said.err.splitlines()[-1]
    reference = sentence.partition("Reference ")[2].partition(";")[0]
    assert f"reference={reference}" in said.err.splitlines()[0]
    assert "ZeroDivisionError" in said.err


def test_usage_errors_leave_with_2(ringi):
    for arguments in (["linkcheck"], ["resume", "abcdef", "maybe"], ["runs", "--format", "yaml"], ["fly"]):
        assert ringi(*arguments).code == 2


def test_every_command_teaches_by_example(ringi):
    from bot.cli import app
    from bot.terminal import guide

    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert len(names) == 17
    for name in names:
        said = ringi(name, "--help")
        assert said.code == 0
        assert f"\n  ringi {name}" in said.out or f"\n  ringi --env-file ~/ringi.env {name}" in said.out
        assert f"\n  {name} " in ringi("--help").out
    assert "Exit codes: 0 fine" in ringi("--help").out
    assert guide.short(guide.LINKS) == "List a folder's links that lead nowhere, with near names"


def test_version_is_the_installed_one(ringi):
    from importlib.metadata import version

    assert ringi("--version").out == f"ringi {version('ringi')}\n"


@pytest.mark.slow
@pytest.mark.parametrize("order", ["stop", "cancel"])
def test_an_order_from_another_terminal_reaches_the_one_at_work(hanging, ringi, order):
    process, told = hanging
    name = told.read_text(encoding="utf-8").partition("(run ")[2][:8]
    assert ringi(order, name).code == 0
    answer, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert json.loads(answer)["state"] == {"stop": "failed", "cancel": "cancelled"}[order]
