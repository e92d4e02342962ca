"""`ringi patch`: print the fixes that were approved, as `git apply` takes them. Imports no LangGraph."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.terminal.desk import Desk
from bot.terminal.screen import safe_lines
from bot.terminal.texts import short
from graph.runtime import open_store
from graph.settings import Settings


async def patch(desk: Desk, settings: Settings, prefix: str) -> int:
    """Print a run's patch byte by byte; 1 if it has none. On a terminal, what could steer it is made visible.

    Raises:
        UnknownRun, AmbiguousRun: the prefix names no single run.
    """
    async with open_store(settings) as store:
        run = await store.run(prefix)
    name = Path(run.result.patch).name if run.result and run.result.patch else ""
    if not name:
        desk.screen.tell(desk.texts.no_patch.format(run=short(run.id)))
        return 1
    path = settings.records / name
    try:
        data = await asyncio.to_thread(path.read_bytes)
    except OSError:
        desk.screen.tell(desk.texts.patch_gone.format(path=path))
        return 1
    if sys.stdout.isatty():
        desk.screen.say("\n".join(safe_lines(data.decode(errors="replace"))))
    else:
        sys.stdout.buffer.write(data)
    return 0
