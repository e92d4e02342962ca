"""The file: where it may lie, who may read it, who serves it, and its schema."""

import asyncio
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from graph.errors import DatabaseMisplaced, StoreError
from graph.runtime import open_store, server_running
from graph.settings import Settings
from graph.store import sqlite
from graph.store.migrate import HEAD, MIGRATIONS, migrate
from graph.store.tables import metadata


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "state" / "ringi.sqlite")


@pytest.mark.parametrize(
    ("folder", "marker"),
    [
        ("notes/sub", "notes/.obsidian"),
        ("Dropbox/ringi", None),
        ("OneDrive - Company/ringi", None),
        ("Library/Mobile Documents/com~apple~CloudDocs/ringi", None),
        ("Library/CloudStorage/GoogleDrive-member/ringi", None),
        ("shared/ringi", "shared/.stfolder"),
        ("team/ringi", "team/.tmp.driveupload"),
    ],
)
async def test_a_database_where_others_copy_it_is_refused_and_nothing_is_made(tmp_path, folder, marker):
    """State in a synced folder or a vault is corrupted by copies (reports on databases in iCloud and Dropbox)."""
    if marker:
        (tmp_path / marker).mkdir(parents=True)
    database = tmp_path / folder / "ringi.sqlite"
    with pytest.raises(DatabaseMisplaced) as refused:
        async with open_store(Settings(RINGI_DATABASE=str(database))):
            pass
    assert "Set RINGI_DATABASE to a file outside vaults and synced folders." in str(refused.value)
    assert not database.exists()


async def test_a_database_in_the_vault_under_check_is_refused_even_through_a_link(tmp_path):
    vault = tmp_path / "vault"
    (vault / "state").mkdir(parents=True)
    (tmp_path / "state").symlink_to(vault / "state")
    settings = Settings(RINGI_DATABASE=str(tmp_path / "state" / "ringi.sqlite"), RINGI_VAULT=vault)
    with pytest.raises(DatabaseMisplaced):
        async with open_store(settings):
            pass


async def test_a_folder_that_only_sounds_like_one_is_fine(tmp_path):
    database = tmp_path / "dropboxes" / "mydrive" / "ringi.sqlite"
    async with open_store(Settings(RINGI_DATABASE=str(database))) as store:
        assert await store.runs() == []


async def test_the_file_is_for_its_owner_only(settings, store, start):
    await start()
    folder = Path(settings.database).parent
    assert {oct(path.stat().st_mode & 0o777) for path in folder.glob("ringi.sqlite*")} == {"0o600"}


async def test_a_file_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as refused:
        async with open_store(Settings(RINGI_DATABASE=str(tmp_path / "file" / "ringi.sqlite"))):
            pass
    assert "cannot be created" in str(refused.value)
    assert "Set RINGI_DATABASE" in str(refused.value)


async def test_every_connection_is_set_up_for_what_must_not_be_lost(store):
    async with store._database.connect() as connection:
        settings = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout", "foreign_keys", "auto_vacuum")
        ]
    assert settings == ["wal", 2, 30000, 1, 2]


async def test_migrations_from_empty_lead_to_the_tables_in_the_code(tmp_path):
    path = tmp_path / "ringi.sqlite"
    sqlite.create_file(path)
    async with sqlite.connect(path) as (engine, _):
        await migrate(engine)
        await migrate(engine)
        async with engine.connect() as connection:
            differences = await connection.run_sync(
                lambda c: compare_metadata(
                    MigrationContext.configure(
                        c,
                        opts={
                            "compare_type": True,
                            "include_object": lambda _thing, name, kind, *_: (
                                kind != "table" or name in metadata.tables
                            ),
                        },
                    ),
                    metadata,
                )
            )
            made = await connection.run_sync(_definitions)
    assert differences == []
    fresh = sa.create_engine("sqlite://")
    metadata.create_all(fresh)
    with fresh.connect() as connection:
        assert made == _definitions(connection)
    fresh.dispose()


def _definitions(connection):
    """Return what Alembic does not compare: checks, unique keys, partial indexes. A later column stands last."""
    rows = connection.exec_driver_sql(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'alembic_version'"
    )
    return {
        name: sorted(part.strip() for line in sql.removesuffix(")").splitlines() for part in _parts(line))
        for name, sql in rows
        if "sqlite_" not in name
    }


def _parts(line):
    """Return what stands in a line; SQLite writes a column that came later behind whatever was last."""
    parts = re.split(r", (?=\w+ (?:DATETIME|BLOB|TEXT)(?:,|$))", line.strip(" \n\t,"))
    return [part for part in parts if part]


def test_the_newest_migration_is_the_one_the_code_knows():
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == HEAD


async def test_a_database_of_a_newer_version_is_refused_with_a_sentence(settings):
    async with open_store(settings) as store, store._writing.begin() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError) as refused:
        async with open_store(settings):
            pass
    assert "written by a newer version of ringi" in str(refused.value)


def test_reading_and_inserting_imports_neither_langgraph_nor_alembic(settings):
    script = textwrap.dedent(
        f"""
        import asyncio, sys
        from graph.runtime import open_store, server_running
        from graph.settings import Settings
        from graph import Intake
        async def main():
            async with open_store(Settings(RINGI_DATABASE={settings.database!r})) as store:
                await store.runs()
        asyncio.run(main())
        print([m for m in ("langgraph", "langchain_core", "alembic", "slack_bolt") if m in sys.modules])
        """
    )
    made, again = (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert made.stdout.strip() == "['alembic']"  # the first one makes the tables
    assert again.stdout.strip() == "[]"


def test_the_lock_is_let_go_by_a_process_that_dies(settings):
    path = Path(settings.database)
    path.parent.mkdir()
    assert not server_running(settings)
    read, write = os.pipe()
    script = f"""
import os, time
from pathlib import Path
from graph.store.sqlite import serving
with serving(Path({str(path)!r})):
    os.write({write}, b"x")
    time.sleep(60)
"""
    holder = subprocess.Popen([sys.executable, "-c", script], pass_fds=[write])
    os.read(read, 1)
    assert server_running(settings)
    holder.kill()
    holder.wait()
    os.close(read)
    os.close(write)
    assert not server_running(settings)


async def test_a_reader_never_waits_for_a_writer_and_writers_queue(store, start):
    """L23: a history that someone reads while runs write."""
    run = await start()
    async with store.write() as write:
        await write.set_run(run.id, state="running")
        assert (await asyncio.wait_for(store.run(run.id), 5)).state == "queued"
        other = asyncio.create_task(start("another"))
        await asyncio.sleep(0.05)
        assert not other.done()
    await other
    assert len(await store.runs()) == 2
