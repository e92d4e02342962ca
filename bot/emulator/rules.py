"""Small rules that a JSON value is held against; a table of them is what `block_kit` knows of Slack.

Each rule yields sentences in Slack's manner, with the JSON pointer of what is wrong:
`must be less than 3001 characters [json-pointer:/blocks/0/text/text]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class Rule(Protocol):
    """Something a JSON value is held against."""

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong with a value that stands at this JSON pointer."""
        ...


def units(text: str) -> int:
    """Count a text as JavaScript does, in UTF-16 units, so that an emoji counts twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def say(sentence: str, at: str) -> str:
    """Return a sentence with its place."""
    return f"{sentence} [json-pointer:{at}]"


@dataclass(frozen=True, slots=True)
class Words:
    """A string of some length, perhaps one of a few or of some form."""

    most: int = 3000
    least: int = 0
    of: tuple[str, ...] = ()
    form: str = ""

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, str):
            yield say("must provide a string", at)
        elif self.of and value not in self.of:
            yield say(f"must be one of: {', '.join(self.of)}", at)
        elif units(value) > self.most:
            yield say(f"must be less than {self.most + 1} characters", at)
        elif units(value) < self.least:
            yield say(f"must be more than {self.least - 1} characters", at)
        elif self.form and not re.fullmatch(self.form, value):
            yield say("must match the expected format", at)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, bool):
            yield say("must provide a boolean", at)


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number within bounds."""

    least: int
    most: int

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, int) or isinstance(value, bool):
            yield say("must provide a number", at)
        elif not self.least <= value <= self.most:
            yield say(f"must be between {self.least} and {self.most}", at)


@dataclass(frozen=True, slots=True)
class Anything:
    """A part this Slack does not look into; it only has to be an object or a list."""

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, (dict, list)):
            yield say("must provide an object", at)


@dataclass(frozen=True, slots=True)
class Items:
    """A list of things of one kind."""

    of: Rule
    most: int
    least: int = 1

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, list):
            yield say("must provide an array", at)
            return
        if len(value) > self.most:
            yield say(f"no more than {self.most} items allowed", at)
        if len(value) < self.least:
            yield say(f"no fewer than {self.least} items allowed", at)
        for number, item in enumerate(value):
            yield from self.of.wrong(item, f"{at}/{number}")


@dataclass(frozen=True, slots=True)
class Thing:
    """An object with exactly these fields.

    Attributes:
        fields: name → rule.
        needs: names that must be there.
        one_of: groups of names of which exactly one must be there.
    """

    fields: Mapping[str, Rule]
    needs: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = field(default=())

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, dict):
            yield say("must provide an object", at)
            return
        for name in self.needs:
            if value.get(name) is None:
                yield say(f"missing required field: {name}", at)
        for names in self.one_of:
            if sum(value.get(n) is not None for n in names) != 1:
                yield say(f"must have exactly one of: {', '.join(names)}", at)
        for name, part in value.items():
            if name not in self.fields:
                yield say(f"invalid additional property: {name}", at)
            elif part is not None:
                yield from self.fields[name].wrong(part, f"{at}/{name}")


@dataclass(frozen=True, slots=True)
class ByType:
    """An object whose `type` says which rule it is held against."""

    kinds: Mapping[str, Rule]

    def wrong(self, value: Any, at: str) -> Iterator[str]:
        """Yield what is wrong."""
        if not isinstance(value, dict):
            yield say("must provide an object", at)
            return
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in self.kinds:
            yield say(f"unsupported type: {kind}", f"{at}/type")
            return
        rest = {name: part for name, part in value.items() if name != "type"}
        yield from self.kinds[kind].wrong(rest, at)
