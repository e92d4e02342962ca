"""What a scan of links says: findings with their places and near names, and what could not be read.

All of it is plain data that survives JSON; paths are relative to the vault, with `/`, in Unicode NFC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Kind = Literal["missing", "missing-heading", "missing-block"]
"""`missing`: no such file, as in Obsidian's own list. The others: the file is there, its heading or block is not."""

Where = Literal["body", "property", "canvas", "comment"]
"""The kind of place a link stands in. Links in `%% comments %%` count for Obsidian; readers may care less."""

Reason = Literal[
    "moved",  # the same name in another folder
    "case",  # only capitals differ, in ways the plain comparison keeps apart (ß and ss)
    "spacing",  # only spaces differ
    "separator",  # hyphen, underscore, dot or middle dot for one another or for a space
    "width",  # full-width and half-width forms of the same characters
    "kana",  # hiragana for katakana or the other way round
    "date",  # the same day, written another way
    "alias",  # another note's alias; an alias never resolves a link by itself
    "heading",  # a heading of another note, written as if it were a note
    "alike",  # a similar name; `percent` says how much
    "digits",  # differs in its numbers only: most often another note, so it stands last
]

Detail = Literal[
    "",
    "letter-missing",
    "letter-extra",
    "letter-other",
    "letters-swapped",
    "space-missing",
    "space-extra",
    "spaces-doubled",
    "hyphen-for-space",
    "space-for-hyphen",
    "underscore-for-space",
    "space-for-underscore",
]
"""What exactly is different, seen from the link as it is written; empty when no short word says it."""


@dataclass(frozen=True, slots=True)
class Nearby:
    """A name the link may have meant.

    Attributes:
        target: what to write in the link: the shortest form that is not ambiguous.
        path: the file it names.
        percent: how alike the two names are, 0 to 100; 100 when they are equal but for `reason`.
    """

    target: str
    path: str
    reason: Reason
    percent: int
    detail: Detail = ""


class NearbyLike(Protocol):
    """Anything that carries what `why` needs to know about a near name."""

    @property
    def path(self) -> str:
        """The file it names, relative to the vault."""
        ...

    @property
    def reason(self) -> str:
        """A word of `Reason`."""
        ...

    @property
    def percent(self) -> int:
        """How alike, 0 to 100."""
        ...

    @property
    def detail(self) -> str:
        """A word of `Detail`."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a link leads nowhere.

    Attributes:
        file: where it stands.
        line: 1-based; 0 on a canvas, which has no lines.
        target: the file the link names, percent-decoded for Markdown links, without what follows `#`.
        subpath: what follows the first `#`, None if there is none.
        tags: `url` (an address in a wikilink), `template` (a placeholder), `canvas`.
        raw: the link as written, at most 300 characters.
        text: its line, trimmed, at most 300 characters.
        fingerprint: of the whole line; see `fingerprint`.
        nearby: names it may have meant, best first, at most five.
        linked: how many links with this target were found, in all that was read.
    """

    file: str
    line: int
    target: str
    subpath: str | None
    kind: Kind
    place: Where
    embed: bool
    tags: tuple[str, ...]
    raw: str
    text: str
    fingerprint: str
    nearby: tuple[Nearby, ...] = ()
    linked: int = 1


@dataclass(frozen=True, slots=True)
class NotRead:
    """Something that could not be read, and why, in a few English words."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in a folder of a vault.

    Attributes:
        vault: absolute path of the vault.
        folder: what was checked; `.` is the whole vault.
        notes: how many notes were read.
        looked_up: how many links were looked up, without addresses of the web. In notes without any unknown name
            this counts what looks like a link, so one inside code is counted too.
        findings: by file, line and column.
        not_read: unreadable files and folders, by path; folders also outside `folder`, for names in them are unknown.
        excluded: notes left out because Obsidian's setting *Excluded files* names them.
    """

    vault: str
    folder: str
    notes: int
    looked_up: int
    findings: tuple[Finding, ...]
    not_read: tuple[NotRead, ...] = ()
    excluded: int = 0


def to_json(thing: Scan | Finding | Nearby | NotRead) -> dict[str, Any]:
    """Turn a scan or a part of it into a JSON object with the names of its attributes."""
    return {name: _plain(getattr(thing, name)) for name in thing.__dataclass_fields__}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return to_json(value) if hasattr(value, "__dataclass_fields__") else value


def scan_from_json(data: Mapping[str, Any]) -> Scan:
    """Read what `to_json` made of a scan."""
    return Scan(
        **{
            **data,
            "findings": tuple(finding_from_json(f) for f in data["findings"]),
            "not_read": tuple(NotRead(**n) for n in data["not_read"]),
        }
    )


def finding_from_json(data: Mapping[str, Any]) -> Finding:
    """Read what `to_json` made of a finding."""
    nearby = tuple(Nearby(**n) for n in data["nearby"])
    return Finding(**{**data, "tags": tuple(data["tags"]), "nearby": nearby})
