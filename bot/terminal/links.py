"""`ringi links`: what leads nowhere in a folder, without a run. Imports the vault's rules and nothing heavier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.terminal.desk import Desk
from bot.terminal.progress import Bar
from bot.terminal.screen import safe
from bot.terminal.texts import Texts
from graph.approval import Language, Progress
from graph.errors import UnknownFolder
from graph.vault import Finding, Scan, find_vault, resolve_folder, scan, why

FOUND = 1
_SHOWN = 3  # near names in text; JSON has all


def links(desk: Desk, folder: str, vault: str | None, *, as_json: bool) -> int:
    """List the links of a folder that lead nowhere; return 1 if there are any, else 0.

    Args:
        desk: where the person sits.
        folder: relative to the vault; without a vault setting an ordinary path.
        vault: what `--vault` says.
        as_json: one JSON object instead of lines.

    Raises:
        SettingsError: the vault is no folder.
        UnknownFolder: there is no such folder in it.
    """
    home, inside = _which(desk, folder, vault)
    bar = Bar(desk.screen, desk.texts)

    def report(read: int, notes: int, found: int) -> None:
        if desk.screen.live:
            progress = Progress(step="collect", counts={"read": read, "notes": notes, "found": found})
            bar.show(desk.texts.links_read.format(notes=f"{read:,}/{notes:,}", links=f"{found:,}"), progress)

    try:
        result = scan(home, inside, report=report if desk.screen.live else None)
    finally:
        bar.done()
    if as_json:
        desk.screen.json(to_json(result, desk.screen.language))
    else:
        _print(desk, result)
    return FOUND if result.findings else 0


def _which(desk: Desk, folder: str, vault: str | None) -> tuple[Path, str]:
    named = vault or desk.variables.get("RINGI_VAULT", "").strip()
    if named:
        from graph.settings import Settings, read

        home = read(Settings, {"RINGI_VAULT": named}).vault
        assert home is not None  # noqa: S101 - the validator returns a path for a value that is not blank
        return home, resolve_folder(home, folder)
    path = Path(folder).expanduser().absolute()
    if not path.is_dir():
        raise UnknownFolder(folder)
    home = find_vault(path.resolve())
    return home, resolve_folder(home, str(path))


def to_json(result: Scan, language: Language) -> dict[str, Any]:
    """Return a scan as scripts read it; paths are relative to the vault, lines 1-based."""
    return {
        "vault": result.vault,
        "folder": result.folder,
        "notes": result.notes,
        "links": result.looked_up,
        "findings": [_finding(finding, language) for finding in result.findings],
        "not_read": [{"path": path.path, "why": path.why} for path in result.not_read],
    }


def _finding(finding: Finding, language: Language) -> dict[str, Any]:
    return {
        "file": finding.file,
        "line": finding.line,
        "target": finding.target,
        "subpath": finding.subpath,
        "kind": finding.kind,
        "place": finding.place,
        "embed": finding.embed,
        "tags": list(finding.tags),
        "raw": finding.raw,
        "nearby": [{"target": n.target, "path": n.path, "why": why(n, language)} for n in finding.nearby],
    }


def _print(desk: Desk, result: Scan) -> None:
    screen, texts = desk.screen, desk.texts
    title = _title(result, texts)
    screen.say(f"\x1b[1m{title}\x1b[0m" if screen.colour else title)
    screen.say(texts.links_read.format(notes=f"{result.notes:,}", links=f"{result.looked_up:,}"))
    for unread in result.not_read:
        screen.say(texts.links_unread.format(path=safe(unread.path), why=safe(unread.why)))
    for finding in result.findings:
        screen.say()
        where = f"{finding.file}:{finding.line}" if finding.line else finding.file
        often = f"  ({texts.linked.format(n=finding.linked)})" if finding.linked > 1 else ""
        screen.say(f"{safe(where)}: {safe(finding.raw)}{often}")
        for near in finding.nearby[:_SHOWN]:
            screen.say(f"    -> {safe(near.target)}{texts.comma}{safe(why(near, screen.language))}")


def _title(result: Scan, texts: Texts) -> str:
    folder = safe(result.folder)
    if not result.findings:
        return texts.links_none.format(folder=folder)
    n = len(result.findings)
    return (texts.links_one if n == 1 else texts.links_many).format(folder=folder, n=f"{n:,}")
