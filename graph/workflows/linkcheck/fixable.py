"""Which typos can be mended by writing another name into the link. Pure, and light enough for a card."""

from __future__ import annotations

import re

from graph.workflows.linkcheck.state import Candidate, Item

_BREAKS_OUT = re.compile(r"\[\[|\]\]|[|#\n\r\0]")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


def may_stand_in_a_link(name: str) -> bool:
    """Tell whether a name stays inside the link it is written into; what a model or a file is called may not."""
    return bool(name.strip()) and not _BREAKS_OUT.search(name) and not _UNSEEN.search(name)


def is_fixable(item: Item, candidate: Candidate) -> bool:
    """Tell whether a typo can be mended as far as the verdict alone says; a canvas is no text to be patched."""
    named = item.verdict == "typo" and item.to is not None and may_stand_in_a_link(item.to)
    return named and any(place.line for place in candidate.places)
