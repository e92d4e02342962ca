"""A review as a person reads it in a terminal: headline, counts, warnings, the table, what to type.

Pure: rows and words in, things to lay out out. All foreign text passes through `safe` here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.terminal.screen import NARROW, safe, safe_lines
from bot.terminal.sentences import Texts
from bot.terminal.texts import ascii_signs, short
from graph.approval import Review, Run
from graph.workflow import ItemText, Words

QUIET = "dim"
LOUD = "bold"
_COLOURS = {"typo": "green", "missing-note": "yellow", "ignore": "dim", "not-judged": "magenta"}
_OTHER_COLOUR = "cyan"


def headline(left: str, right: str, width: int) -> RenderableType:
    """Put the question at the left and the run at the right; one below the other where both don't fit."""
    one, two = Text(safe(left), style=LOUD), Text(safe(right), style=QUIET)
    if one.cell_len + two.cell_len + 4 > width:
        return Group(one, two)
    row = Table.grid(expand=True, padding=0)
    row.add_column(overflow="fold")
    row.add_column(justify="right", no_wrap=True)
    row.add_row(one, two)
    return row


def quiet(text: str) -> Text:
    """Return a line of lesser weight; its signs become ASCII, foreign values in it harmless."""
    return Text(safe(text), style=QUIET, overflow="fold")


def line(text: str, style: str = "") -> Text:
    """Return an ordinary line."""
    return Text(safe(text), style=style, overflow="fold")


def unbroken(text: str) -> Text:
    """Return a line that is never folded by us: a path that is to be copied, for one."""
    return Text(safe(text), no_wrap=True, overflow="ignore")


def quotation(words: str, texts: Texts) -> Padding:
    """Return what a person wrote, indented, its line breaks kept."""
    inner = "\n".join(safe_lines(words.strip()))
    return Padding(Text(texts.quoted.format(words=inner), overflow="fold"), (0, 0, 0, 2))


def of_review(  # noqa: PLR0913, PLR0917 - what is shown, and to whom
    review: Review, words: Words, texts: Texts, width: int, said: Mapping[str, str], zone: str
) -> list[RenderableType]:
    """Return warnings, the table and the quiet notes of a review; `said` is what a decision says of its items."""
    things: list[RenderableType] = []
    if review.revision > 1 and (changes := words.changes(review)):
        things.append(
            quiet(texts.since.format(revision=review.revision - 1, parts=texts.comma.join(changes)))
        )
    for caution in words.warnings(review):
        things.append(Text())
        things.append(line(f"{caution.lead}{texts.colon}{ascii_signs(caution.text, texts)}", LOUD))
        if caution.details:
            names = Text("  ".join(safe(detail) for detail in caution.details), overflow="fold")
            things.append(Padding(names, (0, 0, 0, 2)))
    items = words.decided(review, said)
    if items:
        things += [Text(), table(items, texts, width)]
    notes = words.notes(review, zone)
    if notes:
        things.append(Text())
        things += [quiet(ascii_signs(note, texts)) for note in notes]
    return things


def table(items: Sequence[ItemText], texts: Texts, width: int) -> RenderableType:
    """Return items as a table, or as items of two lines on a narrow screen."""
    return _wide(items, texts) if width >= NARROW else _narrow(items, texts)


def _wide(items: Sequence[ItemText], texts: Texts) -> Table:
    result = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=f"{LOUD} underline")
    result.add_column(texts.number, justify="right", no_wrap=True)
    result.add_column(texts.link, overflow="fold", ratio=None)
    result.add_column(texts.verdict, no_wrap=True)
    result.add_column(texts.place, overflow="fold")
    for item in items:
        colour = _colour(item)
        result.add_row(
            str(item.number),
            Text(safe(item.label)),
            Text(_word(item, texts), style=colour),
            Text(safe(item.file)),
        )
        to = Text(f"-> {safe(item.to)}", style="green") if item.to else Text()
        was = quiet(texts.was.format(verdict=_lower(item.was))) if item.was else Text()
        if item.to or item.was or item.why:
            result.add_row("", to, was, quiet(ascii_signs(item.why, texts)))
    return result


def _narrow(items: Sequence[ItemText], texts: Texts) -> Table:
    result = Table.grid(padding=(0, 1, 0, 0))
    result.add_column(justify="right", no_wrap=True)
    result.add_column(overflow="fold")
    for item in items:
        to = f" -> {item.to}" if item.to else ""
        result.add_row(str(item.number), Text(safe(f"{item.label}{to}")))
        was = texts.was.format(verdict=_lower(item.was)) if item.was else ""
        parts = [item.file, was, ascii_signs(item.why, texts)]
        rest = "".join(f"{texts.comma}{safe(part)}" for part in parts if part)
        second = Text().append(_word(item, texts), style=_colour(item))
        result.add_row("", second.append(rest, style=QUIET))
    return result


def _word(item: ItemText, texts: Texts) -> str:
    if item.said == "left-out":
        return texts.left_out
    word = safe(_lower(item.verdict_text))
    return texts.changed_to.format(verdict=word) if item.said == "changed" else word


def _colour(item: ItemText) -> str:
    return QUIET if item.said == "left-out" else _COLOURS.get(item.verdict, _OTHER_COLOUR)


def _lower(verdict: str) -> str:
    """Begin a verdict in lower case, as in running text; Japanese has no case."""
    return verdict[:1].lower() + verdict[1:]


def to_type(lines: Sequence[tuple[str, str]], width: int) -> RenderableType:
    """Return commands to type, each with what it does beside it, or above it on a narrow screen."""
    if width < NARROW:
        rows: list[RenderableType] = []
        for command, what in lines:
            rows += [quiet(f"  {what}"), line(f"    {command}")]
        return Group(*rows)
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for command, what in lines:
        grid.add_row(line(f"  {command}"), quiet(what))
    return grid


def how_to_decide(run: Run, texts: Texts, width: int, *, card: bool) -> list[RenderableType]:
    """Return the three lines that decide a run from here."""
    name = short(run.id)
    return [
        Text(),
        line(texts.decide_card if card else texts.decide, LOUD),
        to_type(
            [
                (f"ringi resume {name} approve", texts.approve),
                (f"ringi resume {name} reject {texts.why}", texts.reject),
                (f"ringi resume {name} send-back {texts.change}", texts.send_back),
            ],
            width,
        ),
    ]
