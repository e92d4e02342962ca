"""The app's manifest: what Slack is told about the bot, and what the local Slack and the doctor read too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graph.errors import Both, SettingsError

_LIMIT = 1 << 20  # characters; more is something else
# a link to the file that people paste, so that a wheel holds it
_MANIFEST = Path(__file__).with_name("manifest.yml")


def read_manifest(path: Path | None = None) -> dict[str, Any]:
    """Return our manifest, or another app's from a YAML or JSON file.

    Raises:
        SettingsError: the file cannot be read, or is no mapping.
    """
    import yaml

    try:
        with (path or _MANIFEST).open(encoding="utf-8") as file:
            manifest = yaml.safe_load(file.read(_LIMIT))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        why = type(error).__name__
        sentence = Both(f"{path} cannot be read ({why}).", f"{path} を読めません（{why}）。")
        raise SettingsError([("--manifest", sentence)]) from error
    if not isinstance(manifest, dict):
        sentence = Both(f"{path} is no app manifest.", f"{path} はアプリのマニフェストではありません。")
        raise SettingsError([("--manifest", sentence)])
    return manifest


def bot_scopes(manifest: dict[str, Any]) -> frozenset[str]:
    """Return what the bot token must be allowed to do."""
    return frozenset(manifest["oauth_config"]["scopes"]["bot"])
