"""Fixtures of the whole suite."""

from __future__ import annotations

import os
from collections.abc import Callable
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """With RINGI_TEST_REQUIRE=all a skipped test is a failed one."""
    report = yield
    if NOTHING_SKIPPED and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"Nothing may be skipped here (RINGI_TEST_REQUIRE=all). {call.excinfo.value}"
    return report
