"""Menus that ask the app while someone types: `external_select` and its many-of-them sister.

Source: https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload,
https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from bot.emulator import checks, complete, payloads, values
from bot.emulator.model import Message, View
from bot.emulator.socket_mode import SocketMode
from bot.emulator.workspace import Workspace

log = logging.getLogger(__name__)

NO_OPTIONS = "The app sent no options. Try again?"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a menu lists for what was typed.

    Attributes:
        groups: the options in their order; one group without a label if the app made no groups.
        error: Slack's sentence if the app gave none that Slack takes; None if it went well.
    """

    groups: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None

    @property
    def options(self) -> list[dict[str, Any]]:
        """All options, groups aside."""
        return [option for group in self.groups for option in group["options"]]


class Suggestions:
    """Asks the app for the options of a menu, and remembers them: only what was offered can be chosen."""

    def __init__(self, workspace: Workspace, sockets: SocketMode) -> None:
        self.workspace, self.sockets = workspace, sockets

    async def ask(
        self, person: str, place: View | Message, element_at: tuple[str, str | None], query: str
    ) -> Suggestion:
        """Ask for what a menu lists when this is typed.

        Args:
            person: who types.
            place: the view or the message the menu stands in.
            element_at: action id and, if several blocks have it, block id.
            query: what is typed so far; may be empty where the menu says `min_query_length: 0`.

        Raises:
            LookupError: there is no such menu, or it asks the app only when more is typed.
        """
        blocks = place.body["blocks"] if isinstance(place, View) else place.blocks
        block, element = values.find(blocks, *element_at)
        if element["type"] not in values.EXTERNAL:
            raise LookupError(f"{element['action_id']} does not ask the app for its options.")
        least = element.get("min_query_length", values.SHORTEST_QUERY)
        if len(query) < least:
            raise LookupError(f"Type {least} characters or more.")
        payload = payloads.suggestion(self.workspace, person, place, (block, element), query)
        ack = await self.sockets.deliver("interactive", payload, answers=True)
        if ack is None:
            return Suggestion(error=NO_OPTIONS)
        if wrong := checks.suggested(ack.body):
            log.warning("no options: Slack would not take this ack", extra={"wrong": wrong})
            return Suggestion(error=NO_OPTIONS)
        grouped = ack.body.get("option_groups")
        found = Suggestion(complete.groups([{"label": None, **ack.body}] if grouped is None else grouped))
        known = place.offered.setdefault((block["block_id"], element["action_id"]), [])
        known.extend(option for option in found.options if option not in known)
        return found
