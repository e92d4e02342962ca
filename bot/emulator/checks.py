"""Whether Slack would take a message or a view, and if not, what it would say.

Source: https://docs.slack.dev/reference/block-kit, https://docs.slack.dev/reference/views,
https://github.com/slackapi/bolt-js/issues/2509 (the sum over all blocks, which is written down nowhere else).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.emulator import values
from bot.emulator.block_kit import BLOCKS, MESSAGE_ONLY, SUGGESTED, VIEW
from bot.emulator.refusal import Refusal
from bot.emulator.rules import ByType, say, units

MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100
TEXT, ALL_BLOCKS, ALL_MARKDOWN = 40_000, 12_000, 12_000


def content(arguments: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return the text and the blocks of a message.

    Raises:
        Refusal: `no_text`, `msg_too_long`, `invalid_blocks_format`, `invalid_blocks` or `msg_blocks_too_long`.
    """
    text, blocks = arguments.get("text") or "", arguments.get("blocks")
    blocks = [] if blocks is None else blocks
    if arguments.get("attachments"):
        raise Refusal("invalid_attachments", ["this local Slack shows no attachments; use blocks"])
    if not isinstance(text, str):
        raise Refusal("invalid_arguments", ["must provide a string [json-pointer:/text]"])
    if not text and not blocks:
        raise Refusal("no_text")
    if not isinstance(blocks, list):
        raise Refusal("invalid_blocks_format")
    if units(text) > TEXT:
        raise Refusal("msg_too_long")
    if wrong := message_blocks(blocks):
        raise Refusal("invalid_blocks", wrong)
    if sum(units(t) for t in _texts(blocks)) > ALL_BLOCKS:
        raise Refusal("msg_blocks_too_long")
    return text, blocks


def message_blocks(blocks: Any) -> list[str]:
    """Return what is wrong with the blocks of a message; empty if Slack takes them."""
    wrong = list(_blocks(blocks, "/blocks", MESSAGE_BLOCKS, frozenset(BLOCKS)))
    if not wrong:
        if sum(b["type"] == "table" for b in blocks) > 1:
            wrong.append(say("only one table is allowed", "/blocks"))
        if sum(units(b["text"]) for b in blocks if b["type"] == "markdown") > ALL_MARKDOWN:
            wrong.append(say(f"markdown must be less than {ALL_MARKDOWN + 1} characters in all", "/blocks"))
    return wrong


def view(body: Any, kind: str) -> list[str]:
    """Return what is wrong with a view of this kind (`modal` or `home`); empty if Slack takes it."""
    wrong = list(VIEW[kind].wrong(body, "/view"))
    if not isinstance(body, dict) or "blocks" not in body:
        return wrong
    wrong += _blocks(body["blocks"], "/view/blocks", VIEW_BLOCKS, frozenset(BLOCKS) - MESSAGE_ONLY)
    if wrong:
        return wrong
    if kind == "modal" and any(b["type"] == "input" for b in body["blocks"]) and body.get("submit") is None:
        wrong.append(say("missing required field: submit", "/view"))
    if sum(bool(e.get("focus_on_load")) for _, e in values.elements(body["blocks"])) > 1:
        wrong.append(say("only one element can have focus_on_load set", "/view/blocks"))
    return wrong


def suggested(body: Any) -> list[str]:
    """Return what is wrong with the ack to a `block_suggestion`; empty if Slack shows its options."""
    return list(SUGGESTED.wrong(body, ""))


def _blocks(blocks: Any, at: str, most: int, kinds: frozenset[str]) -> Iterator[str]:
    """Yield what is wrong with a list of blocks."""
    if not isinstance(blocks, list):
        yield say("must provide an array", at)
        return
    if len(blocks) > most:
        yield say(f"no more than {most} items allowed", at)
    rule = ByType({kind: BLOCKS[kind] for kind in kinds})
    ids: set[str] = set()
    for number, block in enumerate(blocks):
        here = f"{at}/{number}"
        found = list(rule.wrong(block, here))
        yield from found
        if found:
            continue
        yield from _within(block, here)
        block_id = block.get("block_id")
        if block_id in ids:
            yield say("block_id must be unique", f"{here}/block_id")
        ids |= {block_id} if block_id else set()


def _within(block: dict[str, Any], at: str) -> Iterator[str]:
    """Yield what is wrong within one block whose fields are right each by itself."""
    if block["type"] == "section" and not block.get("text") and not block.get("fields"):
        yield say("must have at least one of: text, fields", at)
    seen: set[str] = set()
    for _, element in values.elements([block]):
        if element["action_id"] in seen:
            yield say(f"action_id must be unique: {element['action_id']}", at)
        seen.add(element["action_id"])
    parts = block.get("elements")
    for element in [
        block.get("element"),
        block.get("accessory"),
        *(parts if isinstance(parts, list) else []),
    ]:
        if isinstance(element, dict):
            yield from _choices(element, at)
            if element.get("min_length", 0) > element.get("max_length", 3000):
                yield say("min_length must not be more than max_length", at)


def _choices(element: dict[str, Any], at: str) -> Iterator[str]:
    """Yield what is wrong with what is chosen at first: it must be one of the options, word for word."""
    groups = element.get("option_groups") or []
    options = [*(element.get("options") or []), *(o for g in groups for o in g["options"])]
    if not options:
        return
    if len({o["value"] for o in options}) < len(options):
        yield say("options must have unique values", f"{at}/options")
    first = (
        [element["initial_option"]] if element.get("initial_option") else element.get("initial_options") or []
    )
    offered = [_bare(o) for o in options]
    if any(_bare(o) not in offered for o in first):
        yield say("initial_option must be among the options", at)


def _bare(option: dict[str, Any]) -> tuple[str, str, str]:
    """Return what makes an option the same as another."""
    description = option.get("description") or {}
    return option["value"], option["text"]["text"], description.get("text", "")


def _texts(part: Any) -> Iterator[str]:
    """Yield every text that is shown, at any depth."""
    if isinstance(part, list):
        for item in part:
            yield from _texts(item)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name == "text" and isinstance(value, str):
                yield value
            elif isinstance(value, (dict, list)):
                yield from _texts(value)
