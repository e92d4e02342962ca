"""Ask the parser about a doubtful note with one call: which of the lost targets really stand in links?

A marker is put in front of each target that names no file, and the note is rendered once to HTML. Letters in that
place change nothing else in how the note parses, so a marker that begins an `href` or a `src` stands in a link, and
one that does not stands in code, in a comment of HTML or in no link at all. Reading the parser's events instead
says the same, at five to ten times the price, for each event is a Python object; it is left to the notes for which
this way is too simple.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyromark

from graph.vault.link import Link, decoded, split, tags
from graph.vault.links import BOM, OPTIONS, body_offset, in_comments
from graph.vault.sieve import INLINE, WIKI, Sieve

_MARK = "zq7zq"
_PERCENT_MARK = "zq7zp"
_COMMENT = re.compile(rb"%%")
_ANEW_SIGNS = (b"\n#", b"\n```", b"\n\n")
_ANEW = re.compile(rb"\n(?:#{1,6}[ \t]|```|\n[A-Za-z])")
# HTML of the note's own, which would be taken for the parser's; `](<…>` is none.
_RAW = re.compile(rb"(?<!\]\()<|<(?:[/!?]|a\b|code\b|img\b)", re.IGNORECASE)
_TAGS = re.compile(_PERCENT_MARK + r"(?P<number>\d+)z|<(?P<end>/?)(?P<name>a|code)\b[^>]*>|<img\b[^>]*>")
# Targets before which letters change nothing: not `<!--`, `</div>`, `<x:y>` or `[^1]`.
_PLAIN_WIKI = re.compile(rb"[A-Za-z0-9\x80-\xff./ {][^\[\]\\\n\r\0]*")
_PLAIN_INLINE = re.compile(rb"[A-Za-z0-9\x80-\xff./][^\0()\[\]]*|<[A-Za-z\x80-\xff][^:<>&`$\0][^<>&`$\0]*>")
# In these the target may end elsewhere than it seems, if the link is one at all.
_UNSURE = re.compile(rb"[`<&$]|''")
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
        more, others = _in_body(data, offset, folder, sieve)
    except _TooHard:
        return None
    return links + more, others


def _in_properties(block: bytes, begin: int, folder: str, sieve: Sieve) -> list[Link]:
    if all(sieve.wiki(text, folder) for text in set(WIKI.findall(block))):
        return []
    from graph.vault.properties import read_properties  # loads PyYAML

    return [link for link in read_properties(block, begin) if not sieve.names_file(link.target, folder)]


def _in_body(data: bytes, offset: int, folder: str, sieve: Sieve) -> tuple[list[Link], int]:
    defines = data.find(b"]:", offset) >= 0
    if defines and not sieve.definitions(data[offset:], folder):
        raise _TooHard
    spots = _spots(data, offset, folder, sieve)
    if not spots:
        return [], 0
    percents = [found.start() for found in _COMMENT.finditer(data, offset)]
    whole = defines or percents
    begin, end = (offset, len(data)) if whole else _section(data, offset, spots[0][0], spots[-1][0])
    part = data[begin:end]
    if b"zq7z" in part:
        raise _TooHard
    html = pyromark.html(_marked(part, begin, spots, percents).decode(), options=OPTIONS)
    kept = _kept(html, len(spots))
    links = [_link(data, spots[number], embed=kept[number]) for number in sorted(kept)]
    links = [link for link in links if link.target]  # of `[[ ]]` nothing is left that could name a file
    if links and percents:
        if _RAW.search(part) or 'class="math' in html:
            raise _TooHard
        links = in_comments(links, [percents[number] for number in _open(html)])
    return links, len(spots) - len(links)


def _section(data: bytes, offset: int, first: int, last: int) -> tuple[int, int]:
    """Return what has to be rendered to judge targets: from where text begins anew to the end of their paragraph.

    In the first column a heading, a fence, and a letter behind an empty line end whatever is open but fenced code and
    HTML; and no paragraph goes on behind an empty line. References and comments must be none: they know no such bounds.
    """
    begin = offset
    for at in sorted((data.rfind(sign, offset, first) for sign in _ANEW_SIGNS), reverse=True):
        if at >= 0 and _ANEW.match(data, at):
            before = data[offset:at]
            html = before.count(b"<") - before.count(b"](<") if b"<" in before else 0
            if not html and b"```" not in before and b"~~~" not in before:
                begin = at + 1
            break
    end = data.find(b"\n\n", last)
    return begin, end if end >= 0 else len(data)


def _kept(html: str, marks: int) -> dict[int, bool]:
    """Return the numbers of the markers that begin the destination of a link, and whether of an embed."""
    kept, seen = {}, set()
    within = False  # a tag
    before, *parts = html.split(_MARK)
    for part in parts:
        if (tag := max(before.rfind("<"), before.rfind(">"))) >= 0:
            within = before[tag] == "<"
        number = int(part[: part.index("z")])
        seen.add(number)
        if within and before.endswith((' href="', ' src="')):
            kept[number] = before.endswith(' src="')
        elif within and not (before.endswith(' alt="') and number in kept):
            # brackets inside the target of a link that is not closed: the events of the outer one say more
            raise _TooHard
        before = part
    if len(seen) < marks:  # links in the description of an image are in the events and not in the HTML
        raise _TooHard
    return kept


def _open(html: str) -> Iterator[int]:
    """Yield the numbers of the `%%` that stand neither in code nor in the text of a link."""
    inside = 0
    for found in _TAGS.finditer(html):
        if found["number"]:
            if not inside:
                yield int(found["number"])
        elif found["name"]:
            inside += -1 if found["end"] else 1


def _link(data: bytes, spot: tuple[int, bool], *, embed: bool) -> Link:
    at, wiki = spot
    rest = (_REST if wiki else _REST_INLINE).match(data, at)
    if rest is None or (wiki and _UNSURE.search(rest[0])):
        raise _TooHard
    if wiki:
        start = at - 2
        target, subpath = split(rest[0][:-2].partition(b"|")[0].removesuffix(b"\\").decode())
    else:
        start = data.rfind(b"[", 0, at)
        if not _LABEL.fullmatch(data, start, at) or data[start - 1 : start] == b"\\":
            raise _TooHard
        target, subpath = split(decoded((rest[1] or rest[2]).decode()))
    start -= embed
    if embed and data[start : start + 1] != b"!":
        raise _TooHard
    raw = data[start : rest.end()].decode()
    return Link(target, subpath, raw, start, "body", embed, tags(target, wiki=wiki))


def _spots(data: bytes, offset: int, folder: str, sieve: Sieve) -> list[tuple[int, bool]]:
    """Return where lost targets begin, and whether in a wikilink."""
    spots = []
    for pattern, known, look, plain in (
        (WIKI, sieve.known_wiki, sieve.wiki, _PLAIN_WIKI),
        (INLINE, sieve.known_inline, sieve.inline, _PLAIN_INLINE),
    ):
        for found in pattern.finditer(data, offset):
            text = found[1]
            if text not in known and not look(text, folder):
                if not plain.fullmatch(text):
                    raise _TooHard
                spots.append((found.start(1) + text.startswith(b"<"), pattern is WIKI))
    return sorted(spots)


def _marked(part: bytes, begin: int, spots: Sequence[tuple[int, bool]], percents: Sequence[int]) -> bytes:
    """Put a marker in front of each target and each `%%`; they are counted from the note's begin, the part's own is given."""
    marks = [(at, b"%s%dz" % (_MARK.encode(), number)) for number, (at, _) in enumerate(spots)]
    marks += [(at, b"%s%dz" % (_PERCENT_MARK.encode(), number)) for number, at in enumerate(percents)]
    pieces, last = [], 0
    for at, mark in sorted(marks):
        pieces += [part[last : at - begin], mark]
        last = at - begin
    return b"".join([*pieces, part[last:]])
