"""What a person has chosen item by item and not sent yet: one row per request and person, never anyone else's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.store.tables import choices


def of(request_id: str, person_id: str) -> sa.ColumnElement[bool]:
    """Tell their row."""
    return sa.and_(choices.c.request_id == request_id, choices.c.person_id == person_id)


async def add(
    connection: AsyncConnection,
    theirs: sa.ColumnElement[bool],
    items: Mapping[str, str],
    reason: str | None,
    at: datetime,
) -> None:
    """Put newer choices over those in a row that is there; two taps at once wait for each other. No reason = as it was."""
    row = await connection.execute(sa.select(choices.c["items"]).where(theirs).with_for_update())
    values: dict[str, Any] = {"items": row.scalar_one() | dict(items), "changed": at}
    values |= {} if reason is None else {"reason": reason}
    await connection.execute(sa.update(choices).where(theirs).values(values))
