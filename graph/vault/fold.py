"""A coarse form of names, in which spellings that people confuse are equal."""

from __future__ import annotations

import re
from unicodedata import normalize

_SEPARATORS = re.compile(r"[\s\-_‐-―・･./]+")
_KANA = {c: c - 0x60 for c in range(0x30A1, 0x30F7)} | {0x30FD: 0x309D, 0x30FE: 0x309E}


def wide(name: str) -> str:
    """Make full-width and half-width forms equal: `ＡＰＩ` and `API`, `ｶﾀｶﾅ` and `カタカナ`."""
    return normalize("NFKC", name)


def kana(name: str) -> str:
    """Make katakana and hiragana equal."""
    return name.translate(_KANA)


def fold(name: str) -> str:
    """Return the coarse form: width, case and kana made equal, spaces and separators gone."""
    if name.isascii():
        return _SEPARATORS.sub("", name.lower())
    return _SEPARATORS.sub("", kana(wide(name).casefold()))
