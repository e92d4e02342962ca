"""What the local Slack knows: people, channels, messages, open views, triggers, reply addresses.

Plain state with Slack's rules about it. Nothing here speaks HTTP; whoever changes something calls `touch`,
and whoever waits for something uses `until`.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from bot.emulator.model import (
    BOT_USER,
    TRIGGER_SECONDS,
    Channel,
    File,
    Message,
    ReplyAddress,
    Trigger,
    User,
    View,
    people,
    user_groups,
)
from bot.emulator.refusal import Refusal

T = TypeVar("T")


class Workspace:
    """All state of one local Slack, and the clock it goes by.

    Args:
        bot_name: what the app's user is called.
        clock: seconds since the epoch.

    Attributes:
        base: where this Slack listens, for example `http://127.0.0.1:4321`; empty before it does.
        trigger_seconds: how long a trigger lives; 0 makes every one too old at once.
        version: counts up with every change.
    """

    def __init__(self, *, bot_name: str = "app", clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.base = ""
        self.users = {u.id: u for u in people()}
        self.users[BOT_USER] = User(BOT_USER, bot_name, "Europe/London", "en-US", is_bot=True)
        self.usergroups = {g.id: g for g in user_groups()}
        everyone = {u.id for u in people()}
        self.channels = {
            c.id: c
            for c in (
                Channel("C0GENERAL", "general", everyone | {BOT_USER}),
                Channel("C0NOTES", "notes-care", everyone | {BOT_USER}),
                Channel("C0ELSEWHERE", "elsewhere", set(everyone)),
            )
        }
        self.messages: dict[str, list[Message]] = {}
        self.files: dict[str, File] = {}
        self.stacks: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}
        self.triggers: dict[str, Trigger] = {}
        self.replies: dict[str, ReplyAddress] = {}
        self.old_token = secrets.token_hex(12)  # Slack still sends its verification token; nobody reads it
        self.trigger_seconds = TRIGGER_SECONDS
        self.version = 0
        self._last_ts = 0
        self._changed: set[asyncio.Event] = set()

    # -- change ---------------------------------------------------------------------------------------

    def touch(self) -> None:
        """Tell everyone who waits that something changed."""
        self.version += 1
        for event in self._changed:
            event.set()

    async def until(self, found: Callable[[], T | None], timeout: float = 20.0) -> T:  # noqa: ASYNC109 - a deadline is this method's purpose
        """Return what `found` returns as soon as it is true.

        Raises:
            TimeoutError: it did not become true in `timeout` seconds.
        """
        event = asyncio.Event()
        self._changed.add(event)
        try:
            async with asyncio.timeout(timeout):
                while not (value := found()):
                    with contextlib.suppress(
                        TimeoutError
                    ):  # it may also look at what is not in here: files, rows
                        await asyncio.wait_for(event.wait(), 0.05)
                    event.clear()
                return value
        finally:
            self._changed.discard(event)

    def new_ts(self) -> str:
        """Return the next message time stamp: unique, and always later than the one before."""
        self._last_ts = max(self._last_ts + 1, int(self.clock() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    # -- channels and messages ------------------------------------------------------------------------

    def channel(self, wanted: str) -> Channel:
        """Find a channel by id; a user's id finds their direct messages with the bot.

        Raises:
            Refusal: `channel_not_found`.
        """
        if wanted in self.users and not self.users[wanted].is_bot:
            return self.open_im(wanted)
        if wanted not in self.channels:
            raise Refusal("channel_not_found")
        return self.channels[wanted]

    def open_im(self, user: str) -> Channel:
        """Return the direct messages between the bot and a person, opened if need be."""
        if user not in self.users:
            raise Refusal("user_not_found")
        name = "D0" + user.removeprefix("U").removeprefix("0")
        if name not in self.channels:
            self.channels[name] = Channel(name, "directmessage", {user, BOT_USER}, im=user)
            self.touch()
        return self.channels[name]

    def named(self, wanted: str) -> Channel:
        """Find a channel by id or by name, as a person would say it."""
        by_name = (c for c in self.channels.values() if c.im is None and c.name == wanted.lstrip("#"))
        return next(by_name, None) or self.channel(wanted)

    def writable(self, wanted: str) -> Channel:
        """Find a channel the app may post to.

        Raises:
            Refusal: `channel_not_found`, `not_in_channel` or `is_archived`.
        """
        channel = self.channel(wanted)
        if BOT_USER not in channel.members:
            raise Refusal("not_in_channel")
        if channel.archived:
            raise Refusal("is_archived")
        return channel

    def thread(self, channel: str, ts: str) -> str:
        """Return the first message of the thread that this message is in or begins.

        Raises:
            Refusal: `thread_not_found`.
        """
        try:
            parent = self.message(channel, ts)
        except Refusal:
            raise Refusal("thread_not_found") from None
        return parent.thread_ts or parent.ts

    def put(self, message: Message) -> Message:
        """Add a message to its channel."""
        self.messages.setdefault(message.channel, []).append(message)
        self.touch()
        return message

    def message(self, channel: str, ts: str, *, person: str | None = None) -> Message:
        """Find a message; an ephemeral one only for the person it was shown to.

        Raises:
            Refusal: `message_not_found`.
        """
        for message in self.messages.get(channel, []):
            if message.ts == ts and message.only_for in {None, person}:
                return message
        raise Refusal("message_not_found")

    def delete(self, channel: str, ts: str) -> None:
        """Delete a message, as its author or an administrator would."""
        kept = [m for m in self.messages.get(channel, []) if m.ts != ts]
        self.messages[channel] = kept
        self.touch()

    def seen_by(self, person: str, channel: str) -> Iterator[Message]:
        """Yield what a person sees in a channel, oldest first, replies and ephemeral ones included."""
        if person in self.channels[channel].members:
            yield from (m for m in self.messages.get(channel, []) if m.only_for in {None, person})

    # -- views ----------------------------------------------------------------------------------------

    def view(self, view_id: str) -> View | None:
        """Find an open modal or a Home tab."""
        shown = [v for stack in self.stacks.values() for v in stack] + list(self.homes.values())
        return next((v for v in shown if v.id == view_id), None)

    def view_by_external_id(self, external_id: str) -> View | None:
        """Find an open modal or a Home tab by the id its app chose."""
        shown = [v for stack in self.stacks.values() for v in stack] + list(self.homes.values())
        return next((v for v in shown if v.body.get("external_id") == external_id), None)

    def new_hash(self) -> str:
        """Return a new version mark for a view."""
        return f"{int(self.clock())}.{secrets.token_hex(4)}"

    # -- triggers and reply addresses -----------------------------------------------------------------

    def new_trigger(self, user: str, view: str | None = None) -> str:
        """Give an interaction the right to open one modal within three seconds."""
        trigger = Trigger(
            f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}.{secrets.token_hex(8)}",
            user,
            self.clock(),
            view,
        )
        self.triggers[trigger.id] = trigger
        return trigger.id

    def spend(self, trigger_id: str) -> Trigger:
        """Use a trigger up.

        Raises:
            Refusal: `invalid_trigger_id`, `exchanged_trigger_id`, or `expired_trigger_id`.

        Source: https://docs.slack.dev/reference/methods/views.open
        """
        trigger = self.triggers.get(trigger_id)
        if trigger is None:
            raise Refusal("invalid_trigger_id")
        if trigger.used:
            raise Refusal("exchanged_trigger_id")
        if trigger.expired or self.clock() - trigger.at > self.trigger_seconds:
            raise Refusal("expired_trigger_id")
        trigger.used = True
        return trigger

    def new_reply_address(self, user: str, channel: str, message: Message | None = None) -> str:
        """Return the id of a new `response_url`."""
        address = ReplyAddress(secrets.token_urlsafe(24), user, channel, self.clock(), message)
        self.replies[address.id] = address
        return address.id
