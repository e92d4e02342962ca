"""Other tools that find broken links of Obsidian: how they are called, and what they say."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Peer:
    """Another tool.

    Attributes:
        name: as people know it.
        program: in the environment's `bin`.
        command: with the program and a vault.
        read: (what it printed, vault) → (file, target) pairs it calls broken.
        wikilinks: whether it reads them.
    """

    name: str
    program: str
    command: Callable[[str, Path], list[str]]
    read: Callable[[str, Path], set[tuple[str, str]]]
    wikilinks: bool = True


def pair(file: str, target: str, vault: Path) -> tuple[str, str]:
    """Return what all tools can be held against: the note, and the last part of what a link in it names."""
    if Path(file).is_absolute():
        file = os.path.relpath(os.path.realpath(file), os.path.realpath(vault))
    name = normalize("NFC", unquote(target).partition("#")[0].strip()).rpartition("/")[2]
    return normalize("NFC", file), name.removesuffix(".md")


def _vault_kit(program: str, vault: Path) -> list[str]:
    """It reads into an index first, and answers from it; the index is new, and outside the vault."""
    at = '"$0" --vault "$1" --index "$1.index-$$"'
    return ["sh", "-c", f"{at} rebuild >&2; {at} links --broken --json", program, str(vault)]


def _lychee(program: str, vault: Path) -> list[str]:
    options = [
        "--include-wikilinks",
        "--offline",
        "--no-progress",
        "--format",
        "json",
        "--root-dir",
        str(vault),
    ]
    return [program, *options, "--base-url", f"{vault.as_uri()}/", "--fallback-extensions", "md", str(vault)]


def _rumdl(program: str, vault: Path) -> list[str]:
    options = ["--isolated", "--enable", "MD057", "--flavor", "obsidian", "--output-format", "json"]
    return [program, "check", *options, str(vault)]


def _lychee_says(out: str, vault: Path) -> set[tuple[str, str]]:
    """Its addresses are whole; what stands behind the vault or the note's folder is what the note says."""
    pairs = set()
    for file, links in json.loads(out)["error_map"].items():
        folders = [Path(file).parent.as_uri() + "/", vault.as_uri() + "/"]
        for link in links:
            url = next(
                (link["url"].removeprefix(f) for f in folders if link["url"].startswith(f)), link["url"]
            )
            pairs.add(pair(file, url, vault))
    return pairs


PEERS = [
    Peer(
        "headless-vault-kit",
        "hvk",
        _vault_kit,
        lambda out, vault: {pair(link["source"], link["target_raw"], vault) for link in json.loads(out)},
    ),
    Peer(
        "quarto-graph",
        "quarto-graph",
        lambda program, vault: [program, "check", str(vault)],
        lambda out, vault: {pair(link["file"], link["target"], vault) for link in json.loads(out)},
    ),
    Peer("lychee --include-wikilinks", "lychee", _lychee, _lychee_says),
    Peer(
        "rumdl, MD057",
        "rumdl",
        _rumdl,
        lambda out, vault: {
            pair(str(Path(x["file"]).absolute()), x["message"].split("'")[1], vault) for x in json.loads(out)
        },
        wikilinks=False,
    ),
]
