"""Obsidian's setting *Excluded files*: notes a person has put out of sight.

Their links count for Obsidian, and links to them resolve; but nobody who excludes a folder wants it checked.

Source: <https://help.obsidian.md/settings>, <https://github.com/ulisesantana/obsidian-pending-notes/issues/15>.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from graph.vault.names import key
from graph.vault.tree import read


def excluded(vault: Path, folder: str) -> Callable[[str], bool] | None:
    """Return a test for excluded paths, None if there are none.

    A filter that covers all of the folder under check does not count: who asks for it by name wants it checked.
    A filter is the beginning of a path, or a regular expression between slashes; one that Python cannot read is
    passed over.
    """
    try:
        settings = json.loads(read(str(vault / ".obsidian" / "app.json")))
        filters = settings.get("userIgnoreFilters")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    tests = (
        [_test(text) for text in filters if isinstance(text, str) and text]
        if isinstance(filters, list)
        else []
    )
    asked = "" if folder == "." else folder + "/"
    useful = [test for test in tests if test and not (asked and test(asked))]
    if not useful:
        return None
    return lambda path: any(test(path) for test in useful)


def _test(text: str) -> Callable[[str], bool] | None:
    if len(text) > 2 and text[0] == text[-1] == "/":  # noqa: PLR2004 - two slashes and something between
        try:
            pattern = re.compile(text[1:-1])
        except re.error:
            return None
        return lambda path: pattern.search(path) is not None
    begin = key(text)
    return lambda path: key(path).startswith(begin)
