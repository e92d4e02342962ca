"""Whatever is typed, set, missing or forbidden: a sentence and the way out, never a traceback."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

TOO_LONG = "a" * 5_000
NO_USER = "~nobody-of-that-name"


def is_told(said, *words: str, code: int = 2) -> None:
    """Assert that a command said it in words, on one short page, with nothing that only programmers read."""
    assert said.code == code, said.err
    for word in words:
        assert word in said.out + said.err
    for never in ("Traceback", "unforeseen", "Something went wrong", ".py:"):
        assert never not in said.out + said.err


@pytest.mark.parametrize(
    "folder", ["", " ", TOO_LONG, f"{NO_USER}/x", "\udcff\udcfe", "a\nb\x1b[31m", "/dev/null"]
)
def test_a_folder_that_is_none_is_a_usage_error_however_it_is_spelled(ringi, folder):
    for command in ("links", "linkcheck", "forget"):
        said = ringi(command, folder)
        is_told(said, "There is no folder")
        assert "\x1b" not in said.err
    is_told(ringi("links", folder, RINGI_VAULT=""), "RINGI_VAULT is not set, and there is no folder")


@pytest.mark.parametrize("value", [TOO_LONG, f"{NO_USER}/Notes", "/dev/null", "\udcff", "/nowhere"])
def test_a_vault_that_is_none_names_its_setting(ringi, value):
    is_told(ringi("links", ".", "--vault", value), "RINGI_VAULT")
    is_told(ringi("linkcheck", ".", RINGI_VAULT=value), "RINGI_VAULT")
    said = ringi("doctor", RINGI_VAULT=value)
    is_told(said, "fail  Settings: RINGI_VAULT")
    assert max(map(len, said.out.splitlines())) < 400  # what is wrong is shown, not all of it


@pytest.mark.parametrize(
    "file", [TOO_LONG, f"{NO_USER}/env", "/dev/null", "/dev/zero", "/", "none", "\udcff"]
)
def test_a_settings_file_that_cannot_be_read_is_named(ringi, file):
    is_told(ringi("--env-file", file, "runs"), "--env-file names ")
    is_told(ringi("runs", RINGI_ENV_FILE=file), "RINGI_ENV_FILE names ")


@pytest.fixture
def odd(tmp_path):
    """Places that are no place for a database."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no database at all, only words\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.parametrize("place", ["folder", "text", "pipe", "text/x", TOO_LONG, NO_USER, "mysql://x"])
def test_a_database_that_can_be_none_is_said_by_every_command(ringi, odd, place):
    database = place if place.startswith(("~", "mysql")) else str(odd / place)
    where = {"RINGI_DATABASE": database}
    for words in (["runs"], ["linkcheck", "daily"], ["resume", "abcdef", "approve"]):
        is_told(ringi(*words, **where), "RINGI_DATABASE" if place != "text" else "It is no database")
    assert re.search("[ぁ-ん]", ringi("runs", **where, RINGI_LANGUAGE="ja").err)
    looked = ringi("doctor", **where)
    wrong = place.startswith(("~", "mysql"))
    is_told(looked, "fail  Settings" if wrong else "fail  Database", code=2 if wrong else 1)


def test_a_device_keeps_its_rights_when_it_is_taken_for_a_database(ringi):
    before = Path("/dev/null").stat().st_mode
    is_told(ringi("runs", RINGI_DATABASE="/dev/null"), "no ordinary file")
    assert Path("/dev/null").stat().st_mode == before


def test_records_that_could_not_be_written_are_refused_before_anybody_is_asked(ringi, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for place in ("file", "file/records"):
        is_told(ringi("linkcheck", "daily", RINGI_RECORDS=str(tmp_path / place)), "RINGI_RECORDS names ")
    is_told(ringi("linkcheck", "daily", RINGI_RECORDS=f"{NO_USER}/records"), "RINGI_RECORDS begins with ~")
    assert ringi("runs", "--format", "json").json == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RINGI_KEEP_DAYS", "99999999999"),
        ("RINGI_CLAUDE_TIMEOUT_SECONDS", "inf"),
        ("RINGI_CLAUDE_TIMEOUT_SECONDS", "1e300"),
        ("RINGI_BATCH", "9" * 5_000),
        ("RINGI_LANGUAGE", "fr"),
        ("RINGI_LOG_LEVEL", "loud"),
        ("SLACK_API_URL", "http://["),
        ("RINGI_OPERATOR", "\udcff"),
    ],
)
def test_a_value_that_makes_no_sense_names_its_setting(ringi, name, value):
    said = ringi("runs", **{name: value})
    is_told(said, name)
    assert len(said.err) < 500


@pytest.mark.parametrize("columns", ["0", "-1", "many", "9" * 5_000])
def test_a_width_that_is_none_is_passed_over(ringi, columns):
    assert ringi("runs", COLUMNS=columns).code == 0


def test_a_word_that_no_command_takes_is_answered_with_those_it_takes(ringi):
    said = ringi("resume", "abcdef", "aprove")
    is_told(said, "'aprove' is not one of 'approve', 'reject', 'send-back'.")
    assert "Value error" not in said.err
    is_told(ringi("demo", "--port", "99999"), "'--port': it has to be less than or equal to 65535")
    is_told(ringi("demo", "--port", "x"), "'--port': it has to be a valid integer")


def test_a_manifest_without_an_end_is_no_manifest(ringi):
    is_told(ringi("emulate", "--manifest", "/dev/zero"), "--manifest /dev/zero cannot be read")


def test_a_folder_that_is_gone_from_under_the_command_is_said(ringi, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (["runs"], ["links", "."], ["doctor"]):
        is_told(ringi(*words), "The folder you are in is gone.")
    is_told(
        ringi("runs", "--lang", "ja"), "いまいるフォルダがなくなっています。".replace("がなく", " がなく")
    )


@pytest.mark.slow
def test_streams_that_are_closed_or_full_end_nothing_in_a_traceback(outside):
    """The number of a closed stream must not become the database's."""

    def started(line):
        return outside("/bin/sh", "-c", line, R=f"{sys.executable} -m bot")

    for line in ("$R linkcheck daily >&-", "$R linkcheck daily >&- 2>&-", "$R runs <&- >/dev/null"):
        done = started(line)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    assert started("$R runs").stdout.count("waiting") == 2
    full = started("$R runs >/dev/full")
    assert (full.returncode, full.stderr) == (
        2,
        "This machine does not let it go on: No space left on device\n",
    )


WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.slow
def test_a_right_that_is_missing_is_named_with_its_place(outside, tmp_path, require):
    """As root, whom nothing is forbidden, without the capabilities that make it so."""
    import shutil

    limited = WITHOUT_RIGHTS if os.getuid() == 0 else []
    if limited:
        require(shutil.which("setpriv"), "setpriv", "apt-get install util-linux")
    shut = tmp_path / "shut"
    shut.mkdir()
    shut.chmod(0)

    def ringi(*words, **more):
        return outside(*limited, sys.executable, "-m", "bot", *words, **more)

    try:
        for more, words, told in (
            ({"RINGI_DATABASE": str(shut / "x.sqlite")}, ["runs"], "cannot be created: Permission denied"),
            ({"RINGI_VAULT": str(shut)}, ["links", "."], "cannot be used: Permission denied"),
            ({"RINGI_RECORDS": str(shut / "r")}, ["linkcheck", "daily"], "RINGI_RECORDS names "),
        ):
            said = ringi(*words, **more)
            assert said.returncode == 2, said.stderr
            assert told in said.stderr
            assert ".py" not in said.stderr
        looked = ringi("doctor", RINGI_DATABASE=str(shut / "x.sqlite"), RINGI_RECORDS=str(shut / "r"))
        assert "fail  Database: " in looked.stdout
        assert "fail  Records: " in looked.stdout
        assert looked.stderr == ""
    finally:
        shut.chmod(0o700)


def test_ctrl_c_while_it_is_still_being_loaded_is_as_quiet_as_later(outside):
    begins = """
import builtins, os, signal
load = builtins.__import__
def interrupted(name, *rest):
    if name == "typer":
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *rest)
builtins.__import__ = interrupted
from bot.__main__ import main
main()
"""
    done = outside(sys.executable, "-c", begins, "runs")
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")
