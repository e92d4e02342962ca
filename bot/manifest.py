"""The app's manifest: what Slack is told about the bot, and what the local Slack and the doctor read too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
_PLACES = (_HERE / "manifest.yml", _HERE.parent / "manifest.yml")  # installed, in a checkout


def read_manifest() -> dict[str, Any]:
    """Return the manifest.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    import yaml

    path = next((place for place in _PLACES if place.is_file()), _PLACES[0])
    manifest: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return manifest


def bot_scopes(manifest: dict[str, Any]) -> frozenset[str]:
    """Return what the bot token must be allowed to do."""
    return frozenset(manifest["oauth_config"]["scopes"]["bot"])
