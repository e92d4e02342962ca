"""Fixtures of the whole suite."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import pytest

T = TypeVar("T")
NOTHING_SKIPPED = os.environ.get("RINGI_TEST_REQUIRE") == "all"


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


@pytest.fixture(scope="session")
def throwaway() -> ModuleType:
    """Return the module that starts PostgreSQL servers; tests cannot import each other."""
    spec = importlib.util.spec_from_file_location(
        "throwaway_postgres", Path(__file__).with_name("throwaway_postgres.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
