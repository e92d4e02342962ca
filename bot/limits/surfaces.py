"""Whole messages and views against Slack's limits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot.limits import numbers as n
from bot.limits.blocks import characters, check_blocks
from bot.limits.texts import Problem, check_string, check_text, length

_EVENT_TYPE = re.compile(r"[A-Za-z0-9_-]{1,255}")
_VIEW_KEYS = frozenset(
    {
        "type", "title", "submit", "close", "blocks", "callback_id", "private_metadata", "external_id",
        "clear_on_close", "notify_on_close", "submit_disabled",
    }
)  # fmt: skip


def check_message(message: Mapping[str, Any]) -> list[Problem]:
    """List what is wrong with a message's `text`, `blocks` and `metadata`; empty means Slack takes it.

    Only the six block types are known that every client shows; others are problems.
    """
    found: list[Problem] = []
    text, blocks = message.get("text"), message.get("blocks")
    if not text and not blocks:
        found.append(Problem("text", "neither text nor blocks", "no_text"))
    if text is not None:
        if not isinstance(text, str):
            found.append(Problem("text", "must be a string", "invalid_arguments"))
        elif length(text) > n.MESSAGE_TEXT:
            found.append(Problem("text", f"longer than {n.MESSAGE_TEXT}", "msg_too_long"))
    if blocks is not None:
        found += check_blocks(blocks, "message")
        if isinstance(blocks, Sequence) and characters(blocks) > n.MESSAGE_CHARACTERS:
            found.append(
                Problem(
                    "blocks", f"more than {n.MESSAGE_CHARACTERS} characters in all", "msg_blocks_too_long"
                )
            )
    found += _metadata(message.get("metadata"))
    return found


def check_view(view: Mapping[str, Any]) -> list[Problem]:
    """List what is wrong with a modal or a Home tab; empty means Slack takes it."""
    kind = view.get("type")
    if kind not in {"modal", "home"}:
        return [Problem("type", "must be modal or home", "invalid_arguments")]
    found = [Problem(key, "unknown key", "invalid_arguments") for key in view if key not in _VIEW_KEYS]
    blocks = view.get("blocks")
    found += check_blocks(blocks, "modal" if kind == "modal" else "home")
    if kind == "modal":
        found += check_text(view.get("title"), "title", n.VIEW_TITLE, plain=True)
        for key, most in (("submit", n.VIEW_SUBMIT), ("close", n.VIEW_CLOSE)):
            if key in view:
                found += check_text(view[key], key, most, plain=True)
        asks = isinstance(blocks, Sequence) and any(
            isinstance(b, Mapping) and b.get("type") == "input" for b in blocks
        )
        if asks and "submit" not in view:
            found.append(Problem("submit", "is needed as soon as there is an input", "missing_submit"))
    found += check_string(view, "callback_id", n.ID_LENGTH) + check_string(view, "external_id", n.ID_LENGTH)
    found += check_string(view, "private_metadata", n.PRIVATE_METADATA)
    if len(json.dumps(view, ensure_ascii=False).encode()) > n.VIEW_BYTES:
        found.append(Problem("blocks", f"larger than {n.VIEW_BYTES} bytes", "view_too_large"))
    return found


def _metadata(metadata: object) -> list[Problem]:
    """Check message metadata.

    Slack ignores metadata with another `event_type` in silence, so here it is a problem.
    Source: https://docs.slack.dev/messaging/message-metadata
    """
    if metadata is None:
        return []
    if not isinstance(metadata, Mapping):
        return [Problem("metadata", "must be an object", "invalid_metadata_format")]
    found = []
    if not isinstance(metadata.get("event_type"), str) or not _EVENT_TYPE.fullmatch(metadata["event_type"]):
        found.append(
            Problem("metadata.event_type", "letters, digits, _ and - only", "invalid_metadata_format")
        )
    if not isinstance(metadata.get("event_payload"), Mapping):
        found.append(Problem("metadata.event_payload", "must be an object", "invalid_metadata_format"))
    return found
