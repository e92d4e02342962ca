"""One link with another target, everything else of it kept: heading, alias, text, title, the way it is written. Pure.

Source: <https://help.obsidian.md/links>, <https://spec.commonmark.org/0.31.2/#links>.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from graph.vault.link import Link, decoded, split

_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_DESTINATION = re.compile(r"\s*(?:<(?P<pointed>(?:[^<>\n\\]|\\.)*)>|(?P<bare>[^\s<]\S*))")
_AS_IS = "/-_.~!$'*+,;=@"
_HIGH = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def rewritten(link: Link, to: str, quotes: str = "") -> str | None:
    """Return the link's source with the name it should have; None if this way of writing is not understood.

    Args:
        link: as the reader found it.
        to: the name; has to be one that may stand in a link.
        quotes: the quotes it stands in, in a property.
    """
    if link.raw.startswith(("[[", "![[")):
        return _wikilink(link, to, quotes)
    return None if quotes else next(_markdown(link, to), None)


def _wikilink(link: Link, to: str, quotes: str) -> str | None:
    head = "![[" if link.embed else "[["
    if not (link.raw.startswith(head) and link.raw.endswith("]]")):
        return None
    inner, bar, alias = link.raw[len(head) : -2].partition("|")
    name, escape = (inner[:-1], "\\") if inner.endswith("\\") else (inner, "")
    _, mark, subpath = name.partition("#")
    return f"{head}{_quoted(to, quotes)}{mark}{subpath}{escape}{bar}{alias}]]"


def _quoted(to: str, quotes: str) -> str:
    """Return the name as YAML wants it between these quotes. Source: <https://yaml.org/spec/1.2.2/#73-flow-scalar-styles>."""
    if quotes == "'":
        return to.replace("'", "''")
    return to.replace("\\", "\\\\").replace('"', '\\"') if quotes else to


def _markdown(link: Link, to: str) -> Iterator[str]:
    """Yield rewritings of `[text](destination "title")` or `[label]: destination`, the likeliest first."""
    marks = [m.end() for m in re.finditer(r"\]\(|\]:", link.raw)]
    for at in reversed(marks):
        found = _DESTINATION.match(link.raw, at)
        if found is None:
            continue
        kind = "pointed" if found["pointed"] is not None else "bare"
        start, end = found.span(kind)
        for stop in _ends(link.raw, start, end) if kind == "bare" else [end]:
            old = link.raw[start:stop]
            if split(decoded(_unescaped(old))) == (link.target, link.subpath):
                yield link.raw[:start] + _destination(old, to, kind == "pointed") + link.raw[stop:]


def _ends(raw: str, start: int, end: int) -> Iterator[int]:
    """Yield where a bare destination may end: before a bracket that closes the link, the longest first."""
    yield from (stop for stop in range(end, start, -1) if stop == len(raw) or stop == end or raw[stop] == ")")


def _unescaped(text: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def _destination(old: str, to: str, pointed: bool) -> str:  # noqa: FBT001 - in `<…>` or not
    """Return the name as a destination, written the way the old one was."""
    name, mark, subpath = old.partition("#")
    if name.lower().endswith(".md") and not _ENDING.search(to):
        to += ".md"
    safe = _AS_IS + (" " if pointed else "")
    if _HIGH.search(name):
        return quote(to, safe=safe) + mark + subpath
    return "".join(c if c in safe or _plain(c) else quote(c, safe="") for c in to) + mark + subpath


def _plain(c: str) -> bool:
    return c.isalnum() or not (c.isascii() or c.isspace() or not c.isprintable())
