"""The one reminder of an open request: it becomes a message, once, or waits for a better hour."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from graph.store import Store


async def remind(store: Store, request_id: str, data: dict[str, Any]) -> None:
    """Let the card's thread remind those who may decide; nothing happens if it has, or if it is decided.

    Args:
        store: the tables.
        request_id: what is still open.
        data: what the message says beside its rows; JSON.
    """
    async with store.write() as write:
        found = await write.standing(request_id)
        if found is None or found[2] is not None or found[1].state != "open" or found[1].remind_at is None:
            return
        await write.remind_at(request_id, None)
        if await write.add_message(f"remind:{request_id}", found[0], thread=f"card:{request_id}", data=data):
            await write.event(found[0].id, None, "reminded", revision=found[1].revision)


async def put_off(store: Store, request_id: str, at: datetime) -> None:
    """Remind later, also where the message was made and not sent yet."""
    async with store.write() as write:
        await write.unmake(f"remind:{request_id}")
        await write.remind_at(request_id, at)


async def drop(store: Store, request_id: str) -> None:
    """Remind no more, for it is decided."""
    async with store.write() as write:
        await write.unmake(f"remind:{request_id}")
        await write.remind_at(request_id, None)
