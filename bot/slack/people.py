"""Who is who: a person of a payload, and what Slack knows of them (name, zone, language), kept for an hour.

Whoever may start or decide is looked up when the bot starts; nothing that Slack's three seconds bound waits longer
than `PATIENCE` for anyone.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.away import AWAY
from graph.approval import Language, Person

log = logging.getLogger(__name__)
PATIENCE = 1.5
KEPT_SECONDS = 3600
MISSED_SECONDS = 30  #: until a user is asked about again whom Slack did not tell in time


@dataclass(frozen=True, slots=True)
class Who:
    """What Slack knows of a user."""

    name: str
    zone: str
    language: Language


class People:
    """Names, zones and languages of Slack's users.

    Args:
        client: for reading.
        language: of everything, if a setting says so; else each reader's own.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        language: Language | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._language, self._clock = client, language, clock
        self._known: dict[str, tuple[float, Who]] = {}
        self._missed: dict[str, float] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    def known(self, user: str) -> Who | None:
        """Return what is known of a user already; what is old is asked anew beside."""
        kept = self._known.get(user)
        if kept is None:
            return None
        if self._clock() - kept[0] >= KEPT_SECONDS:
            self._ask(user)
        return kept[1]

    async def look_up(self, user: str, patience: float = PATIENCE) -> Who | None:
        """Return what is known of a user, asking Slack if nothing is; None if it does not answer in time."""
        who = self.known(user)
        if who is None and (asking := self._ask(user)) is not None:
            await asyncio.wait({asking}, timeout=patience)
            who = self.known(user)
        return who

    async def warm(self, users: Iterable[str]) -> None:
        """Look up users ahead of time, so that nobody has to wait for it when they act."""
        await asyncio.gather(*(self.look_up(user) for user in users))

    async def close(self) -> None:
        """Ask Slack no more."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _ask(self, user: str) -> asyncio.Task[None] | None:
        """Ask Slack, once at a time; None if it failed to answer a moment ago. An answer that comes late is kept."""
        if user not in self._asking:
            if self._clock() - self._missed.get(user, float("-inf")) < MISSED_SECONDS:
                return None
            task = self._asking[user] = asyncio.create_task(self._learn(user))
            task.add_done_callback(lambda _: self._asking.pop(user, None))
        return self._asking[user]

    async def _learn(self, user: str) -> None:
        try:
            reply = await self._client.users_info(user=user, include_locale=True)
        except AWAY as error:
            log.warning("user not looked up", extra={"user": user, "error": type(error).__name__})
            self._missed[user] = self._clock()
        else:
            self._known[user] = (self._clock(), _read(reply.get("user") or {}))

    def language(self, user: str, otherwise: Language = "en") -> Language:
        """Return the language a user reads, without asking Slack."""
        if self._language:
            return self._language
        kept = self._known.get(user)
        return kept[1].language if kept else otherwise

    def person(self, body: Mapping[str, Any]) -> Person:
        """Return the person behind a payload, under the name Slack has for them as far as that is known."""
        user, team, name = identity(body)
        who = self.known(user)
        return Person(id=f"{team}/{user}", name=who.name if who else name, surface="slack", verified=True)

    def zone(self, user: str) -> str:
        """Return a user's IANA zone; UTC if it is not known."""
        who = self.known(user)
        return who.zone if who else "UTC"


def identity(body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return user id, team id and a name of a payload's person; the team is the person's own.

    Source: https://docs.slack.dev/reference/interaction-payloads
    """
    user = body.get("user")
    if isinstance(user, Mapping):
        team = user.get("team_id") or (body.get("team") or {}).get("id") or ""
        return str(user["id"]), str(team), str(user.get("name") or user.get("username") or user["id"])
    return str(body["user_id"]), str(body.get("team_id", "")), str(body.get("user_name") or body["user_id"])


def _read(user: Mapping[str, Any]) -> Who:
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    name = next((str(n) for n in names if n), str(user.get("id", "")))
    zone = str(user.get("tz") or "UTC")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        zone = "UTC"
    return Who(name, zone, "ja" if str(user.get("locale") or "").startswith("ja") else "en")
