"""Real worker processes on PostgreSQL, killed and paused in the middle: the same script that measures it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _two_workers(require, throwaway, *arguments):
    require(throwaway.find_binaries(), "PostgreSQL's server", throwaway.INSTALL)
    done = subprocess.run(
        [sys.executable, "-m", "bench.postgres", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_with_a_worker_killed_in_each_phase_every_run_ends_once_as_decided(require, throwaway):
    found = _two_workers(require, throwaway, "--runs", "30")
    assert (found["effects"], found["as_decided"], found["overlapping"]) == (30, 30, 0)
    assert found["record_executions"] <= 30 + 8  # at most what was under way is repeated


@pytest.mark.slow
def test_a_paused_worker_never_leads_to_two_executions_of_one_run(require, throwaway):
    """It is not dead: its lock stays, so nobody takes its runs, and nothing is drafted twice."""
    found = _two_workers(require, throwaway, "--runs", "12", "--draft", "1", "--pause")
    assert (found["effects"], found["as_decided"]) == (12, 12)
    assert (found["drafts"], found["record_executions"], found["overlapping"]) == (12, 12, 0)
