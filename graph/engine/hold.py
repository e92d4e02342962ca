"""New checks on hold: a call to the model that has not begun waits until they are released."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from graph.approval import HOLD, Progress
from graph.engine.reports import Reporter
from graph.store import Store
from graph.workflow import Claude, NoReply, Reply

LOOK_SECONDS = 0.5


class Holding:
    """The model of one run under way; its calls begin only while new checks are not on hold.

    Implements `graph.workflow.Claude`. Asked twice: before a call stands in line, so that it says at once what it
    waits for, and when its turn has come. The table is read each time, for anyone may turn the switch, from
    another process or another machine too.
    """

    def __init__(self, claude: Claude, store: Store, reporter: Reporter) -> None:
        self._claude, self._store, self._reporter = claude, store, reporter

    async def ask(  # noqa: PLR0913 - what one call is
        self,
        prompt: str,
        schema: Mapping[str, Any],
        *,
        folder: str,
        max_turns: int,
        waiting: Callable[[int], None] | None = None,
        doing: Callable[[str, int], None] | None = None,
        begin: Callable[[], Awaitable[None]] | None = None,
    ) -> Reply | NoReply:
        """Make one call; see `graph.workflow.Claude.ask`."""

        async def may_begin() -> None:
            await self._released()
            if begin is not None:
                await begin()

        await self._released()
        return await self._claude.ask(
            prompt,
            schema,
            folder=folder,
            max_turns=max_turns,
            waiting=waiting,
            doing=doing,
            begin=may_begin,
        )

    async def _released(self) -> None:
        """Return once new checks are not on hold; the run says that it waits meanwhile."""
        if not await self._on_hold():
            return
        said = self._reporter.said
        self._reporter(Progress(step=HOLD, counts=said.counts if said else {}))
        while await self._on_hold():  # noqa: ASYNC110 - a row, written by any process
            await asyncio.sleep(LOOK_SECONDS)
        if self._reporter.said is not None:
            self._reporter(self._reporter.said)

    async def _on_hold(self) -> bool:
        # Shielded: a transaction that is cancelled half-way costs its connection.
        return await asyncio.shield(self._store.hold()) is not None
