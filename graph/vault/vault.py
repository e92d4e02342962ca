"""Where a vault is, and which of its folders a person means."""

from __future__ import annotations

import os
from pathlib import Path

from graph.errors import UnknownFolder
from graph.vault.names import key, shown
from graph.vault.tree import walk


def find_vault(folder: Path) -> Path:
    """Return the nearest folder with `.obsidian` at or above this one, else the folder itself; absolute."""
    here = folder.expanduser().absolute()
    for place in (here, *here.parents):
        if (place / ".obsidian").is_dir():
            return place
    return here


def resolve_folder(vault: Path, folder: str) -> str:
    """Turn what a person typed into a path relative to the vault, in NFC; `.` is the whole vault.

    The whole text is the name, spaces included. An absolute path is taken when its real path lies in the vault.
    Capitals and composed characters need not match the disk, as in links; of two folders that differ only in
    them the one written exactly so is meant.

    Raises:
        UnknownFolder: there is none, it is hidden, or it lies outside; near names can be asked of it.
    """
    found = _find(vault, folder)
    if found is not None:
        return found
    holder = _folder_of_note(vault, folder)
    if holder is not None:
        near = [] if holder == "." else [holder]
        raise UnknownFolder(folder, lambda: near, is_note=True, vault=str(vault))
    raise UnknownFolder(folder, lambda: near_folders(vault, folder), vault=str(vault))


def _folder_of_note(vault: Path, typed: str) -> str | None:
    """Return the folder of the note that was typed in place of a folder; None if it is no note that may be seen."""
    above, _, name = typed.strip().rstrip("/").rpartition("/")
    holder = None if name.startswith(".") else _find(vault, above or ".")
    here = holder and folder_on_disk(vault, holder)
    if not here or not name:
        return None
    entries = (_entry(here, one, exact=False) for one in (name, f"{name}.md"))
    return holder if any(one and one.endswith(".md") and (here / one).is_file() for one in entries) else None


def folder_on_disk(vault: Path, folder: str) -> Path | None:
    """Return the folder of a vault-relative NFC path as the disk spells it, None if it is gone."""
    here = vault
    for part in [] if folder == "." else folder.split("/"):
        name = _entry(here, part, exact=True)
        if name is None:
            return None
        here /= name
    return here


def folder_inside(vault: Path, folder: str) -> Path | None:
    """Return a folder that was resolved before, as the disk spells it; None if it is gone or a link took its place.

    What `resolve_folder` returned lies in the vault by its real path. Days may pass until it is read again, and what is
    synchronised meanwhile may make it a link to anywhere.
    """
    place = folder_on_disk(vault, folder)
    if place is None:
        return None
    straight = Path(os.path.realpath(vault)) / place.relative_to(vault)
    return place if Path(os.path.realpath(place)) == straight else None


def lies_inside(vault: Path, file: Path) -> bool:
    """Tell whether a file of the vault really lies in it, and not behind a link that leads out."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(vault))


def file_on_disk(vault: Path, file: str) -> Path | None:
    """Return a file of a vault-relative NFC path as the disk spells it, None if it is gone."""
    straight = vault / file
    if straight.is_file():
        return straight
    folder = folder_on_disk(vault, file.rpartition("/")[0] or ".")
    name = folder and _entry(folder, file.rpartition("/")[2], exact=True)
    return folder / name if folder and name else None


def _find(vault: Path, folder: str) -> str | None:
    home = Path(os.path.realpath(vault))
    try:
        if not folder or "\0" in folder:
            return None
        typed = Path(os.path.normpath(folder))  # first, so that no answer tells what lies outside
        if typed.is_absolute():
            typed = Path(os.path.realpath(typed)).relative_to(home)
        here = home
        for part in typed.parts:
            name = None if part.startswith(".") else _entry(here, part, exact=False)
            if name is None:
                return None
            here /= name
        if not here.is_dir():
            return None
        inside = Path(os.path.realpath(here)).relative_to(home)
    except (OSError, ValueError):
        return None
    if any(part.startswith(".") for part in inside.parts):
        return None
    return shown(inside.as_posix())


def _entry(folder: Path, name: str, *, exact: bool) -> str | None:
    """Return the entry with this name as the disk spells it."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names are wanted, not paths
    except OSError:
        return None
    if name in names:
        return name
    for form in (shown,) if exact else (shown, key):
        same = [n for n in names if form(n) == form(name)]
        if len(same) == 1:
            return same[0]
    return None


def folders(vault: Path) -> list[str]:
    """Return every folder of the vault, relative to it and by name; hidden and outside ones never."""
    return sorted(filter(None, map(shown, walk(vault).places)))


def near_folders(vault: Path, folder: str, limit: int = 3) -> list[str]:
    """Return folders of the vault with a similar name, best first; hidden and outside ones never."""
    from rapidfuzz import fuzz

    from graph.vault.fold import fold

    wanted = folder.strip().strip("/")
    last, whole = fold(wanted.rpartition("/")[2]), fold(wanted)
    if not last:
        return []
    scored: list[tuple[float, int, str]] = []
    for path in filter(None, map(shown, walk(vault).places)):
        name = fold(path.rpartition("/")[2])
        score = max(fuzz.ratio(last, name), fuzz.ratio(whole, fold(path)))
        if score >= _ALIKE or (len(last) >= _WORD and (last in name or name in last) and len(name) >= _WORD):
            scored.append((-score, path.count("/"), path))
    return [path for _, _, path in sorted(scored)[:limit]]


_ALIKE = 60  # folders are few, so more of them may be offered than of notes
_WORD = 3
