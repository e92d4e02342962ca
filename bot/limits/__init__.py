"""Slack's limits, and a strict check of what we send against them.

Slack has no offline schema, its SDK lets much through, and an update that Slack refuses leaves live buttons on a
decided request. So every message and view is checked here before it counts as built: by the tests, and by the relay.
The local Slack has a table of its own on purpose: a number that is wrong in one of them shows.

Lengths are counted in UTF-16 code units, the larger of the two ways a server may count.

numbers.py   the limits
texts.py     what Slack would refuse; texts and strings
elements.py  buttons, inputs, menus
blocks.py    blocks
surfaces.py  whole messages and views
"""

from bot.limits.blocks import characters, check_blocks
from bot.limits.numbers import (
    ACCESSIBILITY_LABEL,
    ACTIONS_ELEMENTS,
    BLOCKS_PER_MESSAGE,
    BLOCKS_PER_VIEW,
    BUTTON_TEXT,
    BUTTON_URL,
    BUTTON_VALUE,
    CONFIRM_BUTTON,
    CONFIRM_TEXT,
    CONFIRM_TITLE,
    CONTEXT_ELEMENTS,
    CONTEXT_TEXT,
    FIELD_TEXT,
    HEADER_TEXT,
    ID_LENGTH,
    INPUT_HINT,
    INPUT_LABEL,
    INPUT_LENGTH,
    MESSAGE_BUDGET,
    MESSAGE_CHARACTERS,
    MESSAGE_TEXT,
    OPTION_TEXT,
    OPTION_VALUE,
    PLACEHOLDER,
    PRIVATE_METADATA,
    RADIO_OPTIONS,
    SECTION_FIELDS,
    SECTION_TEXT,
    SELECT_OPTIONS,
    VIEW_BYTES,
    VIEW_CLOSE,
    VIEW_SUBMIT,
    VIEW_TITLE,
)
from bot.limits.surfaces import check_message, check_view
from bot.limits.texts import Problem, length

__all__ = [
    "ACCESSIBILITY_LABEL",
    "ACTIONS_ELEMENTS",
    "BLOCKS_PER_MESSAGE",
    "BLOCKS_PER_VIEW",
    "BUTTON_TEXT",
    "BUTTON_URL",
    "BUTTON_VALUE",
    "CONFIRM_BUTTON",
    "CONFIRM_TEXT",
    "CONFIRM_TITLE",
    "CONTEXT_ELEMENTS",
    "CONTEXT_TEXT",
    "FIELD_TEXT",
    "HEADER_TEXT",
    "ID_LENGTH",
    "INPUT_HINT",
    "INPUT_LABEL",
    "INPUT_LENGTH",
    "MESSAGE_BUDGET",
    "MESSAGE_CHARACTERS",
    "MESSAGE_TEXT",
    "OPTION_TEXT",
    "OPTION_VALUE",
    "PLACEHOLDER",
    "PRIVATE_METADATA",
    "RADIO_OPTIONS",
    "SECTION_FIELDS",
    "SECTION_TEXT",
    "SELECT_OPTIONS",
    "VIEW_BYTES",
    "VIEW_CLOSE",
    "VIEW_SUBMIT",
    "VIEW_TITLE",
    "Problem",
    "characters",
    "check_blocks",
    "check_message",
    "check_view",
    "length",
]
