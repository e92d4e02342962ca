"""The oldest driver of SQLite that pyproject.toml allows; the newest is in the lock, and all other tests use that."""

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def oldest(require):
    spec = importlib.util.spec_from_file_location(
        "install_oldest", Path(__file__).parent / "install_oldest.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    require(module.installed(), f"aiosqlite {module.VERSION}", "make install && .ci/oldest")
    return module


@pytest.mark.slow
def test_a_run_is_started_decided_and_recorded_with_the_oldest_driver_too(oldest):
    """L25: a driver that changed what a connection is kept LangGraph from opening its file."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert f"aiosqlite>={oldest.VERSION.removesuffix('.0')}" in wanted
    path = os.pathsep.join([str(oldest.FOLDER), str(ROOT)])
    tests = ["tests/engine/test_a_run.py", "tests/store/test_file.py", "-k", "not postgres"]
    version = (
        "import aiosqlite, pytest, sys; print(aiosqlite.__version__); sys.exit(pytest.main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", version, "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *tests],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.stdout.startswith(oldest.VERSION), done.stdout + done.stderr
    assert done.returncode == 0, done.stdout
