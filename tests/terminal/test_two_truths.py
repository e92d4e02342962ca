"""`ringi doctor` compares what the rows say with what lives on this machine."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from graph.claude import leftovers
from graph.settings import Settings


def test_a_run_that_nobody_works_on_is_named_with_the_way_to_go_on(ringi, variables):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    with closing(sqlite3.connect(variables["RINGI_DATABASE"], isolation_level=None)) as connection:
        connection.execute("UPDATE runs SET state = 'running', changed = '2026-11-01 09:00:00'")
    said = ringi("doctor", "--format", "json").json["lines"]
    [line] = [line for line in said if line["about"] == "At work"]
    assert line["found"] == f"run {run[:8]} has something to do, and no process does it"
    assert line["way"] == f"ringi serve goes on with it by itself; without one: ringi retry {run[:8]}"
    assert ringi("retry", run).code == 0
    assert "At work" not in ringi("doctor").out


def test_a_child_whose_server_is_gone_is_counted_and_one_at_work_is_not(ringi, variables):
    ringi("linkcheck", "daily")
    notes = leftovers.folder(Settings(RINGI_DATABASE=variables["RINGI_DATABASE"]))
    with subprocess.Popen(["sleep", "600"]) as child:
        file = leftovers.note(Path(notes), child.pid)
        assert "claude processes" not in ringi("doctor").out
        said = json.loads(file.read_text())
        file.write_text(json.dumps(said | {"owner_started": "another time"}))
        assert "1 claude processes still run for a server that is gone" in ringi("doctor").out
        child.kill()
    assert "claude processes" not in ringi("doctor").out
