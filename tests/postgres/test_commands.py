"""The terminal on PostgreSQL: it inserts, leaves the job, and moves the run itself if nobody else does."""

import json
import signal

import psycopg


def test_a_run_is_started_decided_and_recorded_by_commands_that_share_only_the_database(
    ringi, address, tmp_path
):
    on = {"RINGI_DATABASE": address}
    asked = ringi("linkcheck", "daily", "--format", "json", **on)
    assert asked.returncode == 0, asked.stderr
    run = json.loads(asked.stdout)
    assert (run["state"], run["candidates"]) == ("waiting", 2)
    assert ringi("show", run["run"], **on).returncode == 0
    decided = ringi("resume", run["run"], "approve", "--format", "json", **on)
    assert decided.returncode == 0, decided.stderr
    assert json.loads(decided.stdout)["state"] == "done"
    assert len(list((tmp_path / "records").glob("*.md"))) == 1
    again = ringi("resume", run["run"], "reject", "too late", **on)
    assert (again.returncode, again.stderr.splitlines()[0][:15]) == (3, "Already decided")


def test_a_worker_without_slack_moves_what_the_terminal_starts(ringi, started, address, until):
    on = {"RINGI_DATABASE": address, "RINGI_STARTERS": "U0MEMBER1"}
    worker = started("serve", "--worker", **on)
    until(lambda: "ready: moves runs of" in worker.said())
    assert "postgres@127.0.0.1" in worker.said()
    asked = ringi("linkcheck", "daily", "--format", "json", **on)
    run = json.loads(asked.stdout)
    assert run["state"] == "waiting", asked.stderr
    assert ringi("resume", run["run"], "send-back", "look again", **on).returncode == 0
    shown = json.loads(ringi("show", run["run"], "--format", "json", **on).stdout)
    assert shown["state"] == "waiting"
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0
    assert "Ended." in worker.said()


def test_a_worker_on_sqlite_is_refused_with_the_way_out(ringi):
    refused = ringi("serve", "--worker", RINGI_STARTERS="U0MEMBER1")
    assert refused.returncode == 2
    assert "--worker needs postgresql://" in refused.stderr


def test_the_doctor_looks_at_postgres_and_makes_no_table(ringi, address, postgres):
    name = address.rpartition("/")[2]
    new = ringi("doctor", "--format", "json", RINGI_DATABASE=address)
    [line] = [one for one in json.loads(new.stdout)["lines"] if one["about"] == "Database"]
    assert (line["mark"], line["found"][:11]) == ("ok", "PostgreSQL ")
    assert line["found"].endswith(f"at {address}; its tables are made with the first run")
    assert postgres.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", name) == [(0,)]
    assert ringi("linkcheck", "daily", RINGI_DATABASE=address).returncode == 0
    used = ringi("doctor", "--format", "json", RINGI_DATABASE=address)
    [line] = [one for one in json.loads(used.stdout)["lines"] if one["about"] == "Database"]
    assert line["found"].endswith("no process moves its runs; 1 runs are open")


def test_the_doctor_says_what_the_role_may_not_do(ringi, address, postgres):
    name = address.rpartition("/")[2]
    postgres.sql(f"CREATE ROLE guest_{name} LOGIN PASSWORD 'geheim'")
    guest = postgres.url(name, user=f"guest_{name}", password="geheim")  # noqa: S106 - of a throw-away server
    looked = ringi("doctor", RINGI_DATABASE=guest)
    assert f"the role may not create tables at postgresql://guest_{name}:***@127.0.0.1" in looked.stdout
    assert "GRANT CREATE ON SCHEMA public" in looked.stdout
    assert ringi("runs", RINGI_DATABASE=address).returncode == 0  # makes the tables
    looked = ringi("doctor", "--lang", "ja", RINGI_DATABASE=guest)
    assert "書き込む権限がありません" in looked.stdout
    failed = ringi("runs", RINGI_DATABASE=guest)
    assert failed.returncode != 0
    assert "geheim" not in looked.stdout + failed.stdout + failed.stderr
    postgres.drop(name)
    postgres.sql(f"DROP ROLE guest_{name}")


def test_a_server_that_is_away_is_a_sentence_in_both_languages(ringi, throwaway):
    away = f"postgresql://me:geheim@127.0.0.1:{throwaway.free_port()}/ringi"
    english = ringi("runs", RINGI_DATABASE=away)
    japanese = ringi("runs", "--lang", "ja", RINGI_DATABASE=away)
    assert english.stderr.startswith("PostgreSQL at postgresql://me:***@127.0.0.1:")
    assert japanese.stderr.startswith(
        "PostgreSQL を使えないため、何も保存していません：postgresql://me:***@127.0.0.1:"
    )
    assert "geheim" not in english.stderr + japanese.stderr
    assert (english.returncode, japanese.returncode) == (2, 2)


def test_everything_moves_from_sqlite_to_postgres_and_what_waits_goes_on(ringi, address, tmp_path):
    waiting = json.loads(ringi("linkcheck", "daily", "--format", "json").stdout)["run"]
    ended = json.loads(ringi("linkcheck", "daily", "--format", "json").stdout)["run"]
    assert ringi("resume", ended, "reject", "not now").returncode == 0
    redrafted = json.loads(ringi("linkcheck", "daily", "--format", "json").stdout)["run"]
    assert ringi("resume", redrafted, "send-back", "look again").returncode == 0

    moved = ringi("migrate-database", "--to", address, "--format", "json")
    assert moved.returncode == 0, moved.stderr
    rows = json.loads(moved.stdout)["rows"]
    assert (rows["runs"], rows["requests"], rows["decisions"], rows["votes"]) == (3, 4, 2, 2)
    assert rows["checkpoints"] > 10
    assert rows["checkpoint_writes"] > rows["checkpoints"]

    on = {"RINGI_DATABASE": address}
    for run in (waiting, ended, redrafted):
        before, after = (json.loads(ringi("show", run, "--format", "json", **m).stdout) for m in ({}, on))
        assert before == after
    for run, revisions in ((waiting, 1), (redrafted, 2)):
        done = ringi("resume", run, "approve", "--format", "json", **on)
        assert json.loads(done.stdout)["state"] == "done", done.stderr
        assert len(json.loads(ringi("show", run, "--format", "json", **on).stdout)["decisions"]) == revisions
    assert len(list((tmp_path / "records").glob("*.md"))) == 3
    again = json.loads(ringi("linkcheck", "daily", "--format", "json", **on).stdout)
    assert again["state"] == "done"  # what was approved is known there too
    new = json.loads(ringi("linkcheck", "daily", "--all", "--format", "json", **on).stdout)
    assert new["state"] == "waiting"  # numbers go on where they were
    assert len(json.loads(ringi("runs", "--all", "--format", "json").stdout)) == 3  # the file is as it was


def test_a_move_that_is_killed_midway_leaves_nothing_and_can_be_made_again(ringi, address, started, until):
    ringi("linkcheck", "daily")
    worker = started("serve", "--worker", RINGI_DATABASE=address, RINGI_STARTERS="U0MEMBER1")
    until(lambda: "ready:" in worker.said())  # its tables are there
    worker.send_signal(signal.SIGTERM)
    worker.wait(60)
    stuck = "SELECT pid FROM pg_locks WHERE relation = 'checkpoint_writes'::regclass AND NOT granted"
    with psycopg.connect(address) as other, psycopg.connect(address, autocommit=True) as sql:
        other.execute("LOCK TABLE checkpoint_writes IN SHARE MODE")  # the last to be copied
        moving = started("migrate-database", "--to", address)
        ((backend,),) = until(lambda: sql.execute(stuck).fetchall())
        moving.kill()
        moving.wait()
        other.rollback()
        until(lambda: not sql.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [backend]).fetchall())
        for table in ("runs", "requests", "messages", "events", "checkpoints", "checkpoint_writes"):
            assert sql.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608 - our own names
    moved = ringi("migrate-database", "--to", address, "--format", "json")
    assert (moved.returncode, json.loads(moved.stdout)["rows"]["runs"]) == (0, 1), moved.stderr


def test_a_move_is_refused_while_a_server_works_or_where_runs_are(ringi, address, tmp_path, started, until):
    from contextlib import ExitStack
    from pathlib import Path

    from graph.store import sqlite

    ringi("linkcheck", "daily")
    with ExitStack() as served:
        served.enter_context(sqlite.serving(Path(tmp_path / "state" / "ringi.sqlite")))
        busy = ringi("migrate-database", "--to", address)
        assert (busy.returncode, "Another ringi process" in busy.stderr) == (3, True)
    worker = started("serve", "--worker", RINGI_DATABASE=address, RINGI_STARTERS="U0MEMBER1")
    until(lambda: "ready:" in worker.said())
    until(lambda: ringi("migrate-database", "--to", address).returncode == 3)
    worker.send_signal(signal.SIGTERM)
    worker.wait(60)
    assert ringi("migrate-database", "--to", address).returncode == 0
    twice = ringi("migrate-database", "--to", address)
    assert (twice.returncode, "There are runs in postgresql://" in twice.stderr) == (3, True)
    nothing = ringi("migrate-database", "--to", address, RINGI_DATABASE=str(tmp_path / "none.sqlite"))
    assert (nothing.returncode, "nothing to copy" in nothing.stderr) == (2, True)
    assert not (tmp_path / "none.sqlite").exists()
    wrong = ringi("migrate-database", "--to", "mysql://me:geheim@db/x")
    assert (wrong.returncode, "--to takes an address that begins with postgresql://" in wrong.stderr) == (
        2,
        True,
    )
    assert "geheim" not in wrong.stderr
