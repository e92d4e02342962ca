"""What the doctor looks at when the database is PostgreSQL's: reach, version, pooler, rights, and who works on it."""

from __future__ import annotations

from typing import Literal

from bot.doctor_texts import Texts
from graph.settings import Settings

Finding = tuple[Literal["ok", "fail"], str, str]


async def examine_postgres(settings: Settings, say: Texts) -> tuple[int, Finding | None]:
    """Return the server's version, and why the tables cannot be looked into yet: a mark, what was found, the way out.

    Raises:
        StoreError: it cannot be reached, is too old, or a pooler breaks its locks.
    """
    from graph.store import postgres

    shown = settings.database_shown
    version = await postgres.refuse_unfit(settings.database)
    rights = await postgres.rights(settings.database)
    if rights.write:
        return version, None
    if rights.write is False:
        return version, ("fail", say.may_not_write.format(path=shown), say.grant_write)
    if not rights.make:
        return version, ("fail", say.may_not_make.format(path=shown), say.grant_make)
    return version, ("ok", say.postgres_new.format(path=shown, version=version), "")
