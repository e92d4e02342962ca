"""The real bot survives being killed anywhere: nothing lost, nothing doubled, nobody told what does not stand.

The same promise as in public reports of approvals that were lost or executed twice after a restart.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KINDS = {
    "ack", "checkpoint:aput", "checkpoint:aput_writes", "claude",
    "commit:_write", "commit:at_work", "commit:decide", "commit:ended", "commit:late_words", "commit:shown",
    "commit:start", "commit:trying", "commit:waiting",
    "record:link", "slack:apps.connections.open", "slack:auth.test", "slack:chat.postMessage:card",
    "slack:chat.postMessage:late", "slack:chat.postMessage:outcome", "slack:chat.postMessage:progress",
    "slack:chat.update", "slack:conversations.info", "slack:users.info", "slack:views.open",
    "step:assemble", "step:collect", "step:draft", "step:record", "step:review", "step:verify",
}  # fmt: skip
MUTANTS = {
    "ack_before_commit": ("^ack:after", "untrue: U0MEMBER. was told True"),
    "ack_order_before_commit": ("^ack:after", "lost: it took more than"),
    "bare_resume": ("^commit:waiting:before", "untrue: revision 2 was answered, though nobody had"),
    "empty_next_is_finished": ("^checkpoint:aput_writes:after", "lost: the run has failed"),
    "no_lock": ("^no kill", "doubled: asked twice in one life"),
    "post_without_key": ("^slack:chat.postMessage:.*:after", "doubled: .*(progress|card|outcome):"),
    "read_then_write": ("^no kill", "untrue: U0MEMBER. was told True"),
    "record_not_once": ("^record:link:after", "doubled: the records are"),
}


def killed(*arguments, minutes=2):
    """Let `kills.py` kill the bot, and return what it says is left."""
    done = subprocess.run(
        [sys.executable, str(HERE / "kills.py"), "--json", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[1],
        timeout=60 * minutes,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def told_by_person(left):
    """Return what went wrong, so that a failing test says it whole."""
    return left["wrong"], left["logs"]


def test_killed_after_each_decision_after_the_record_and_after_each_card_a_run_ends_as_if_nothing_had_happened():
    left = killed("--only", "^(commit:decide|record:link|slack:chat.postMessage:card):after")
    assert told_by_person(left) == ({}, [])
    assert left["killed"] == 5  # two decisions, one record, two cards


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_at_every_boundary_a_run_ends_as_if_nothing_had_happened():
    """S11, S16, S24, L7, L19, L20: before the first checkpoint, between writes and checkpoint, after the decision, around each post."""
    left = killed("--every", 1, minutes=29)
    assert told_by_person(left) == ({}, [])
    assert {f"{kind}:{side}" for kind in KINDS for side in ("before", "after")} <= set(left["kinds"])
    assert set(left["killed_at"]) >= set(left["kinds"])
    assert len(left["missed"]) < left["boundaries"] / 20  # no two lives are quite the same
    assert left["repeated"] > 0  # steps were repeated, and it did not show


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("scenario", ["cancel", "failure", "hold", "retry", "withdraw"])
def test_an_order_whose_click_or_command_was_acknowledged_is_carried_out_once_though_the_bot_was_killed(
    scenario,
):
    """Cancel, Continue, Retry and hold are pressed or typed until Slack says that it arrived, and never again."""
    left = killed("--scenario", scenario, "--every", 6, minutes=29)
    assert told_by_person(left) == ({}, [])
    assert left["killed"] > left["towns"] * 0.8


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("scenario", "where"),
    [
        ("cancel", "ack|commit:cancel|commit:end"),
        ("failure", "ack|commit:retry|commit:start"),
        ("hold", "ack|commit:hold|commit:release|commit:start"),
        ("retry", "ack|commit:retry"),
        ("withdraw", "ack|commit:cancel|commit:end|checkpoint"),
    ],
)
def test_an_order_survives_a_kill_right_before_and_right_after_its_acknowledgement(scenario, where):
    left = killed("--scenario", scenario, "--only", f"^({where}):", minutes=9)
    assert told_by_person(left) == ({}, [])
    assert set(left["killed_at"]) >= {"ack:before", "ack:after"}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("harm", ["pause", "full"])
def test_paused_for_longer_than_slack_waits_or_without_room_on_its_disk_a_run_ends_as_if_nothing_had_happened(
    harm, request
):
    """L27, L41, S32: at every twentieth boundary; people press again what was not taken, and nothing counts twice."""
    if harm == "full":
        request.getfixturevalue("small_disk")  # the right to mount one
    left = killed("--harm", harm, "--every", 20, "--jobs", 4, "--patience", 150, minutes=9)
    assert told_by_person(left) == ({}, [])
    assert left["killed"] > 8


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_at_every_third_boundary_on_postgresql_too(require, throwaway):
    require(throwaway.find_binaries(), "PostgreSQL's server", throwaway.INSTALL)
    left = killed("--database", "postgres", "--every", 3, minutes=29)
    assert told_by_person(left) == ({}, [])
    assert left["killed"] > 60


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_program_that_breaks_a_promise_is_found_out(mutant):
    where, sentence = MUTANTS[mutant]
    scenario = "retry" if mutant == "ack_order_before_commit" else "approve"
    only = ("--scenario", scenario, "--only", where)
    left = killed("--mutant", mutant, *only, "--first", "--patience", 20, minutes=9)
    found = [one for wrong in left["wrong"].values() for one in wrong]
    assert any(re.match(sentence, one) for one in found), (found, left["logs"])


def test_every_mutant_has_to_be_found_out():
    written = re.findall(r"^def (\w+)\(\):", (HERE / "mutants.py").read_text(), re.MULTILINE)
    assert set(written) == set(MUTANTS)


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
