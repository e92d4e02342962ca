"""Slack's limits, and a strict check of what we send against them.

Slack has no offline schema, its SDK lets much through, and an update that Slack refuses leaves live buttons on a
decided request. So every message and view is checked here before it counts as built: by the tests, by the local
Slack, and by the relay.

Lengths are counted in UTF-16 code units, the larger of the two ways a server may count.
Source: https://docs.slack.dev/reference/block-kit and the comments of `@slack/types` 3.2.0, unless a line says otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

ACK_SECONDS: Final = 3
TRIGGER_SECONDS: Final = 3
RESPONSE_URL_SECONDS: Final = 1800
RESPONSE_URL_USES: Final = 5
UPDATES_PER_MINUTE: Final = 50  #: `chat.update` is Tier 3; https://docs.slack.dev/apis/web-api/rate-limits

BLOCKS_PER_MESSAGE: Final = 50
BLOCKS_PER_VIEW: Final = 100
MESSAGE_CHARACTERS: Final = 12_000  #: undocumented; https://github.com/slackapi/bolt-js/issues/2509
MESSAGE_BUDGET: Final = 9_000  #: what we allow ourselves of it
MESSAGE_TEXT: Final = 40_000  #: https://api.slack.com/changelog/2018-04-truncating-really-long-messages
VIEW_BYTES: Final = 250_000
VIEWS_ON_STACK: Final = 3

SECTION_TEXT: Final = 3_000
SECTION_FIELDS: Final = 10
FIELD_TEXT: Final = 2_000
HEADER_TEXT: Final = 150
CONTEXT_ELEMENTS: Final = 10
CONTEXT_TEXT: Final = 3_000
ACTIONS_ELEMENTS: Final = 25
BUTTON_TEXT: Final = 75
BUTTON_VALUE: Final = 2_000
BUTTON_URL: Final = 3_000
ACCESSIBILITY_LABEL: Final = 75
ID_LENGTH: Final = 255  #: action_id, block_id, callback_id, external_id
CONFIRM_TITLE: Final = 100
CONFIRM_TEXT: Final = 300
CONFIRM_BUTTON: Final = 30
VIEW_TITLE: Final = 24
VIEW_SUBMIT: Final = 24
VIEW_CLOSE: Final = 24
PRIVATE_METADATA: Final = 3_000
INPUT_LABEL: Final = 2_000
INPUT_HINT: Final = 2_000
INPUT_LENGTH: Final = 3_000
PLACEHOLDER: Final = 150
OPTION_TEXT: Final = 75
OPTION_VALUE: Final = 150
SELECT_OPTIONS: Final = 100
RADIO_OPTIONS: Final = 10

_EVENT_TYPE = re.compile(r"[A-Za-z0-9_-]{1,255}")
_HALF_ENTITY = re.compile(r"&(?!amp;|lt;|gt;)")

_TEXT_KEYS = {
    "plain_text": frozenset({"type", "text", "emoji"}),
    "mrkdwn": frozenset({"type", "text", "verbatim"}),
}
_ELEMENT_KEYS = {
    "button": frozenset(
        {"type", "action_id", "text", "value", "url", "style", "confirm", "accessibility_label"}
    ),
    "plain_text_input": frozenset(
        {
            "type", "action_id", "multiline", "min_length", "max_length", "initial_value", "placeholder",
            "focus_on_load", "dispatch_action_config",
        }
    ),
    "static_select": frozenset(
        {"type", "action_id", "options", "initial_option", "placeholder", "focus_on_load", "confirm"}
    ),
    "external_select": frozenset(
        {"type", "action_id", "initial_option", "min_query_length", "placeholder", "focus_on_load", "confirm"}
    ),
    "radio_buttons": frozenset({"type", "action_id", "options", "initial_option", "focus_on_load", "confirm"}),
}  # fmt: skip
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
_VIEW_KEYS = frozenset(
    {
        "type", "title", "submit", "close", "blocks", "callback_id", "private_metadata", "external_id",
        "clear_on_close", "notify_on_close", "submit_disabled",
    }
)  # fmt: skip

Surface = Literal["message", "modal", "home"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something Slack would refuse, or show otherwise than meant.

    Attributes:
        where: the place, as a path: `blocks.3.elements.0.text`.
        what: a sentence.
        error: the name of Slack's error for it.
    """

    where: str
    what: str
    error: str = "invalid_blocks"

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def length(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text) + sum(ch > "\uffff" for ch in text)


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
        elif length(text) > MESSAGE_TEXT:
            found.append(Problem("text", f"longer than {MESSAGE_TEXT}", "msg_too_long"))
    if blocks is not None:
        found += check_blocks(blocks, "message")
        if isinstance(blocks, Sequence) and characters(blocks) > MESSAGE_CHARACTERS:
            found.append(
                Problem("blocks", f"more than {MESSAGE_CHARACTERS} characters in all", "msg_blocks_too_long")
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
        found += _text(view.get("title"), "title", VIEW_TITLE, plain=True)
        for key, most in (("submit", VIEW_SUBMIT), ("close", VIEW_CLOSE)):
            if key in view:
                found += _text(view[key], key, most, plain=True)
        asks = isinstance(blocks, Sequence) and any(
            isinstance(b, Mapping) and b.get("type") == "input" for b in blocks
        )
        if asks and "submit" not in view:
            found.append(Problem("submit", "is needed as soon as there is an input", "missing_submit"))
    found += _string(view, "callback_id", ID_LENGTH) + _string(view, "external_id", ID_LENGTH)
    found += _string(view, "private_metadata", PRIVATE_METADATA)
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        found.append(Problem("blocks", f"larger than {VIEW_BYTES} bytes", "view_too_large"))
    return found


def check_blocks(blocks: object, surface: Surface) -> list[Problem]:
    """List what is wrong with the blocks of a surface."""
    if not isinstance(blocks, Sequence) or isinstance(blocks, str):
        return [Problem("blocks", "must be a list", "invalid_blocks_format")]
    most = BLOCKS_PER_MESSAGE if surface == "message" else BLOCKS_PER_VIEW
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
    found += _string(block, "block_id", ID_LENGTH, where)
    if kind == "header":
        found += _text(block.get("text"), f"{where}.text", HEADER_TEXT, plain=True)
    elif kind == "section":
        found += _section(block, where)
    elif kind == "context":
        found += _elements(block, where, CONTEXT_ELEMENTS)
        for i, element in enumerate(_list(block.get("elements"))):
            found += _text(element, f"{where}.elements.{i}", CONTEXT_TEXT)
    elif kind == "actions":
        found += _elements(block, where, ACTIONS_ELEMENTS)
        seen: set[object] = set()
        for i, element in enumerate(_list(block.get("elements"))):
            found += _element(
                element, f"{where}.elements.{i}", ("button", "static_select", "external_select")
            )
            action = element.get("action_id") if isinstance(element, Mapping) else None
            if action in seen:
                found.append(Problem(f"{where}.elements.{i}.action_id", f"{action!r} twice"))
            seen.add(action)
    elif kind == "input":
        found += _text(block.get("label"), f"{where}.label", INPUT_LABEL, plain=True)
        if "hint" in block:
            found += _text(block["hint"], f"{where}.hint", INPUT_HINT, plain=True)
        kinds = ("plain_text_input", "static_select", "external_select", "radio_buttons")
        found += _element(block.get("element"), f"{where}.element", kinds)
    return found


def _section(block: Mapping[str, Any], where: str) -> list[Problem]:
    found: list[Problem] = []
    if "text" not in block and "fields" not in block:
        found.append(Problem(where, "neither text nor fields"))
    if "text" in block:
        found += _text(block["text"], f"{where}.text", SECTION_TEXT)
    if "fields" in block:
        fields = _list(block["fields"])
        if not 1 <= len(fields) <= SECTION_FIELDS:
            found.append(Problem(f"{where}.fields", f"must be 1 to {SECTION_FIELDS}"))
        for i, text in enumerate(fields):
            found += _text(text, f"{where}.fields.{i}", FIELD_TEXT)
    if "accessory" in block:
        kinds = ("button", "static_select", "external_select", "radio_buttons")
        found += _element(block["accessory"], f"{where}.accessory", kinds)
    return found


def _elements(block: Mapping[str, Any], where: str, most: int) -> list[Problem]:
    if not 1 <= len(_list(block.get("elements"))) <= most:
        return [Problem(f"{where}.elements", f"must be 1 to {most}")]
    return []


def _element(element: object, where: str, kinds: tuple[str, ...]) -> list[Problem]:
    if not isinstance(element, Mapping) or element.get("type") not in kinds:
        return [Problem(where, f"must be one of {', '.join(kinds)}")]
    kind = element["type"]
    found = [Problem(f"{where}.{key}", "unknown key") for key in element if key not in _ELEMENT_KEYS[kind]]
    found += _string(element, "action_id", ID_LENGTH, where)
    if kind == "button":
        found += _text(element.get("text"), f"{where}.text", BUTTON_TEXT, plain=True)
        found += _string(element, "value", BUTTON_VALUE, where) + _string(element, "url", BUTTON_URL, where)
        found += _string(element, "accessibility_label", ACCESSIBILITY_LABEL, where)
        if element.get("style", "primary") not in {"primary", "danger"}:
            found.append(Problem(f"{where}.style", "must be primary or danger"))
    elif kind == "plain_text_input":
        found += _input(element, where)
    else:
        found += _choice(element, where)
    if "placeholder" in element:
        found += _text(element["placeholder"], f"{where}.placeholder", PLACEHOLDER, plain=True)
    if "confirm" in element:
        found += _confirm(element["confirm"], f"{where}.confirm")
    return found


def _input(element: Mapping[str, Any], where: str) -> list[Problem]:
    most = element.get("max_length", INPUT_LENGTH)
    least = element.get("min_length", 0)
    found = []
    if not isinstance(most, int) or not 1 <= most <= INPUT_LENGTH:
        found.append(Problem(f"{where}.max_length", f"must be 1 to {INPUT_LENGTH}"))
    if not isinstance(least, int) or not 0 <= least <= INPUT_LENGTH:
        found.append(Problem(f"{where}.min_length", f"must be 0 to {INPUT_LENGTH}"))
    initial = element.get("initial_value", "")
    if not isinstance(initial, str) or length(initial) > (most if isinstance(most, int) else 0):
        found.append(Problem(f"{where}.initial_value", "must be a string no longer than max_length"))
    return found


def _choice(element: Mapping[str, Any], where: str) -> list[Problem]:
    found: list[Problem] = []
    if element["type"] != "external_select":
        options = _list(element.get("options"))
        most = SELECT_OPTIONS if element["type"] == "static_select" else RADIO_OPTIONS
        if not 1 <= len(options) <= most:
            found.append(Problem(f"{where}.options", f"must be 1 to {most}"))
        if "initial_option" in element and element["initial_option"] not in options:
            found.append(Problem(f"{where}.initial_option", "must be one of the options"))
        for i, option in enumerate(options):
            if not isinstance(option, Mapping):
                found.append(Problem(f"{where}.options.{i}", "must be an object"))
                continue
            found += _text(option.get("text"), f"{where}.options.{i}.text", OPTION_TEXT)
            found += _string(option, "value", OPTION_VALUE, f"{where}.options.{i}")
    return found


def _confirm(confirm: object, where: str) -> list[Problem]:
    if not isinstance(confirm, Mapping):
        return [Problem(where, "must be an object")]
    found = _text(confirm.get("title"), f"{where}.title", CONFIRM_TITLE, plain=True)
    found += _text(confirm.get("text"), f"{where}.text", CONFIRM_TEXT)
    for key in ("confirm", "deny"):
        found += _text(confirm.get(key), f"{where}.{key}", CONFIRM_BUTTON, plain=True)
    return found


def _text(text: object, where: str, most: int, *, plain: bool = False) -> list[Problem]:
    if not isinstance(text, Mapping) or text.get("type") not in _TEXT_KEYS:
        return [Problem(where, "must be a text object")]
    kind = text["type"]
    found = [Problem(f"{where}.{key}", "unknown key") for key in text if key not in _TEXT_KEYS[kind]]
    if plain and kind != "plain_text":
        found.append(Problem(where, "must be plain_text"))
    words = text.get("text")
    if not isinstance(words, str) or not 1 <= length(words) <= most:
        found.append(Problem(where, f"must be 1 to {most} characters"))
    elif kind == "mrkdwn" and _HALF_ENTITY.search(words):
        found.append(Problem(where, "an & that is not escaped, or an entity cut in two"))
    return found


def _string(node: Mapping[str, Any], key: str, most: int, where: str = "") -> list[Problem]:
    if key not in node:
        return []
    value = node[key]
    if not isinstance(value, str) or length(value) > most or (key != "private_metadata" and not value):
        return [Problem(f"{where}.{key}" if where else key, f"must be a string of 1 to {most} characters")]
    return []


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


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
