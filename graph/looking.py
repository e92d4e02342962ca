"""What people look at and choose from, item by item. All strings are plain text, foreign parts included."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """What a person may say of an item in place of the verdict it has.

    Attributes:
        value: a word of `Review.choices`.
        text: as something to choose: `Typo for Project plan`.
        short: as what the item then is: `Project plan`.
    """

    value: str
    text: str
    short: str


@dataclass(frozen=True, slots=True)
class Options:
    """Everything a person may say of an item beside leaving it out.

    Attributes:
        agree: the verdict it has, after `Agree: `: `typo for Project plan`.
        said: who gave it that: `Claude said typo for Project plan`.
        others: the other verdicts, the likeliest first.
    """

    agree: str
    said: str
    others: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an item's verdict rests on.

    Attributes:
        line: the source line; empty where there is none.
        known: lines of what is known: the drafter's reason, the near name, how often it is linked.
    """

    line: str
    known: tuple[str, ...]
