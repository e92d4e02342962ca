"""What is typed about a run that is not there, is over, or is another version's: a sentence, code 3, and nothing runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

NOBODY = "00000000"
ACTS = (("resume", "approve"), ("retry",), ("cancel",), ("stop",), ("show",))


def everything(variables):
    """Return all rows that an act could leave behind, and the records."""
    with closing(sqlite3.connect(variables["RINGI_DATABASE"])) as connection:
        rows = list(connection.iterdump())
    return rows, sorted(Path(variables["RINGI_RECORDS"]).glob("*.md"))


def begun_by(variables, version):
    with closing(sqlite3.connect(variables["RINGI_DATABASE"], isolation_level=None)) as connection:
        connection.execute("UPDATE runs SET version = ?", (version,))


def test_an_id_of_nothing_is_refused_by_every_command(ringi, variables):
    """L8."""
    ringi("linkcheck", "daily")
    before = everything(variables)
    for verb, *more in ACTS:
        for wrong in (NOBODY, "zzzzzz", "f" * 40, "🙂🙂🙂🙂🙂🙂", "' OR 1=1 --", "\udc80" * 6):
            said = ringi(verb, wrong, *more)
            assert said.code == 3, (verb, wrong)
            assert "There is no run" in said.err
    assert everything(variables) == before


def test_a_run_that_is_over_is_refused_by_every_act(ringi, variables):
    """L9."""
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    ringi("resume", run, "approve")
    before = everything(variables)
    said = {verb: ringi(verb, run, *more) for verb, *more in ACTS if verb != "show"}
    assert {one.code for one in said.values()} == {3}
    assert "Already decided: approved by" in said["resume"].err
    assert "has ended (done)" in said["cancel"].err
    assert "has ended (done)" in said["stop"].err
    assert "only a stopped run can go on" in said["retry"].err
    assert everything(variables) == before


def test_a_run_of_another_version_is_refused_in_words_and_shown_as_such(ringi, variables):
    """L32: it waits untouched; what shows runs says which version began it; then its own version goes on with it."""
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    begun_by(variables, 2)
    before = everything(variables)
    for verb, *more in (("resume", "approve"), ("cancel",)):
        said = ringi(verb, run, *more)
        assert said.code == 3
        assert "begun by another version of ringi (linkcheck 2)" in said.err
    shown = ringi("show", run)
    assert "linkcheck 2: begun by another version of ringi" in shown.out
    assert "ringi resume" not in shown.out
    assert ringi("show", run, "--format", "json").json["version"] == 2
    assert "linkcheck 2" in ringi("runs").out
    assert "linkcheck 2, 1 runs" in ringi("doctor").out
    assert everything(variables) == before
    begun_by(variables, 1)
    assert ringi("resume", run, "approve").code == 0
    assert len(everything(variables)[1]) == 1
