"""What Slack would refuse, as a thing; texts and plain strings against their limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_HALF_ENTITY = re.compile(r"&(?!amp;|lt;|gt;)")
_TEXT_KEYS = {
    "plain_text": frozenset({"type", "text", "emoji"}),
    "mrkdwn": frozenset({"type", "text", "verbatim"}),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something Slack would refuse, or show otherwise than meant.

    Attributes:
        where: the place, as a path: `blocks.3.elements.0.text`.
        what: a sentence.
        error: the name of Slack's error for it.
    """

    where: str
    what: str
    error: str = "invalid_blocks"

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def length(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text) + sum(ch > "\uffff" for ch in text)


def check_text(text: object, where: str, most: int, *, plain: bool = False) -> list[Problem]:
    """List what is wrong with a text object of at most so many characters; `plain`: no markup is taken there."""
    if not isinstance(text, Mapping) or text.get("type") not in _TEXT_KEYS:
        return [Problem(where, "must be a text object")]
    kind = text["type"]
    found = [Problem(f"{where}.{key}", "unknown key") for key in text if key not in _TEXT_KEYS[kind]]
    if plain and kind != "plain_text":
        found.append(Problem(where, "must be plain_text"))
    words = text.get("text")
    if not isinstance(words, str) or not 1 <= length(words) <= most:
        found.append(Problem(where, f"must be 1 to {most} characters"))
    elif kind == "mrkdwn" and _HALF_ENTITY.search(words):
        found.append(Problem(where, "an & that is not escaped, or an entity cut in two"))
    return found


def check_string(node: Mapping[str, Any], key: str, most: int, where: str = "") -> list[Problem]:
    """List what is wrong with a node's plain string, if it has one under this key."""
    if key not in node:
        return []
    value = node[key]
    if not isinstance(value, str) or length(value) > most or (key != "private_metadata" and not value):
        return [Problem(f"{where}.{key}" if where else key, f"must be a string of 1 to {most} characters")]
    return []


def as_list(value: object) -> Sequence[Any]:
    """Return a list as it is, and anything else as an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
