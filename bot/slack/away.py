"""How a call to Slack fails: with Slack's own error name, or because Slack did not answer."""

from __future__ import annotations

from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

AWAY = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError)
"""Everything a call can raise; `SlackApiError`, a `SlackClientError`, is an answer with an error name."""

LOCKED_OUT = frozenset(
    {
        "account_inactive", "token_revoked", "token_expired", "invalid_auth", "not_authed",
        "ekm_access_denied", "team_access_not_granted", "org_login_required", "team_added_to_org",
    }
)  # fmt: skip
"""Slack takes nothing at all from us until someone changes something; no call is better off than another."""

_OUT_OF_ORDER = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_SERVER_ERROR = 500


def error_name(error: Exception) -> str:
    """Return Slack's name for an error, else the class of what kept us from Slack."""
    if isinstance(error, SlackApiError):
        reply: Any = error.response
        data = getattr(reply, "data", reply)
        if isinstance(data, dict) and data.get("error"):
            return str(data["error"])
        return f"http_{getattr(reply, 'status_code', 'unknown')}"
    return type(error).__name__


def is_unreachable(error: Exception) -> bool:
    """Tell whether no message at all would get through now: Slack did not answer, or takes nothing from us."""
    return not isinstance(error, SlackApiError) or error_name(error) in LOCKED_OUT


def is_out_of_order(error: Exception) -> bool:
    """Tell whether Slack answered that something is wrong on its side. What was asked may have been done."""
    reply: Any = getattr(error, "response", None)
    status = int(getattr(reply, "status_code", 0) or 0)
    return isinstance(error, SlackApiError) and (
        error_name(error) in _OUT_OF_ORDER or status >= _SERVER_ERROR
    )


def asked_to_wait(error: Exception) -> float | None:
    """Return the seconds that Slack asks us to wait, None if it does not.

    Source: https://docs.slack.dev/apis/web-api/rate-limits
    """
    if not isinstance(error, SlackApiError) or error_name(error) != "ratelimited":
        return None
    reply: Any = error.response
    return float((reply.headers or {}).get("Retry-After") or 1)
