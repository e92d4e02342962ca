"""PostgreSQL: how it is reached, what it has to be, and what would break the lock that a run is moved under."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from graph.errors import DatabaseUnfit, DatabaseUnusable
from graph.settings import without_password

try:
    import psycopg
    from psycopg.conninfo import make_conninfo
    from psycopg.rows import DictRow, dict_row
except ImportError as missing:
    raise DatabaseUnfit(
        "postgresql", "driver", "RINGI_DATABASE names PostgreSQL, which needs: pip install 'ringi[postgres]'"
    ) from missing

OLDEST = 14
"""The oldest major version that is maintained, and the first whose server notices a client that is gone."""
CONNECT_SECONDS = 10
_POOL = 5
_POOL_AT_MOST = 10
# Of the client: a server that is gone is noticed too.
_CLIENT = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
# Of the server: a machine that vanished without a word lets go of its locks in 25 seconds, not in two hours.
_SESSION = {
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "client_connection_check_interval": "10s",
    # Ours last milliseconds; one that is older belongs to a process that is paused, and holds rows.
    "idle_in_transaction_session_timeout": "60s",
    "default_transaction_isolation": "read committed",
}
_RIGHTS = """
SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS make,
    (SELECT bool_and(has_table_privilege(one, 'SELECT') AND has_table_privilege(one, 'INSERT')
        AND has_table_privilege(one, 'UPDATE') AND has_table_privilege(one, 'DELETE'))
     FROM (VALUES (to_regclass('runs')), (to_regclass('procrastinate_jobs'))) AS tables (one)
     WHERE one IS NOT NULL) AS write
"""
Connection = psycopg.AsyncConnection[DictRow]


def conninfo(database: str) -> str:
    """Return an address with what every connection of ours asks for; what the address says itself wins."""
    own = psycopg.conninfo.conninfo_to_dict(database)
    ours: dict[str, Any] = {"application_name": "ringi", "connect_timeout": CONNECT_SECONDS, **_CLIENT}
    return make_conninfo(database, **{name: value for name, value in ours.items() if name not in own})


async def open_connection(database: str) -> Connection:
    """Open a connection that commits each statement by itself and whose rows are dicts.

    Raises:
        StoreError: the server cannot be reached, or refuses us.
    """
    try:
        connection: Connection = await psycopg.AsyncConnection.connect(
            conninfo(database), autocommit=True, row_factory=dict_row
        )
    except psycopg.Error as error:
        raise unreachable(database, error) from error
    # Not as start-up options: PgBouncer refuses those, and would hide what is really wrong.
    settings = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in _SESSION.items())
    try:
        await connection.execute(f"SELECT {settings}".encode())
    except BaseException as error:
        await asyncio.shield(connection.close())
        if isinstance(error, psycopg.Error):
            raise unreachable(database, error) from error
        raise
    return connection


def unreachable(database: str, error: BaseException) -> DatabaseUnusable:
    """Say in a sentence that PostgreSQL does not answer as it should."""
    shown = without_password(database)
    reason = str(error).strip().replace("\n", " ").replace(database, shown)
    return DatabaseUnusable(shown, f"PostgreSQL at {shown} cannot be used: {reason}")


@asynccontextmanager
async def connect(database: str) -> AsyncIterator[AsyncEngine]:
    """Open a pool of connections for the tables; nothing is connected before it is needed."""

    async def open_for_pool() -> psycopg.AsyncConnection[Any]:
        connection: psycopg.AsyncConnection[Any] = await open_connection(database)
        connection.row_factory = psycopg.rows.tuple_row
        await connection.set_autocommit(False)
        return connection

    engine = create_async_engine(
        "postgresql+psycopg://",
        async_creator=open_for_pool,
        hide_parameters=True,
        pool_size=_POOL,
        max_overflow=_POOL_AT_MOST - _POOL,
        pool_pre_ping=True,
    )

    def in_words(context: sa.engine.ExceptionContext) -> DatabaseUnusable | None:
        """Let what keeps the server from being used be an error of ours, with words for people."""
        error = context.sqlalchemy_exception
        if context.is_pre_ping or not isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError)):
            return None
        return unreachable(database, context.original_exception)

    sa.event.listen(engine.sync_engine, "handle_error", in_words)
    try:
        yield engine
    finally:
        await asyncio.shield(engine.dispose())


def is_served(database: str) -> bool:
    """Tell whether some process takes jobs of this database: one that was heard of lately.

    Raises:
        DatabaseUnusable: it cannot be reached.
    """
    try:
        with psycopg.connect(conninfo(database), autocommit=True) as connection:
            there = connection.execute("SELECT to_regclass('procrastinate_workers')").fetchone()
            if there is None or there[0] is None:
                return False
            alive = connection.execute(
                "SELECT 1 FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds' LIMIT 1"
            )
            return alive.fetchone() is not None
    except psycopg.Error as error:
        raise unreachable(database, error) from error


@dataclass(frozen=True, slots=True)
class Rights:
    """What the role may do where the address leads.

    Attributes:
        make: create tables.
        write: change the tables; None = there are none yet.
    """

    make: bool
    write: bool | None


async def rights(database: str) -> Rights:
    """Tell what the role may do; changes nothing.

    Raises:
        DatabaseUnusable: it cannot be reached.
    """
    connection = await open_connection(database)
    async with refused_in_words(database), connection:
        asked = await connection.execute(_RIGHTS)
        row = await asked.fetchone() or {}
        return Rights(make=bool(row.get("make")), write=row.get("write"))


async def always_changed() -> bool:
    """Tell that someone else may have written: with many processes someone always may, and looking is cheap."""
    return True


@asynccontextmanager
async def refused_in_words(database: str) -> AsyncIterator[None]:
    """Turn what the driver says while a database is opened into an error of ours.

    Raises:
        StoreError: whatever the database raised inside the block.
    """
    try:
        yield
    except (sa.exc.DBAPIError, psycopg.Error) as error:
        raise unreachable(database, getattr(error, "orig", None) or error) from error


async def refuse_unfit(database: str) -> int:
    """Refuse a server that is too old, and a pooler that hands our session to others; return the major version.

    A pooler in session mode passes: it keeps one server connection for as long as ours lives.

    Raises:
        DatabaseUnusable: it cannot be reached, or refuses us.
        DatabaseUnfit: it is too old, or does not keep sessions apart.
    """
    shown = without_password(database)
    connection = await open_connection(database)
    try:
        async with refused_in_words(database):
            version = connection.info.server_version // 10000
            if version < OLDEST:
                sentence = f"PostgreSQL at {shown} is version {version}; {OLDEST} is the oldest that works."
                raise DatabaseUnfit(shown, "old", sentence)
            if not await _is_ours_alone(connection, database):
                raise DatabaseUnfit(
                    shown,
                    "pooler",
                    f"Between ringi and PostgreSQL at {shown} stands a pooler that hands a session to others after "
                    "each transaction, so locks would not hold. Name the server itself in RINGI_DATABASE, or set "
                    "the pooler to session mode.",
                )
    finally:
        await connection.close()
    return version


async def _is_ours_alone(connection: Connection, database: str) -> bool:
    """Tell whether a connection keeps its session between transactions."""
    pid = await _backend(connection)
    # A pooler invents what it says in the server's place when a connection begins.
    if pid == connection.info.backend_pid:
        return True
    key = secrets.randbits(62)
    async with AsyncExitStack() as others:
        # What fails here, or gets no answer because we hold the pool's last session, does so for a pooler's sake.
        with suppress(psycopg.Error, DatabaseUnusable, TimeoutError):
            async with asyncio.timeout(CONNECT_SECONDS):
                await connection.execute("SELECT pg_advisory_lock(%s)", (key,))
                for _ in range(4):
                    other = await open_connection(database)
                    others.push_async_callback(other.close)
                    await other.execute("BEGIN")  # who shares sessions has to give us another one now
                    if await _backend(other) == pid:
                        return False
                    if await _backend(connection) != pid:
                        return False
                unlocked = await connection.execute("SELECT pg_advisory_unlock(%s) AS held", (key,))
                row = await unlocked.fetchone()
                return bool(row and row["held"])
    return False


async def _backend(connection: Connection) -> int:
    row = await (await connection.execute("SELECT pg_backend_pid() AS pid")).fetchone()
    return int(row["pid"]) if row else 0
