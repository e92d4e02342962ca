"""What a decision says of each item."""

from __future__ import annotations

from collections.abc import Mapping

from graph.approval import AGREE, LEAVE, Kind, Review
from graph.errors import UnknownChoice


def fits(review: Review, items: Mapping[str, str]) -> bool:
    """Tell whether these choices name items of a review only, and say only what may be said of them."""
    may = review.choices or {}
    return all(name in may and said in {AGREE, LEAVE, *may[name]} for name, said in items.items())


def each(review: Review, kind: Kind, items: Mapping[str, str]) -> dict[str, str] | None:
    """Return what is said of each item, None if that is nothing but agreement.

    Raises:
        UnknownChoice: an item is missing or unknown, nothing is left to approve, or it is no approval.
    """
    said = set(items.values())
    whole = set(items) == set(review.choices or {}) and fits(review, items)
    if kind != "approve" or not whole or said <= {LEAVE}:
        raise UnknownChoice
    return None if said == {AGREE} else dict(items)
