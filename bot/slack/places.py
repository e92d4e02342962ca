"""Where a run's card goes, and whether we may post there."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.away import AWAY
from bot.slack.people import PATIENCE
from graph.approval import Person
from graph.policy import Policy

log = logging.getLogger(__name__)
Refusal = Literal["invite_here", "invite_there", "only_channels", "nobody_could", "too_few"]
BELIEVED_SECONDS = 300


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

    def __init__(
        self, client: AsyncWebClient, fixed: str | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._fixed, self._clock = client, fixed, clock
        self._open: dict[str, float] = {}

    async def of(self, policy: Policy, person: Person, here: str) -> Place | Refusal:
        """Return where the card of a run goes that this person starts here, or why it has no place."""
        user = policy.user(person)
        deciders = policy.deciders(person)
        if not policy.somebody(person) or user is None:
            return "nobody_could"
        if deciders and len(deciders) < policy.approvals:
            return "too_few"
        place = self.foreseen(policy, person, here)
        if place is None:
            return "only_channels"
        if not place.private and await self.closed(place.id):
            return "invite_there" if self._fixed else "invite_here"
        return place

    def foreseen(self, policy: Policy, person: Person, here: str) -> Place | None:
        """Return where a card would go, as far as that is known without asking Slack; None = nowhere.

        The setting's channel; else the direct messages if the starter alone may decide; else this channel, unless
        it is a conversation between two, in which nobody else would see the card.
        """
        user = policy.user(person)
        if self._fixed:
            return Place(self._fixed, private=False)
        if user is not None and policy.deciders(person) == (user,) and not policy.groups:
            return Place(user, private=True)
        return Place(here, private=False) if here.startswith(("C", "G")) else None

    async def warm(self) -> None:
        """Look at the setting's channel ahead of time."""
        if self._fixed:
            await self.closed(self._fixed)

    async def closed(self, channel: str) -> bool:
        """Tell whether we surely cannot post in a channel; Slack being slow or away is no reason to say so.

        That a channel was open is believed for a while. If it no longer is, the first post fails and ends the run.
        """
        if self._clock() - self._open.get(channel, float("-inf")) < BELIEVED_SECONDS:
            return False
        try:
            reply = await asyncio.wait_for(self._client.conversations_info(channel=channel), timeout=PATIENCE)
        except SlackApiError as error:
            name = error.response.get("error")
            log.info("channel not open", extra={"channel": channel, "error": name})
            return name in {"channel_not_found", "not_in_channel", "is_archived", "missing_scope"}
        except AWAY:
            return False
        found = reply.get("channel") or {}
        if found.get("is_member") is False or found.get("is_archived"):
            return True
        self._open[channel] = self._clock()
        return False
