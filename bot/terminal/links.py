"""`ringi links`: what leads nowhere in a folder, without a run. Imports the vault's rules and nothing heavier."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bot.terminal.desk import Desk
from bot.terminal.links_texts import TEXTS, LinksTexts
from bot.terminal.progress import Bar, Step
from bot.terminal.screen import to_json
from graph.errors import Both, SettingsError
from graph.vault import Finding, Scan, find_vault, grouped, resolve_folder, scan, why

if TYPE_CHECKING:
    from graph.approval import Language

FOUND = 1
KINDS = frozenset({"missing", "missing-heading", "missing-block"})
ANCHORS = KINDS - {"missing"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants to see.

    Attributes:
        form: how it is printed.
        group: by link, with its places, instead of by place.
        fail_on: kinds whose findings make the exit code 1; comma-separated, or `none`.
        anchors: headings and blocks too; None = as `RINGI_ANCHORS` says.
        compare: also ask the user's own Obsidian.
    """

    form: Literal["text", "json", "markdown", "github"] = "text"
    group: bool = False
    fail_on: str = "missing"
    anchors: bool | None = None
    compare: bool = False


def links(desk: Desk, folder: str, vault: str | None, wanted: Wanted) -> int:
    """List the links of a folder that lead nowhere; return 1 if any is of a kind to fail on, else 0.

    Args:
        desk: where the person sits.
        folder: relative to the vault; without a vault setting an ordinary path.
        vault: what `--vault` says.
        wanted: what to look at, and how to show it.

    Raises:
        SettingsError: the vault is no folder, or an option makes no sense.
        UnknownFolder: there is no such folder in it.
    """
    named = {"RINGI_VAULT": vault or desk.variables.get("RINGI_VAULT", "")}
    named |= {"RINGI_ANCHORS": desk.variables.get("RINGI_ANCHORS", "")} if wanted.anchors is None else {}
    home, anchors = _settings(named)
    anchors = anchors if wanted.anchors is None else wanted.anchors
    failing = _failing(wanted.fail_on, anchors=anchors)
    home, inside = _which(folder, home)
    result = _scan(desk, home, inside, anchors=anchors)
    if wanted.form == "json":
        _print_json(desk, result, wanted)
    else:
        for line in _page(desk, result, wanted, failing):
            desk.screen.say(line)
    return FOUND if any(finding.kind in failing for finding in result.findings) else 0


def _settings(named: dict[str, str]) -> tuple[Path | None, bool]:
    """Return the vault and whether anchors count; settings are loaded only if one is given."""
    if not any(value.strip() for value in named.values()):
        return None, False
    from graph.settings import Settings, read

    settings = read(Settings, named)
    return settings.vault, settings.anchors


def _failing(fail_on: str, *, anchors: bool) -> frozenset[str]:
    """Read what `--fail-on` says.

    Raises:
        SettingsError: it names no kind, or one that is not looked at.
    """
    named = frozenset(part.strip() for part in fail_on.split(",") if part.strip())
    if named == {"none"}:
        return frozenset()
    if not named or named - KINDS:
        kinds = ", ".join(sorted(KINDS))
        sentence = Both(
            f"takes {kinds} (several with commas) or none, not {fail_on!r}.",
            f"に指定できるのは {kinds}（コンマ区切りで複数可）か none です（いまは {fail_on!r}）。",
        )
        raise SettingsError([("--fail-on", sentence)])
    if named & ANCHORS and not anchors:
        kind = min(named & ANCHORS)
        sentence = Both(
            f"names {kind}, which only --anchors (or RINGI_ANCHORS=yes) looks for.",
            f"の {kind} は、--anchors（または RINGI_ANCHORS=yes）のときだけ調べます。",
        )
        raise SettingsError([("--fail-on", sentence)])
    return named


_NEITHER = Both(
    "is not set, and there is no folder {folder} where you are. Give the folder that Obsidian opens as the vault: --vault FOLDER, or RINGI_VAULT in .env",
    "が未設定で、いまの場所に {folder} というフォルダもありません。Obsidian で保管庫として開くフォルダを指定してください：--vault フォルダ、または .env の RINGI_VAULT",
)


def _which(folder: str, vault: Path | None) -> tuple[Path, str]:
    if vault is not None:
        return vault, resolve_folder(vault, folder)
    path = Path(folder)
    with suppress(RuntimeError):  # no such user: then it is a name like any other
        path = path.expanduser()
    if not folder.strip() or not os.path.isdir(path):  # noqa: PTH112 - Path's own raises for a name that is too long
        shown = repr(folder) if folder != folder.strip() or not folder else folder
        raise SettingsError([("RINGI_VAULT", _NEITHER.fill(folder=shown))])
    path = path.absolute()
    home = find_vault(path.resolve())
    return home, resolve_folder(home, str(path))


def _scan(desk: Desk, vault: Path, folder: str, *, anchors: bool) -> Scan:
    bar, reading = Bar(desk.screen, desk.texts), TEXTS[desk.screen.language].reading

    def report(read: int, notes: int, found: int) -> None:
        progress = Step("collect", {"read": read, "notes": notes, "found": found})
        bar.show(reading.format(notes=f"{read:,}/{notes:,}", found=f"{found:,}"), progress)

    try:
        return scan(vault, folder, report=report if desk.screen.live else None, anchors=anchors)
    finally:
        bar.done()


def _page(desk: Desk, result: Scan, wanted: Wanted, failing: frozenset[str]) -> Iterator[str]:
    from bot.terminal import links_page

    say, language = TEXTS[desk.screen.language], desk.screen.language
    if wanted.form == "markdown":
        yield from links_page.markdown(result, say, language, group=wanted.group)
    elif wanted.form == "github":
        yield from links_page.github(result, say, language, failing, Path.cwd())
    else:
        yield from links_page.text(result, say, desk.screen, group=wanted.group)
    if wanted.compare:
        from bot.terminal.obsidian import compare

        yield ""
        yield from links_page.compared(compare(result, desk.environment), say)


def _print_json(desk: Desk, result: Scan, wanted: Wanted) -> None:
    """Print one JSON object, a finding at a time, for there may be a hundred thousand."""
    say, language = TEXTS[desk.screen.language], desk.screen.language
    head = {
        "vault": result.vault,
        "folder": result.folder,
        "notes": result.notes,
        "links": result.looked_up,
        "excluded": result.excluded,
    }
    write = desk.screen.out.write
    write(to_json(head)[:-1] + ', "findings": [')
    for number, finding in enumerate(_findings(result, language, group=wanted.group)):
        write((", " if number else "") + to_json(finding))
    tail: dict[str, Any] = {"not_read": [{"path": path.path, "why": path.why} for path in result.not_read]}
    if wanted.compare:
        tail["obsidian"] = _compared(desk, result, say)
    write("], " + to_json(tail)[1:] + "\n")


def _findings(result: Scan, language: Language, *, group: bool) -> Iterator[dict[str, Any]]:
    """Yield findings as scripts read them: paths are relative to the vault, lines 1-based."""
    if not group:
        for finding in result.findings:
            yield {"file": finding.file, "line": finding.line, **_finding(finding, language)}
        return
    for places in grouped(result.findings):
        yield {
            **_finding(places[0], language),
            "places": [{"file": place.file, "line": place.line} for place in places],
        }


def _finding(finding: Finding, language: Language) -> dict[str, Any]:
    return {
        "target": finding.target,
        "subpath": finding.subpath,
        "kind": finding.kind,
        "place": finding.place,
        "embed": finding.embed,
        "tags": list(finding.tags),
        "raw": finding.raw,
        "nearby": [{"target": n.target, "path": n.path, "why": why(n, language)} for n in finding.nearby],
    }


def _compared(desk: Desk, result: Scan, say: LinksTexts) -> dict[str, Any]:
    from bot.terminal.links_page import compared
    from bot.terminal.obsidian import Compared, compare

    what = compare(result, desk.environment)
    if not isinstance(what, Compared):
        return {"compared": False, "why": " ".join(compared(what, say))}
    named = {"only_here": what.only_here, "only_there": what.only_there}
    lists = {name: [{"file": f, "target": t} for f, t in places] for name, places in named.items()}
    return {"compared": True, **lists}
