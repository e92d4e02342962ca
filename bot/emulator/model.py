"""The things a local Slack consists of: people, channels, messages, views, triggers, reply addresses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TEAM, DOMAIN, APP, BOT, BOT_USER = "T0TEAM", "local", "A0APP", "B0BOT", "U0BOT"
TRIGGER_SECONDS = 3.0
URL_SECONDS, URL_USES = 1800.0, 5
STACK = 3


@dataclass(slots=True)
class User:
    """Someone in the workspace, with the zone and language they chose in their Slack."""

    id: str
    name: str
    tz: str
    locale: str
    is_bot: bool = False


@dataclass(slots=True)
class UserGroup:
    """Several people under one name that can be mentioned."""

    id: str
    handle: str
    name: str
    members: list[str]
    disabled: bool = False


@dataclass(slots=True)
class Channel:
    """A public channel, or the direct messages between the bot and one person (`im`)."""

    id: str
    name: str
    members: set[str]
    im: str | None = None
    archived: bool = False


@dataclass(slots=True)
class Message:
    """A message; `only_for` is the one who sees it if it is ephemeral.

    `offered` is what the app has served for its menus so far: (block id, action id) → options.
    """

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[dict[str, Any]] = field(default_factory=list)
    thread_ts: str | None = None
    only_for: str | None = None
    metadata: dict[str, Any] | None = None
    edited: str | None = None
    files: list[str] = field(default_factory=list)
    offered: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)


@dataclass(slots=True)
class File:
    """A file the app uploads: announced, then filled, then shared (`shared` once it was completed).

    `ticket` is the secret of the address it is uploaded to, `size` in bytes what was announced.
    """

    id: str
    ticket: str
    name: str
    size: int
    created: float
    title: str = ""
    content: bytes | None = None
    shared: bool = False


@dataclass(slots=True)
class View:
    """A modal someone has open, or a Home tab; `body` is what the app gave, completed as Slack does.

    `offered` is what the app has served for its menus so far: (block id, action id) → options.
    """

    id: str
    user: str
    body: dict[str, Any]
    hash: str
    root: str
    previous: str | None
    state: dict[str, dict[str, Any]] = field(default_factory=dict)
    offered: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)


@dataclass(slots=True)
class Trigger:
    """The right to open one modal, given by an interaction; `view` if that happened inside a modal."""

    id: str
    user: str
    at: float
    view: str | None = None
    used: bool = False
    expired: bool = False


@dataclass(slots=True)
class ReplyAddress:
    """A `response_url`: who it answers, where, and the message it came from if that was a click."""

    id: str
    user: str
    channel: str
    at: float
    message: Message | None = None
    uses: int = 0


def people() -> list[User]:
    """Return the members every local workspace begins with."""
    return [
        User("U0MEMBER1", "Member 1", "Europe/London", "en-US"),
        User("U0MEMBER2", "Member 2", "Asia/Tokyo", "ja-JP"),
        User("U0STRANGER", "Member 3", "Europe/London", "en-US"),
    ]


def user_groups() -> list[UserGroup]:
    """Return the user groups every local workspace begins with."""
    return [UserGroup("S0APPROVERS", "approvers", "Approvers", ["U0MEMBER1", "U0MEMBER2"])]
