"""How a modal comes up: at once, while Slack still takes the click's trigger; and how an open one turns into another."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from slack_sdk.errors import SlackApiError

from bot import limits
from bot.slack.answers import TooLateToOpen
from bot.slack.away import AWAY, error_name
from bot.slack.blocks import Block
from bot.slack.desk import Desk

log = logging.getLogger(__name__)
_NO_TRIGGER = frozenset(
    {"expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id", "invalid_arguments"}
)


async def open_modal(desk: Desk, body: Mapping[str, Any], view: Block) -> None:
    """Open a modal for whoever clicked; from within a modal, on top of it.

    Raises:
        TooLateToOpen: Slack did not take it in time; the person has to press again.
    """
    trigger = str(body.get("trigger_id") or "")
    try:
        if (body.get("view") or {}).get("type") == "modal":
            await desk.sends.views_push(trigger_id=trigger, view=view)
        else:
            await desk.sends.views_open(trigger_id=trigger, view=view)
    except SlackApiError as error:
        if error.response.get("error") in _NO_TRIGGER and not limits.check_view(view):
            raise TooLateToOpen from error
        raise
    except AWAY as error:
        raise TooLateToOpen from error


async def turn_modal(desk: Desk, view_id: str, view: Block) -> None:
    """Turn an open modal into this one. Never raises; a person may have closed it."""
    try:
        await desk.sends.views_update(view_id=view_id, view=view)
    except AWAY as error:
        log.info("modal not updated", extra={"error": error_name(error)})
