"""The command line of a call. Facts: `contract/rows.py` runs the ones we rely on against the installed version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

OPTIONS = (
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",  # stream-json demands it
    "--no-session-persistence",  # a transcript would keep what the notes say
    "--restricted",  # reads stay in the folder; settings, hooks and memory files found there are ignored
    "--strict-mcp-config",
    "--tools",
    "Read,Grep,Glob",
    "--permission-prompts",
    "none",
)
"""Of every call. Never `--bare`: it does not use the subscription's login."""


def arguments(schema: Mapping[str, Any], max_turns: int, call: str, model: str | None) -> tuple[str, ...]:
    """Return the arguments of one call. The prompt is none of them: it goes in on stdin, where no `ps` shows it.

    Args:
        schema: of the answer, without `$schema`.
        max_turns: bound on the model's tool loop; the command has none of its own.
        call: a UUID; once used it stays in use, so each attempt has its own.
        model: its name; None = the command's own choice.
    """
    return (
        *OPTIONS,
        "--json-schema",
        json.dumps(schema, ensure_ascii=False),
        "--max-turns",
        str(max_turns),
        "--session-id",
        call,
        *(("--model", model) if model else ()),
    )
