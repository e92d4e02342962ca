"""Aliases and headings of notes: names that never resolve a link, and that people write all the same.

They are read only when something was found missing, and only for names that nothing else explains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import yaml

from graph.vault.fold import fold
from graph.vault.links import body_offset
from graph.vault.properties import compose

_HEADING = re.compile(rb"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t\r]*$", re.MULTILINE)
_ALIAS = re.compile(rb"^aliase?s?[ \t]*:", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(rb"^ {0,3}(```|~~~).*?^ {0,3}\1[`~]*[ \t\r]*$", re.MULTILINE | re.DOTALL)


def aliases(data: bytes) -> Iterator[str]:
    """Yield a note's aliases. Source: <https://help.obsidian.md/aliases>."""
    begin = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    end = body_offset(data, begin)
    if end == begin or not _ALIAS.search(data, begin, end):
        return
    root = compose(data[begin:end])
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if str(name.value).lower() not in {"alias", "aliases"}:
            continue
        for node in value.value if isinstance(value, yaml.SequenceNode) else [value]:
            if isinstance(node, yaml.ScalarNode) and node.value.strip():
                yield node.value.strip()


def headings(data: bytes, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (coarse form, heading) of a note's headings that are wanted, by their coarse form."""
    if b"#" not in data:
        return
    among = set(wanted)
    for raw in _HEADING.findall(_FENCE.sub(b"", data) if b"```" in data or b"~~~" in data else data):
        heading = re.sub(r"[#|^\[\]:%\\]+", " ", raw.decode(errors="replace")).strip()
        coarse = fold(heading.rstrip("?!.。？！"))
        if coarse in among:
            yield coarse, " ".join(heading.split())
