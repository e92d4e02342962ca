"""Links of a canvas: cards that show a file, and cards with Markdown text.

Source: <https://jsoncanvas.org/spec/1.0/>.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from graph.vault.link import Link
from graph.vault.links import read_body
from graph.vault.names import nfc


@dataclass(frozen=True, slots=True)
class CardLink:
    """A link of a card.

    Attributes:
        exact: the target is a path from the vault's root, with its extension.
        text: of the card.
    """

    link: Link
    exact: bool
    text: str


def read_canvas(data: bytes) -> list[CardLink]:
    """Return the links of a canvas; an empty file is an empty canvas.

    Raises:
        ValueError: it is no JSON object of nodes.
    """
    if not data.strip(b"\xef\xbb\xbf \t\r\n\0"):
        return []
    try:
        board = json.loads(data.decode("utf-8-sig", errors="replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    nodes = board.get("nodes", []) if isinstance(board, dict) else None
    if type(nodes) is not list:
        raise ValueError("no list of nodes")
    return [found for node in nodes if isinstance(node, dict) for found in _card(node)]


def _card(node: dict[str, Any]) -> list[CardLink]:
    file, text = _clean(node.get("file")), _clean(node.get("text"))
    if node.get("type", "file") == "file" and file and file.strip():
        subpath = node.get("subpath")
        anchor = subpath.removeprefix("#") if isinstance(subpath, str) and subpath else None
        return [
            CardLink(
                Link(nfc(file.strip()), anchor, file, 0, "canvas", embed=True, tags=("canvas",)), True, file
            )
        ]
    if node.get("type", "text") != "text" or not text:
        return []
    return [
        CardLink(Link(x.target, x.subpath, x.raw, 0, "canvas", x.embed, (*x.tags, "canvas")), False, text)
        for x in read_body(text.encode())
    ]


def _clean(value: object) -> str | None:
    """Return a string without lone surrogates, which JSON may hold and UTF-8 may not."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else None
