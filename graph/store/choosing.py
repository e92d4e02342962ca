"""What a person has chosen item by item and not sent yet: one row per request and person, never anyone else's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.store.tables import choices


def of(request_id: str, person_id: str) -> sa.Select[Any]:
    """Select them: item id → choice."""
    theirs = sa.and_(choices.c.request_id == request_id, choices.c.person_id == person_id)
    return sa.select(choices.c["items"]).where(theirs)


async def add(
    connection: AsyncConnection, request_id: str, person_id: str, items: Mapping[str, str], at: datetime
) -> None:
    """Put newer choices over those in a row that is there; two taps at once wait for each other."""
    row = await connection.execute(of(request_id, person_id).with_for_update())
    merged = row.scalar_one() | dict(items)
    theirs = sa.and_(choices.c.request_id == request_id, choices.c.person_id == person_id)
    await connection.execute(sa.update(choices).where(theirs).values(items=merged, changed=at))
