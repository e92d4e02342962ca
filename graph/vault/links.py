"""What is a link: the plain reader, which asks the Markdown parser about every note.

A note is its properties, if it begins with them, and a body in CommonMark with wikilinks, tables, footnotes and
math. `read_note` yields every link that could name a file of the vault; addresses with a scheme are none.

Source: <https://help.obsidian.md/links>, <https://spec.commonmark.org/0.31.2/>; where they are silent,
<https://github.com/pvliesdonk/markdown-vault-mcp/issues/1384>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pyromark

from graph.vault.link import SCHEME, Link, decoded, split, tags

OPTIONS = (
    pyromark.Options.ENABLE_WIKILINKS
    | pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
)
_PAIR = re.compile(r"\[\[|\]\]")
_INNER = re.compile(r"!?\[\[(?!\[)((?:(?!\[\[|\]\])[^\n\r\0])+)\]\]")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)", re.DOTALL)
_INSIDE = ("Link", "Image", "CodeBlock")
BOM = b"\xef\xbb\xbf"


def read_note(data: bytes) -> list[Link]:
    """Return the links of a note's properties and body, in the order they stand.

    Args:
        data: valid UTF-8; offsets count its bytes.
    """
    begin = len(BOM) if data.startswith(BOM) else 0
    body = body_offset(data, begin)
    links: list[Link] = []
    if body > begin and b"[[" in data[begin:body]:
        from graph.vault.properties import read_properties  # loads PyYAML

        links = read_properties(data[begin:body], begin)
    links.extend(read_body(data[body:], body))
    return links


def body_offset(data: bytes, begin: int = 0) -> int:
    """Return where a note's body begins: behind its properties, if its very first line is `---`.

    Source: <https://help.obsidian.md/properties>.
    """
    if not data.startswith(b"---", begin):
        return begin
    end = data.find(b"\n", begin)
    if end < 0 or data[begin + 3 : end].strip():
        return begin
    while end >= 0:
        start = end + 1
        end = data.find(b"\n---", start - 1)
        if end < 0:
            return begin
        stop = data.find(b"\n", end + 1)
        line = data[end + 1 : len(data) if stop < 0 else stop]
        if line.rstrip() == b"---":
            return len(data) if stop < 0 else stop + 1
        end += 1
    return begin


def read_body(data: bytes, offset: int = 0) -> list[Link]:
    """Return the links of Markdown text.

    Args:
        data: UTF-8; broken bytes count as U+FFFD.
        offset: added to each link's, for text that does not begin its file.
    """
    text = data.decode(errors="replace")
    if len(data) < 3 * len(text) and "\ufffd" in text:
        data = text.encode()  # the parser counts bytes of what it was given
    reader = _Body(text, data, offset)
    links = sorted(reader.read(), key=lambda link: link.offset)
    return in_comments(links, [offset + mark for mark in reader.marks])


class _Body:
    """One pass over the parser's events."""

    def __init__(self, text: str, data: bytes, offset: int) -> None:
        self.text, self.data, self.offset = text, data, offset
        self.marks: list[int] = []  # of `%%` outside code and links
        self.definitions: dict[str, tuple[int, str]] | None = None
        self.defined: set[int] = set()

    def read(self) -> Iterator[Link]:
        inside = 0  # code blocks, links and images that are open
        event: Any
        for event, span in pyromark.events_with_range(self.text, options=OPTIONS):
            if type(event) is not dict:
                continue
            if (words := event.get("Text")) is not None:
                if "%%" in words and not inside:
                    self._mark(span["start"], span["end"])
            elif type(start := event.get("Start")) is dict:
                image = start.get("Image")
                inside += "CodeBlock" in start
                if link := start.get("Link") or image:
                    inside += 1
                    yield from self._link(link, span["start"], span["end"], embed=image is not None)
            elif event.get("End") in _INSIDE:
                inside -= 1

    def _mark(self, start: int, end: int) -> None:
        at = self.data.find(b"%%", start, end)
        while at >= 0:
            self.marks.append(at)
            at = self.data.find(b"%%", at + 2, end)

    def _link(self, link: dict[str, Any], start: int, end: int, *, embed: bool) -> Iterator[Link]:
        kind, dest = link["link_type"], link["dest_url"]
        if isinstance(kind, dict):
            yield from self._wikilink(dest, start, end, embed=embed)
            return
        if kind in {"Autolink", "Email"} or not dest or SCHEME.match(dest):
            return
        raw = self.data[start:end].decode(errors="replace")
        if kind != "Inline":
            start, raw = self._definition(link["id"], start, raw)
            if start in self.defined:
                return
            self.defined.add(start)
        target, subpath = split(decoded(dest))
        yield Link(target, subpath, raw, self.offset + start, "body", embed, tags(target, wiki=False))

    def _wikilink(self, dest: str, start: int, end: int, *, embed: bool) -> Iterator[Link]:
        raw = self.data[start:end].decode(errors="replace")
        simple = raw.startswith(dest, 3 if embed else 2) and not (dest.startswith("[") or _PAIR.search(dest))
        if simple and "\n" not in raw and "\r" not in raw:
            yield self._named(dest, raw, start, embed=embed)
        elif not simple:
            yield from self._inner(raw, start)

    def _inner(self, raw: str, start: int) -> Iterator[Link]:
        """Read brackets in brackets, where the parser takes the outer pair: only the inner one is a link.

        Source: <https://github.com/pvliesdonk/markdown-vault-mcp/issues/1384>.
        """
        text = _CODE.sub(lambda code: "\0" * len(code[0]), raw)
        for found in _INNER.finditer(text):
            at = start + len(raw[: found.start()].encode())
            yield self._named(found[1].partition("|")[0], found[0], at, embed=found[0].startswith("!"))

    def _named(self, dest: str, raw: str, start: int, *, embed: bool) -> Link:
        target, subpath = split(dest.removesuffix("\\"))
        return Link(target, subpath, raw, self.offset + start, "body", embed, tags(target, wiki=True))

    def _definition(self, label: str, start: int, raw: str) -> tuple[int, str]:
        """Return where a reference link is defined, and the definition; its own place if that is unknown."""
        if self.definitions is None:
            self.definitions = {}
            for name, found in pyromark.reference_definitions(self.text, options=OPTIONS).items():
                span = found["span"]
                source = self.data[span["start"] : span["end"]].decode(errors="replace")
                self.definitions[_label(name)] = (span["start"], source)
        return self.definitions.get(_label(label), (start, raw))


def in_comments(links: list[Link], marks: Iterable[int]) -> list[Link]:
    """Say of the links between two `%%` that they stand in a comment.

    Args:
        links: by their offsets.
        marks: offsets of `%%` outside code and links.
    """
    ordered = sorted(marks)
    pairs = list(zip(ordered[::2], ordered[1::2], strict=False))
    if not pairs:
        return links
    out = []
    for link in links:
        while pairs and pairs[0][1] < link.offset:
            pairs.pop(0)
        if pairs and pairs[0][0] < link.offset:
            link = replace(link, place="comment")  # noqa: PLW2901 - the same link, told apart
        out.append(link)
    return out


def _label(label: str) -> str:
    """Fold a reference's label. Source: <https://spec.commonmark.org/0.31.2/#matches>."""
    return " ".join(label.split()).casefold()
