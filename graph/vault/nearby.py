"""Names a lost link may have meant: the evidence that tells a typo from a note still to be written.

Equal once width, case, kana, spaces and separators are made equal comes first: such a name was moved or respelled.
Similar names follow, by RapidFuzz's `ratio` of those coarse forms. Two guards keep the likeness honest: short
names may differ in one letter only, and names that differ in nothing but numbers stand last and say so, for
`minutes 2024` and `minutes 2025` are two notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from graph.vault.alike import Alike
from graph.vault.difference import day, respelled, slip
from graph.vault.finding import Detail, Nearby, Reason
from graph.vault.fold import fold, fold_all
from graph.vault.inside import aliases, headings
from graph.vault.names import Names, key, shown

MOST = 5
_SHORT = 4
_MOST_READ = 20_000  # files; in larger vaults reading every note again would take longer than the check
_DIGITS = re.compile(r"\d+")
_FIRST = itemgetter(slice(4))
_UNREACHABLE = re.compile(r"[#|\[\]^]")


def stem(path: str) -> str:
    """Return the file's name as links write it: without folders, and without `.md`."""
    name = path[path.rfind("/") + 1 :]
    return name[:-3] if name[-3:].lower() == ".md" else name


def reachable(path: str) -> bool:
    """Tell whether a link can name this file: not with `#` and its kin in its path, nor with spaces at its ends."""
    return not _UNREACHABLE.search(path) and (name := stem(path)) == name.strip()


def _ranked(found: list[Nearby]) -> list[Nearby]:
    """Drop what is named twice; numbers-only differences go last."""
    seen: dict[str, Nearby] = {}
    for near in found:
        seen.setdefault(near.path, near)
    return sorted(seen.values(), key=lambda n: n.reason == "digits")[:MOST]


class Book:
    """The vault's names by their coarse form."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.folded: dict[str, int | list[int]] = {}
        stems = list(map(stem, map(shown, names.stored)))
        odd = _UNREACHABLE.search("\0".join(stems)) or any(map(_UNREACHABLE.search, names.folders()))
        numbers = [
            number
            for number, name in enumerate(stems)
            if name == name.strip() and not (odd and _UNREACHABLE.search(names.on_disk(number)))
        ]
        for number, coarse in zip(numbers, fold_all(stems[number] for number in numbers), strict=True):
            same = self.folded.setdefault(coarse, number)
            if same is not number:
                self.folded[coarse] = [*(same if isinstance(same, list) else [same]), number]
        self.folded.pop("", None)
        self._alike = Alike(list(self.folded))

    def near_names(
        self, targets: Iterable[str], load: Callable[[int], bytes] | None = None
    ) -> dict[str, tuple[Nearby, ...]]:
        """Return up to five near names for each target, best first.

        Args:
            targets: that name no file.
            load: read a note by its number; without it aliases and headings are not looked at. Raises `OSError`.
        """
        near = {target: self.same(target) for target in targets}
        unknown = [target for target, found in near.items() if not found]
        if load and unknown and len(self.names) <= _MOST_READ:
            for target, inside in self.inside(unknown, load):
                near[target].append(inside)
        for target, found in self.alike(near):
            near[target].extend(found)
        return {target: tuple(_ranked(found)) for target, found in near.items()}

    def numbers(self, coarse: str) -> list[int]:
        """Return the files with this coarse name, by their paths."""
        found = self.folded.get(coarse, [])
        return sorted(found, key=self.names.on_disk) if isinstance(found, list) else [found]

    def paths(self, coarse: str) -> list[str]:
        """Return the paths of the files with this coarse name."""
        return [self.names.path(number) for number in self.numbers(coarse)]

    def same(self, target: str) -> list[Nearby]:
        """Return the files whose name is equal when folded: moved or respelled."""
        name = stem(target)
        found = [self._near(path, respelled(name, stem(path)), 100) for path in self.paths(fold(name))]
        if (when := day(name)) is not None:
            found += [self._near(p, ("date", ""), 100) for p in self.paths(when) if day(stem(p)) == when]
        spelled = key(name)
        found.sort(key=lambda n: (n.reason != "moved", key(stem(n.path)) != spelled, len(n.path), n.path))
        return found[:MOST]

    def inside(self, targets: Sequence[str], load: Callable[[int], bytes]) -> Iterable[tuple[str, Nearby]]:
        """Yield notes that have such an alias or heading, aliases first."""
        wanted: dict[str, list[str]] = {}
        for target in targets:
            if coarse := fold(stem(target).rstrip("?!.。？！")):
                wanted.setdefault(coarse, []).append(target)
        called: list[tuple[str, Nearby]] = []
        under: list[tuple[str, Nearby]] = []
        for number, name in enumerate(self.names.stored):
            if name[-3:].lower() != ".md" or not reachable(self.names.on_disk(number)):
                continue
            try:
                data = load(number)
            except OSError:
                continue
            for alias in aliases(data):
                if meant := wanted.get(fold(alias)):
                    near = self._near(self.names.path(number), ("alias", ""), 100)
                    called += [(target, near) for target in meant]
            for coarse, heading in headings(data, wanted):
                path = self.names.path(number)
                near = Nearby(f"{self.to_write(path)}#{heading}", path, "heading", 100)
                under += [(target, near) for target in wanted[coarse]]
        for found in (called, under):  # by path, for disks list files in any order
            yield from sorted(found, key=lambda pair: pair[1].path)

    def alike(self, targets: Iterable[str]) -> Iterable[tuple[str, list[Nearby]]]:
        """Yield similar names for each target."""
        by_coarse: dict[str, list[str]] = {}
        for target in targets:
            if coarse := fold(stem(target)):
                by_coarse.setdefault(coarse, []).append(target)
        for coarse, found in self._alike.find(by_coarse):
            for target in by_coarse[coarse]:
                yield target, self._judge(target, coarse, found[: 4 * MOST])

    def _judge(self, target: str, folded: str, hits: list[tuple[float, str]]) -> list[Nearby]:
        """Order similar names: one slip of the fingers goes first, other numbers last."""
        name = stem(target)
        spelled, plain = key(name), _DIGITS.sub("0", folded)
        found: list[tuple[bool, bool, float, float, int, Detail]] = []
        for negative, choice in hits:
            if choice == folded:
                continue
            if min(len(folded), len(choice)) < _SHORT and OSA.distance(folded, choice) > 1:
                continue
            digits = plain == _DIGITS.sub("0", choice)
            for number in self.numbers(choice)[:MOST]:
                other = stem(shown(self.names.stored[number]))
                detail: Detail = "" if digits else slip(name, other)
                found.append((digits, not detail, negative, -ratio(spelled, key(other)), number, detail))
        found.sort(key=_FIRST)
        return [
            self._near(
                self.names.path(number), ("digits" if digits else "alike", detail), min(99, round(-negative))
            )
            for digits, _, negative, _, number, detail in found[:MOST]
        ]

    def _near(self, path: str, what: tuple[Reason, Detail], percent: int) -> Nearby:
        return Nearby(self.to_write(path), path, what[0], percent, what[1])

    def to_write(self, path: str) -> str:
        """Return the shortest link text that names this file and no other."""
        name = stem(path)
        if len(self.names.called(key(path[path.rfind("/") + 1 :]))) == 1 and self.names.find(name) == path:
            return name
        return path[:-3] if path[-3:].lower() == ".md" else path
