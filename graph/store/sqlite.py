"""SQLite: how the file is opened, where it may lie, and the lock that says who serves it."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import aiosqlite
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from graph.errors import Both, DatabaseInUse, DatabaseMisplaced, DatabaseUnusable, StoreError

BUSY_SECONDS = 30
# Kept in the file; asking for them again on each connection would wait for whoever writes.
_ONCE = (
    # Only before the first table; lets retention give space back without a full copy.
    "PRAGMA auto_vacuum=INCREMENTAL",
    "PRAGMA journal_mode=WAL",
)
_PAGES_AT_ONCE = 1000  # 4 MB, which takes about 20 ms
_EACH = (
    f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}",
    # NORMAL may lose the last commits in a power cut, and a decision is what must not be lost.
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
)
_SYNC_NAMES = ("dropbox", "onedrive", "google drive", "googledrive", "my drive", "icloud drive")
_SYNC_PLACES = ("Mobile Documents", "CloudStorage")  # where macOS keeps iCloud and other providers
_SYNC_MARKERS = {
    ".stfolder": "Syncthing",
    ".dropbox": "Dropbox",
    ".dropbox.cache": "Dropbox",
    ".tmp.drivedownload": "Google Drive",
    ".tmp.driveupload": "Google Drive",
}


def refuse_misplaced(path: Path, vault: Path | None) -> None:
    """Refuse a database where copies are made of it behind our back.

    Args:
        path: of the database file; need not exist.
        vault: the vault under check, if known.

    Raises:
        DatabaseMisplaced: it would lie in a vault or in a folder that some program synchronises.
        StoreError: a folder on the way may not be looked into.
    """
    for folder in path.expanduser().resolve().parents:
        try:
            reason = _synced(folder)
            if (folder / ".obsidian").is_dir() or (vault is not None and folder == vault.resolve()):
                reason = f"inside the vault {folder}"
        except OSError as error:
            raise _cannot_be_made(path, error.strerror) from error
        if reason:
            raise DatabaseMisplaced(
                str(path),
                f"The database {path} would lie {reason}, where copies corrupt it. "
                "Set RINGI_DATABASE to a file outside vaults and synced folders.",
            )


def _synced(folder: Path) -> str | None:
    name = folder.name.lower()
    if folder.name in _SYNC_PLACES or any(
        name == known or name.startswith((f"{known} ", f"{known}-")) for known in _SYNC_NAMES
    ):
        return f"inside {folder}, which looks like a synced folder"
    for marker, program in _SYNC_MARKERS.items():
        if folder != Path.home() and (folder / marker).exists():
            return f"inside {folder}, which {program} synchronises"
    return None


def create_file(path: Path) -> None:
    """Create the file for its owner's eyes only; SQLite gives its side files the same mode.

    A file that is there is never opened: closing it again would drop the locks that SQLite holds on it in this
    process, another process would then take the write-ahead log for abandoned and delete it, and with it what is
    committed later. Source: https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_

    Raises:
        StoreError: the folder or the file cannot be made, or may not be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            if not path.is_file():
                raise _cannot_be_made(path, "no ordinary file")
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            path.chmod(0o600)
        else:
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        if path.stat().st_size == 0:
            with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
                for pragma in _ONCE:
                    connection.execute(pragma)
    except (OSError, sqlite3.Error) as error:
        raise _cannot_be_made(path, error.strerror if isinstance(error, OSError) else error) from error


def _cannot_be_made(path: Path, reason: object) -> StoreError:
    there = os.path.isfile(path)  # noqa: PTH113 - says no where we may not look, instead of raising
    sentence = Both(
        f"The database {path} cannot be {'written' if there else 'created'}: {reason}. Set RINGI_DATABASE to a file you may write.",
        f"データベース {path} {'に書き込め' if there else 'を作成でき'}ません（{reason}）。RINGI_DATABASE に書き込めるファイルを設定してください。",
    )
    return StoreError(str(path), sentence)


@asynccontextmanager
async def connect(path: Path) -> AsyncIterator[tuple[AsyncEngine, Callable[[], Awaitable[bool]]]]:
    """Open the database file.

    Yields:
        The engine, and a function that tells whether anything was committed since it was last called.
    """
    engine = create_async_engine(
        sa.URL.create("sqlite+aiosqlite", database=str(path)),
        hide_parameters=True,
        connect_args={"timeout": BUSY_SECONDS},
    )
    check = still_there(path)

    def find(dialect: Any, record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
        del dialect, record
        check(None)
        arguments[:] = [existing(path)]
        options["uri"] = True

    def prepare(connection: Any, record: Any) -> None:
        del record
        try:
            _prepare(connection)
        except sqlite3.Error as error:
            connection.close()
            raise trouble(str(path), error) from error

    sa.event.listen(engine.sync_engine, "do_connect", find)
    sa.event.listen(engine.sync_engine, "connect", prepare)
    sa.event.listen(engine.sync_engine, "begin", _begin)
    sa.event.listen(engine.sync_engine, "commit", check)
    sa.event.listen(engine.sync_engine, "handle_error", _in_words)
    watch = await aiosqlite.connect(existing(path), timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    seen = -1

    async def changed() -> bool:
        nonlocal seen
        async with watch.execute("PRAGMA data_version") as cursor:
            row = await cursor.fetchone()
        before, seen = seen, int(row[0]) if row else -1
        return before != seen

    try:
        yield engine, changed
    finally:
        # Shielded, because a connection that is not closed keeps its thread, and with it the process.
        await asyncio.shield(watch.close())
        await asyncio.shield(engine.dispose())


async def shrink(engine: AsyncEngine, writing: AbstractAsyncContextManager[object]) -> None:
    """Give the disk back the pages that nothing uses, in steps between which others may write.

    Args:
        engine: of the file.
        writing: the lock under which this process writes to it.
    """
    async with engine.connect() as connection:
        raw = (await connection.get_raw_connection()).driver_connection
        assert raw is not None  # noqa: S101 - an open connection has one
        left = -1
        while left:
            async with writing:
                # As a script: the driver takes one step of a statement that returns no rows, and that is one page.
                await raw.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
            async with raw.execute("PRAGMA freelist_count") as cursor:
                before, left = left, (await cursor.fetchone())[0]
            if left == before:  # made without room for this
                break
        async with writing, raw.execute("PRAGMA wal_checkpoint(TRUNCATE)") as cursor:
            await cursor.fetchall()


def _prepare(connection: Any) -> None:
    """Set up a new connection; transactions are ours to begin, not the driver's."""
    connection.isolation_level = None
    for pragma in _EACH:
        connection.execute(pragma)


def _begin(connection: sa.Connection) -> None:
    """Begin: a transaction that reads first and writes later would fail at once if another wrote between.

    A single read is a transaction by itself, and each statement is a trip to the connection's thread.
    """
    options = connection.get_execution_options()
    if options.get("ringi_write", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif not options.get("ringi_read", False):
        connection.exec_driver_sql("BEGIN")


def existing(path: Path) -> str:
    """Return the address that opens the file and never makes a new one, should it be gone."""
    return f"{path.absolute().as_uri()}?mode=rw"


def still_there(path: Path) -> Callable[[object], None]:
    """Return what refuses a commit once the file under this name is not the one that is there now.

    A file that was deleted or replaced takes every commit and loses it; nobody may be told that it counts.
    """
    opened = _identity(path)

    def check(_: object = None) -> None:
        now = _identity(path)
        if now is None or now != opened:
            what = "is gone" if now is None else "was replaced by another file"
            raise DatabaseUnusable(
                str(path),
                f"The database {path} {what} while it was in use, so nothing can be saved. "
                "Stop ringi, put the file back, and start it again.",
            )

    return check


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _in_words(context: sa.engine.ExceptionContext) -> DatabaseUnusable | None:
    """Let what keeps the file from being read or written be an error of ours, with words for people."""
    error, kind = context.original_exception, context.sqlalchemy_exception
    ours = (sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.DataError)
    if not isinstance(kind, sa.exc.DBAPIError) or isinstance(kind, ours) or context.engine is None:
        return None
    return trouble(str(context.engine.url.database), error)


def trouble(where: str, error: BaseException) -> DatabaseUnusable:
    """Say what keeps a file from being used."""
    ways = {
        "SQLITE_FULL": "The disk is full; make room, then try again.",
        "SQLITE_BUSY": "Another program holds it; end that, then try again.",
        "SQLITE_READONLY": "It may not be written; look at its permissions and those of its folder.",
        "SQLITE_IOERR": "The disk did not take it; look whether it is full or failing.",
        "SQLITE_CORRUPT": "It is damaged; put a backup in its place.",
        "SQLITE_NOTADB": "It is no database; put a backup in its place.",
        "SQLITE_CANTOPEN": "It cannot be opened; look whether it and its folder are there.",
    }
    code = str(getattr(error, "sqlite_errorname", ""))
    way = next((text for name, text in ways.items() if code == name or code.startswith(f"{name}_")), "")
    return DatabaseUnusable(where, f"The database {where} cannot be used: {error}. {way}".rstrip())


def _lock_file(path: Path) -> int:
    return os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextmanager
def serving(path: Path, *, patience: float = 0.5) -> Iterator[None]:
    """Be the one process that runs what is in this file, for as long as the block lasts.

    The operating system lets go when the process dies, however it dies. Not for network file systems.

    Args:
        path: of the database.
        patience: seconds to try, for someone may be looking at the lock just now.

    Raises:
        DatabaseInUse: another process is.
    """
    descriptor = _lock_file(path)
    try:
        if not _locked(descriptor, patience):
            raise DatabaseInUse(
                str(path),
                f"Another ringi process{_holder(descriptor)} works on {path}. Stop it first, or set RINGI_DATABASE to another file.",
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int, patience: float) -> bool:
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)
        else:
            return True


def _holder(descriptor: int) -> str:
    pid = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
    return f" (pid {pid})" if pid.isdigit() else ""


def is_served(path: Path) -> bool:
    """Tell whether a process serves this database."""
    if not path.with_name(path.name + ".lock").exists():
        return False
    descriptor = _lock_file(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)
