"""Similar names: RapidFuzz's `ratio` of at least 75, for a thousand names against a hundred thousand.

Two names of that likeness hold nearly the same letters, and that is quickly compared: each name becomes words of 64 bits
that say which letters it holds once, twice, three and four times. Every bit in which two names differ is a letter that
has to be put in or taken out, so pairs with too many such bits are left out before any is looked at letter by letter.
No pair of that likeness is lost; a test compares with RapidFuzz alone.

Source: <https://rapidfuzz.github.io/RapidFuzz/Usage/fuzz.html#ratio>: insertions and deletions, per letter of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import process
from rapidfuzz.fuzz import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

CUTOFF = 75
_APART = 4  # at this cutoff one letter in four may differ
_LETTERS = 32
_BLOCK = 4096  # names whose letters are counted at a time
_BITS = np.arange(128) % _LETTERS
_BITS[48:58] = [0, 27, 28, 29, 30, 31, 0, 27, 28, 29]  # digits: where the alphabet leaves room


class Alike:
    """Names, ready to be compared with others."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take all names there are, folded and not empty."""
        ordered = sorted(names, key=len)  # a name of eight letters is compared with those of five to thirteen
        self._lengths = np.fromiter(map(len, ordered), np.int64, len(ordered))
        self._few, self._many = _letters(ordered)
        self._names = np.array(ordered, object)

    def find(self, wanted: Iterable[str]) -> Iterator[tuple[str, list[tuple[float, str]]]]:
        """Yield each wanted name that has similar ones with (−ratio, name) of them, best first."""
        asked = sorted(wanted, key=len)
        length = -1
        for name, few, many in zip(asked, *_letters(asked), strict=True):
            if len(name) != length:
                length = len(name)
                shortest, longest = (
                    -(-length * (_APART - 1) // (_APART + 1)),
                    length * (_APART + 1) // (_APART - 1),
                )
                begin = int(np.searchsorted(self._lengths, shortest))
                end = int(np.searchsorted(self._lengths, longest, "right"))
                room = np.minimum((self._lengths[begin:end] + length) // _APART, 255).astype(np.uint8)
                there, more, names = self._few[begin:end], self._many[begin:end], self._names[begin:end]
                other, apart, close = np.empty_like(there), np.empty_like(room), np.empty(len(room), np.bool_)
            np.bitwise_xor(there, few, out=other)
            np.bitwise_count(other, out=apart)
            np.less_equal(apart, room, out=close)
            at = close.nonzero()[0]
            at = at[apart[at] + np.bitwise_count(more[at] ^ many) <= room[at]]
            found = process.extract(name, names[at].tolist(), scorer=ratio, score_cutoff=CUTOFF, limit=None)
            if found:
                yield name, sorted((-score, choice) for choice, score, _ in found)


def _letters(names: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return for each name the letters it holds once and twice, and those it holds three and four times.

    Letters that share a bit count as one.
    """
    words = np.zeros((2, len(names)), np.uint64)
    for begin in range(0, len(names), _BLOCK):
        block = names[begin : begin + _BLOCK]
        text = "\0".join(name.replace("\0", "\1") for name in block)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        owner = np.cumsum(codes == 0)
        cells = (
            owner * _LETTERS + np.where(codes < len(_BITS), _BITS[codes % len(_BITS)], codes % _LETTERS)
        )[codes != 0]
        counts = np.bincount(cells, minlength=len(block) * _LETTERS).reshape(-1, _LETTERS)
        for word, least in zip(words, (1, 3), strict=True):
            bits = np.packbits(np.hstack([counts >= least, counts > least]), axis=1)
            word[begin : begin + _BLOCK] = bits.view(np.uint64).ravel()
    return words[0], words[1]
