"""Bring a database to the schema of this version."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from graph.errors import StoreError

#: The newest migration. Known here so that a command that only reads need not import Alembic; a test compares.
HEAD = "0001"
MIGRATIONS = Path(__file__).parent / "migrations"


async def schema_of(engine: AsyncEngine) -> str | None:
    """Return the migration a database is at, None for an empty one."""
    async with engine.connect() as connection:
        if not await connection.run_sync(lambda c: sa.inspect(c).has_table("alembic_version")):
            return None
        return (await connection.execute(sa.text("SELECT version_num FROM alembic_version"))).scalar()


async def migrate(engine: AsyncEngine) -> None:
    """Apply what is missing, each database in one go; nothing happens if it is new enough. Hold the process lock.

    Raises:
        StoreError: a newer version of the program wrote this database.
    """
    at = await schema_of(engine)
    if at == HEAD:
        return
    from alembic.script import ScriptDirectory

    if at is not None and at not in {s.revision for s in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}:
        raise StoreError(
            engine.url.render_as_string(hide_password=True),
            f"The database {engine.url.database} was written by a newer version of ringi (schema {at}, this one knows {HEAD}). Install that version again.",
        )
    async with engine.execution_options(ringi_write=True).begin() as connection:
        await connection.run_sync(_upgrade)


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
