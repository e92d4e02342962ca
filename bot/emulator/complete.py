"""What Slack fills in where an app may leave something out: ids, flags, empty fields."""

from __future__ import annotations

import copy
import secrets
from typing import Any


def view(body: dict[str, Any]) -> dict[str, Any]:
    """Return a checked view with the keys an app may leave out."""
    whole = {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        "title": None,
        "close": None,
        "submit": None,
    }
    return whole | copy.deepcopy(body) | {"blocks": blocks(body["blocks"])}


def blocks(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return checked blocks with the ids and flags that Slack fills in."""
    whole: list[dict[str, Any]] = []
    for block in copy.deepcopy(given):
        block.setdefault("block_id", secrets.token_urlsafe(4))
        if block["type"] == "input":
            block.setdefault("optional", False)
            block.setdefault("dispatch_action", False)
        for element in [block.get("element"), block.get("accessory"), *block.get("elements", [])]:
            if (
                isinstance(element, dict)
                and element["type"] not in {"plain_text", "mrkdwn", "image"}
                and block["type"] in _ACTING
            ):
                element.setdefault("action_id", secrets.token_urlsafe(4))
        _complete_texts(block)
        whole.append(block)
    return whole


def groups(given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return checked option groups with the flags that Slack fills in."""
    whole = copy.deepcopy(given)
    _complete_texts(whole)
    return whole


_ACTING = {"input", "section", "actions"}


def _complete_texts(thing: Any) -> None:
    """Fill in `emoji` and `verbatim` of every text object below."""
    if isinstance(thing, list):
        for part in thing:
            _complete_texts(part)
    elif isinstance(thing, dict):
        if isinstance(thing.get("text"), str):
            if thing.get("type") == "plain_text":
                thing.setdefault("emoji", True)
            elif thing.get("type") == "mrkdwn":
                thing.setdefault("verbatim", False)
        for part in thing.values():
            _complete_texts(part)
