"""Slack's Block Kit as a table: every block, element and object, with its fields and limits.

Source: https://docs.slack.dev/reference/block-kit; `unsupported type` is said of what Slack has and this
Slack does not imitate, too (see docs/emulator.md).
"""

from __future__ import annotations

from bot.emulator.rules import Anything, ByType, Count, Flag, Items, Rule, Thing, Words

ID = Words(255, 1)
URL = Words(3000, 1, form=r"https?://\S+|mailto:\S+|slack://\S+")
DATE = Words(10, 10, form=r"\d{4}-\d\d-\d\d")


def plain(most: int) -> Rule:
    """Return the rule of a plain text object."""
    return ByType({"plain_text": Thing({"text": Words(most, 1), "emoji": Flag()}, ("text",))})


def either(most: int) -> Rule:
    """Return the rule of a text object, plain or mrkdwn."""
    return ByType(
        {
            "plain_text": Thing({"text": Words(most, 1), "emoji": Flag()}, ("text",)),
            "mrkdwn": Thing({"text": Words(most, 1), "verbatim": Flag()}, ("text",)),
        }
    )


CONFIRM = Thing(
    {
        "title": plain(100),
        "text": either(300),
        "confirm": plain(30),
        "deny": plain(30),
        "style": Words(of=("primary", "danger")),
    },
    ("title", "text", "confirm", "deny"),
)
OPTION = Thing({"text": either(75), "value": Words(150, 1), "description": either(75)}, ("text", "value"))
PLAIN_OPTION = Thing({"text": plain(75), "value": Words(150, 1), "description": plain(75)}, ("text", "value"))
LINK_OPTION = Thing(
    {"text": plain(75), "value": Words(150, 1), "description": plain(75), "url": URL}, ("text", "value")
)
GROUP = Thing({"label": plain(75), "options": Items(PLAIN_OPTION, 100)}, ("label", "options"))
DISPATCH = Thing(
    {"trigger_actions_on": Items(Words(of=("on_enter_pressed", "on_character_entered")), 2)},
    ("trigger_actions_on",),
)

_ELEMENT: dict[str, Rule] = {"action_id": ID, "focus_on_load": Flag()}
_MENU: dict[str, Rule] = _ELEMENT | {"placeholder": plain(150), "confirm": CONFIRM}
_TYPED: dict[str, Rule] = _ELEMENT | {"placeholder": plain(150), "dispatch_action_config": DISPATCH}
_MANY: dict[str, Rule] = {"max_selected_items": Count(1, 100)}
_OPTIONS: dict[str, Rule] = {"options": Items(PLAIN_OPTION, 100), "option_groups": Items(GROUP, 100)}
_LIST: dict[str, Rule] = {"initial_options": Items(PLAIN_OPTION, 100)}
_USERS: dict[str, Rule] = {"initial_users": Items(ID, 100, 0)}

BUTTON = Thing(
    {
        "action_id": ID,
        "text": plain(75),
        "url": URL,
        "value": Words(2000, 1),
        "style": Words(of=("primary", "danger")),
        "confirm": CONFIRM,
        "accessibility_label": Words(75, 1),
    },
    ("text",),
)
OVERFLOW = Thing({"action_id": ID, "options": Items(LINK_OPTION, 5), "confirm": CONFIRM}, ("options",))
IMAGE_ELEMENT = Thing(
    {"image_url": URL, "alt_text": Words(2000, 1), "slack_file": Anything()},
    ("alt_text",),
    (("image_url", "slack_file"),),
)

MENUS: dict[str, Rule] = {
    "static_select": Thing(
        _MENU | _OPTIONS | {"initial_option": PLAIN_OPTION}, (), (("options", "option_groups"),)
    ),
    "external_select": Thing(_MENU | {"initial_option": PLAIN_OPTION, "min_query_length": Count(0, 255)}),
    "users_select": Thing(_MENU | {"initial_user": ID}),
    "channels_select": Thing(_MENU | {"initial_channel": ID, "response_url_enabled": Flag()}),
    "conversations_select": Thing(
        _MENU
        | {
            "initial_conversation": ID,
            "default_to_current_conversation": Flag(),
            "response_url_enabled": Flag(),
            "filter": Anything(),
        }
    ),
    "multi_static_select": Thing(_MENU | _OPTIONS | _MANY | _LIST, (), (("options", "option_groups"),)),
    "multi_external_select": Thing(_MENU | _MANY | _LIST | {"min_query_length": Count(0, 255)}),
    "multi_users_select": Thing(_MENU | _MANY | _USERS),
    "multi_channels_select": Thing(_MENU | _MANY | {"initial_channels": Items(ID, 100, 0)}),
    "multi_conversations_select": Thing(
        _MENU
        | _MANY
        | {
            "initial_conversations": Items(ID, 100, 0),
            "default_to_current_conversation": Flag(),
            "filter": Anything(),
        }
    ),
    "radio_buttons": Thing(
        _ELEMENT | {"options": Items(OPTION, 10), "initial_option": OPTION, "confirm": CONFIRM}, ("options",)
    ),
    "checkboxes": Thing(
        _ELEMENT | {"options": Items(OPTION, 10), "initial_options": Items(OPTION, 10), "confirm": CONFIRM},
        ("options",),
    ),
    "datepicker": Thing(_MENU | {"initial_date": DATE}),
    "timepicker": Thing(_MENU | {"initial_time": Words(5, 5, form=r"\d\d:\d\d"), "timezone": Words(255)}),
    "datetimepicker": Thing(_ELEMENT | {"initial_date_time": Count(0, 9_999_999_999), "confirm": CONFIRM}),
}
FIELDS: dict[str, Rule] = {
    "plain_text_input": Thing(
        _TYPED
        | {
            "initial_value": Words(3000),
            "multiline": Flag(),
            "min_length": Count(0, 3000),
            "max_length": Count(1, 3000),
        }
    ),
    "email_text_input": Thing(_TYPED | {"initial_value": Words(3000)}),
    "url_text_input": Thing(_TYPED | {"initial_value": Words(3000)}),
    "number_input": Thing(
        _TYPED
        | {
            "is_decimal_allowed": Flag(),
            "initial_value": Words(),
            "min_value": Words(),
            "max_value": Words(),
        },
        ("is_decimal_allowed",),
    ),
    "rich_text_input": Thing(_TYPED | {"initial_value": Anything()}),
}
PRESSED: dict[str, Rule] = {"button": BUTTON, "overflow": OVERFLOW}
CONTEXT_PART = ByType(
    {
        "plain_text": Thing({"text": Words(3000, 1), "emoji": Flag()}, ("text",)),
        "mrkdwn": Thing({"text": Words(3000, 1), "verbatim": Flag()}, ("text",)),
        "image": IMAGE_ELEMENT,
    }
)

_BLOCK: dict[str, Rule] = {"block_id": ID}
BLOCKS: dict[str, Rule] = {
    "section": Thing(
        _BLOCK
        | {
            "text": either(3000),
            "fields": Items(either(2000), 10),
            "accessory": ByType(PRESSED | MENUS | {"image": IMAGE_ELEMENT}),
            "expand": Flag(),
        }
    ),
    "header": Thing(_BLOCK | {"text": plain(150)}, ("text",)),
    "context": Thing(_BLOCK | {"elements": Items(CONTEXT_PART, 10)}, ("elements",)),
    "divider": Thing(_BLOCK),
    "actions": Thing(_BLOCK | {"elements": Items(ByType(PRESSED | MENUS), 25)}, ("elements",)),
    "input": Thing(
        _BLOCK
        | {
            "label": plain(2000),
            "element": ByType(FIELDS | MENUS),
            "dispatch_action": Flag(),
            "hint": plain(2000),
            "optional": Flag(),
        },
        ("label", "element"),
    ),
    "image": Thing(
        _BLOCK
        | {"image_url": URL, "alt_text": Words(2000, 1), "title": plain(2000), "slack_file": Anything()},
        ("alt_text",),
        (("image_url", "slack_file"),),
    ),
    "rich_text": Thing(_BLOCK | {"elements": Anything()}, ("elements",)),
    "markdown": Thing(_BLOCK | {"text": Words(12_000, 1)}, ("text",)),
    "table": Thing(
        _BLOCK | {"rows": Items(Items(Anything(), 20), 100), "column_settings": Anything()}, ("rows",)
    ),
}
SUGGESTED = Thing(
    {"options": Items(PLAIN_OPTION, 100, 0), "option_groups": Items(GROUP, 100, 0)},
    (),
    (("options", "option_groups"),),
)
MESSAGE_ONLY = frozenset({"markdown", "table"})
VIEW = {
    "modal": Thing(
        {
            "type": Words(of=("modal",)),
            "title": plain(24),
            "blocks": Anything(),
            "close": plain(24),
            "submit": plain(24),
            "private_metadata": Words(3000),
            "callback_id": Words(255),
            "clear_on_close": Flag(),
            "notify_on_close": Flag(),
            "external_id": Words(255),
            "submit_disabled": Flag(),
        },
        ("type", "title", "blocks"),
    ),
    "home": Thing(
        {
            "type": Words(of=("home",)),
            "blocks": Anything(),
            "private_metadata": Words(3000),
            "callback_id": Words(255),
            "external_id": Words(255),
        },
        ("type", "blocks"),
    ),
}
