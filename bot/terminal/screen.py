"""Where text goes in a terminal, and how foreign text gets there unharmed.

Rich is imported when something is laid out; commands that print lines do without it.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import RenderableType

    from graph.approval import Language

NARROW = 60  # columns; below it, tables become items of two lines
_PIPE = 100  # columns when nobody says how wide a pipe is
_DIGITS = 9  # more are no width, and some thousands more than Python reads
_WIDEST = 110  # columns; longer lines are hard to read
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})
"""Unicode categories that move the cursor, turn the reading direction or show nothing."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A terminal or a pipe.

    Attributes:
        out: what a command answers.
        err: progress, questions of taste and errors.
        width: columns of `out`.
        colour: `out` takes styles; colour never says anything that words do not.
        live: `err` is a terminal, so that a line can be drawn again.
        language: of the person at the keyboard.
        zone: their time zone, IANA name.
    """

    out: TextIO
    err: TextIO
    width: int
    colour: bool
    live: bool
    language: Language
    zone: str

    def say(self, text: str = "") -> None:
        """Print a line of the answer."""
        print(text, file=self.out)

    def tell(self, text: str = "") -> None:
        """Print a line beside the answer."""
        print(text, file=self.err, flush=True)

    def show(self, *things: RenderableType) -> None:
        """Lay things out for this width; long words fold, nothing is cut."""
        self.out.write(paint(*things, width=self.width, colour=self.colour))

    def json(self, value: Any) -> None:
        """Print a value as JSON that no terminal can be steered with."""
        self.say(to_json(value))


def open_screen(
    environment: Mapping[str, str], language: Language, zone: str, out: TextIO | None = None
) -> Screen:
    """Look at standard output and the environment's `COLUMNS`, `NO_COLOR`, `TERM`.

    Source: https://no-color.org (set and not empty means no colour).
    """
    out = out or sys.stdout
    terminal = out.isatty()
    dumb = environment.get("TERM") in {"dumb", "unknown"}
    return Screen(
        out=out,
        err=sys.stderr,
        width=_width(environment, out, terminal=terminal),
        colour=terminal and not dumb and not environment.get("NO_COLOR"),
        live=sys.stderr.isatty() and not dumb,
        language=language,
        zone=zone,
    )


def _width(environment: Mapping[str, str], out: TextIO, *, terminal: bool) -> int:
    asked = environment.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and len(asked) < _DIGITS and int(asked):
        return max(20, min(int(asked), 1000))
    if terminal:
        import os

        try:
            return max(20, min(os.get_terminal_size(out.fileno()).columns or _PIPE, _WIDEST))
        except OSError:
            return _PIPE
    return _PIPE


def safe(text: str) -> str:
    """Show control, bidirectional, invisible and unassigned characters as blanks: one line, no escapes.

    Everything that we did not write ourselves goes through here (or `to_json`) before it is printed.
    """
    if text.isprintable():  # none of the harmful categories is
        return text
    return "".join(" " if unicodedata.category(c) in _HARMFUL else c for c in text)


def safe_lines(text: str) -> list[str]:
    """Split what a person wrote into lines, each of them safe."""
    return [safe(line) for line in text.splitlines()]


def to_json(value: Any) -> str:
    """Return readable JSON in which only harmless characters stand for themselves."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return re.sub(r"[^\x20-\x7e]", lambda m: _escaped(m[0]), text)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if unicodedata.category(character) in _HARMFUL else character


def paint(*things: RenderableType, width: int, colour: bool) -> str:
    """Return things as text of a width; without colour as plain text without trailing blanks."""
    import io

    from rich.console import Console, Group

    page = io.StringIO()
    console = Console(
        file=page,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    # as a group, because a text printed by itself loses what it says about folding
    console.print(Group(*things), crop=False)
    lines = page.getvalue().split("\n")
    return "\n".join(line.rstrip() for line in lines)
