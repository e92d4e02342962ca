"""Databases on the throw-away server, as the programs of people name them."""

import logging
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from bot import cli


@pytest.fixture
def address(postgres):
    """The address of an empty database."""
    name = postgres.new_database()
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
def vault(tmp_path):
    """A vault in which `daily` has two links that lead nowhere."""
    home = tmp_path / "vault"
    for name, text in {
        "daily/2026-11-03.md": "Ask for the numbers in [[Projct plan]] before Friday.\n",
        "daily/2026-11-05.md": "- [[Move to new office]]\n",
        "work/Project plan.md": "# Project plan\n",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    (home / ".obsidian").mkdir()
    return home


@pytest.fixture
def variables(tmp_path, vault):
    """The whole environment of a `ringi`, on SQLite unless told otherwise."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "TZ": "Europe/London",
        "COLUMNS": "160",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "RINGI_VAULT": str(vault),
        "RINGI_DATABASE": str(tmp_path / "state" / "ringi.sqlite"),
        "RINGI_RECORDS": str(tmp_path / "records"),
        "RINGI_DRAFTER": "rules",
    }


@pytest.fixture
def ringi(variables, tmp_path, monkeypatch, capfd):
    """Run a command line in this process, with its own environment and nothing else of ours."""
    monkeypatch.chdir(tmp_path)
    root = logging.getLogger()
    before = (list(root.handlers), root.level)

    def run(*arguments, **more):
        capfd.readouterr()
        with monkeypatch.context() as patch:
            for name in list(os.environ):
                patch.delenv(name)
            for name, value in {**variables, **more}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["ringi", *arguments])
            patch.setattr(cli, "_env_file", None)
            patch.setattr(cli, "_language", None)
            with pytest.raises(SystemExit) as left:
                cli.main()
        sys.stdout.flush()
        said = capfd.readouterr()
        return SimpleNamespace(returncode=int(left.value.code or 0), stdout=said.out, stderr=said.err)

    yield run
    root.handlers[:], root.level = before[0], before[1]
    logging.captureWarnings(capture=False)


@pytest.fixture
def started(variables, tmp_path):
    """Start a command line and leave it running; what is left at the end is killed."""
    running = []

    def start(*arguments, **more):
        out = (tmp_path / f"process-{len(running)}.txt").open("w+")
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", *arguments],
            env={**variables, **more},
            cwd=tmp_path,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
        )
        process.said = (tmp_path / out.name).read_text
        running.append((process, out))
        return process

    yield start
    for process, out in running:
        process.kill()
        process.wait()
        out.close()


@pytest.fixture
def until():
    """Wait for a condition, at most a minute."""

    def waited(condition):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError("it did not come true within a minute")

    return waited
