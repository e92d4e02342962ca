"""The manifest says what the code uses, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from bot.manifest import read_manifest
from graph import workflow_names

CODE = Path(__file__).parents[2] / "bot" / "slack"

# What each Web API method asks for. Source: https://docs.slack.dev/reference/methods
SCOPES = {
    "auth.test": set(),
    "apps.connections.open": set(),  # the app-level token's connections:write, which no manifest grants
    "chat.getPermalink": set(),
    "chat.postEphemeral": {"chat:write"},
    "chat.postMessage": {"chat:write"},
    "chat.update": {"chat:write"},
    "conversations.history": {"channels:history", "groups:history", "im:history"},
    "conversations.info": {"channels:read", "groups:read", "im:read"},
    "conversations.open": {"im:write"},
    "conversations.replies": {"channels:history", "groups:history", "im:history"},
    "usergroups.users.list": {"usergroups:read"},
    "files.completeUploadExternal": {"files:write"},
    "files.getUploadURLExternal": {"files:write"},
    "users.info": {"users:read"},
    "views.open": set(),
    "views.publish": set(),
    "views.push": set(),
    "views.update": set(),
}

TEXT = {"type": "string", "minLength": 1}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["display_information", "features", "oauth_config", "settings"],
    "properties": {
        "_metadata": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"major_version": {"enum": [1, 2]}, "minor_version": {"type": "integer"}},
        },
        "display_information": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": TEXT | {"maxLength": 35},
                "description": TEXT | {"maxLength": 140},
                "long_description": {"type": "string", "minLength": 175, "maxLength": 4000},
                "background_color": {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
            },
        },
        "features": {
            "type": "object",
            "additionalProperties": False,
            "required": ["bot_user", "slash_commands"],
            "properties": {
                "app_home": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "home_tab_enabled": {"type": "boolean"},
                        "messages_tab_enabled": {"type": "boolean"},
                        "messages_tab_read_only_enabled": {"type": "boolean"},
                    },
                },
                "bot_user": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["display_name"],
                    "properties": {
                        "display_name": TEXT | {"maxLength": 80, "pattern": "^[a-z0-9-_.]+$"},
                        "always_online": {"type": "boolean"},
                    },
                },
                "shortcuts": {
                    "type": "array",
                    "maxItems": 10,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["name", "type", "callback_id", "description"],
                        "properties": {
                            "name": TEXT | {"maxLength": 24},
                            "type": {"enum": ["message", "global"]},
                            "callback_id": TEXT | {"maxLength": 255},
                            "description": TEXT | {"maxLength": 150},
                        },
                    },
                },
                "slash_commands": {
                    "type": "array",
                    "maxItems": 50,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["command", "description"],
                        "properties": {
                            "command": {"type": "string", "pattern": "^/[a-z0-9_-]{1,31}$"},
                            "description": TEXT | {"maxLength": 2000},
                            "usage_hint": TEXT | {"maxLength": 1000},
                            "should_escape": {"type": "boolean"},
                        },
                    },
                },
            },
        },
        "oauth_config": {
            "type": "object",
            "additionalProperties": False,
            "required": ["scopes"],
            "properties": {
                "scopes": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["bot"],
                    "properties": {"bot": {"type": "array", "uniqueItems": True, "items": TEXT}},
                }
            },
        },
        "settings": {
            "type": "object",
            "additionalProperties": False,
            "required": ["interactivity", "socket_mode_enabled"],
            "properties": {
                "interactivity": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["is_enabled"],
                    "properties": {"is_enabled": {"type": "boolean"}},
                },
                "event_subscriptions": {
                    "type": "object",
                    "properties": {"bot_events": {"type": "array", "items": TEXT}},
                },
                "org_deploy_enabled": {"type": "boolean"},
                "socket_mode_enabled": {"type": "boolean"},
                "token_rotation_enabled": {"type": "boolean"},
            },
        },
    },
}
"""What we use of Slack's manifest. Source: https://docs.slack.dev/reference/app-manifest"""


def code() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(CODE.glob("*.py")))


def methods_used() -> set[str]:
    called = re.findall(
        r"\.((?:api|apps|auth|chat|conversations|files|team|usergroups|users|views)_[A-Za-z_]+)\(", code()
    )
    names = {
        "apps_connections_open": "apps.connections.open",
        "usergroups_users_list": "usergroups.users.list",
    }
    return {names.get(name, name.replace("_", ".", 1)) for name in called}


def test_the_manifest_is_one_that_slack_takes():
    jsonschema.validate(read_manifest(), SCHEMA)


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        (("display_information", "name"), "x" * 36),
        (("features", "slash_commands", 0, "command"), "linkcheck"),
        (("settings", "sockets"), True),
    ],
)
def test_the_schema_notices_what_slack_would_refuse(where, wrong):
    manifest = read_manifest()
    node = manifest
    for key in where[:-1]:
        node = node[key]
    node[where[-1]] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(manifest, SCHEMA)


def test_every_method_the_code_calls_is_in_the_table():
    assert methods_used() == set(SCOPES)


def test_the_scopes_are_those_the_code_needs():
    needed = set().union(*(SCOPES[method] for method in methods_used())) | {"commands"}
    assert set(read_manifest()["oauth_config"]["scopes"]["bot"]) == needed


def test_each_workflow_is_a_command_and_each_command_a_workflow():
    commands = [c["command"] for c in read_manifest()["features"]["slash_commands"]]
    assert sorted(commands) == sorted(f"/{name}" for name in workflow_names())


def test_the_events_subscribed_to_are_those_listened_to():
    listened = set(re.findall(r'app\.event\("([a-z_]+)"', code()))
    events = read_manifest()["settings"].get("event_subscriptions", {}).get("bot_events", [])
    assert set(events) == listened


def test_the_shortcuts_are_those_listened_to():
    listened = set(re.findall(r'app\.shortcut\("([a-z_]+)"', code()))
    assert {s["callback_id"] for s in read_manifest()["features"]["shortcuts"]} == listened


def test_clicks_arrive_and_nothing_needs_a_public_address():
    settings = read_manifest()["settings"]
    assert settings["interactivity"]["is_enabled"] is True
    assert settings["socket_mode_enabled"] is True
