"""Which file a link names.

Names are compared in Unicode NFC and without case; `.md` is tried before the name as written; a bare name finds
the file anywhere, a name with folders the whole path or the end of one; `./`, `../` and a leading `/` are exact.

Source: <https://help.obsidian.md/links> and observations of the application's own cache,
<https://github.com/pvliesdonk/markdown-vault-mcp/issues/1358>.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
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
    if "\u00a0" in name or "\u202f" in name:
        name = name.translate(_NO_BREAK)
    return normalize("NFC", name).lower()


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

    A file is a number: its name and the number of its folder stand in two rows, so that a path costs nothing until
    somebody wants to see it; half of the files of a vault have no other use for one.

    Attributes:
        stored: file names as the disk spells them, by the number of the file.
    """

    def __init__(self, places: Mapping[str, Iterable[str]]) -> None:
        """Take folder → names of the files in it, both as the disk spells them."""
        self.stored: list[str] = []
        self._inside = array("L")  # the number of each file's folder
        self._on_disk = list(places)
        self._folders = [key(shown(folder)) for folder in places]
        # Several files of one name: folder → file. One for each name would double the memory.
        self._called: dict[str, int | dict[str, int]] = {}
        for folder, names in enumerate(places.values()):
            for name in names:
                compared = name.lower() if name.isascii() else key(shown(name))
                if compared == name:
                    compared = name  # one string instead of two that are equal
                number = len(self.stored)
                same = self._called.setdefault(compared, number)
                if same is not number and not self._also(compared, same, number, folder):
                    continue
                self.stored.append(name)
                self._inside.append(folder)

    def _also(self, name: str, same: int | dict[str, int], number: int, folder: int) -> bool:
        """Note one more file of this name; False for `A.md` beside `a.md`, on a disk that tells them apart."""
        if isinstance(same, int):
            same = self._called[name] = {self._folders[self._inside[same]]: same}
        return same.setdefault(self._folders[folder], number) == number

    def __len__(self) -> int:
        return len(self.stored)

    def path(self, number: int) -> str:
        """Return a file's path as shown."""
        return shown(self.on_disk(number))

    def folders(self) -> list[str]:
        """Return the vault's folders as the disk spells them, itself as the empty string."""
        return self._on_disk

    def on_disk(self, number: int) -> str:
        """Return a file's path as the disk spells it, relative to the vault."""
        folder = self._on_disk[self._inside[number]]
        return f"{folder}/{self.stored[number]}" if folder else self.stored[number]

    def paths(self) -> Iterator[str]:
        """Yield the paths of all files as shown."""
        return map(self.path, range(len(self.stored)))

    def called(self, name: str) -> list[int]:
        """Return the files whose name has this compared form, extension included."""
        found = self._called.get(name, {})
        return [found] if isinstance(found, int) else list(found.values())

    def find(self, target: str, folder: str = "") -> str | None:
        """Return the path of the file a link names, None if there is none.

        Args:
            target: as the link has it, without `#…`; not empty.
            folder: the folder of the note the link stands in, empty for the vault itself.
        """
        number = self.number(target, folder)
        return None if number is None else self.path(number)

    def number(self, target: str, folder: str = "") -> int | None:
        """Return the file a link names, None if there is none; see `find`."""
        return self.meant(key(target.strip()), folder)

    def are_meant(self, names: Iterable[str], folder: str) -> Iterator[bool]:
        """Tell of each target whether it names a file; like `meant`, and quicker for many."""
        called = self._called
        for name in names:
            if "/" in name or name[:1] == ".":
                yield self.meant(name, folder) is not None
            else:
                yield name + ".md" in called or name in called

    def meant(self, name: str, folder: str = "") -> int | None:
        """Return the file that a target names, given in its compared form and without blanks around it."""
        above, exact = "", False
        if "/" in name or name[:1] == ".":
            if "//" in name:
                name = _SLASHES.sub("/", name)
            name = name.removesuffix("/")
            exact = name[:1] == "/"
            if name[:1] == "." or "/." in name:
                segments = name.split("/")
                if "." in segments or ".." in segments:
                    relative = not exact and segments[0] in {".", ".."}
                    joined = join(key(folder) if relative else "", name)
                    if not joined:
                        return None
                    exact, name = True, joined
            above, _, name = name.lstrip("/").rpartition("/")
        if not name:
            return None
        found = self._look(above, name + ".md", folder, exact)
        return self._look(above, name, folder, exact) if found is None else found

    def at(self, path: str) -> int | None:
        """Return the file at exactly this path from the vault's root, extension included."""
        above, _, name = key(path.strip().lstrip("/")).rpartition("/")
        return self._look(above, name, "", True)

    def _look(self, above: str, name: str, folder: str, exact: bool) -> int | None:  # noqa: FBT001 - called a million times
        """Find a file: at this whole path, else nearby, else at the shortest path that ends in it.

        Source: <https://github.com/pvliesdonk/markdown-vault-mcp/issues/1350>.
        """
        found = self._called.get(name)
        if found is None:
            return None
        if type(found) is int:
            place = self._folders[self._inside[found]]
            fits = place == above or (not exact and (not above or place.endswith("/" + above)))
            return found if fits else None
        assert isinstance(found, dict)  # noqa: S101 - for the type checker
        if (there := found.get(above)) is not None or exact:
            return there
        own = key(folder)
        if (near := found.get(f"{own}/{above}" if own and above else own or above)) is not None:
            return near
        ends = [place for place in found if not above or place.endswith("/" + above)]
        return found[min(ends, key=lambda place: (len(place), place))] if ends else None
