"""Bring a database to the schema of this version."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from graph.errors import Both, StoreError

#: The newest migration. Known here so that a command that only reads need not import Alembic; a test compares.
HEAD = "0005"
_ONE_AT_A_TIME = sa.text("SELECT pg_advisory_xact_lock(hashtextextended('ringi:migrate', 0))")
MIGRATIONS = Path(__file__).parent / "migrations"


async def schema_of(engine: AsyncEngine) -> str | None:
    """Return the migration a database is at, None for an empty one."""
    async with engine.connect() as connection:
        if not await connection.run_sync(lambda c: sa.inspect(c).has_table("alembic_version")):
            return None
        return (await connection.execute(sa.text("SELECT version_num FROM alembic_version"))).scalar()


async def migrate(engine: AsyncEngine) -> None:
    """Apply what is missing, each database in one go; nothing happens if it is new enough.

    SQLite's process lock has to be held; on PostgreSQL processes that start together wait for the first.

    Raises:
        StoreError: a newer version of the program wrote this database.
    """
    at = await schema_of(engine)
    shared = engine.dialect.name == "postgresql"
    if at == HEAD and not shared:
        return
    if at != HEAD:
        _refuse_newer(at, engine.url.database or "on PostgreSQL")
    async with engine.execution_options(ringi_write=True).begin() as connection:
        if shared:
            await connection.execute(_ONE_AT_A_TIME)
        if at != HEAD:
            await connection.run_sync(_upgrade)
        if shared:
            from graph.store import jobs

            await jobs.make_tables(connection)


def _refuse_newer(at: str | None, where: str) -> None:
    from alembic.script import ScriptDirectory

    if at is not None and at not in {s.revision for s in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}:
        raise StoreError(
            where,
            Both(
                f"The database {where} was written by a newer version of ringi (schema {at}, this one knows {HEAD}). Install that version again.",
                f"データベース {where} は新しい版の ringi が作成したものです（スキーマ {at}、この版は {HEAD} まで）。その版をインストールし直してください。",
            ),
        )


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
