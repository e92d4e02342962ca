"""Buttons, inputs and menus against Slack's limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.limits import numbers as n
from bot.limits.texts import Problem, as_list, check_string, check_text, length

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
    "checkboxes": frozenset({"type", "action_id", "options", "focus_on_load", "confirm"}),
    "radio_buttons": frozenset({"type", "action_id", "options", "initial_option", "focus_on_load", "confirm"}),
}  # fmt: skip


def check_element(element: object, where: str, kinds: tuple[str, ...]) -> list[Problem]:
    """List what is wrong with an element that has to be of one of these kinds."""
    if not isinstance(element, Mapping) or element.get("type") not in kinds:
        return [Problem(where, f"must be one of {', '.join(kinds)}")]
    kind = element["type"]
    found = [Problem(f"{where}.{key}", "unknown key") for key in element if key not in _ELEMENT_KEYS[kind]]
    found += check_string(element, "action_id", n.ID_LENGTH, where)
    if kind == "button":
        found += check_text(element.get("text"), f"{where}.text", n.BUTTON_TEXT, plain=True)
        found += check_string(element, "value", n.BUTTON_VALUE, where) + check_string(
            element, "url", n.BUTTON_URL, where
        )
        found += check_string(element, "accessibility_label", n.ACCESSIBILITY_LABEL, where)
        if element.get("style", "primary") not in {"primary", "danger"}:
            found.append(Problem(f"{where}.style", "must be primary or danger"))
    elif kind == "plain_text_input":
        found += _input(element, where)
    else:
        found += _choice(element, where)
    if "placeholder" in element:
        found += check_text(element["placeholder"], f"{where}.placeholder", n.PLACEHOLDER, plain=True)
    if "confirm" in element:
        found += _confirm(element["confirm"], f"{where}.confirm")
    return found


def _input(element: Mapping[str, Any], where: str) -> list[Problem]:
    most = element.get("max_length", n.INPUT_LENGTH)
    least = element.get("min_length", 0)
    found = []
    if not isinstance(most, int) or not 1 <= most <= n.INPUT_LENGTH:
        found.append(Problem(f"{where}.max_length", f"must be 1 to {n.INPUT_LENGTH}"))
    if not isinstance(least, int) or not 0 <= least <= n.INPUT_LENGTH:
        found.append(Problem(f"{where}.min_length", f"must be 0 to {n.INPUT_LENGTH}"))
    initial = element.get("initial_value", "")
    if not isinstance(initial, str) or length(initial) > (most if isinstance(most, int) else 0):
        found.append(Problem(f"{where}.initial_value", "must be a string no longer than max_length"))
    return found


def _choice(element: Mapping[str, Any], where: str) -> list[Problem]:
    found: list[Problem] = []
    if element["type"] != "external_select":
        options = as_list(element.get("options"))
        most = n.SELECT_OPTIONS if element["type"] == "static_select" else n.RADIO_OPTIONS
        if not 1 <= len(options) <= most:
            found.append(Problem(f"{where}.options", f"must be 1 to {most}"))
        if "initial_option" in element and element["initial_option"] not in options:
            found.append(Problem(f"{where}.initial_option", "must be one of the options"))
        for i, option in enumerate(options):
            if not isinstance(option, Mapping):
                found.append(Problem(f"{where}.options.{i}", "must be an object"))
                continue
            found += check_text(option.get("text"), f"{where}.options.{i}.text", n.OPTION_TEXT)
            found += check_string(option, "value", n.OPTION_VALUE, f"{where}.options.{i}")
    return found


def _confirm(confirm: object, where: str) -> list[Problem]:
    if not isinstance(confirm, Mapping):
        return [Problem(where, "must be an object")]
    found = check_text(confirm.get("title"), f"{where}.title", n.CONFIRM_TITLE, plain=True)
    found += check_text(confirm.get("text"), f"{where}.text", n.CONFIRM_TEXT)
    for key in ("confirm", "deny"):
        found += check_text(confirm.get(key), f"{where}.{key}", n.CONFIRM_BUTTON, plain=True)
    return found
