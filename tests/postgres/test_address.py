"""`RINGI_DATABASE=postgresql://…`: what it may be, that its password is never shown, and what is refused at the start."""

import logging

import psycopg
import pytest

from graph.errors import DatabaseUnfit, DatabaseUnusable, SettingsError
from graph.runtime import open_engine, open_store
from graph.settings import Settings, read, without_password
from graph.store import postgres as pg

PASSWORD = "hunter2-geheim"  # noqa: S105 - what must never be shown


@pytest.mark.parametrize(
    ("database", "shown"),
    [
        (f"postgresql://ringi:{PASSWORD}@db/ringi", "postgresql://ringi:***@db/ringi"),
        (f"postgres://ringi:{PASSWORD}@db:5433/ringi?sslmode=require", "postgres://ringi:***@db:5433/ringi?sslmode=require"),
        (f"postgresql://db/ringi?user=me&password={PASSWORD}", "postgresql://db/ringi?user=me&password=***"),
        (f"postgresql://me@db/ringi?sslpassword={PASSWORD}&connect_timeout=3", "postgresql://me@db/ringi?sslpassword=***&connect_timeout=3"),
        (f"postgresql://ringi:{PASSWORD}@one,two:5433/ringi", "postgresql://ringi:***@one,two:5433/ringi"),
        (f"postgresql://ringi:a@{PASSWORD}/x@db/ringi", "postgresql://ringi:***@db/ringi"),
        ("postgresql:///ringi?host=/run/postgresql", "postgresql:///ringi?host=/run/postgresql"),
        ("/home/me/ringi.sqlite", "/home/me/ringi.sqlite"),
    ],
)  # fmt: skip
def test_an_address_is_shown_without_its_password(database, shown):
    assert without_password(database) == shown


def test_settings_show_no_password_however_they_are_printed():
    settings = read(Settings, {"RINGI_DATABASE": f"postgresql://ringi:{PASSWORD}@db/ringi"})
    assert settings.on_postgres
    assert PASSWORD not in f"{settings} {settings!r} {settings.database_shown}"


@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("mysql://me@db/x", "takes the path of a SQLite file, or an address that begins with postgresql://"),
        ("postgresql+psycopg://me@db/x", "takes the path of a SQLite file, or an address that begins with postgresql://"),
        (f"postgresql://me:{PASSWORD}@1@db/x", "in a password write @ as %40"),
        (f"postgresql://me:{PASSWORD}/1@db/x", "in a password write @ as %40"),
        (f"postgresql://me:#{PASSWORD}@db/x", "in a password write @ as %40"),
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_saying_the_password(database, sentence):
    with pytest.raises(SettingsError) as refused:
        read(Settings, {"RINGI_DATABASE": database})
    assert sentence in str(refused.value)
    assert PASSWORD not in str(refused.value)


async def test_a_server_that_is_not_there_is_a_sentence_without_the_password(throwaway, caplog):
    caplog.set_level(logging.DEBUG)
    port = throwaway.free_port()
    address = f"postgresql://ringi:{PASSWORD}@127.0.0.1:{port}/ringi"
    with pytest.raises(DatabaseUnusable) as refused:
        async with open_store(Settings(RINGI_DATABASE=address)):
            pass
    assert f"postgresql://ringi:***@127.0.0.1:{port}/ringi cannot be used" in str(refused.value)
    assert PASSWORD not in str(refused.value) + caplog.text


async def test_an_address_that_libpq_cannot_read_is_a_sentence(caplog):
    with pytest.raises(DatabaseUnusable) as refused:
        async with open_store(Settings(RINGI_DATABASE=f"postgresql://me:{PASSWORD}@db/x?colour=red")):
            pass
    assert "colour" in str(refused.value)
    assert PASSWORD not in str(refused.value)


async def test_a_server_that_is_too_old_is_refused(address, monkeypatch):
    monkeypatch.setattr(pg, "OLDEST", 99)
    with pytest.raises(DatabaseUnfit, match="99 is the oldest that works") as refused:
        await pg.refuse_unfit(address)
    assert refused.value.why == "old"


@pytest.fixture
def pooler(postgres, require, throwaway):
    """Start PgBouncer before the server, in a mode; returns the address of a database through it."""
    import shutil

    found = require(
        shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin"), "PgBouncer", throwaway.INSTALL
    )
    running = []

    def start(mode, address, size=3):
        port, name = throwaway.free_port(), address.rpartition("/")[2]
        config = postgres.folder / f"pgbouncer-{port}.ini"
        config.write_text(
            f"[databases]\n* = host=127.0.0.1 port={postgres.port}\n"
            f"[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port={port}\nunix_socket_dir=\nauth_type=any\n"
            f"pool_mode={mode}\ndefault_pool_size={size}\nserver_reset_query=DISCARD ALL\n"
            "ignore_startup_parameters=extra_float_digits\n"
            f"[databases]\n{name} = host=127.0.0.1 port={postgres.port} user=postgres\n"
        )
        config.chmod(0o644)
        running.append(postgres.spawn(found, str(config)))
        through = f"postgresql://postgres@127.0.0.1:{port}/{name}"
        for _ in range(600):
            try:
                psycopg.connect(through, prepare_threshold=None).close()
            except psycopg.OperationalError:
                import time

                time.sleep(0.05)
            else:
                return through
        raise AssertionError((postgres.folder / "pgbouncer.log").read_text())

    yield start
    for process in running:
        process.terminate()
        process.wait()


@pytest.mark.parametrize(("mode", "size"), [("transaction", 1), ("transaction", 20), ("statement", 20)])
async def test_a_pooler_that_breaks_session_locks_is_found_at_the_start(pooler, address, mode, size):
    """L44."""
    from graph.policy import Policy

    through = pooler(mode, address, size)
    with pytest.raises(DatabaseUnfit, match="set the pooler to session mode") as refused:
        async with open_engine(Settings(RINGI_DATABASE=through), Policy()):
            pass
    assert refused.value.why == "pooler"


async def test_a_pooler_whose_pool_has_been_used_is_found_too(pooler, address):
    """With several idle server connections the same one may come back by chance."""
    through = pooler("transaction", address, 8)
    busy = [await psycopg.AsyncConnection.connect(through, prepare_threshold=None) for _ in range(6)]
    for connection in busy:
        await connection.execute("SELECT 1")  # each holds a server connection now
    for connection in busy:
        await connection.commit()
    with pytest.raises(DatabaseUnfit):
        await pg.refuse_unfit(through)
    for connection in busy:
        await connection.close()


async def test_a_pooler_that_keeps_sessions_is_no_obstacle(pooler, address):
    from graph.policy import Policy

    through = pooler("session", address, 30)
    async with open_engine(Settings(RINGI_DATABASE=through), Policy(), everyone=False) as engine:
        assert await engine.store.runs() == []
