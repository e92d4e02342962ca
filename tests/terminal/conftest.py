"""Small vaults, and `ringi` as a person starts it: in a process of its own, or in this one where that is enough."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot import __main__, cli

NOTES = {
    "daily/2026-11-03.md": "Ask for the numbers in [[Projct plan]] before Friday.\n",
    "daily/2026-11-05.md": "- 10:00 要点は [[会議メも]] に書いた\n- [[Move to new office]]\n",
    "daily/2026-11-09.md": "Still no date for [[Move to new office]].\n",
    "work/Project plan.md": "# Project plan\n",
    "work/会議メモ.md": "# 会議メモ\n",
    "quiet/Fine.md": "See [[Project plan]].\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault in which `daily` has three links that lead nowhere, and `quiet` none."""
    home = tmp_path / "vault"
    for name, text in NOTES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    (home / ".obsidian").mkdir()
    return home


@pytest.fixture
def variables(tmp_path: Path, vault: Path) -> dict[str, str]:
    """The whole environment of a `ringi`: nothing of this machine but where programs and this code are."""
    where_from = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return where_from | {
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "TZ": "Europe/London",
        "COLUMNS": "100",
        "RINGI_VAULT": str(vault),
        "RINGI_DATABASE": str(tmp_path / "state" / "ringi.sqlite"),
        "RINGI_RECORDS": str(tmp_path / "records"),
        "RINGI_DRAFTER": "rules",
    }


@dataclass(frozen=True)
class Said:
    """What a command said and how it left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """An empty working directory outside the vault."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def ringi(
    variables: dict[str, str],
    elsewhere: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Callable[..., Said]]:
    """Run a command line in this process, with its own environment and nothing else of ours."""
    monkeypatch.chdir(elsewhere)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    root = logging.getLogger()
    before = (list(root.handlers), root.level)

    def run(*arguments: str, **more: str) -> Said:
        capfd.readouterr()
        with monkeypatch.context() as patch:
            for name, value in {**variables, **more}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["ringi", *arguments])
            patch.setattr(cli, "_env_file", None)
            patch.setattr(cli, "_language", None)
            with pytest.raises(SystemExit) as left:
                __main__.main()
        sys.stdout.flush()
        said = capfd.readouterr()
        return Said(int(left.value.code or 0), said.out, said.err)

    yield run
    root.handlers[:], root.level = before[0], before[1]
    logging.captureWarnings(capture=False)


@pytest.fixture
def outside(variables: dict[str, str], elsewhere: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in a process of its own, with the environment of `ringi`; it is to end with code 0 if `check` says so."""

    def run(*command: str, check: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env={**variables, **more},
            cwd=elsewhere,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=check,
        )

    return run


def _same_code() -> dict[str, str]:
    """Let a process import the code that this one does."""
    return {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}


@pytest.fixture
def process(variables: dict[str, str], elsewhere: Path) -> Callable[..., Said]:
    """Run a command line in a process of its own."""

    def run(*arguments: str, **more: str) -> Said:
        done = subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            env={**variables, **_same_code(), **more},
            cwd=elsewhere,
            capture_output=True,
            encoding="utf-8",
            timeout=90,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return run
