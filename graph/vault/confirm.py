"""Ask the parser about a doubtful note with one call: which of the lost targets really stand in links?

A marker is put in front of each target that names no file, and the note is rendered once to HTML. Letters in that
place change nothing else in how the note parses, so a marker that begins an `href` or a `src` stands in a link, and
one that does not stands in code, in a comment of HTML or in no link at all. Reading the parser's events instead
says the same, at five to ten times the price, for each event is a Python object; it is left to the notes for which
this way is too simple.
"""

from __future__ import annotations

import re

import pyromark

from graph.vault.link import Link, decoded, split, tags
from graph.vault.links import BOM, OPTIONS, body_offset
from graph.vault.sieve import INLINE, WIKI, Sieve

_MARK = "zq7zq"
# Targets before which letters change nothing: not `<!--`, `</div>`, `<x:y>` or `[^1]`.
_PLAIN_WIKI = re.compile(rb"[A-Za-z0-9\x80-\xff./ {][^\[\]\\\n\r\0]*")
_PLAIN_INLINE = re.compile(rb"[A-Za-z0-9\x80-\xff./][^\0()\[\]]*|<[A-Za-z\x80-\xff][^:<>&`$\0][^<>&`$\0]*>")
# In these the target may end elsewhere than it seems, if the link is one at all.
_UNSURE = re.compile(rb"[`<&$]|''")
# Links inside an image's description are in the events and not in the HTML.
_IN_IMAGE = re.compile(rb"!\[(?:[^\[\]]+|\[[^\[\]]*)\[")
# A whole wikilink from its target on, without anything that could move its end.
_REST = re.compile(rb"[^\[\]|#\n\\]*(?:#[^\[\]|\n\r\\`<$]*)?(?:\\?\|[^\[\]\n\r\\`<$]*)?\]\]")
# The same for a destination, and the text before it.
_REST_INLINE = re.compile(rb"(?<!<)([^\s()<>&`$\\\0]+)\)|(?<=<)([^()<>&`$\\\n\0]+)>\)")
_LABEL = re.compile(rb"\[[^\[\]`<&$\\]*\]\(<?")


class _TooHard(Exception):
    """Only the events can say it."""


def lost_links(data: bytes, folder: str, sieve: Sieve) -> tuple[list[Link], int] | None:
    """Return the links of a note that name no file, in their order, and how much only looked like one.

    None if the events have to say it.

    Args:
        data: valid UTF-8.
        folder: the note's, empty for the vault itself.
        sieve: what tells names of files from others.
    """
    begin = len(BOM) if data.startswith(BOM) else 0
    offset = body_offset(data, begin)
    try:
        links = _in_properties(data[begin:offset], begin, folder, sieve) if offset > begin else []
        more, others = _in_body(data[offset:], offset, folder, sieve)
    except _TooHard:
        return None
    return links + more, others


def _in_properties(block: bytes, begin: int, folder: str, sieve: Sieve) -> list[Link]:
    if all(sieve.wiki(text, folder) for text in set(WIKI.findall(block))):
        return []
    from graph.vault.properties import read_properties  # loads PyYAML

    return [link for link in read_properties(block, begin) if not sieve.names_file(link.target, folder)]


def _in_body(body: bytes, offset: int, folder: str, sieve: Sieve) -> tuple[list[Link], int]:
    if _MARK.encode() in body or (b"]:" in body and not sieve.definitions(body, folder)):
        raise _TooHard
    spots = _spots(body, folder, sieve)
    if not spots:
        return [], 0
    if _IN_IMAGE.search(body):
        raise _TooHard
    kept = _kept(pyromark.html(_marked(body, spots).decode(), options=OPTIONS))
    if kept and b"%%" in body:
        raise _TooHard
    links = [_link(body, offset, spots[number], embed=kept[number]) for number in sorted(kept)]
    links = [link for link in links if link.target]  # of `[[ ]]` nothing is left that could name a file
    return links, len(spots) - len(links)


def _kept(html: str) -> dict[int, bool]:
    """Return the numbers of the markers that begin the destination of a link, and whether of an embed."""
    kept = {}
    within = False  # a tag
    before, *parts = html.split(_MARK)
    for part in parts:
        if (tag := max(before.rfind("<"), before.rfind(">"))) >= 0:
            within = before[tag] == "<"
        number = int(part[: part.index("z")])
        if within and before.endswith((' href="', ' src="')):
            kept[number] = before.endswith(' src="')
        elif within and not (before.endswith(' alt="') and number in kept):
            # brackets inside the target of a link that is not closed: the events of the outer one say more
            raise _TooHard
        before = part
    return kept


def _link(body: bytes, offset: int, spot: tuple[int, bool], *, embed: bool) -> Link:
    at, wiki = spot
    rest = (_REST if wiki else _REST_INLINE).match(body, at)
    if rest is None or (wiki and _UNSURE.search(rest[0])):
        raise _TooHard
    if wiki:
        start = at - 2
        target, subpath = split(rest[0][:-2].partition(b"|")[0].removesuffix(b"\\").decode())
    else:
        start = body.rfind(b"[", 0, at)
        if not _LABEL.fullmatch(body, start, at):
            raise _TooHard
        target, subpath = split(decoded((rest[1] or rest[2]).decode()))
    start -= embed
    if embed and body[start : start + 1] != b"!":
        raise _TooHard
    raw = body[start : rest.end()].decode()
    return Link(target, subpath, raw, offset + start, "body", embed, tags(target, wiki=wiki))


def _spots(body: bytes, folder: str, sieve: Sieve) -> list[tuple[int, bool]]:
    """Return where lost targets begin, and whether in a wikilink."""
    spots = []
    for pattern, look, plain in ((WIKI, sieve.wiki, _PLAIN_WIKI), (INLINE, sieve.inline, _PLAIN_INLINE)):
        for found in pattern.finditer(body):
            if not look(found[1], folder):
                if not plain.fullmatch(found[1]):
                    raise _TooHard
                spots.append((found.start(1) + found[1].startswith(b"<"), pattern is WIKI))
    return sorted(spots)


def _marked(body: bytes, spots: list[tuple[int, bool]]) -> bytes:
    parts, last = [], 0
    for number, (at, _) in enumerate(spots):
        parts += [body[last:at], b"%s%dz" % (_MARK.encode(), number)]
        last = at
    return b"".join([*parts, body[last:]])
