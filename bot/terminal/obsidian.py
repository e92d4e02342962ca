"""The user's own Obsidian as a second opinion: its command line lists the links it cannot resolve.

The command needs the running application and answers for the vault it is started in. It is given no more of the
environment than a desktop application needs to be found.

Source: <https://obsidian.md/help/cli>; the answer's shape, `[{"link", "count", "sources"}]` with the sources as one
text, as tools read it that others have published.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graph.vault import Scan
from graph.vault.excluded import excluded
from graph.vault.names import key, nfc

PATIENCE = 60  # seconds; the application may have to start first
_KEPT = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS"
)
_BETWEEN = re.compile(r"(?<=\.md), |(?<=\.canvas), |(?<=\.base), ", re.IGNORECASE)
_NOTHING = re.compile(r"no unresolved links", re.IGNORECASE)

Place = tuple[str, str]
"""A file and the target of a link in it."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What one of the two lists and the other does not."""

    only_here: tuple[Place, ...]
    only_there: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class NotCompared:
    """Why there is nothing to compare with: `said` is foreign text."""

    why: Literal["absent", "slow", "failed", "unclear", "elsewhere"]
    said: str = ""
    code: int = 0


def compare(  # noqa: PLR0911 - each way it can fail
    result: Scan, environment: Mapping[str, str], patience: float = PATIENCE
) -> Compared | NotCompared:
    """Run `obsidian unresolved verbose format=json` in the vault and compare it with a scan.

    Links of canvases are left out, for Obsidian does not list them, and so are notes the scan left out.

    Args:
        result: of a scan.
        environment: where `obsidian` is looked for; what a desktop application needs of it is passed on.
        patience: seconds.
    """
    program = shutil.which("obsidian", path=environment.get("PATH", ""))
    if program is None:
        return NotCompared("absent")
    vault = Path(result.vault)
    with tempfile.TemporaryFile() as out:  # a pipe would stay open as long as an application it has started
        try:
            code = subprocess.run(  # noqa: S603 - the user's own program
                [program, "unresolved", "verbose", "format=json"],
                cwd=vault,
                env={name: value for name, value in environment.items() if _KEPT.fullmatch(name)},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=patience,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return NotCompared("slow")
        except OSError as error:
            return NotCompared("failed", error.strerror or "", 126)
        out.seek(0)
        said = out.read().decode(errors="replace").strip()
    first = said.partition("\n")[0][:200]
    if code:
        return NotCompared("failed", first, code)
    places = _read(said)
    if places is None:
        return NotCompared("unclear", first)
    if places and not any((vault / file).exists() for file, _ in places):
        return NotCompared("elsewhere")
    return _differences(result, _checked(result, places))


def _read(said: str) -> list[Place] | None:
    """Read the answer; notices may stand before it. None if it is none."""
    if _NOTHING.search(said):
        return []
    begin = said.find("[") if said.startswith("[") else said.find("\n[") + 1
    try:
        rows = json.loads(said[begin:])
    except ValueError:
        return None
    return list(_places(rows)) if isinstance(rows, list) else None


def _places(rows: Iterable[Any]) -> Iterator[Place]:
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("link"), str):
            continue
        sources = row.get("sources", [])
        if not isinstance(sources, (str, list)):
            continue
        for source in _BETWEEN.split(sources) if isinstance(sources, str) else sources:
            if isinstance(source, str) and source:
                yield nfc(source), nfc(row["link"]).partition("#")[0].strip()


def _checked(result: Scan, places: Iterable[Place]) -> Iterator[Place]:
    """Yield the places in notes that the scan has read."""
    inside = "" if result.folder == "." else result.folder + "/"
    hidden = excluded(Path(result.vault), result.folder)
    unread = {problem.path for problem in result.not_read}
    for file, target in places:
        if file.startswith(inside) and file not in unread and not (hidden and hidden(file)):
            yield file, target


def _differences(result: Scan, places: Iterable[Place]) -> Compared:
    here = {
        _same(f.file, f.target): (f.file, f.target)
        for f in result.findings
        if f.kind == "missing" and f.place != "canvas"
    }
    there = {_same(file, target): (file, target) for file, target in places if not file.endswith(".canvas")}
    return Compared(
        only_here=tuple(place for name, place in here.items() if name not in there),
        only_there=tuple(place for name, place in there.items() if name not in here),
    )


def _same(file: str, target: str) -> Place:
    return key(file), key(target).removesuffix(".md")
