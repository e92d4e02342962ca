"""The few blocks we use, each within Slack's limits whatever it is given.

Strangers' text goes into `header`, `plain` and `quiet_plain`. `marked` and `quiet` take our own words, numbers,
mentions and dates; what else goes in there has been through `fit.safe`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot import limits
from bot.slack.fit import brief, cut_markup, cut_units, safe
from graph.approval import Person
from graph.policy import Policy

Block = dict[str, Any]
_USER = re.compile(r"[UW][A-Z0-9]+")
_GROUP = re.compile(r"S[A-Z0-9]+")
_CHANNEL = re.compile(r"[CG][A-Z0-9]+")


@dataclass(frozen=True, slots=True)
class Content:
    """What a message says: the notification sentence (escaped) and the blocks."""

    text: str
    blocks: list[Block]


def plain_text(text: str, most: int) -> Block:
    """Return a text object that Slack shows as it is."""
    return {"type": "plain_text", "text": cut_units(text, most) or " ", "emoji": False}


def _mrkdwn(text: str, most: int) -> Block:
    return {"type": "mrkdwn", "text": cut_markup(text, most) or " ", "verbatim": True}


def header(text: str) -> Block:
    """Return a headline of one line."""
    return {"type": "header", "text": plain_text(brief(text, limits.HEADER_TEXT), limits.HEADER_TEXT)}


def plain(text: str, accessory: Block | None = None) -> Block:
    """Return a section of plain text; line breaks stay."""
    block: Block = {"type": "section", "text": plain_text(text, limits.SECTION_TEXT), "expand": True}
    return block | {"accessory": accessory} if accessory else block


def marked(text: str, accessory: Block | None = None) -> Block:
    """Return a section of markup; every foreign part of it is `fit.safe`."""
    block: Block = {
        "type": "section",
        "text": _mrkdwn(text, limits.SECTION_TEXT),
        "expand": True,
    }
    return block | {"accessory": accessory} if accessory else block


def quiet(text: str) -> Block:
    """Return a small line of markup."""
    return {"type": "context", "elements": [_mrkdwn(text, limits.CONTEXT_TEXT)]}


def quiet_plain(text: str) -> Block:
    """Return a small line of plain text."""
    return {"type": "context", "elements": [plain_text(text, limits.CONTEXT_TEXT)]}


def divider() -> Block:
    """Return a line across."""
    return {"type": "divider"}


def button(  # noqa: PLR0913 - Slack's own fields
    action: str, label: str, value: str, *, style: str = "", spoken: str = "", url: str = ""
) -> Block:
    """Return a button. `spoken` is what a screen reader says; an empty `value` is left out."""
    block: Block = {
        "type": "button",
        "action_id": action,
        "text": plain_text(brief(label), limits.BUTTON_TEXT),
    }
    if value:
        block["value"] = value
    if style:
        block["style"] = style
    if spoken:
        block["accessibility_label"] = cut_units(brief(spoken), limits.ACCESSIBILITY_LABEL)
    if url:
        block["url"] = url
    return block


def option(text: str, value: str) -> Block:
    """Return something to choose."""
    return {"text": plain_text(text, limits.OPTION_TEXT), "value": value}


def select(action: str, options: list[Block], *, placeholder: str) -> Block:
    """Return a menu in which nothing is chosen yet."""
    return {
        "type": "static_select",
        "action_id": action,
        "options": options,
        "placeholder": plain_text(placeholder, limits.PLACEHOLDER),
    }


def actions(block_id: str, *buttons: Block) -> Block:
    """Return a row of buttons and menus."""
    return {"type": "actions", "block_id": block_id, "elements": list(buttons)}


def mention(user: str) -> str:
    """Return the mention of a Slack user; anything that is no user id is shown as text."""
    return f"<@{user}>" if _USER.fullmatch(user) else safe(user, 40)


def group(group_id: str) -> str:
    """Return the mention of a user group; anything that is no group id is shown as text."""
    return f"<!subteam^{group_id}>" if _GROUP.fullmatch(group_id) else safe(group_id, 40)


def channel(place: str) -> str:
    """Return the link to a channel; anything else, direct messages too, is shown as text."""
    return f"<#{place}>" if _CHANNEL.fullmatch(place) else safe(place, 40)


def who(person: Person, policy: Policy) -> str:
    """Return a person for markup: the mention of their Slack user, else the name."""
    user = policy.user(person)
    return mention(user) if user and _USER.fullmatch(user) else safe(person.name or person.id, 40)


def named(person: Person) -> str:
    """Return a person for notifications, where mentions are not resolved: `@Name`."""
    return "@" + safe(person.name or person.id.rpartition("/")[2], 40)


def moment(at: datetime, zone: str, since: datetime | None = None) -> str:
    """Return a time that Slack shows in each reader's zone; with the day, unless it is the day of `since`.

    Source: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
    """
    shown = "{time}" if _same_day(at, since, zone) else "{date_short_pretty} {time}"
    return f"<!date^{int(at.timestamp())}^{shown}|{clock(at, zone, since)}>"


def clock(at: datetime, zone: str, since: datetime | None = None) -> str:
    """Return a time written out in a zone: `14:02`, or `2026-12-02 14:02` on another day than `since`."""
    local = at.astimezone(ZoneInfo(zone))
    return local.strftime("%H:%M" if _same_day(at, since, zone) else "%Y-%m-%d %H:%M")


def _same_day(at: datetime, since: datetime | None, zone: str) -> bool:
    tz = ZoneInfo(zone)
    return since is None or at.astimezone(tz).date() == since.astimezone(tz).date()


def lasted(begin: datetime, end: datetime) -> str:
    """Return a span as `0:48`, `1:40` or `2:05:10`."""
    seconds = max(0, int((end - begin).total_seconds()))
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
