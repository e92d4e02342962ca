"""What an earlier version left behind is brought up to date, and what waited there is decided here."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from graph.store import postgres, sqlite
from graph.store.migrate import HEAD, MIGRATIONS, migrate, schema_of
from graph.store.tables import metadata

SCHEMAS = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]

# The notes of these runs lie in one place of the machine.
one_at_a_time = pytest.mark.xdist_group("upgrades")


@one_at_a_time
async def test_what_waited_is_decided_and_recorded_and_what_stopped_goes_on(engine, left, member):
    """L32, R25: rows, checkpoints and questions of every released schema."""
    runs = {run.source.rpartition(":")[2]: run for run in await engine.store.runs()}
    assert {name: run.state for name, run in runs.items()} == {
        "waits": "waiting",
        "asked-again": "waiting",
        "done": "done",
        "at-its-limit": "failed",
        "broken": "failed",
    }
    assert [d.kind for d in await engine.store.decisions(runs["done"].id)] == ["approve"]
    assert (await engine.store.events(runs["done"].id))[0].what == "accepted"

    async def decide(name, kind, words):
        newest = (await engine.store.requests(runs[name].id))[-1]
        await engine.intake.decide(newest.id, newest.revision, kind, member, words)
        run = await engine.settled(runs[name].id)
        assert run.state == "done", run.failure
        return (left.records / run.result.record).read_text(encoding="utf-8")

    approved = await decide("waits", "approve", "Fine as it is.")
    assert "Fine as it is." in approved
    assert "outcome: approved\n" in approved
    rejected = await decide("asked-again", "reject", "Wrong folder.")
    assert "Wrong folder." in rejected
    assert "Look again." in rejected

    starter = member.model_copy(update={"id": "T0TEAM/U0MEMBER1"})
    for name, same in (("broken", True), ("at-its-limit", False)):
        going_on = await engine.intake.retry(runs[name].id, starter)
        assert (going_on.id == runs[name].id) is same
        assert (await engine.settled(going_on.id)).state == "waiting"
    assert len(list(left.records.glob("*.md"))) == 2


@asynccontextmanager
async def opened(database):
    if database.startswith("postgresql"):
        async with postgres.connect(database) as engine:
            yield engine
        return
    path = Path(database)
    sqlite.create_file(path)
    async with sqlite.connect(path) as (engine, _):
        yield engine


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_every_schema_leads_to_the_tables_of_today_and_keeps_its_rows(database, schema):
    row = {
        "id": "00000000-0000-4000-8000-000000000001",
        "source": "slack:T0TEAM:1",
        "workflow": "linkcheck",
        "version": 1,
        "input": {"folder": "daily"},
        "requester": {"id": "T0TEAM/U0MEMBER1"},
        "requester_id": "T0TEAM/U0MEMBER1",
        "language": "en",
        "zone": "UTC",
        "state": "waiting",
        "counts": {},
        "retry_offered": False,
        "retries": 0,
        "interventions": 0,
        "created": sa.func.current_timestamp(),
        "changed": sa.func.current_timestamp(),
    }

    def up(connection):
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, schema)
        connection.execute(sa.insert(metadata.tables["runs"]).values(**row))

    def differences(connection):
        ours = lambda _thing, name, kind, *_: kind != "table" or name in metadata.tables  # noqa: E731 - one line
        return compare_metadata(
            MigrationContext.configure(connection, opts={"include_object": ours}), metadata
        )

    async with opened(database) as engine:
        async with engine.begin() as connection:
            await connection.run_sync(up)
        await migrate(engine)
        assert await schema_of(engine) == HEAD
        async with engine.connect() as connection:
            assert await connection.run_sync(differences) == []
            kept = (await connection.execute(sa.select(metadata.tables["runs"]))).mappings().all()
    assert [(one["id"], one["input"], one["state"]) for one in kept] == [
        (row["id"], {"folder": "daily"}, "waiting")
    ]
