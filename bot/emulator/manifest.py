"""What an app's manifest says that this Slack goes by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Manifest:
    """The features, scopes and subscriptions of an app.

    Args:
        manifest: the manifest as a mapping; an empty one is an app that may do everything there is.

    Attributes:
        name: what the app's user is called.
        commands: slash commands to suggest, each with `command`, `description`, `usage_hint`.
        shortcuts: global shortcuts, each with `callback_id`, `name`, `description`.
        scopes: of the bot token; empty if the manifest names none.
        events: types of events the app subscribed to.
        home: whether it has a Home tab; an app without a manifest has one.

    Source: https://docs.slack.dev/reference/app-manifest
    """

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        features = manifest.get("features") or {}
        self.name: str = (features.get("bot_user") or {}).get("display_name") or "app"
        self.commands = _texts(features.get("slash_commands"), "command", "description", "usage_hint")
        shortcuts = [s for s in features.get("shortcuts") or [] if s.get("type") == "global"]
        self.shortcuts = _texts(shortcuts, "callback_id", "name", "description")
        self.scopes = set(((manifest.get("oauth_config") or {}).get("scopes") or {}).get("bot") or [])
        subscriptions = (manifest.get("settings") or {}).get("event_subscriptions") or {}
        self.events = frozenset(subscriptions.get("bot_events") or [])
        self.home = not manifest or bool((features.get("app_home") or {}).get("home_tab_enabled"))


def _texts(things: list[Mapping[str, Any]] | None, *names: str) -> list[dict[str, str]]:
    """Return these fields of each thing, empty where there is none."""
    return [{name: str(thing.get(name) or "") for name in names} for thing in things or []]
