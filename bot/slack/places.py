"""Where a run's card goes, and whether we may post there."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Literal

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.away import AWAY
from bot.slack.people import PATIENCE
from graph.approval import Person, Policy

log = logging.getLogger(__name__)
Refusal = Literal["invite_here", "invite_there", "cannot_post_here", "nobody_could"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card goes.

    Attributes:
        id: a channel, or the user whose direct messages it is.
        private: the direct messages of the starter.
    """

    id: str
    private: bool


class Places:
    """Decide places.

    Args:
        client: for reading.
        fixed: the channel of every card, if a setting names one.
    """

    def __init__(self, client: AsyncWebClient, fixed: str | None) -> None:
        self._client, self._fixed = client, fixed

    async def of(self, policy: Policy, person: Person, here: str) -> Place | Refusal:
        """Return where the card of a run goes that this person starts here, or why it has no place.

        The setting's channel; else the direct messages if the starter alone may decide; else this channel.
        """
        user = policy.user(person)
        deciders = policy.deciders(person)
        if not deciders or user is None:
            return "nobody_could"
        if self._fixed:
            return "invite_there" if await self.closed(self._fixed) else Place(self._fixed, private=False)
        if deciders == (user,):
            return Place(user, private=True)
        if await self.closed(here):
            return "cannot_post_here" if here.startswith("D") else "invite_here"
        return Place(here, private=False)

    async def closed(self, channel: str) -> bool:
        """Tell whether we surely cannot post in a channel; Slack being slow or away is no reason to say so."""
        try:
            reply = await asyncio.wait_for(self._client.conversations_info(channel=channel), timeout=PATIENCE)
        except SlackApiError as error:
            name = error.response.get("error")
            log.info("channel not open", extra={"channel": channel, "error": name})
            return name in {"channel_not_found", "not_in_channel", "is_archived"}
        except AWAY:
            return False
        found = reply.get("channel") or {}
        if found.get("is_im") or found.get("is_mpim"):
            return False
        return not found.get("is_member", True) or bool(found.get("is_archived"))
