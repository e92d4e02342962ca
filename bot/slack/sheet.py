"""One person's item by item choices for a request, laid out in pages; and where a view of pages stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from graph.approval import AGREE, LEAVE, Request
from graph.errors import UnknownRequest
from graph.workflow import ItemText, Words

PAGE, LONG_PAGE = 5, 10
LONG = 25  #: more items than this stand ten on a page


@dataclass(frozen=True)
class Sheet:
    """What is asked, and what a person has said of it so far.

    Attributes:
        chosen: item id → `agree`, another word of the request's review, or `leave`; an item that is missing was never
            on a page that the person has left.
        reason: what they have typed at the end so far.
    """

    request: Request
    words: Words
    chosen: Mapping[str, str]
    reason: str = ""

    @cached_property
    def items(self) -> list[ItemText]:
        """Return every item, in the order of the report."""
        return self.words.items(self.request.review)

    @property
    def per_page(self) -> int:
        """Return how many items stand on a page."""
        return LONG_PAGE if len(self.items) > LONG else PAGE

    @property
    def pages(self) -> int:
        """Count the pages."""
        return pages(self.items, self.per_page)

    def on(self, page: int) -> list[ItemText]:
        """Return the items of a page, 1-based; the nearest page if there is none of that number."""
        return on(self.items, page, self.per_page)

    @property
    def unopened(self) -> list[ItemText]:
        """Return the items that the person has said nothing of."""
        return [item for item in self.items if item.id not in self.chosen]

    @property
    def begin(self) -> int | None:
        """Return the page to go on with, None if every item has been on one."""
        for number, item in enumerate(self.items):
            if item.id not in self.chosen:
                return number // self.per_page + 1
        return None

    @property
    def altered(self) -> list[ItemText]:
        """Return the items that the person does not simply agree with."""
        return [item for item in self.items if self.chosen.get(item.id, AGREE) != AGREE]

    @property
    def out(self) -> int:
        """Count what is left out."""
        return sum(self.chosen.get(item.id) == LEAVE for item in self.items)

    @property
    def approved(self) -> int:
        """Count what is agreed with or changed."""
        return len(self.items) - len(self.unopened) - self.out

    def saying(self, more: Mapping[str, str]) -> Sheet:
        """Return the sheet with newer choices on it."""
        return replace(self, chosen={**self.chosen, **more})

    def all(self, rest: str | None) -> dict[str, str] | None:
        """Return what is said of every item, with `rest` for those never opened; None if that is not said."""
        said = {item.id: self.chosen.get(item.id) or rest for item in self.items}
        return None if None in said.values() else {name: word for name, word in said.items() if word}

    @property
    def digest(self) -> str:
        """Return a short name for just these choices: what is submitted has to be what was summed up."""
        said = json.dumps(sorted(self.chosen.items()))
        return hashlib.sha256(said.encode()).hexdigest()[:12]


def pages(items: Sequence[ItemText], per_page: int) -> int:
    """Count pages."""
    return max(1, -(-len(items) // per_page))


def on(items: Sequence[ItemText], page: int, per_page: int) -> list[ItemText]:
    """Return the items of a page, 1-based; of the nearest one if there is none of that number."""
    start = (min(max(page, 1), pages(items, per_page)) - 1) * per_page
    return list(items[start : start + per_page])


def page_of(items: Sequence[ItemText], verdict: str, per_page: int) -> int:
    """Return the page of the first item with a verdict; the first if there is none."""
    found = next((n for n, item in enumerate(items) if item.verdict == verdict), 0)
    return found // per_page + 1


def standing(value: str) -> tuple[str, int, str]:
    """Read `<request id>:<revision>`, and what a view of pages adds: the page, or the digest of its choices.

    Raises:
        UnknownRequest: it is nothing of ours.
    """
    request_id, _, rest = value.partition(":")
    revision, _, where = rest.partition(":")
    if not request_id or not revision.isdecimal():
        raise UnknownRequest
    return request_id, int(revision), where
