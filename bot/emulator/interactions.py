"""What people do: type a command, press, submit, close. Sends it to the app as Slack would, applies its ack.

The page and the tests act through this one class, so a test presses the same button a person does.
Source: https://docs.slack.dev/reference/interaction-payloads
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.emulator import payloads, shapes, values
from bot.emulator.answer import Answer, Press
from bot.emulator.events import Events
from bot.emulator.manifest import Manifest
from bot.emulator.modals import Modals
from bot.emulator.model import BOT_USER, Message, View
from bot.emulator.refusal import Refusal
from bot.emulator.reply_url import ReplyUrls
from bot.emulator.socket_mode import Ack, SocketMode
from bot.emulator.suggestions import Suggestion, Suggestions
from bot.emulator.workspace import Workspace

NO_ANSWER = "the app did not respond"
TROUBLE = "We had some trouble connecting. Try again?"


class Interactions:
    """Everything people can do in this Slack.

    Args:
        workspace: where it happens.
        sockets: how the app hears of it.
        modals: the stacks of views that acks change.
        replies: the `response_url`s that come with commands and clicks.
        manifest: the app's commands, shortcuts and events; an app without commands has any.
    """

    def __init__(
        self,
        workspace: Workspace,
        sockets: SocketMode,
        modals: Modals,
        replies: ReplyUrls,
        manifest: Manifest,
    ) -> None:
        self.workspace, self.sockets, self.modals, self.replies = workspace, sockets, modals, replies
        self.manifest = manifest
        self.suggestions = Suggestions(workspace, sockets)
        self.events = Events(sockets, manifest.events)

    # -- what people do -------------------------------------------------------------------------------

    async def say(self, person: str, channel_id: str, text: str, thread_ts: str | None = None) -> Answer:
        """Write in a channel or a thread; in a channel, a text that begins with `/` is a command.

        Raises:
            Refusal: `channel_not_found` or `thread_not_found`.
        """
        channel = self.workspace.named(channel_id)
        if person not in channel.members:
            return self._answer(person, error="You are not in this conversation.")
        if channel.archived:
            return self._answer(person, error="This conversation is archived.")
        if text.startswith("/"):
            command, _, rest = text.strip().partition(" ")
            if thread_ts:  # https://docs.slack.dev/interactivity/implementing-slash-commands
                return self._answer(person, error=f"{command} is not supported in threads. Sorry!")
            return await self._command(person, channel.id, command, rest.strip())
        thread = self.workspace.thread(channel.id, thread_ts) if thread_ts else None
        words = shapes.with_mentions(self.workspace, shapes.escape(text))
        message = Message(channel.id, self.workspace.new_ts(), person, words, thread_ts=thread)
        self.workspace.put(message)
        if BOT_USER in channel.members:
            kind = "message.im" if channel.im else "message.channels"
            self.events.tell(kind, payloads.written(self.workspace, message))
            if channel.im is None and f"<@{BOT_USER}>" in words:
                self.events.tell("app_mention", payloads.mentioned(self.workspace, message))
        return self._answer(person)

    async def shortcut(self, person: str, callback_id: str) -> Answer:
        """Choose one of the app's global shortcuts.

        Raises:
            LookupError: the app has no such shortcut.
        """
        known = {s["callback_id"] for s in self.manifest.shortcuts}
        if callback_id not in known and known:
            raise LookupError(f"There is no shortcut {callback_id!r}; there is {', '.join(sorted(known))}.")
        ack = await self.sockets.deliver(
            "interactive", payloads.shortcut(self.workspace, person, callback_id)
        )
        return self._answer(person, ack, error=None if ack else NO_ANSWER)

    async def _command(self, person: str, channel: str, command: str, text: str) -> Answer:
        known = {c["command"] for c in self.manifest.commands}
        if known and command not in known:
            return self._answer(person, error=f"{command} is not a valid command.")
        address = self.workspace.new_reply_address(person, channel)
        payload = payloads.command(
            self.workspace, person, channel, (command, text), self.replies.address(address, "commands")
        )
        ack = await self.sockets.deliver("slash_commands", payload, answers=True)
        if ack is None:
            return self._answer(person, error=f"{command} failed because {NO_ANSWER}.")
        if not ack.body:
            return self._answer(person, ack)
        try:
            said = self.replies.say(self.workspace.replies[address], ack.body)
        except Refusal:
            return self._answer(
                person, ack, error=f"{command} failed with the error “invalid_command_response”."
            )
        return self._answer(person, ack, said=said)

    async def click_message(self, person: str, channel_id: str, ts: str, press: Press) -> Answer:
        """Press a button of a message, or choose in one of its menus.

        Raises:
            Refusal: `message_not_found`, as when the message was deleted meanwhile.
            LookupError: the message has no such element.
        """
        message = self.workspace.message(channel_id, ts, person=person)
        if person not in self.workspace.channels[channel_id].members:
            raise Refusal("message_not_found")
        block, element = values.find(message.blocks, press.action_id, press.block_id)
        action = payloads.action(self.workspace, block, element, press.value, message.offered)
        address = self.workspace.new_reply_address(person, channel_id, message)
        payload = payloads.pressed_in_message(
            self.workspace, person, message, action, self.replies.address(address, "actions")
        )
        ack = await self.sockets.deliver("interactive", payload)
        return self._answer(person, ack, error=None if ack else NO_ANSWER)

    async def click_view(self, person: str, view_id: str, press: Press) -> Answer:
        """Press a button in a modal or a Home tab, with what is typed there so far.

        Raises:
            LookupError: the view is not open for this person, or has no such element.
        """
        view = self._mine(person, view_id)
        blocks = view.body["blocks"]
        block, element = values.find(blocks, press.action_id, press.block_id)
        action = payloads.action(self.workspace, block, element, press.value, view.offered)
        view.state = values.merged(blocks, view.state, press.given, view.offered)
        pressed = {block["block_id"]: {press.action_id: action}}
        view.state = values.merged(blocks, view.state, pressed, view.offered)
        payload = payloads.pressed_in_view(self.workspace, person, view, action)
        ack = await self.sockets.deliver("interactive", payload)
        return self._answer(person, ack, error=None if ack else NO_ANSWER)

    async def submit(self, person: str, view_id: str, given: Mapping[str, Any]) -> Answer:
        """Submit a modal: refuse what Slack's own app refuses, send the rest, do what the ack says.

        Raises:
            LookupError: the view is not open for this person, or has nothing to submit.
        """
        view = self._mine(person, view_id)
        if view.body["submit"] is None:
            raise LookupError("This view has no button to submit it.")
        view.state = values.merged(view.body["blocks"], view.state, given, view.offered)
        if wrong := values.not_yet(view.body["blocks"], view.state):
            return self._answer(person, errors=wrong)
        payload = payloads.submitted(self.workspace, person, view)
        ack = await self.sockets.deliver("interactive", payload, answers=True)
        if ack is None:
            return self._answer(person, error=TROUBLE)
        try:
            return self._answer(person, ack, errors=self.modals.obey(view, ack.body))
        except Refusal:
            return self._answer(person, ack, error=TROUBLE)

    async def suggest(self, person: str, place: Mapping[str, Any], press: Press, query: str) -> Suggestion:
        """Type in a menu that asks the app for its options; `place` as for `place_of`.

        Raises:
            Refusal: `message_not_found`.
            LookupError: no such view, no such menu, or too little is typed.
        """
        at = (press.action_id, press.block_id)
        return await self.suggestions.ask(person, self.place_of(person, place), at, query)

    def place_of(self, person: str, place: Mapping[str, Any]) -> View | Message:
        """Find where someone acts: `view_id`, or `channel` and `ts` of a message.

        Raises:
            Refusal: `message_not_found`.
            LookupError: the view is not open for this person.
        """
        if "view_id" in place:
            return self._mine(person, place["view_id"])
        return self.workspace.message(place["channel"], place["ts"], person=person)

    async def close(self, person: str, view_id: str, *, everything: bool = False) -> Answer:
        """Close a modal, or with × everything it stands on; the app hears of each view that asked for it.

        Raises:
            LookupError: the view is not open for this person.

        Source: https://docs.slack.dev/surfaces/modals#close_modal
        """
        view = self._mine(person, view_id)
        gone = self.modals.close(view, everything=everything)
        ack = None
        for closed in gone:
            if closed.body["notify_on_close"]:
                payload = payloads.closed(self.workspace, person, closed, cleared=len(gone) > 1)
                ack = await self.sockets.deliver("interactive", payload)
        return self._answer(person, ack)

    async def open_home(self, person: str, tab: str = "home") -> Answer:
        """Look at the app's Home tab, or at its Messages tab; the app hears of it if it subscribed."""
        self.events.tell("app_home_opened", payloads.home_opened(self.workspace, person, tab))
        return self._answer(person)

    # -- inside --------------------------------------------------------------------------------

    def _mine(self, person: str, view_id: str) -> View:
        """Find a view that this person has open."""
        view = self.workspace.view(view_id)
        if view is None or view.user != person:
            raise LookupError("This view is not open.")
        return view

    def _answer(
        self,
        person: str,
        ack: Ack | None = None,
        *,
        error: str | None = None,
        errors: dict[str, str] | None = None,
        said: Message | None = None,
    ) -> Answer:
        """Put together what the person sees now."""
        self.workspace.touch()
        stack = self.workspace.stacks.get(person, [])
        return Answer(
            ack=ack.milliseconds if ack else None,
            error=error,
            errors=errors or {},
            view=shapes.view(stack[-1]) if stack else None,
            said=shapes.seen(self.workspace, said) if said else None,
        )
