"""Aliases and headings of notes: names that never resolve a link, and that people write all the same.

They are read only when something was found missing, and only for names that nothing else explains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import yaml

from graph.vault.fold import fold
from graph.vault.links import body_offset
from graph.vault.properties import compose

_HEADING = re.compile(rb"\n {0,3}#{1,6}[ \t]+([^\n]+)")
_CLOSED = re.compile(rb"[ \t]+#+$")
_ALIAS = re.compile(
    rb"^aliase?s?[ \t]*:[ \t]*([^\n]*(?:\n[ \t]+[^\n]*|\n-(?!--)[^\n]*)*)", re.MULTILINE | re.IGNORECASE
)
# What needs no YAML reader: a word, `[one, two]`, or a line for each, none with a character that means something.
_ITEM = rb"[^\s\-?:,\[\]{}#&*!|>'\"%@`\\][^\n:,\[\]{}#&*!|>'\"%@`\\]*"
_SIMPLE = re.compile(
    rb"(?:%b|\[(?:[ \t]*%b,?)*[ \t]*\]|(?:\s*\n[ \t]*-[ \t]+%b)+)\s*" % (_ITEM, _ITEM, _ITEM)
)
_ITEMS = re.compile(_ITEM)
_FENCE = re.compile(rb"^ {0,3}(```|~~~).*?^ {0,3}\1[`~]*[ \t\r]*$", re.MULTILINE | re.DOTALL)


def aliases(data: bytes) -> Iterator[str]:
    """Yield a note's aliases. Source: <https://help.obsidian.md/aliases>."""
    begin = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if not data.startswith(b"---", begin):
        return
    block = data[begin : body_offset(data, begin)]
    written = [found[1] for found in _ALIAS.finditer(block)]
    if all(map(_SIMPLE.fullmatch, written)):
        for value in written:
            yield from (item.decode(errors="replace").strip() for item in _ITEMS.findall(value))
        return
    root = compose(block)
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
    text = b"\n" + (_FENCE.sub(b"", data) if b"```" in data or b"~~~" in data else data)
    for found in _HEADING.findall(text):
        coarse, heading = _heading(found.rstrip())
        if coarse in among:
            yield coarse, heading


@lru_cache(4096)  # many notes have the headings of one template
def _heading(raw: bytes) -> tuple[str, str]:
    """Return a heading's coarse form, and the heading as links write it."""
    text = _CLOSED.sub(b"", raw).decode(errors="replace")
    heading = " ".join(re.sub(r"[#|^\[\]:%\\]+", " ", text).split())
    return fold(heading.rstrip("?!.。？！")), heading
