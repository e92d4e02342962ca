"""How a call to Slack fails: with Slack's own error name, or because Slack did not answer."""

from __future__ import annotations

from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

AWAY = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError)
"""Everything a call can raise; `SlackApiError`, a `SlackClientError`, is an answer with an error name."""


def error_name(error: Exception) -> str:
    """Return Slack's name for an error, else the class of what kept us from Slack."""
    if isinstance(error, SlackApiError):
        reply: Any = error.response
        data = getattr(reply, "data", reply)
        if isinstance(data, dict) and data.get("error"):
            return str(data["error"])
        return f"http_{getattr(reply, 'status_code', 'unknown')}"
    return type(error).__name__
