"""What people typed and chose: the `state.values` that Slack sends along with a click or a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

State = dict[str, dict[str, Any]]
"""block id → action id → the element's value, as in Slack's `state.values`."""

Offered = Mapping[tuple[str, str], list[dict[str, Any]]]
"""(block id, action id) → the options the app has served for it so far, for menus that ask the app."""

NOTHING: Offered = {}
EXTERNAL = frozenset({"external_select", "multi_external_select"})
SHORTEST_QUERY = 3

_KEPT_IN: dict[
    str, tuple[str, str, Any]
] = {  # element type → (the key its value has, the key its initial value has, what it is when empty)
    "plain_text_input": ("value", "initial_value", None),
    "email_text_input": ("value", "initial_value", None),
    "url_text_input": ("value", "initial_value", None),
    "number_input": ("value", "initial_value", None),
    "rich_text_input": ("rich_text_value", "initial_value", None),
    "static_select": ("selected_option", "initial_option", None),
    "external_select": ("selected_option", "initial_option", None),
    "radio_buttons": ("selected_option", "initial_option", None),
    "users_select": ("selected_user", "initial_user", None),
    "conversations_select": ("selected_conversation", "initial_conversation", None),
    "channels_select": ("selected_channel", "initial_channel", None),
    "datepicker": ("selected_date", "initial_date", None),
    "timepicker": ("selected_time", "initial_time", None),
    "datetimepicker": ("selected_date_time", "initial_date_time", None),
    "checkboxes": ("selected_options", "initial_options", []),
    "multi_static_select": ("selected_options", "initial_options", []),
    "multi_external_select": ("selected_options", "initial_options", []),
    "multi_users_select": ("selected_users", "initial_users", []),
    "multi_conversations_select": ("selected_conversations", "initial_conversations", []),
    "multi_channels_select": ("selected_channels", "initial_channels", []),
}
_LISTS = {kind for kind, (_, _, empty) in _KEPT_IN.items() if empty == []}
REQUIRED = "Please complete this required field."


def elements(blocks: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield every interactive element with the block it stands in, top to bottom."""
    for block in blocks:
        found = [block.get("element"), block.get("accessory"), *block.get("elements", [])]
        for element in found:
            if isinstance(element, dict) and "action_id" in element:
                yield block, element


def find(
    blocks: list[dict[str, Any]], action_id: str, block_id: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find an element by its action id, in a given block if one is named.

    Raises:
        LookupError: there is none, so a person could not have pressed it.
    """
    for block, element in elements(blocks):
        if element["action_id"] == action_id and block_id in {None, block["block_id"]}:
            return block, element
    there = ", ".join(e["action_id"] for _, e in elements(blocks)) or "nothing"
    raise LookupError(f"There is no {action_id!r} to press; there is {there}.")


def state_of(blocks: list[dict[str, Any]], kept: State | None = None) -> State:
    """Return the state of fresh blocks; what was typed before stays where block id, action id and type do.

    Every stateful element appears, touched or not, in an `input` block or not.
    Source: https://docs.slack.dev/changelog/2020-09-full-state-on-view-submisson-and-block-actions
    """
    state: State = {}
    for block, element in elements(blocks):
        if element["type"] not in _KEPT_IN:
            continue
        key, initial, empty = _KEPT_IN[element["type"]]
        before = (kept or {}).get(block["block_id"], {}).get(element["action_id"])
        if before is None or before.get("type") != element["type"]:
            before = {"type": element["type"], key: element.get(initial, empty)}
        state.setdefault(block["block_id"], {})[element["action_id"]] = before
    return state


def merged(
    blocks: list[dict[str, Any]], state: State, given: Mapping[str, Any], offered: Offered = NOTHING
) -> State:
    """Return the state after what a page sent; values for elements that are not there are left out."""
    new = {block_id: dict(values) for block_id, values in state.items()}
    for block, element in elements(blocks):
        value = (given.get(block["block_id"]) or {}).get(element["action_id"])
        if isinstance(value, dict) and element["type"] in _KEPT_IN:
            key, _, empty = _KEPT_IN[element["type"]]
            new[block["block_id"]][element["action_id"]] = {
                "type": element["type"],
                key: _as_offered(options(block, element, offered), element, value.get(key, empty)),
            }
    return new


def spoken(
    blocks: list[dict[str, Any]], words: Mapping[str, str | list[str]], offered: Offered = NOTHING
) -> dict[str, dict[str, Any]]:
    """Turn what a test says (block id or action id → text, or an option's value or label) into state values.

    Raises:
        LookupError: no element has that id, or none of its options is called so.
    """
    state: dict[str, dict[str, Any]] = {}
    for name, said in words.items():
        block, element = named(blocks, name)
        state.setdefault(block["block_id"], {})[element["action_id"]] = {
            _KEPT_IN[element["type"]][0]: _meant(options(block, element, offered), element, said)
        }
    return state


def named(blocks: list[dict[str, Any]], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find a field by its block id or action id.

    Raises:
        LookupError: no field is called so.
    """
    fields = [(b, e) for b, e in elements(blocks) if e["type"] in _KEPT_IN]
    for block, element in fields:
        if name in {block["block_id"], element["action_id"]}:
            return block, element
    there = ", ".join(b["block_id"] for b, _ in fields) or "nothing"
    raise LookupError(f"There is no field {name!r}; there is {there}.")


def options(
    block: dict[str, Any], element: dict[str, Any], offered: Offered = NOTHING
) -> list[dict[str, Any]]:
    """Return all options of an element, grouped or not, its own or served by the app."""
    if element["type"] in EXTERNAL:
        first = [element["initial_option"]] if element.get("initial_option") else []
        served = offered.get((block["block_id"], element["action_id"]), [])
        return [*first, *element.get("initial_options", []), *served]
    grouped = [o for g in element.get("option_groups", []) for o in g["options"]]
    return [*element.get("options", []), *grouped]


def has_options(element: dict[str, Any]) -> bool:
    """Return whether only an option can be chosen here, whoever lists them."""
    return element["type"] in EXTERNAL or "options" in element or "option_groups" in element


def _meant(listed: list[dict[str, Any]], element: dict[str, Any], said: str | list[str]) -> Any:
    """Return the value a person means by these words in this element."""
    if element["type"] in _LISTS:
        many = [said] if isinstance(said, str) else said
        return [option_called(listed, s) for s in many] if has_options(element) else list(many)
    return option_called(listed, str(said)) if has_options(element) else said


def option_called(listed: list[dict[str, Any]], said: str) -> dict[str, Any]:
    """Find an option by value or by label.

    Raises:
        LookupError: there is none.
    """
    for option in listed:
        if said in {option["value"], option["text"]["text"]}:
            return option
    there = ", ".join(o["text"]["text"] for o in listed) or "nothing"
    raise LookupError(f"There is no option {said!r}; there is {there}.")


def _as_offered(listed: list[dict[str, Any]], element: dict[str, Any], value: Any) -> Any:
    """Replace options sent by a page with the app's own, and drop those that were never offered."""
    if not has_options(element):
        return value
    known = {o["value"]: o for o in listed}
    if isinstance(value, list):
        return [known[v["value"]] for v in value if isinstance(v, dict) and v.get("value") in known]
    return known.get(value.get("value")) if isinstance(value, dict) else None


def not_yet(blocks: list[dict[str, Any]], state: State) -> dict[str, str]:
    """Return what Slack's own app refuses before it sends anything, block id → sentence."""
    wrong: dict[str, str] = {}
    for block, element in elements(blocks):
        if block["type"] != "input":
            continue
        value = state[block["block_id"]][element["action_id"]][_KEPT_IN[element["type"]][0]]
        if value in (None, "", []):
            if not block.get("optional", False):
                wrong[block["block_id"]] = REQUIRED
        elif isinstance(value, str):
            least, most = element.get("min_length", 0), element.get("max_length", 3000)
            if len(value) < least:
                wrong[block["block_id"]] = f"Please enter at least {least} characters."
            elif len(value) > most:
                wrong[block["block_id"]] = f"Please enter no more than {most} characters."
        elif isinstance(value, list) and len(value) > element.get("max_selected_items", len(value)):
            wrong[block["block_id"]] = f"Please choose no more than {element['max_selected_items']}."
    return wrong
