"""A run survives being killed at any boundary: no decision lost, no effect doubled, no message lost or doubled.

The same promise as in public reports of approvals that were lost or executed twice after a restart.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EVERYTHING = {
    "answer:after", "answer:before", "aput:after", "aput:before", "aput_writes:after", "aput_writes:before",
    "commit:after", "commit:before", "message:after", "message:before", "node:collect", "node:draft",
    "node:record", "node:recorded", "node:review", "slack:before-post", "slack:posted", "slack:updated",
}  # fmt: skip


def lives(scenario, every, *mutant):
    done = subprocess.run(
        [sys.executable, str(HERE / "lives.py"), scenario, str(every), *mutant],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[1],
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("scenario", ["approve", "failure", "withdraw"])
def test_killed_at_some_boundaries_a_run_ends_as_if_nothing_had_happened(scenario):
    left = lives(scenario, 19)
    assert set(left["kinds"]) == EVERYTHING
    assert left["killed"] > 1
    assert left["wrong"] == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scenario", ["approve", "failure", "withdraw"])
def test_killed_at_every_boundary_a_run_ends_as_if_nothing_had_happened(scenario):
    left = lives(scenario, 1)
    assert left["wrong"] == {}
    assert left["again"] > 0  # nodes were repeated, and it did not show


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mutant", ["record-not-once", "post-without-looking", "answer-before-commit"])
def test_a_program_that_breaks_a_promise_is_found_out(mutant):
    assert lives("approve", 2, mutant)["wrong"] != {}


def test_of_approve_and_reject_at_the_same_moment_one_stands_and_the_other_is_told(tmp_path):
    rounds = 60
    done = subprocess.run(
        [sys.executable, str(HERE / "rivals.py"), str(tmp_path / "ringi.sqlite"), str(rounds)],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[1],
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    stands = [kind for _, kind in answers["stands"]]
    assert [number for number, _ in answers["stands"]] == [1] * rounds
    assert {"approve", "reject"} == set(stands)  # it was a race: either side won some
    for said in ("approve", "reject"):
        assert answers["told"][said] == [
            [kind, "stands"] if kind == said else [kind, f"{kind}, I say"] for kind in stands
        ]
