"""Item by item in the terminal: what was typed about some items, as what is said of every one."""

from __future__ import annotations

from collections.abc import Sequence

from graph.approval import AGREE, LEAVE, Review
from graph.errors import UnknownChoice
from graph.looking import Option
from graph.workflow import Words


def said_of_each(
    words: Words, review: Review, leave: Sequence[str], instead: Sequence[str]
) -> dict[str, str] | None:
    """Return what is said of each item; None if nothing was typed, so that it is decided as a whole.

    Args:
        words: of the run's workflow, in the language in which verdicts may be typed.
        review: what is decided.
        leave: numbers of items that are not approved, `3` or `3,5`.
        instead: `4=ignore`: a number, and a verdict by its machine word, its name, or the name a typo stands for.

    Raises:
        UnknownChoice: there is no such item, no such verdict for it, or two things are said of it.
    """
    if not leave and not instead:
        return None
    items = words.items(review)
    ids = {str(item.number): item.id for item in items}
    may = dict(zip(ids.values(), words.options(review, list(ids.values())), strict=True))
    said: dict[str, str] = {}
    for typed in [part.strip() for one in leave for part in one.split(",")]:
        _say(said, ids.get(typed), LEAVE, typed)
    for typed in instead:
        number, _, verdict = (part.strip() for part in typed.partition("="))
        item = ids.get(number)
        _say(said, item, _meant(may[item].others, verdict) if item else None, typed)
    return {item.id: said.get(item.id, AGREE) for item in items}


def _say(said: dict[str, str], item: str | None, word: str | None, typed: str) -> None:
    if item is None or word is None or item in said:
        raise UnknownChoice(typed)
    said[item] = word


def _meant(others: Sequence[Option], verdict: str) -> str | None:
    """Return the word for a verdict as it was typed; the first that is called so."""
    wanted = verdict.casefold()
    return next((o.value for o in others if wanted in {o.value, o.short.casefold(), o.text.casefold()}), None)
