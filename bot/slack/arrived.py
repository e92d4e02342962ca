"""Whether something we sent stands in Slack after all: looked for before it is sent again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.away import asked_to_wait, error_name, is_out_of_order, is_unreachable

log = logging.getLogger(__name__)
PAGES = 5  #: that are looked through, newest first in a channel, oldest first in a thread
PER_PAGE = 200


async def arrived(
    reads: AsyncWebClient,
    channel: str,
    thread: str | None,
    what: Callable[[Mapping[str, Any]], str | None],
    *,
    since: float = 0,
) -> str | None:
    """Return what `what` says of the first message it knows; None if it knows none or we may not look.

    Args:
        reads: client for what may be repeated.
        channel: where to look.
        thread: the first message of the thread to look in; None = the channel itself.
        what: tells what we look for (a `ts`, the id of a file) if it stands in this message.
        since: seconds since 1970; what stands in the channel from before is not looked at.

    Raises:
        SlackApiError, OSError, TimeoutError: Slack did not say; to send it now might be to send it twice.
    """
    cursor = ""
    try:
        for _ in range(PAGES):
            more: dict[str, Any] = {
                "limit": PER_PAGE,
                "include_all_metadata": True,
                "cursor": cursor or None,
            }
            if thread:
                reply: Any = await reads.conversations_replies(channel=channel, ts=thread, **more)
            else:
                reply = await reads.conversations_history(channel=channel, oldest=str(since), **more)
            for message in reply.get("messages") or []:
                if found := what(message):
                    return found
            cursor = str((reply.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return None
    except SlackApiError as error:
        if is_unreachable(error) or is_out_of_order(error) or asked_to_wait(error) is not None:
            raise
        log.warning("not looked for", extra={"channel": channel, "error": error_name(error)})
    return None
