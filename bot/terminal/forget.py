"""`ringi forget`: let what people approved be asked again. Imports no LangGraph."""

from __future__ import annotations

from bot.terminal.desk import Desk
from bot.terminal.screen import safe
from graph.errors import UnknownFolder
from graph.runtime import open_store
from graph.settings import Settings
from graph.vault import resolve_folder
from graph.vault.names import shown


async def forget(desk: Desk, settings: Settings, typed: str, *, as_json: bool) -> int:
    """Forget the approved verdicts of a folder and say how many; the next check asks about those links again.

    Raises:
        UnknownFolder: there is no such folder, and nothing was ever approved in one of that name.
    """
    vault = settings.vault
    assert vault is not None  # noqa: S101 - the command demands it
    unknown: UnknownFolder | None = None
    try:
        folder = resolve_folder(vault, typed)
    except UnknownFolder as error:
        folder, unknown = shown(typed.rstrip("/")), error
    async with open_store(settings) as store, store.write() as write:
        forgotten = await write.forget_approved(str(vault), folder)
    if unknown is not None and not forgotten:
        raise unknown
    if as_json:
        desk.screen.json({"folder": folder, "forgotten": forgotten})
    elif not forgotten:
        desk.screen.say(desk.texts.nothing_forgotten.format(folder=safe(folder)))
    else:
        desk.screen.say(desk.texts.forgotten.format(n=f"{forgotten:,}"))
    return 0
