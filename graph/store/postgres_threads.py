"""LangGraph's threads on PostgreSQL: one connection per advance carries the run's lock and its checkpoints.

So a process that lost the lock cannot write: both went with the connection. Imports LangGraph.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import psycopg
import sqlalchemy as sa
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.errors import StoreError
from graph.store.checkpoints import Held, PackedPlainJson, WholeWrites
from graph.store.postgres import Connection, open_connection, refused_in_words
from graph.store.store import Fence

log = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
_IDLE_AT_MOST = 8
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0)) AS held, pg_backend_pid() AS pid"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(%s, 0)) AS held"
_ITS_ROW = sa.text("SELECT 1 FROM runs WHERE id = :run FOR UPDATE")
# An advisory lock shows as two halves of its key.
_HOLDS = sa.text("""
SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid = :pid
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND (classid::bigint << 32) | objid::bigint = hashtextextended(:run, 0)
""")


class WholePostgresWrites(WholeWrites, AsyncPostgresSaver):
    """The saver of one connection."""

    _trouble = (psycopg.Error,)


class ManyProcesses:
    """The threads of a database that any number of processes share."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._idle: list[Connection] = []
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    @asynccontextmanager
    async def own(self, run_id: str) -> AsyncIterator[Held | None]:
        """Hold a run's thread; yields None if another process holds it.

        Raises:
            StoreError: the database cannot be reached.
        """
        lock = self._locks.setdefault(run_id, asyncio.Lock())
        async with lock, self._connection(run_id) as (connection, pid):
            if connection is None:
                yield None
                return
            saver = WholePostgresWrites(connection, serde=PackedPlainJson())

            async def still_held() -> bool:
                with suppress(psycopg.Error):
                    async with saver.lock:
                        await connection.execute("SELECT 1")
                    return True
                return False

            try:
                yield Held(saver, _fence(run_id, pid), still_held)
            finally:
                await asyncio.shield(saver.finished())

    async def alone(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do work that only one process does at a time; it is cancelled if the lock is lost, and begun again later."""
        ended = waited = False
        while not ended:
            try:
                connection, pid = await self._locked(f"ringi:{name}")
            except StoreError as error:
                log.warning("database not reached", extra={"work": name, "where": error.where})
                await asyncio.sleep(LOOK_SECONDS)
                continue
            if pid:
                if waited:  # whoever had it, and only lost its connection, notices that within this time
                    await asyncio.sleep(2 * LOOK_SECONDS)
                ended = await self._work(name, connection, work)
            else:
                await self._put_back(connection)
            if not ended:
                waited = True
                await asyncio.sleep(LOOK_SECONDS)

    async def _work(self, name: str, connection: Connection, work: Callable[[], Awaitable[None]]) -> bool:
        """Work as long as the connection that holds the lock lives; tell whether the work came to its end."""
        log.info("working alone", extra={"work": name})
        task = asyncio.ensure_future(work())
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=LOOK_SECONDS)
                await connection.execute("SELECT 1")
            await task
        except psycopg.Error:
            log.warning("no longer working alone", extra={"work": name})
            return False
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await asyncio.shield(_closed(connection))
        return True

    async def close(self) -> None:
        """Close what is idle; what is in use closes with its user."""
        while self._idle:
            await _closed(self._idle.pop())

    @asynccontextmanager
    async def _connection(self, run_id: str) -> AsyncIterator[tuple[Connection | None, int]]:
        """Open a connection that holds a run's lock; None if another one holds it. Whatever goes wrong closes it."""
        connection, pid = await self._locked(run_id)
        if pid == 0:
            await self._put_back(connection)
            yield None, 0
            return
        held = False
        try:
            yield connection, pid
            with suppress(psycopg.Error):  # it was lost meanwhile; then so is its lock
                row = await (await connection.execute(_UNLOCK, (run_id,))).fetchone()
                held = bool(row and row["held"])
        finally:
            if not held:
                await asyncio.shield(_closed(connection))
        await self._put_back(connection)

    async def _locked(self, key: str) -> tuple[Connection, int]:
        """Try to lock, on a connection that was idle or on a new one.

        Returns:
            The connection, and the process id of its backend; 0 if another connection holds the lock.
        """
        while self._idle:
            connection = self._idle.pop()
            with suppress(psycopg.Error):
                return connection, await _try(connection, key)
        connection = await open_connection(self._database)
        async with refused_in_words(self._database):
            return connection, await _try(connection, key)

    async def _put_back(self, connection: Connection) -> None:
        if len(self._idle) < _IDLE_AT_MOST and not connection.closed:
            self._idle.append(connection)
        else:
            await asyncio.shield(_closed(connection))


async def _try(connection: Connection, key: str) -> int:
    try:
        row = await (await connection.execute(_LOCK, (key,))).fetchone()
    except BaseException:
        await asyncio.shield(_closed(connection))
        raise
    return int(row["pid"]) if row and row["held"] else 0


async def _closed(connection: Connection) -> None:
    with suppress(psycopg.Error):
        await connection.close()


def _fence(run_id: str, pid: int) -> Fence:
    """Return what makes sure, inside a transaction, that the run is still held by this connection.

    The row comes first: whoever holds the run next has to wait for it, so what was true when it was looked at
    stays true until the commit.
    """

    async def holds(connection: AsyncConnection) -> None:
        await connection.execute(_ITS_ROW, {"run": run_id})
        if (await connection.execute(_HOLDS, {"run": run_id, "pid": pid})).first() is None:
            raise StoreError("runs", "The lock on the run was lost; another process may have it.")

    return holds


@asynccontextmanager
async def open_to_read(database: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open the checkpoints to look at them, whoever holds their run.

    Raises:
        StoreError: the database cannot be reached.
    """
    connection = await open_connection(database)
    async with connection:
        yield WholePostgresWrites(connection, serde=PackedPlainJson())


@asynccontextmanager
async def open_threads(database: str) -> AsyncIterator[ManyProcesses]:
    """Open the threads of a database; their tables are made if need be.

    Raises:
        StoreError: the database cannot be reached or may not be changed.
    """
    threads = ManyProcesses(database)
    try:

        async def make_tables() -> None:
            connection = await open_connection(database)
            async with refused_in_words(database), connection:
                await AsyncPostgresSaver(connection).setup()

        # Not while someone waits in a statement for a lock: making an index waits for every statement to end.
        await threads.alone("migrate-threads", make_tables)
        yield threads
    finally:
        await asyncio.shield(threads.close())
