"""`ringi links` on the page: for eyes, as Markdown, and as annotations of a CI log.

Names and lines of notes are foreign text. On a terminal it cannot steer (`safe`), in Markdown it is one code span,
and in an annotation it can neither end its line nor begin another command.

Source: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from bot.terminal.links_texts import LinksTexts, plural
from bot.terminal.obsidian import PATIENCE, Compared, NotCompared
from bot.terminal.screen import Screen, safe
from graph.vault import Finding, Nearby, Scan, grouped, why

if TYPE_CHECKING:
    from graph.approval import Language

SHOWN = 3  # near names; JSON has all
_BOLD, _DIM, _RED, _GREEN = "1", "2", "31", "32"


def text(result: Scan, say: LinksTexts, screen: Screen, *, group: bool) -> Iterator[str]:
    """Yield lines for eyes: by note, or by link with its places; then what was read."""
    paint = _painter(screen)
    yield from (_by_link if group else _by_note)(result, say, screen)
    yield from (say.not_read.format(path=safe(n.path), why=safe(n.why)) for n in result.not_read)
    yield paint(title(result, say, safe), _BOLD)
    yield say.comma.join(sums(result, say))


def _by_link(result: Scan, say: LinksTexts, screen: Screen) -> Iterator[str]:
    paint = _painter(screen)
    for places in grouped(result.findings):
        first = places[0]
        remark = _remarks(first, say, _places(places, say))
        yield f"{paint(safe(first.raw), _RED)}{remark}{_first(first, say, screen)}"
        yield from _others(first, say, screen, "    ")
        yield from (f"    {paint(safe(_where(place)), _DIM)}" for place in places)
        yield ""


def _by_note(result: Scan, say: LinksTexts, screen: Screen) -> Iterator[str]:
    paint = _painter(screen)
    for file, found in groupby(result.findings, key=lambda finding: finding.file):
        yield paint(safe(file), _BOLD)
        lines = list(found)
        width = max(len(str(finding.line)) for finding in lines)
        for finding in lines:
            number = (str(finding.line) if finding.line else "").rjust(width)
            often = say.linked.format(n=f"{finding.linked:,}") if finding.linked > 1 else ""
            raw, remark = paint(safe(finding.raw), _RED), _remarks(finding, say, often)
            yield f"  {paint(number, _DIM)}  {raw}{remark}{_first(finding, say, screen)}"
            yield from _others(finding, say, screen, " " * (width + 4))
        yield ""


def title(result: Scan, say: LinksTexts, harmless: Callable[[str], str]) -> str:
    """Say how many links of the folder lead nowhere, counted as a card does: one that stands twice is one."""
    folder = say.whole if result.folder == "." else harmless(result.folder)
    if not result.findings:
        return say.none.format(folder=folder)
    links, places = len(grouped(result.findings)), len(result.findings)
    found = say.folder.format(folder=folder, found=plural(say.found, links))
    return found if links == places else say.in_places.format(found=found, places=plural(say.places, places))


def sums(result: Scan, say: LinksTexts) -> Iterator[str]:
    """Yield what was read, and what was not."""
    yield plural(say.notes, result.notes)
    yield plural(say.looked_up, result.looked_up)
    if result.not_read:
        yield plural(say.unread, len(result.not_read))
    if result.excluded:
        yield plural(say.excluded, result.excluded)


def markdown(result: Scan, say: LinksTexts, language: Language, *, group: bool) -> Iterator[str]:
    """Yield the lines of a page that can be pasted into an issue or a note."""
    yield f"# {title(result, say, _code)}"
    yield ""
    if group:
        for places in grouped(result.findings):
            yield f"- {_item(places[0], say, language, _places(places, say))}"
            yield from (f"  - {_code(_where(place))}" for place in places)
    else:
        for file, found in groupby(result.findings, key=lambda finding: finding.file):
            yield from (f"## {_code(file)}", "")
            for finding in found:
                line = f"{say.line.format(n=finding.line)}: " if finding.line else ""
                yield f"- {line}{_item(finding, say, language, '')}"
            yield ""
    if group and result.findings:
        yield ""
    for unread in result.not_read:
        yield f"- {say.not_read.format(path=_code(unread.path), why=safe(unread.why))}"
    if result.not_read:
        yield ""
    yield say.comma.join(sums(result, say))


def github(
    result: Scan, say: LinksTexts, language: Language, failing: frozenset[str], here: Path
) -> Iterator[str]:
    """Yield annotations; paths are relative to the folder the command is run in, if the vault lies there.

    Args:
        result: of a scan.
        say: sentences.
        language: of the reasons.
        failing: kinds that are errors; others are warnings.
        here: the working directory, most often the repository.
    """
    vault = Path(result.vault)
    inside = os.path.relpath(vault, here) if vault.is_relative_to(here) else "."
    for finding in result.findings:
        level = "error" if finding.kind in failing else "warning"
        near = "".join(f" -> {n.target}{say.comma}{why(n, language)}" for n in finding.nearby[:1])
        place = {"file": os.path.normpath(f"{inside}/{finding.file}")}
        if finding.line:
            place["line"] = str(finding.line)
        yield _annotation(level, place | {"title": say.kinds[finding.kind]}, finding.raw + near)
    for unread in result.not_read:
        place = {"file": os.path.normpath(f"{inside}/{unread.path}")}
        yield _annotation("warning", place, say.not_read.format(path=unread.path, why=unread.why))
    yield _plain(f"{title(result, say, safe)}. {say.comma.join(sums(result, say))}.")


def compared(what: Compared | NotCompared, say: LinksTexts) -> Iterator[str]:
    """Yield what Obsidian itself says."""
    if isinstance(what, NotCompared):
        yield getattr(say, what.why).format(n=PATIENCE, code=what.code, said=safe(what.said))
        return
    if not (what.only_here or what.only_there):
        yield say.same
    for places, words in ((what.only_there, say.only_there), (what.only_here, say.only_here)):
        if places:
            yield plural(words, len(places))
            yield from (f"  {safe(file)}: {safe(target)}" for file, target in places)


def _painter(screen: Screen) -> Callable[[str, str], str]:
    return lambda words, style: f"\x1b[{style}m{words}\x1b[0m" if screen.colour and words else words


def _where(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}" if finding.line else finding.file


def _places(places: Sequence[Finding], say: LinksTexts) -> str:
    return plural(say.places, len(places)) if len(places) > 1 else ""


def _remarks(finding: Finding, say: LinksTexts, more: str) -> str:
    """Return in brackets what is to be known of a link, if anything."""
    words = [finding.kind, finding.place, *(tag for tag in finding.tags if tag != "canvas")]
    known = [say.remarks[word] for word in words if word in say.remarks]
    return (
        f"  {say.brackets.format(say.comma.join([*known, *filter(None, [more])]))}" if known or more else ""
    )


def _first(finding: Finding, say: LinksTexts, screen: Screen) -> str:
    return "".join(f"  -> {_near(near, say, screen)}" for near in finding.nearby[:1])


def _others(finding: Finding, say: LinksTexts, screen: Screen, indent: str) -> Iterator[str]:
    for near in finding.nearby[1:SHOWN]:
        yield indent + say.other.format(name=_near(near, say, screen))


def _near(near: Nearby, say: LinksTexts, screen: Screen) -> str:
    name = _painter(screen)(safe(near.target), _GREEN)
    return f"{name}{say.comma}{safe(why(near, screen.language))}"


def _item(finding: Finding, say: LinksTexts, language: Language, more: str) -> str:
    near = "".join(f" → {_code(n.target)}{say.comma}{_code(why(n, language))}" for n in finding.nearby[:1])
    return f"{_code(finding.raw)}{_remarks(finding, say, more)}{near}"


def _code(foreign: str) -> str:
    """Return foreign text as one code span, with a fence that it does not hold."""
    line = " ".join(safe(foreign).split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else "–"


def _annotation(level: str, properties: dict[str, str], message: str) -> str:
    named = ",".join(f"{name}={_escaped(value, also=':,')}" for name, value in properties.items())
    return f"::{level} {named}::{_escaped(message)}"


def _escaped(foreign: str, also: Sequence[str] = "") -> str:
    for character in ("%", "\r", "\n", *also):
        foreign = foreign.replace(character, f"%{ord(character):02X}")
    return safe(foreign)


def _plain(line: str) -> str:
    """Return a line of a log that is no command."""
    return re.sub(r"^(\s*)(::|##\[)", r"\1 \2", safe(line))
