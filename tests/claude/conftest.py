"""The real `claude`, a Messages API on loopback, and a home with a login that is worth nothing.

The production path stays as it is: `RINGI_CLAUDE` points at a wrapper that adds the loopback address as
`--settings`, which `--restricted` honours, and notes what it was called with.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graph.claude import ClaudeCode
from graph.claude.contract.place import Home
from graph.claude.contract.stub import StubServer
from graph.settings import Settings, read

HERE = Path(__file__).parent
RINGI = Path(sys.executable).with_name("ringi")
SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


def load(name: str):
    """Import a module of this folder; tests are no package."""
    spec = importlib.util.spec_from_file_location(f"ringi_tests_claude_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def binary(require) -> str:
    """The real executable: RINGI_TEST_CLAUDE, else the pinned one, else what PATH has."""
    found = os.environ.get("RINGI_TEST_CLAUDE") or load("install").installed() or shutil.which("claude")
    return str(require(found, "the claude binary", ".venv/bin/python tests/claude/install.py"))


@pytest.fixture(scope="session")
def stub():
    with StubServer() as server:
        yield server


@pytest.fixture
def home(tmp_path) -> Home:
    path = tmp_path / "home"
    path.mkdir()
    home = Home(path)
    home.log_in()
    return home


@dataclass
class Wrapper:
    """What stands where the executable is expected."""

    path: Path
    calls_file: Path

    def calls(self) -> list[dict]:
        """Each call: `pid`, `argv`, `env`, `cwd`; those for an answer (`-p`) only."""
        if not self.calls_file.exists():
            return []
        calls = [json.loads(line) for line in self.calls_file.read_text().splitlines()]
        return [call for call in calls if "-p" in call["argv"]]


WRAPPER = """#!{python} -IS
import json, os, sys
call = {{"pid": os.getpid(), "argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd()}}
with open({calls!r}, "a") as file:
    file.write(json.dumps(call) + "\\n")
os.execv({binary!r}, [{binary!r}, "--settings", {settings!r}, *sys.argv[1:]])
"""


@pytest.fixture
def wrap(tmp_path, binary, stub):
    """Make the wrapper that leads to one scenario of the stub."""

    def make(scenario: str) -> Wrapper:
        path, calls = tmp_path / f"claude-{scenario}", tmp_path / f"calls-{scenario}.jsonl"
        settings = json.dumps({"env": {"ANTHROPIC_BASE_URL": stub.url(scenario)}})
        path.write_text(
            WRAPPER.format(python=sys.executable, calls=str(calls), binary=binary, settings=settings)
        )
        path.chmod(0o755)
        return Wrapper(path, calls)

    return make


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder under check."""
    path = tmp_path / "vault" / "daily"
    path.mkdir(parents=True)
    (path / "a.md").write_text("SECRET-OF-NOTE-A\n\nSee [[Projct plan]].\n")
    (path / "b.md").write_text("SECRET-OF-NOTE-B\n")
    return path


@dataclass
class Asking:
    """A way to ask the real thing, and to see what came of it."""

    claude: ClaudeCode
    wrapper: Wrapper
    folder: Path
    said: list[int] = field(default_factory=list)
    did: list[tuple[str, int]] = field(default_factory=list)

    async def ask(self, prompt="Look at the links.", schema=SCHEMA, max_turns=12):
        return await self.claude.ask(
            prompt,
            schema,
            folder=str(self.folder),
            max_turns=max_turns,
            waiting=self.said.append,
            doing=lambda what, number: self.did.append((what, number)),
        )


@pytest.fixture
def asking(wrap, home, folder, tmp_path):
    """Point the real component at a scenario; further settings by their variable."""

    def make(scenario: str, environment: dict[str, str] | None = None, **variables: str) -> Asking:
        wrapper = wrap(scenario)
        outside = {"PATH": os.environ["PATH"], "HOME": str(home.path), "LANG": "C.UTF-8"} | (
            environment or {}
        )
        ours = {"RINGI_CLAUDE": str(wrapper.path), "RINGI_DATABASE": str(tmp_path / "state" / "ringi.sqlite")}
        settings = read(Settings, ours | variables)
        return Asking(ClaudeCode(settings, outside), wrapper, folder)

    return make


@pytest.fixture
def gone():
    """Tell whether a process and all of its group have ended; one that only waits to be reaped has."""

    def check(pid: int) -> bool:
        listed = subprocess.run(
            ["ps", "-A", "-o", "pgid=,stat="], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.splitlines()
        alive = [pgid for pgid, stat in map(str.split, listed) if not stat.startswith("Z")]
        return str(pid) not in alive

    return check


@pytest.fixture
def variables(tmp_path, wrap, home, folder):
    """The whole environment of a `ringi` that asks one scenario of the stub."""

    def make(scenario: str, **more: str) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": str(home.path),
            "LANG": "C.UTF-8",
            "RINGI_VAULT": str(folder.parent),
            "RINGI_DATABASE": str(tmp_path / "state" / "ringi.sqlite"),
            "RINGI_RECORDS": str(tmp_path / "records"),
            "RINGI_CLAUDE": str(wrap(scenario).path),
            **more,
        }

    return make


@pytest.fixture
def ringi():
    """`ringi` as a person starts it, in an environment that `variables` made."""

    def run(env, *arguments):
        return subprocess.run(
            [RINGI, *arguments], env=env, capture_output=True, text=True, timeout=120, check=False
        )

    return run
