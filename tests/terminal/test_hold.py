"""New checks on hold, from a terminal: what is started waits, and says so."""

from __future__ import annotations

import re

import pytest


def short_of(said):
    return re.search(r"run ([0-9a-f]{8})", said.out + said.err)[1]


@pytest.mark.slow
def test_a_check_on_hold_is_queued_and_goes_on_after_the_release(process, tmp_path):
    """Each line is a process of its own, so the switch is in the file and nowhere else."""
    held = process("hold")
    assert (held.code, held.out.startswith("New checks are on hold. What runs goes on;")) == (0, True)

    started = process("linkcheck", "daily")
    assert started.code == 0
    assert "Recorded; waiting: new checks are on hold since" in started.out
    assert "It goes on after: ringi release" in started.out
    assert not (tmp_path / "records").exists()

    run = short_of(started)
    released = process("release")
    assert released.out.splitlines()[0] == ("Released. New checks start at once again. Waited until now: 1.")
    assert f"  ringi retry {run}" in released.out
    going_on = process("retry", run)
    assert "3 links in daily lead nowhere" in going_on.out


def test_json_says_that_it_waits(ringi):
    assert ringi("hold", "--format", "json").json["on_hold"] is True
    started = ringi("linkcheck", "daily", "--format", "json")
    assert (started.code, started.json["state"]) == (0, "queued")
    listed = ringi("runs", "--format", "json").json
    assert [run["on_hold"] for run in listed] == [True]
    released = ringi("release", "--format", "json").json
    assert (released["on_hold"], released["waiting"]) == (False, [started.json["run"]])


def test_a_send_back_on_hold_waits_and_an_approval_does_not(ringi):
    first, second = (short_of(ringi("linkcheck", "daily")) for _ in range(2))
    ringi("hold")
    sent_back = ringi("resume", first, "send-back", "look again")
    assert sent_back.code == 0
    assert "Sent back with your words. It is judged again." in sent_back.err
    assert "Recorded; waiting: new checks are on hold since" in sent_back.out
    approved = ringi("resume", second, "approve")
    assert (approved.code, "Recorded: " in approved.out) == (0, True)


def test_the_switch_is_shown_wherever_one_looks_and_turned_once(ringi):
    ringi("hold")
    assert "New checks are on hold already since" in ringi("hold").out
    started = ringi("linkcheck", "daily")
    assert "1 waiting. Let them begin: ringi release" in ringi("runs").out
    shown = ringi("show", short_of(started)).out
    assert "new checks are on hold since" in shown
    assert "No process works on it now" not in shown
    assert "New checks: on hold since" in ringi("doctor").out
    assert "新しいチェックは" in ringi("runs", "--lang", "ja").out
    ringi("release")
    assert "New checks are not on hold." in ringi("release").out
    assert "New checks: begin at once" in ringi("doctor").out


def test_what_waits_for_a_release_can_be_cancelled(ringi):
    ringi("hold")
    run = short_of(ringi("linkcheck", "daily"))
    assert "Cancelled: links in daily" in ringi("cancel", run).out
