"""What the app is sent when people do something: the payloads inside Socket Mode's envelopes.

Source: https://docs.slack.dev/reference/interaction-payloads,
https://docs.slack.dev/interactivity/implementing-slash-commands
"""

from __future__ import annotations

import secrets
from typing import Any

from bot.emulator import shapes, values
from bot.emulator.model import APP, BOT_USER, DOMAIN, TEAM, Message, View
from bot.emulator.workspace import Workspace

Payload = dict[str, Any]


def command(
    workspace: Workspace, person: str, channel: str, typed: tuple[str, str], response_url: str
) -> Payload:
    """Return the payload of a slash command; `typed` is the command and the text after it."""
    name, text = typed
    return {
        "token": workspace.old_token,
        "team_id": TEAM,
        "team_domain": DOMAIN,
        "channel_id": channel,
        "channel_name": workspace.channels[channel].name,
        "user_id": person,
        "user_name": shapes.handle(workspace.users[person]),
        "command": name,
        "text": text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": workspace.new_trigger(person),
    }


def pressed_in_message(
    workspace: Workspace, person: str, message: Message, action: Payload, response_url: str
) -> Payload:
    """Return the `block_actions` payload of a press in a message; an ephemeral message is not sent along."""
    channel = workspace.channels[message.channel]
    state = values.state_of(message.blocks)
    payload = {
        "type": "block_actions",
        **_who(workspace, person),
        "container": _container(message),
        "trigger_id": workspace.new_trigger(person),
        "channel": {"id": channel.id, "name": channel.name},
        "state": {
            "values": values.merged(
                message.blocks,
                state,
                {action["block_id"]: {action["action_id"]: action}},
                message.offered,
            )
        },
        "response_url": response_url,
        "actions": [action],
    }
    if message.only_for is None:
        payload["message"] = shapes.message(workspace, message)
    return payload


def pressed_in_view(workspace: Workspace, person: str, view: View, action: Payload) -> Payload:
    """Return the `block_actions` payload of a press in a modal or a Home tab."""
    return {
        "type": "block_actions",
        **_who(workspace, person),
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": workspace.new_trigger(person, view.id),
        "view": shapes.view(view),
        "actions": [action],
    }


def suggestion(
    workspace: Workspace, person: str, place: View | Message, element_at: tuple[Payload, Payload], query: str
) -> Payload:
    """Return the `block_suggestion` payload of someone who types in a menu; `element_at` is block and element."""
    block, element = element_at
    where: Payload
    if isinstance(place, View):
        where = {"container": {"type": "view", "view_id": place.id}, "view": shapes.view(place)}
    else:
        channel = workspace.channels[place.channel]
        where = {"container": _container(place), "channel": {"id": channel.id, "name": channel.name}}
        if place.only_for is None:
            where["message"] = shapes.message(workspace, place)
    return {
        "type": "block_suggestion",
        **_who(workspace, person),
        **where,
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        "value": query,
    }


def submitted(workspace: Workspace, person: str, view: View) -> Payload:
    """Return the `view_submission` payload."""
    return {
        "type": "view_submission",
        **_who(workspace, person),
        "trigger_id": workspace.new_trigger(person, view.id),
        "view": shapes.view(view),
        "response_urls": [],
    }


def closed(workspace: Workspace, person: str, view: View, *, cleared: bool) -> Payload:
    """Return the `view_closed` payload; `cleared` if the whole stack went."""
    return {
        "type": "view_closed",
        **_who(workspace, person),
        "view": shapes.view(view),
        "is_cleared": cleared,
    }


def shortcut(workspace: Workspace, person: str, callback_id: str) -> Payload:
    """Return the payload of a global shortcut; it belongs to no channel and has no `response_url`."""
    return {
        "type": "shortcut",
        **_who(workspace, person),
        "action_ts": workspace.new_ts(),
        "callback_id": callback_id,
        "trigger_id": workspace.new_trigger(person),
    }


def home_opened(workspace: Workspace, person: str, tab: str) -> Payload:
    """Return the event of a look at the app's Home or Messages tab."""
    event: Payload = {
        "type": "app_home_opened",
        "user": person,
        "channel": workspace.open_im(person).id,
        "tab": tab,
    }
    if tab == "home" and person in workspace.homes:
        event["view"] = shapes.view(workspace.homes[person])
    return _event(workspace, event, workspace.new_ts())


def written(workspace: Workspace, message: Message) -> Payload:
    """Return the event of a message that someone wrote."""
    channel = workspace.channels[message.channel]
    event = shapes.message(workspace, message) | {
        "channel": channel.id,
        "channel_type": "im" if channel.im else "channel",
    }
    return _event(workspace, event, message.ts)


def mentioned(workspace: Workspace, message: Message) -> Payload:
    """Return the event of a message that names the app."""
    event = shapes.message(workspace, message) | {"type": "app_mention", "channel": message.channel}
    return _event(workspace, event, message.ts)


def _event(workspace: Workspace, event: Payload, ts: str) -> Payload:
    """Return the `event_callback` around an event."""
    bot = {
        "enterprise_id": None,
        "team_id": TEAM,
        "user_id": BOT_USER,
        "is_bot": True,
        "is_enterprise_install": False,
    }
    return {
        "token": workspace.old_token,
        "team_id": TEAM,
        "api_app_id": APP,
        "event": event | {"event_ts": ts},
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(float(ts)),
        "authorizations": [bot],
        "is_ext_shared_channel": False,
    }


def action(
    workspace: Workspace,
    block: Payload,
    element: Payload,
    value: Any,
    offered: values.Offered = values.NOTHING,
) -> Payload:
    """Return the `actions` entry of a press; `value` is what was chosen, as a state value."""
    sent = {"type", "action_id", "text", "value", "style", "placeholder"}
    said = {k: v for k, v in element.items() if k in sent}
    said |= {"block_id": block["block_id"], "action_ts": workspace.new_ts()}
    if isinstance(value, dict):
        chosen = values.merged(
            [block], values.state_of([block]), {block["block_id"]: {element["action_id"]: value}}, offered
        )
        said |= chosen.get(block["block_id"], {}).get(element["action_id"], _picked(element, value))
    return said


def _picked(element: Payload, value: Payload) -> Payload:
    """Return the choice of an overflow menu, which keeps no state."""
    wanted = (value.get("selected_option") or {}).get("value")
    return {"selected_option": next((o for o in element.get("options", []) if o["value"] == wanted), None)}


def _container(message: Message) -> Payload:
    """Return where a press in a message happened."""
    container: Payload = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": message.channel,
        "is_ephemeral": message.only_for is not None,
    }
    return container | ({"thread_ts": message.thread_ts} if message.thread_ts else {})


def _who(workspace: Workspace, person: str) -> Payload:
    """Return who did it, where, and to which app."""
    handle = shapes.handle(workspace.users[person])
    return {
        "team": {"id": TEAM, "domain": DOMAIN},
        "user": {"id": person, "username": handle, "name": handle, "team_id": TEAM},
        "api_app_id": APP,
        "token": workspace.old_token,
        "enterprise": None,
        "is_enterprise_install": False,
    }
