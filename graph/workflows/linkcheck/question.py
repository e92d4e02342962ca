"""What Claude is asked: our fixed words (`prompt.md`), then the evidence as fenced JSON.

Nothing that others wrote stands in the prompt as text. In JSON, escaped, it can neither end its fence, nor attach
a file (`@path`, anywhere in a prompt), nor pass for a command (`/…` at its beginning) or for a tag of the tool's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from string import Template
from typing import Any, NamedTuple

from graph.approval import Language
from graph.vault.tree import read
from graph.vault.vault import file_on_disk
from graph.workflows.linkcheck.state import Candidate, Instruction, Nearby, Place, Verdict

AROUND = 2
"""Lines shown before and after a link."""

MOST_PLACES = 3
"""Places shown of one candidate; the others are counted."""

LONGEST_LINE = 300
BIGGEST_NOTE = 4 << 20

_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "@`<>"})
_LANGUAGE: Mapping[Language, str] = {"en": "English", "ja": "Japanese"}


class Prompt(NamedTuple):
    """The fixed words, in their version.

    Attributes:
        version: `linkcheck/1`; recorded with every verdict drafted by it.
        first: asked always. again: added after a send back.
    """

    version: str
    first: Template
    again: Template


@cache
def prompt() -> Prompt:
    """Read `prompt.md`: its version, a blank line, the words, a rule, the words after a send back."""
    text = files("graph.workflows.linkcheck").joinpath("prompt.md").read_text("utf-8")
    version, _, rest = text.partition("\n")
    first, _, again = rest.partition("\n---\n")
    return Prompt(version.strip(), Template(first.strip()), Template(again.strip()))


def write(  # noqa: PLR0913 - one argument for each thing the prompt tells
    candidates: Sequence[Candidate],
    *,
    language: Language,
    vault: Path | None,
    folder: Path,
    instructions: Sequence[Instruction] = (),
    earlier: Mapping[str, Verdict] | None = None,
) -> str:
    """Write the whole prompt. Reads the notes the links stand in, so it belongs in a thread.

    Args:
        candidates: asked about in this call, in order.
        language: of the reasons.
        vault: where the files of the places are; None leaves the lines around a link out.
        folder: the folder under check, an absolute path; files are named relative to it.
        instructions: words of the people who sent earlier revisions back, oldest first.
        earlier: verdicts of the revision before, by candidate id.
    """
    inside = _inside(vault, folder)
    links = [_link(candidate, vault, inside) for candidate in candidates]
    text = prompt().first.substitute(language=_LANGUAGE[language], count=len(candidates), links=fenced(links))
    if not instructions:
        return text + "\n"
    ids = {candidate.id for candidate in candidates}
    verdicts = [
        verdict.model_dump(mode="json", include={"id", "verdict", "to", "reason"})
        for verdict in (earlier or {}).values()
        if verdict.id in ids
    ]
    words = [instruction.words for instruction in instructions]
    again = prompt().again.substitute(instructions=fenced(words), earlier=fenced(verdicts))
    return f"{text}\n\n{again}\n"


def fenced(value: list[Any]) -> str:
    """Write a list as JSON, an element a line, without the characters that mean something around it."""
    lines = (json.dumps(element, ensure_ascii=False).translate(_ESCAPED) for element in value)
    return "[\n" + ",\n".join(lines) + "\n]"


def name(candidate: Candidate) -> str:
    """Return what Claude calls the link and has to repeat: the target and its subpath."""
    return candidate.target if candidate.subpath is None else f"{candidate.target}#{candidate.subpath}"


def _link(candidate: Candidate, vault: Path | None, inside: PurePosixPath | None) -> dict[str, Any]:
    shown = candidate.places[:MOST_PLACES]
    return {
        "id": candidate.id,
        "link": name(candidate),
        "written": candidate.label,
        "linked": candidate.linked,
        **({"tags": candidate.tags} if candidate.tags else {}),
        "places": [_place(place, vault, inside) for place in shown],
        **({"more_places": len(candidate.places) - len(shown)} if len(candidate.places) > len(shown) else {}),
        "near": [_near(nearby, inside) for nearby in candidate.nearby],
    }


def _place(place: Place, vault: Path | None, inside: PurePosixPath | None) -> dict[str, Any]:
    before, after = _around(place, vault)
    return {
        "file": str(_relative(place.file, inside) or place.file),
        **({"line": place.line} if place.line else {}),
        "where": place.place,
        **({"embed": True} if place.embed else {}),
        **({"before": before} if before else {}),
        "text": place.text,
        **({"after": after} if after else {}),
    }


def _near(nearby: Nearby, inside: PurePosixPath | None) -> dict[str, Any]:
    relative = _relative(nearby.path, inside)
    return {
        "target": nearby.target,
        "path": str(relative or nearby.path),
        "inside": relative is not None,
        "why": nearby.reason,
        **({"detail": nearby.detail} if nearby.detail else {}),
        "percent": nearby.percent,
    }


def _inside(vault: Path | None, folder: Path) -> PurePosixPath | None:
    """Return the folder relative to the vault; None if that cannot be told."""
    if vault is None:
        return None
    try:
        return PurePosixPath(folder.resolve().relative_to(vault.resolve()).as_posix())
    except ValueError:
        return None


def _relative(file: str, inside: PurePosixPath | None) -> PurePosixPath | None:
    """Return a vault-relative file relative to the folder, None if it lies outside."""
    if inside is None:
        return None
    path = PurePosixPath(file)
    return path.relative_to(inside) if path.is_relative_to(inside) else None


def _around(place: Place, vault: Path | None) -> tuple[list[str], list[str]]:
    """Return the lines before and after a link; none if its note changed, is gone, or is no text of lines."""
    if vault is None or not place.line:
        return [], []
    try:
        path = file_on_disk(vault, place.file)
        if path is None or path.stat().st_size > BIGGEST_NOTE:
            return [], []
        lines = read(str(path)).decode("utf-8", "replace").split("\n")
    except OSError:
        return [], []
    at = place.line - 1
    if at >= len(lines) or not lines[at].strip().startswith(place.text[:40]):
        return [], []
    return _trimmed(lines[max(0, at - AROUND) : at]), _trimmed(lines[at + 1 : at + 1 + AROUND])


def _trimmed(lines: Sequence[str]) -> list[str]:
    return [line.strip()[:LONGEST_LINE] for line in lines if line.strip()]
