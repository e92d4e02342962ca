"""A unified diff of notes whose lines were changed one for one. Pure.

The headers are those of `diff -u`, not of `git diff`: such paths count from the folder in which `git apply` is
called, also where the vault lies within a larger repository.

Source: <https://git-scm.com/docs/git-apply>,
<https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html>.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

CONTEXT = 3
_SHORT = {0x07: "a", 0x08: "b", 0x09: "t", 0x0A: "n", 0x0B: "v", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}


def of_file(path: bytes, old: bytes, new: bytes) -> str:
    """Return the diff of one note.

    Args:
        path: as the disk spells it, relative to the folder the patch is applied in.
        old: UTF-8, as it is.
        new: the same with other lines, as many of them.
    """
    before, after = old.decode().split("\n"), new.decode().split("\n")
    body = "".join(_hunks(before, after))
    return f"--- {_name(b'a/' + path)}\n+++ {_name(b'b/' + path)}\n{body}"


def _name(path: bytes) -> str:
    """Return a path as git reads it: in quotes where a character would end it, else with a tab behind blanks.

    Source: `core.quotePath` of <https://git-scm.com/docs/git-config>.
    """
    try:
        text, whole = path.decode(), True
    except UnicodeDecodeError:
        text, whole = "", False
    if whole and not any(byte in _SHORT or byte < 0x20 or byte == 0x7F for byte in path):  # noqa: PLR2004 - ASCII
        return f"{text}\t" if " " in text else text
    return '"' + "".join(map(_escaped, path)) + '"'


def _escaped(byte: int) -> str:
    if byte in _SHORT:
        return "\\" + _SHORT[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"  # noqa: PLR2004 - ASCII


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield what changed, with the lines around it; the last of the lines given stands behind the last line's end."""
    count = len(before) - (before[-1] == "")
    changed = [n for n in range(count) if before[n] != after[n]]
    while changed:
        start, end = max(0, changed[0] - CONTEXT), min(count, changed[0] + CONTEXT + 1)
        while changed and changed[0] - CONTEXT <= end:
            end = min(count, changed.pop(0) + CONTEXT + 1)
        size = end - start
        yield f"@@ -{start + 1},{size} +{start + 1},{size} @@\n"
        yield from _lines(before, after, range(start, end))


def _lines(before: Sequence[str], after: Sequence[str], numbers: range) -> Iterator[str]:
    pending: list[str] = []
    for n in numbers:
        end = "\n" if n < len(before) - 1 else "\n\\ No newline at end of file\n"
        if before[n] == after[n]:
            yield from pending
            pending.clear()
            yield f" {before[n]}{end}"
        else:
            yield f"-{before[n]}{end}"
            pending.append(f"+{after[n]}{end}")
    yield from pending
