"""What the relay knows about messages: which are behind their rows, and how Slack took them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from graph.approval import Behind, Message, Request
from graph.store import rows
from graph.store.behind import behind
from graph.store.tables import messages
from graph.store.write import Write


class Messages:
    """The part of `Store` that the relay reads and keeps."""

    lock: AbstractAsyncContextManager[object]
    now: Callable[[], datetime]
    _reading: AsyncEngine
    _writing: AsyncEngine

    async def _rows(self, statement: sa.Select[Any] | sa.CompoundSelect[Any]) -> list[rows.Row]:
        async with self._reading.connect() as connection:
            return list((await connection.execute(statement)).mappings())

    async def message(self, key: str) -> Message | None:
        """Return a message."""
        found = await self._rows(sa.select(messages).where(messages.c.key == key))
        return rows.message(found[0]) if found else None

    async def messages(self, run_id: str) -> list[Message]:
        """Return a run's messages, oldest first."""
        statement = sa.select(messages).where(messages.c.run_id == run_id).order_by(messages.c.seq)
        return [rows.message(row) for row in await self._rows(statement)]

    async def behind(self, now: datetime, hopeless: Collection[str] = ()) -> list[Behind]:
        """Return the messages that are behind their rows and due, in the order they came up; cards that wait come last.

        Left out are replies whose thread is not posted yet, unless it was given up or has one of the `hopeless`
        problems; and what was given up itself (`not_shown` without a next try) until its run is retried. A next try
        further off than any pause was set by a clock that has been set back since; it is due.
        """
        async with self._reading.connect() as connection:
            return await behind(connection, now, hopeless)

    async def problems(self, run_ids: Collection[str] | None = None) -> dict[str, str]:
        """Return why Slack does not show what it should, by run: of these runs, or of all that have trouble.

        The card's reason counts before that of other messages.
        """
        statement = sa.select(messages.c.run_id, messages.c.problem).where(
            messages.c.shown < messages.c.wanted, messages.c.problem.is_not(None)
        )
        if run_ids is not None:
            statement = statement.where(messages.c.run_id.in_(list(run_ids)))
        card_last = sa.case((sa.func.substr(messages.c.key, 1, 5) == "card:", 1), else_=0)
        found = await self._rows(statement.order_by(card_last, messages.c.seq))
        return {str(row["run_id"]): str(row["problem"]) for row in found}

    async def trying(self, key: str, times: Request | None = None) -> Message:
        """Count a try before Slack is called; return the message as it is then.

        More than one try without a `ts` means that an earlier post may have arrived: look for it first.

        Args:
            key: of the message.
            times: of a card that never stood in Slack, the request with the times that count from this try.
        """
        return await self._set_message(key, times, tries=messages.c.tries + 1)

    async def shown(self, key: str, wanted: int, digest: str, channel: str, ts: str) -> None:
        """Note that Slack shows what the rows said when `wanted` was read."""
        await self._set_message(
            key, shown=wanted, digest=digest, channel=channel, ts=ts, tries=0, next_try=None, problem=None
        )

    async def not_shown(
        self, key: str, problem: str, next_try: datetime | None, tries: int | None = None
    ) -> None:
        """Note that Slack refused a message, when to try again (None = given up), and after how many tries."""
        counted = {} if tries is None else {"tries": tries}
        await self._set_message(key, problem=problem, next_try=next_try, **counted)

    async def done_without(self, key: str, problem: str) -> None:
        """Note that a message will not be shown and need not be; why is kept beside it."""
        await self._set_message(key, shown=messages.c.wanted, problem=problem, next_try=None)

    async def try_soon(self, now: datetime) -> None:
        """Let every message be tried now that waits for a later time."""
        late = sa.update(messages).where(messages.c.shown < messages.c.wanted, messages.c.next_try > now)
        async with self.lock, self._writing.begin() as connection:
            await connection.execute(late.values(next_try=now))

    async def move(self, key: str, place: str) -> None:
        """Note that a message belongs elsewhere: to this channel or user, in no thread."""
        await self._set_message(key, place=place, thread=None, tries=0, next_try=None, problem=None)

    async def lost(self, key: str) -> None:
        """Note that a message is gone from Slack (someone deleted it), so that it is posted anew."""
        await self._set_message(key, shown=0, digest=None, ts=None, tries=0, next_try=None, problem=None)

    async def _set_message(self, key: str, times: Request | None = None, /, **values: Any) -> Message:
        statement = sa.update(messages).where(messages.c.key == key).values(**values).returning(messages)
        async with self.lock, self._writing.begin() as connection:
            if times is not None:
                await Write(connection, self.now()).count_anew(times.id, times.deadline, times.remind_at)
            return rows.message((await connection.execute(statement)).mappings().one())
