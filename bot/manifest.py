"""The app's manifest: what Slack is told about the bot, and what the local Slack and the doctor read too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_MANIFEST = Path(__file__).with_name(
    "manifest.yml"
)  # a link to the file people paste, so that a wheel holds it


def read_manifest() -> dict[str, Any]:
    """Return the manifest."""
    import yaml

    manifest: dict[str, Any] = yaml.safe_load(_MANIFEST.read_text(encoding="utf-8"))
    return manifest


def bot_scopes(manifest: dict[str, Any]) -> frozenset[str]:
    """Return what the bot token must be allowed to do."""
    return frozenset(manifest["oauth_config"]["scopes"]["bot"])
