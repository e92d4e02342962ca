"""`ringi runs`: the latest, those in a state, and how many more there are."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing


def copy_run(variables, times, **changed):
    """Copy the one run there is."""
    with closing(sqlite3.connect(variables["RINGI_DATABASE"], isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        one = dict(connection.execute("SELECT * FROM runs").fetchone())
        for _ in range(times):
            run_id = str(uuid.uuid4())
            row = one | {"id": run_id, "source": run_id} | changed
            columns, marks = ", ".join(row), ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO runs ({columns}) VALUES ({marks})", [*row.values()])  # noqa: S608 - our own column names


def test_runs_of_one_state_are_listed_alone_and_the_rest_is_counted(ringi, variables):
    ringi("linkcheck", "daily")
    copy_run(variables, 1_499)
    copy_run(variables, 3, state="cancelled")
    everything = ringi("runs", "--format", "json").json
    assert len(everything) == 20
    ended = ringi("runs", "--state", "cancelled", "--format", "json").json
    assert [run["state"] for run in ended] == ["cancelled"] * 3
    both = ringi("runs", "--state", "cancelled", "--state", "waiting", "--all", "--format", "json").json
    assert len(both) == 1_503
    said = ringi("runs", "--state", "waiting")
    assert said.out.splitlines()[-1] == "1,480 older: ringi runs --state waiting --all"
    assert ringi("runs").out.splitlines()[-1] == "1,483 older: ringi runs --all"
    assert ringi("runs", "--state", "done").out == "No runs like that. All of them: ringi runs --all\n"
    assert ringi("runs", "--state", "sleeping").code == 2
