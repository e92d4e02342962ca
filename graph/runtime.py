"""The one place that puts the parts together: settings in, an open store or a running engine out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from graph.settings import Settings
from graph.store import Store, sqlite
from graph.store.migrate import HEAD, migrate, schema_of


def server_running(settings: Settings) -> bool:
    """Tell whether a process owns this database, so that others only insert into it."""
    return sqlite.is_served(Path(settings.database))


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """Open the tables to read and to insert, beside a server or without one. Imports no LangGraph.

    Without a server a missing or older database is created or migrated first.

    Raises:
        DatabaseMisplaced: it would lie in a vault or in a synced folder.
        DatabaseInUse: it is of an older version while another process works on it.
        StoreError: it cannot be created, or is of a newer version.
    """
    path = _place(settings)
    async with sqlite.connect(path) as (database, changed):
        if await schema_of(database) != HEAD:
            with sqlite.serving(path, patience=10):
                await migrate(database)
        yield Store(database, changed=changed)


def _place(settings: Settings) -> Path:
    path = Path(settings.database)
    sqlite.refuse_misplaced(path, settings.vault)
    sqlite.create_file(path)
    return path
