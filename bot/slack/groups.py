"""Who is in the user groups that may decide, asked of Slack and believed for a minute.

A group that Slack does not know, or that is disabled, has nobody in it. Slack not answering is neither: nobody is
let in then, and nobody is told that they are out.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.away import AWAY, error_name
from bot.slack.people import PATIENCE
from graph.approval import Person
from graph.intake import Intake

log = logging.getLogger(__name__)
KEPT_SECONDS = 60
PAGES = 20
_NOBODY = frozenset({"no_such_subteam", "plan_upgrade_required"})
"""Slack knows no such group, or disabled it, or has no groups at all. Source: https://docs.slack.dev/reference/methods/usergroups.users.list"""


class GroupUnknown(Exception):
    """Slack did not say in time who is in a user group."""


class Groups:
    """Keeps the policy's members as Slack says they are.

    Args:
        client: for reading.
        intake: whose policy names the groups.
        changed: called when it is found that someone came or went; must not block.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        intake: Intake,
        changed: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._intake, self._changed, self._clock = client, intake, changed, clock
        self._known: dict[str, tuple[float, frozenset[str]]] = {}
        self._asking: dict[str, asyncio.Task[bool]] = {}

    async def warm(self) -> None:
        """Ask ahead of time."""
        await self._ask(PATIENCE)

    def glance(self) -> None:
        """Ask beside for what is no longer believed."""
        for group in self._stale():
            self._begin(group)

    async def sure_of(self, person: Person) -> None:
        """Make sure that what is known says whether this person may decide.

        Raises:
            GroupUnknown: Slack did not say in time.
        """
        policy = self._intake.policy
        if person.surface != "slack" or policy.user(person) in policy.approvers:
            return
        if not await self._ask(PATIENCE):
            raise GroupUnknown

    async def close(self) -> None:
        """Ask Slack no more."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _stale(self) -> list[str]:
        now = self._clock()
        return [
            group
            for group in self._intake.policy.groups
            if group not in self._known or now - self._known[group][0] >= KEPT_SECONDS
        ]

    async def _ask(self, patience: float) -> bool:
        """Ask for what is no longer believed; tell whether Slack said all of it in time."""
        asking = {self._begin(group) for group in self._stale()}
        if not asking:
            return True
        done, late = await asyncio.wait(asking, timeout=patience)
        return not late and all(task.result() for task in done)

    def _begin(self, group: str) -> asyncio.Task[bool]:
        """Ask for a group, once at a time. An answer that comes late is kept."""
        if group not in self._asking:
            task = self._asking[group] = asyncio.create_task(self._learn(group))
            task.add_done_callback(lambda _: self._asking.pop(group, None))
        return self._asking[group]

    async def _learn(self, group: str) -> bool:
        try:
            members = await self._members(group)
        except SlackApiError as error:
            if error_name(error) not in _NOBODY:
                log.warning("group not looked up", extra={"group": group, "error": error_name(error)})
                return False
            log.warning("nobody is in this group", extra={"group": group, "error": error_name(error)})
            members = frozenset()
        except AWAY as error:
            log.warning("group not looked up", extra={"group": group, "error": error_name(error)})
            return False
        self._known[group] = (self._clock(), members)
        self._tell()
        return True

    async def _members(self, group: str) -> frozenset[str]:
        """Ask for all pages; one that is missing would keep people out."""
        members: set[str] = set()
        cursor = ""
        for _ in range(PAGES):
            more: Any = {"cursor": cursor} if cursor else {}
            reply: Any = await self._client.usergroups_users_list(usergroup=group, **more)
            members.update(map(str, reply.get("users") or []))
            cursor = str((reply.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        return frozenset(members)

    def _tell(self) -> None:
        policy = self._intake.policy
        known = frozenset[str]().union(*(m for g, (_, m) in self._known.items() if g in policy.groups))
        if known != policy.members:
            self._intake.policy = replace(policy, members=known)
            self._changed()
