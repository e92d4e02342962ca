"""What Claude is asked: our fixed words (`prompts/`), then the evidence as fenced JSON.

Nothing that others wrote stands in the prompt as text. In JSON, escaped, it can neither end its fence, nor attach
a file (`@path`, anywhere in a prompt), nor pass for a command (`/…` at its beginning), for an order (`ultrathink`,
anywhere) or for a tag of the tool's own.

`gather` reads the notes; `write` only puts together what it is given, so the same state gives the same words again,
byte for byte, for as long as the version of the prompt is kept. **A version that is out never changes**, neither its
words nor the layout below: a better one is a new file with the next number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from string import Template
from typing import Any, NamedTuple

from graph.approval import Language
from graph.vault.tree import read
from graph.vault.vault import file_on_disk, lies_inside
from graph.workflows.linkcheck.judged import Around, Evidence, Instruction, Verdict
from graph.workflows.linkcheck.state import Candidate, Nearby, Place

AROUND = 2
"""Lines shown before and after a link."""

MOST_PLACES = 3
"""Places shown of one candidate; the others are counted."""

LONGEST_LINE = 300
LONGEST_NAME = 1_000
"""Characters of a link that are shown; no file has a longer name, and one line of a note may be one link of megabytes."""

BIGGEST_NOTE = 4 << 20

_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "@`<>"})
_ORDER = re.compile(r"u(?=ltra)", re.IGNORECASE)
"""Where the command's own orders begin that work anywhere in a prompt: `ultrathink` raises the effort of a call."""

_LACKS = {
    "missing-heading": "the note exists, only this heading is missing in it",
    "missing-block": "the note exists, only this block is missing in it",
}
_LANGUAGE: Mapping[Language, str] = {"en": "English", "ja": "Japanese"}
_PROMPTS = files("graph.workflows.linkcheck").joinpath("prompts")


class Prompt(NamedTuple):
    """The fixed words, in their version.

    Attributes:
        version: `linkcheck/2`; recorded with every verdict drafted by it.
        first: asked always. again: added after a send back.
    """

    version: str
    first: Template
    again: Template


@cache
def installed() -> str:
    """Return the version that the next draft uses: the newest there is."""
    numbers = [int(file.name.removesuffix(".md")) for file in _PROMPTS.iterdir() if file.name.endswith(".md")]
    return f"linkcheck/{max(numbers)}"


@cache
def prompt(version: str) -> Prompt | None:
    """Read a version: its words, a rule, the words after a send back. None if it is not kept any more."""
    number = version.removeprefix("linkcheck/")
    file = _PROMPTS.joinpath(f"{number}.md")
    if not number.isdigit() or not file.is_file():
        return None
    first, _, again = file.read_text("utf-8").partition("\n---\n")
    return Prompt(version, Template(first.strip()), Template(again.strip()))


def gather(candidates: Sequence[Candidate], vault: Path | None, today: date) -> Evidence:
    """Read what stands around the links and how old the notes are. Reads files, so it belongs in a thread.

    Of a note that is a link out of the vault only the lines with the links are told, which the scan has read.

    Args:
        candidates: asked about in one call.
        vault: where the files of the places are; None leaves the evidence empty.
        today: the day it is.
    """
    if vault is None:
        return Evidence(today=today.isoformat())
    lines_of = lru_cache(maxsize=64)(lambda file: _lines(vault, file))
    day_of = cache(lambda file: _day(vault, file))
    around = {
        c.id: [_around(p, lines_of(p.file), day_of(p.file)) for p in c.places[:MOST_PLACES]]
        for c in candidates
    }
    near = {c.id: [day_of(nearby.path) for nearby in c.nearby] for c in candidates if c.nearby}
    return Evidence(today=today.isoformat(), around=around, near=near)


def write(  # noqa: PLR0913 - one argument for each thing the prompt tells
    candidates: Sequence[Candidate],
    evidence: Evidence,
    *,
    language: Language,
    folder: str,
    instructions: Sequence[Instruction] = (),
    earlier: Mapping[str, Verdict] | None = None,
    version: str | None = None,
) -> str:
    """Write the whole prompt. Pure: the same arguments always give the same text.

    Args:
        candidates: asked about in this call, in order.
        evidence: what `gather` read for them.
        language: of the reasons.
        folder: the folder under check, vault-relative (`.` = all of it); files are named relative to it.
        instructions: words of the people who sent earlier revisions back, oldest first.
        earlier: verdicts of the revision before, by candidate id.
        version: of the fixed words; None = the installed one.

    Raises:
        LookupError: the version is not kept any more.
    """
    words = prompt(version or installed())
    if words is None:
        raise LookupError(version)
    inside = PurePosixPath(folder)
    links = [_link(candidate, evidence, inside) for candidate in candidates]
    text = words.first.substitute(
        language=_LANGUAGE[language], count=len(candidates), today=evidence.today, links=fenced(links)
    )
    if not instructions:
        return text + "\n"
    ids = {candidate.id for candidate in candidates}
    verdicts = [
        verdict.model_dump(mode="json", include={"id", "verdict", "to", "reason"})
        for verdict in (earlier or {}).values()
        if verdict.id in ids
    ]
    said = [instruction.words for instruction in instructions]
    again = words.again.substitute(instructions=fenced(said), earlier=fenced(verdicts))
    return f"{text}\n\n{again}\n"


def fenced(value: list[Any]) -> str:
    """Write a list as JSON, an element a line, without characters and words that mean something around it."""
    plain = (json.dumps(element, ensure_ascii=False).translate(_ESCAPED) for element in value)
    lines = (_ORDER.sub(lambda found: f"\\u{ord(found[0]):04x}", line) for line in plain)
    return "[\n" + ",\n".join(lines) + "\n]"


def name(candidate: Candidate) -> str:
    """Return what Claude calls the link and has to repeat: the target and its subpath, cut if it is no name any more."""
    return candidate.named[:LONGEST_NAME]


def _link(candidate: Candidate, evidence: Evidence, inside: PurePosixPath) -> dict[str, Any]:
    shown = candidate.places[:MOST_PLACES]
    around = evidence.around.get(candidate.id) or [Around()] * len(shown)
    days = evidence.near.get(candidate.id) or [None] * len(candidate.nearby)
    return {
        "id": candidate.id,
        "link": name(candidate),
        "written": candidate.label,
        "linked": candidate.linked,
        **({"lacks": _LACKS[candidate.kind]} if candidate.kind in _LACKS else {}),
        **({"tags": candidate.tags} if candidate.tags else {}),
        "places": [_place(place, near, inside) for place, near in zip(shown, around, strict=True)],
        **({"more_places": len(candidate.places) - len(shown)} if len(candidate.places) > len(shown) else {}),
        "near": [_near(nearby, day, inside) for nearby, day in zip(candidate.nearby, days, strict=True)],
    }


def _place(place: Place, around: Around, inside: PurePosixPath) -> dict[str, Any]:
    return {
        "file": str(_relative(place.file, inside) or place.file),
        **({"line": place.line} if place.line else {}),
        **({"saved": around.changed} if around.changed else {}),
        "where": place.place,
        **({"embed": True} if place.embed else {}),
        **({"before": around.before} if around.before else {}),
        "text": place.text,
        **({"after": around.after} if around.after else {}),
    }


def _near(nearby: Nearby, day: str | None, inside: PurePosixPath) -> dict[str, Any]:
    relative = _relative(nearby.path, inside)
    return {
        "target": nearby.target,
        "path": str(relative or nearby.path),
        "inside": relative is not None,
        **({"saved": day} if day else {}),
        "why": nearby.reason,
        **({"detail": nearby.detail} if nearby.detail else {}),
        "percent": nearby.percent,
    }


def _relative(file: str, inside: PurePosixPath) -> PurePosixPath | None:
    """Return a vault-relative file relative to the folder, None if it lies outside."""
    path = PurePosixPath(file)
    return path.relative_to(inside) if path.is_relative_to(inside) else None


def _day(vault: Path, file: str) -> str | None:
    """Return the day a file was last saved, UTC."""
    try:
        path = file_on_disk(vault, file)
        return None if path is None else datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    except (OSError, OverflowError, ValueError):
        return None


def _lines(vault: Path, file: str) -> list[str]:
    try:
        path = file_on_disk(vault, file)
        if path is None or path.stat().st_size > BIGGEST_NOTE or not lies_inside(vault, path):
            return []
        return read(str(path)).decode("utf-8", "replace").split("\n")
    except OSError:
        return []


def _around(place: Place, lines: Sequence[str], day: str | None) -> Around:
    """Take the lines before and after a link; none if its note changed, is gone, or is no text of lines."""
    at = place.line - 1
    if at < 0 or at >= len(lines) or not lines[at].strip().startswith(place.text[:40]):
        return Around(changed=day)
    before, after = lines[max(0, at - AROUND) : at], lines[at + 1 : at + 1 + AROUND]
    return Around(before=_trimmed(before), after=_trimmed(after), changed=day)


def _trimmed(lines: Sequence[str]) -> list[str]:
    return [line.strip()[:LONGEST_LINE] for line in lines if line.strip()]
