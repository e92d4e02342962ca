"""Fixtures of the whole suite."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import pytest

T = TypeVar("T")
NOTHING_SKIPPED = os.environ.get("RINGI_TEST_REQUIRE") == "all"
SLOW_ROOMS = frozenset({"crash", "postgres", "scenarios"})
"""Rooms whose tests start the whole program, or several of it."""


def pytest_configure() -> None:
    """Let the programs that tests start be ended by Ctrl-C and hang-up.

    What `nohup` or a shell's `&` lets a process ignore, its children ignore too.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Count as slow what starts the whole program or a PostgreSQL server, so that the fast tests stay fast."""
    here = Path(__file__).parent
    for item in items:
        room = item.path.relative_to(here).parts[0] if item.path.is_relative_to(here) else ""
        database = getattr(item, "callspec", None) and item.callspec.params.get("database")
        if room in SLOW_ROOMS or database == "postgres":
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def require() -> Callable[[T | None, str, str], T]:
    """Demand something of this machine: `require(found, "Chromium", "apt-get install chromium")` returns what was found.

    If nothing was, the test is skipped by name, with the line that installs it.
    """

    def demand(found: T | None, what: str, install: str) -> T:
        if found is None:
            pytest.skip(f"{what} is missing here; install it with: {install}")
        return found

    return demand


def _module(name: str) -> ModuleType:
    """Return a module of this folder; tests cannot import each other."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def throwaway() -> ModuleType:
    """Return the module that starts PostgreSQL servers."""
    return _module("throwaway_postgres")


@pytest.fixture(scope="session")
def towns() -> ModuleType:
    """Return the module that runs the whole bot on a local Slack."""
    return _module("town")


@pytest.fixture(scope="session")
def postgres(require, throwaway):
    """A PostgreSQL server for this test process."""
    binaries = require(throwaway.find_binaries(), "PostgreSQL's server", throwaway.INSTALL)
    server = throwaway.Server(binaries)
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    """An empty database, as `RINGI_DATABASE` names it: each test that asks for it runs on both kinds."""
    if request.param == "sqlite":
        yield str(tmp_path / "state" / "ringi.sqlite")
        return
    server = request.getfixturevalue("postgres")
    name = server.new_database()
    yield server.url(name)
    server.drop(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """With RINGI_TEST_REQUIRE=all a skipped test is a failed one."""
    report = yield
    if NOTHING_SKIPPED and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"Nothing may be skipped here (RINGI_TEST_REQUIRE=all). {call.excinfo.value}"
    return report


class SmallDisk:
    """A file system of one megabyte in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        """Leave no room."""
        with (self.folder / "filling").open("wb", buffering=0) as file:
            for size in (65536, 4096, 512, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def clear(self) -> None:
        """Make room again."""
        (self.folder / "filling").unlink()

    def remount(self, how: str) -> None:
        """Let it be written (`rw`) or not (`ro`)."""
        subprocess.run(["mount", "-o", f"remount,{how}", str(self.folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path, require: Callable[[T | None, str, str], T]) -> Iterator[SmallDisk]:
    """Make a disk that can be filled, and written or not, without touching this machine's own."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount") if os.getuid() == 0 else None
    made = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m,mode=700", "ringi-test", str(folder)],
        check=False,
        capture_output=True,
    )
    require(
        made if made and made.returncode == 0 else None,
        "the right to mount a file system",
        "sudo -E make test",
    )
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
