"""Blocks against Slack's limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from bot.limits import numbers as n
from bot.limits.elements import check_element
from bot.limits.texts import Problem, as_list, check_string, check_text, length

_BLOCK_KEYS = {
    "header": frozenset({"type", "block_id", "text"}),
    "section": frozenset({"type", "block_id", "text", "fields", "accessory", "expand"}),
    "context": frozenset({"type", "block_id", "elements"}),
    "divider": frozenset({"type", "block_id"}),
    "actions": frozenset({"type", "block_id", "elements"}),
    "input": frozenset({"type", "block_id", "label", "element", "optional", "hint", "dispatch_action"}),
}
_SURFACES = {
    "message": frozenset({"header", "section", "context", "divider", "actions"}),
    "modal": frozenset(_BLOCK_KEYS),
    "home": frozenset(_BLOCK_KEYS),
}
Surface = Literal["message", "modal", "home"]


def check_blocks(blocks: object, surface: Surface) -> list[Problem]:
    """List what is wrong with the blocks of a surface."""
    if not isinstance(blocks, Sequence) or isinstance(blocks, str):
        return [Problem("blocks", "must be a list", "invalid_blocks_format")]
    most = n.BLOCKS_PER_MESSAGE if surface == "message" else n.BLOCKS_PER_VIEW
    found = [Problem("blocks", f"more than {most}")] if len(blocks) > most else []
    seen_blocks: set[str] = set()
    for i, block in enumerate(blocks):
        where = f"blocks.{i}"
        if not isinstance(block, Mapping) or block.get("type") not in _SURFACES[surface]:
            kind = block.get("type") if isinstance(block, Mapping) else block
            found.append(Problem(where, f"{kind!r} is no block of a {surface}"))
            continue
        found += _block(block, where)
        block_id = block.get("block_id")
        if isinstance(block_id, str):
            if block_id in seen_blocks:
                found.append(Problem(f"{where}.block_id", f"{block_id!r} twice"))
            seen_blocks.add(block_id)
    return found


def characters(blocks: Sequence[Any]) -> int:
    """Sum what people can read in blocks: the length of every text in them."""
    return sum(length(text) for block in blocks for text in _texts(block))


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        if node.get("type") in {"plain_text", "mrkdwn"} and isinstance(node.get("text"), str):
            yield node["text"]
        for value in node.values():
            yield from _texts(value)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for value in node:
            yield from _texts(value)


def _block(block: Mapping[str, Any], where: str) -> list[Problem]:
    kind = block["type"]
    found = [Problem(f"{where}.{key}", "unknown key") for key in block if key not in _BLOCK_KEYS[kind]]
    found += check_string(block, "block_id", n.ID_LENGTH, where)
    if kind == "header":
        found += check_text(block.get("text"), f"{where}.text", n.HEADER_TEXT, plain=True)
    elif kind == "section":
        found += _section(block, where)
    elif kind == "context":
        found += _elements(block, where, n.CONTEXT_ELEMENTS)
        for i, element in enumerate(as_list(block.get("elements"))):
            found += check_text(element, f"{where}.elements.{i}", n.CONTEXT_TEXT)
    elif kind == "actions":
        found += _elements(block, where, n.ACTIONS_ELEMENTS)
        seen: set[object] = set()
        for i, element in enumerate(as_list(block.get("elements"))):
            found += check_element(
                element, f"{where}.elements.{i}", ("button", "static_select", "external_select")
            )
            action = element.get("action_id") if isinstance(element, Mapping) else None
            if action in seen:
                found.append(Problem(f"{where}.elements.{i}.action_id", f"{action!r} twice"))
            seen.add(action)
    elif kind == "input":
        found += check_text(block.get("label"), f"{where}.label", n.INPUT_LABEL, plain=True)
        if "hint" in block:
            found += check_text(block["hint"], f"{where}.hint", n.INPUT_HINT, plain=True)
        kinds = ("plain_text_input", "static_select", "external_select", "radio_buttons", "checkboxes")
        found += check_element(block.get("element"), f"{where}.element", kinds)
    return found


def _section(block: Mapping[str, Any], where: str) -> list[Problem]:
    found: list[Problem] = []
    if "text" not in block and "fields" not in block:
        found.append(Problem(where, "neither text nor fields"))
    if "text" in block:
        found += check_text(block["text"], f"{where}.text", n.SECTION_TEXT)
    if "fields" in block:
        fields = as_list(block["fields"])
        if not 1 <= len(fields) <= n.SECTION_FIELDS:
            found.append(Problem(f"{where}.fields", f"must be 1 to {n.SECTION_FIELDS}"))
        for i, text in enumerate(fields):
            found += check_text(text, f"{where}.fields.{i}", n.FIELD_TEXT)
    if "accessory" in block:
        kinds = ("button", "static_select", "external_select", "radio_buttons")
        found += check_element(block["accessory"], f"{where}.accessory", kinds)
    return found


def _elements(block: Mapping[str, Any], where: str, most: int) -> list[Problem]:
    if not 1 <= len(as_list(block.get("elements"))) <= most:
        return [Problem(f"{where}.elements", f"must be 1 to {most}")]
    return []
