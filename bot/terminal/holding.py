"""How a hold on new checks is said in the terminal. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from bot.terminal.report import line
from bot.terminal.screen import safe
from bot.terminal.texts import ascii_signs
from graph.approval import Order, Run
from graph.workflow import Words

if TYPE_CHECKING:
    from bot.terminal.story import Reader


def lines(hold: Order, run: Run, words: Words, reader: Reader) -> list[Text]:
    """Say of a run that it waits for the release: since when, what is kept, what lets it go on."""
    texts = reader.texts
    kept = words.progress(run.progress)[1] if run.progress else ""
    said = [since(texts.waits, hold, reader), kept, texts.waits_more]
    return [line(ascii_signs(sentence, texts)) for sentence in said if sentence]


def since(sentence: str, hold: Order, reader: Reader, **values: str) -> str:
    """Fill a sentence in with when a hold began and whose it is."""
    return sentence.format(time=reader.time(hold.due), who=safe(hold.person.name), **values)
