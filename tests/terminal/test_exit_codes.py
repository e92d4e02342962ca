"""What scripts rely on: exit codes, the keys of the JSON, and that nothing is ever asked on the keyboard."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
import uuid

import pytest

from bot.terminal import acts

HOLDER = """
import pathlib, sys
from graph.store import sqlite
with sqlite.serving(pathlib.Path(sys.argv[1])):
    print("serving", flush=True)
    sys.stdin.read()
"""


WATCHING = """
import sys
sys.argv = ["ringi", *sys.argv[1:]]
from bot.__main__ import main
try:
    main()
except SystemExit:
    print("LangGraph" if "langgraph" in sys.modules else "light", file=sys.stderr)
"""


@contextlib.contextmanager
def a_server(variables, elsewhere):
    """Hold a server's lock and do nothing, as one that is busy for a minute."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, variables["RINGI_DATABASE"]],
        env=variables,
        cwd=elsewhere,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        server.stdout.readline()
        yield
        server.stdin.close()


def is_as_promised(answer):
    """Assert the keys and types that a script may build on."""
    assert list(answer) == ["run", "state", "request", "candidates", "record"]
    assert str(uuid.UUID(answer["run"])) == answer["run"]
    assert answer["request"] is None or uuid.UUID(answer["request"])
    assert type(answer["candidates"]) is int
    return answer["state"], answer["candidates"], answer["request"] is None, answer["record"] is None


def test_linkcheck_leaves_with_0_when_it_waits_is_done_or_is_on_hold_and_with_1_when_it_failed(
    ringi, tmp_path
):
    waiting = ringi("linkcheck", "daily", "--format", "json")
    assert (waiting.code, *is_as_promised(waiting.json)) == (0, "waiting", 3, False, True)
    done = ringi("linkcheck", "quiet", "--format", "json")
    assert (done.code, *is_as_promised(done.json)) == (0, "done", 0, True, False)
    assert done.json["record"] == str(next((tmp_path / "records").glob("*-quiet-*.md")))
    failed = ringi(
        "linkcheck", "daily", "--format", "json", RINGI_DRAFTER="claude", RINGI_CLAUDE=str(tmp_path / "none")
    )
    assert (failed.code, *is_as_promised(failed.json)) == (1, "failed", 3, True, False)
    ringi("hold")
    held = ringi("linkcheck", "daily", "--format", "json")
    assert (held.code, *is_as_promised(held.json)) == (0, "queued", 0, True, True)


def test_a_run_that_ended_without_a_question_cannot_be_decided(ringi, tmp_path):
    ringi("linkcheck", "quiet")
    ringi("linkcheck", "daily", RINGI_DRAFTER="claude", RINGI_CLAUDE=str(tmp_path / "none"))
    ringi("hold")
    ringi("linkcheck", "daily")
    runs = {run["state"]: run["run"][:8] for run in ringi("runs", "--format", "json").json}
    ringi("cancel", runs["queued"])
    before = list((tmp_path / "records").iterdir())
    for state in ("done", "failed", "queued"):
        said = ringi("resume", runs[state], "approve")
        assert (said.code, said.out) == (3, ""), state
        assert "Nothing has changed." in said.err
    assert list((tmp_path / "records").iterdir()) == before


def test_a_beginning_that_several_runs_share_is_a_usage_error_of_every_command(ringi, variables):
    import sqlite3
    from contextlib import closing

    ringi("linkcheck", "daily")
    with closing(sqlite3.connect(variables["RINGI_DATABASE"], isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("SELECT * FROM runs").fetchone())
        row |= {"id": row["id"][:8] + str(uuid.uuid4())[8:], "source": "terminal:other"}
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO runs ({', '.join(row)}) VALUES ({marks})", [*row.values()])  # noqa: S608 - our own column names
    for words in (
        ("resume", "approve"),
        ("resume", "reject", "no"),
        ("show",),
        ("retry",),
        ("cancel",),
        ("stop",),
        ("patch",),
    ):
        said = ringi(words[0], row["id"][:8], *words[1:])
        assert said.code == 2, words
        assert f"Several runs begin with “{row['id'][:8]}”" in said.err
        assert f"  {row['id']}" in said.err.splitlines()


@pytest.mark.slow
def test_a_decision_beside_a_server_is_waited_for_half_a_minute_and_then_left_to_it(
    ringi, variables, elsewhere, monkeypatch, tmp_path
):
    assert acts._SERVER_PATIENCE == 30
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    monkeypatch.setattr(acts, "_SERVER_PATIENCE", 1.5)
    with a_server(variables, elsewhere):
        begun = time.monotonic()
        said = ringi("resume", run[:8], "approve", "by hand")
        waited = time.monotonic() - begun
    assert said.code == 0
    assert waited >= 1.5
    assert said.err.splitlines() == [
        "Approved. This answer counts.",
        "A server works on this database; it does the work, this only watches.",
        "going on, 0:00",
        f"The server goes on with it. Look again: ringi show {run[:8]}",
    ]
    assert not (tmp_path / "records").exists()
    assert ringi("retry", run[:8]).code == 0
    (record,) = (tmp_path / "records").glob("*.md")
    assert "by hand" in record.read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_only_inserts_beside_a_server_does_without_langgraph(ringi, variables, elsewhere):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    with a_server(variables, elsewhere):
        for words in (("linkcheck", "daily"), ("resume", run, "approve")):
            with subprocess.Popen(
                [sys.executable, "-c", WATCHING, *words],
                env=variables,
                cwd=elsewhere,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            ) as process:
                while "A server works on this database" not in (line := process.stderr.readline()):
                    assert line
                time.sleep(0.5)  # it looks again and again, and goes on doing without
                process.send_signal(signal.SIGINT)
                last, loaded = process.stderr.read().splitlines()[-2:]
                assert last.startswith("The server goes on without this window. Look again: ringi show ")
                assert loaded == "light"


@pytest.mark.slow
def test_a_record_that_cannot_be_written_yet_is_waited_for_in_words(ringi, variables, elsewhere, tmp_path):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    (tmp_path / "records").write_text("in the way\n", encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "resume", run, "approve"],
        env=variables,
        cwd=elsewhere,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        told = ""
        while "The decision is safe. Writing the record failed; trying again at " not in told:
            told = process.stderr.readline()
            assert told
        (tmp_path / "records").unlink()
        assert process.wait(60) == 0
        assert f"Recorded: {tmp_path / 'records'}" in process.stdout.read()


@pytest.mark.slow
def test_nothing_is_asked_on_the_keyboard(variables, elsewhere):
    """Standard input stays open and silent; whoever read from it would never end."""

    def ringi(*words):
        with subprocess.Popen(
            [sys.executable, "-m", "bot", *words],
            env=variables,
            cwd=elsewhere,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        ) as process:
            assert process.wait(60) is not None
            return process.returncode, process.stdout.read()

    code, said = ringi("linkcheck", "daily")
    assert code == 0
    run = said.partition("(run ")[2][:8]
    assert ringi("resume", run, "reject")[0] == 2
    assert ringi("resume", run, "send-back", "look again")[0] == 0
    assert ringi("resume", run, "approve")[0] == 0
