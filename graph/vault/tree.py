"""The files and folders of a vault: one walk that opens nothing.

Names that begin with a dot are not in the vault. Linked folders are followed, unless they lead back into the
vault or to a folder that holds it.

Source: <https://help.obsidian.md/symlinks>.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from graph.vault.finding import NotRead
from graph.vault.names import shown

_DEEPEST = 4  # linked folders within linked folders; more is a maze, not a vault


@dataclass(slots=True)
class Tree:
    """What one walk saw.

    Attributes:
        places: folder → names of the files in it, both as the disk spells them, in no particular order; folders are
            relative to the vault, which is itself the empty string.
        problems: folders and links that could not be looked into.
    """

    root: str
    places: dict[str, list[str]] = field(default_factory=dict)
    problems: list[NotRead] = field(default_factory=list)


def walk(vault: Path) -> Tree:
    """List a vault; never raises for what it finds inside.

    Raises:
        OSError: if the vault itself cannot be listed.
    """
    root = os.fspath(vault)
    tree = Tree(root)
    home = os.path.realpath(root)
    todo: list[tuple[str, str, tuple[str, ...]]] = [(root, "", (home,))]
    while todo:
        folder, inside, chain = todo.pop()
        prefix = inside and inside + "/"
        files = tree.places.setdefault(inside, [])
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name[0] == ".":
                        continue
                    if entry.is_file(follow_symlinks=False):
                        files.append(name)
                    elif entry.is_dir(follow_symlinks=False):
                        todo.append((entry.path, prefix + name, chain))
                    elif entry.is_symlink():
                        _linked(tree, entry, inside, chain, todo)
        except OSError as error:
            if not inside:
                raise
            tree.problems.append(NotRead(shown(inside), words(error)))
    return tree


def _linked(
    tree: Tree,
    entry: os.DirEntry[str],
    folder: str,
    chain: tuple[str, ...],
    todo: list[tuple[str, str, tuple[str, ...]]],
) -> None:
    """Take a symbolic link as what it leads to."""
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        Path(entry.path).stat()  # `is_dir` calls a broken link no folder, in silence
        leads_to_folder = entry.is_dir()
    except OSError as error:
        tree.problems.append(NotRead(shown(path), words(error)))
        return
    if not leads_to_folder:
        if entry.is_file():
            tree.places[folder].append(entry.name)
        return
    real = os.path.realpath(entry.path)
    inside = real == chain[0] or real.startswith(chain[0] + os.sep)
    above = any(known == real or known.startswith(real.rstrip(os.sep) + os.sep) for known in chain)
    if not (inside or above) and len(chain) <= _DEEPEST:
        todo.append((entry.path, path, (*chain, real)))


def words(error: OSError) -> str:
    """Say what the system said, in lower case and without the path."""
    return (error.strerror or type(error).__name__).lower()


def read(path: str) -> bytes:
    """Read a whole file with the fewest calls; a fifo that took a note's place does not block.

    Raises:
        OSError: as the system says.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        data = os.read(handle, 65536)
        if len(data) < 65536:  # noqa: PLR2004 - a short read ends a regular file
            return data
        parts = [data]
        while data := os.read(handle, 1 << 20):
            parts.append(data)
        return b"".join(parts)
    finally:
        os.close(handle)
