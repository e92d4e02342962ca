"""Which file a link names.

Names are compared in Unicode NFC and without case; `.md` is tried before the name as written; a bare name finds
the file anywhere, a name with folders the whole path or the end of one; `./`, `../` and a leading `/` are exact.

Source: <https://help.obsidian.md/links> and observations of the application's own cache,
<https://github.com/pvliesdonk/markdown-vault-mcp/issues/1358>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

_NO_BREAK = str.maketrans({"\u00a0": " ", "\u202f": " "})
_SLASHES = re.compile(r"//+")


def nfc(text: str) -> str:
    """Return the text in Unicode NFC."""
    return text if text.isascii() else normalize("NFC", text)


def key(name: str) -> str:
    """Return the form in which names are compared: NFC, no-break spaces as spaces, lower case.

    Lower case, not case folding: `ß` and `ss` are different names. Neither does width matter.

    Source: <https://docs.obsidian.md/Reference/TypeScript+API/normalizePath>.
    """
    if name.isascii():
        return name.lower()
    return normalize("NFC", name.translate(_NO_BREAK)).lower()


def shown(name: str) -> str:
    r"""Return a file name as it can be shown and stored: NFC, and `\xff` for a byte that is no UTF-8."""
    if name.isascii():
        return name
    try:
        name.encode()
    except UnicodeEncodeError:
        name = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return normalize("NFC", name)


def join(folder: str, path: str) -> str | None:
    """Join a relative path to a folder; None when it climbs out of the vault."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


class Names:
    """The names of all files of a vault.

    Attributes:
        paths: compared form of each path → the path as shown.
        by_name: compared form of each file name → compared form of the path that ends in it, or a list of them.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self.paths: dict[str, str] = {}
        self.by_name: dict[str, str | list[str]] = {}  # a list for each would double the memory
        for file in files:
            path = key(file)
            if path in self.paths:  # `A.md` beside `a.md`, on a disk that tells them apart
                continue
            self.paths[path] = file
            name = path[path.rfind("/") + 1 :]
            same = self.by_name.setdefault(name, path)
            if isinstance(same, list):
                same.append(path)
            elif same is not path:
                self.by_name[name] = [same, path]

    def called(self, name: str) -> list[str]:
        """Return the compared forms of the paths whose file has this name, extension included."""
        found = self.by_name.get(name, [])
        return found if isinstance(found, list) else [found]

    def find(self, target: str, folder: str = "") -> str | None:
        """Return the path of the file a link names, None if there is none.

        Args:
            target: as the link has it, without `#…`; not empty.
            folder: the folder of the note the link stands in, empty for the vault itself.
        """
        name = key(target.strip())
        if "//" in name:
            name = _SLASHES.sub("/", name)
        name = name.removesuffix("/")
        if not name:
            return None
        exact = name[0] == "/"
        if name[0] == "." or "/." in name:
            segments = name.split("/")
            if "." in segments or ".." in segments:
                joined = join("" if exact or segments[0] not in {".", ".."} else key(folder), name)
                if not joined:
                    return None
                exact, name = True, joined
        return self._look(name + ".md", folder, exact=exact) or self._look(name, folder, exact=exact)

    def at(self, path: str) -> str | None:
        """Return the file at exactly this path from the vault's root, extension included."""
        return self.paths.get(key(path.strip().lstrip("/")))

    def _look(self, name: str, folder: str, *, exact: bool) -> str | None:
        """Find a name with its extension: the whole path, else nearby, else the shortest path that ends in it.

        Source: <https://github.com/pvliesdonk/markdown-vault-mcp/issues/1350>.
        """
        name = name.lstrip("/")
        if (path := self.paths.get(name)) is not None or exact:
            return path
        end = name[name.rfind("/") + 1 :]
        found = self.called(end)
        if not found:
            return None
        if end is not name and "/" in name:
            found = [path for path in found if path.endswith("/" + name)]
            if not found:
                return None
        if len(found) > 1:
            own = key(folder) + "/" + name
            if own in found:
                return self.paths[own]
            found = sorted(found, key=lambda path: (len(path), path))
        return self.paths[found[0]]
