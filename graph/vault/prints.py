"""Fingerprints of source lines: how a later step sees that a line is still what was judged."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from graph.vault.canvas import read_canvas
from graph.vault.tree import read
from graph.vault.vault import file_on_disk


def readable(data: bytes) -> bytes:
    """Return the data as valid UTF-8, broken bytes as U+FFFD; line ends stay where they are."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace").encode()
    return data


def line_print(line: bytes) -> str:
    """Return the fingerprint of a readable line without its end."""
    return blake2b(line.rstrip(b"\r"), digest_size=12).hexdigest()


def fingerprint(vault: Path, file: str, line: int, raw: str) -> str | None:
    """Return the fingerprint of the source line as it is now; None if the file or the line is gone.

    Args:
        vault: its folder.
        file: vault-relative, as findings have it.
        line: 1-based; 0 for a canvas.
        raw: the link as a finding has it; a canvas is asked whether a card still holds it.
    """
    try:
        path = file_on_disk(vault, file)
        if path is None:
            return None
        data = read(str(path))
        if line == 0:
            held = any(found.link.raw[:MOST] == raw for found in read_canvas(data))
            return line_print(raw.encode(errors="replace")) if held else None
    except (OSError, ValueError):
        return None
    lines = readable(data).split(b"\n", line)
    return line_print(lines[line - 1]) if len(lines) >= line else None


MOST = 300  # characters of a source text that a finding carries
