"""What people do: type a command, press, submit, close. Sends it to the app as Slack would, applies its ack.

The page and the tests act through this one class, so a test presses the same button a person does.
Source: https://docs.slack.dev/reference/interaction-payloads
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.emulator import payloads, shapes, values
from bot.emulator.modals import Modals
from bot.emulator.model import Message, View
from bot.emulator.refusal import Refusal
from bot.emulator.reply_url import ReplyUrls
from bot.emulator.socket_mode import Ack, SocketMode
from bot.emulator.suggestions import Suggestion, Suggestions
from bot.emulator.workspace import Workspace

NO_ANSWER = "the app did not respond"
TROUBLE = "We had some trouble connecting. Try again?"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person sees right after they did something.

    Attributes:
        ack: milliseconds from sending to the app's acknowledgement; None if nothing was sent or no ack came.
        error: Slack's sentence if it went wrong; None if it went well.
        errors: what is wrong with a form, input block id → sentence.
        view: the modal on top of this person's stack at that moment, if any.
        said: the private message that a command's ack carried, if any.
    """

    ack: float | None = None
    error: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    view: dict[str, Any] | None = None
    said: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether the person was told nothing bad."""
        return self.error is None and not self.errors


@dataclass(frozen=True, slots=True)
class Press:
    """A press of a button or a choice in a menu.

    Attributes:
        action_id: which element.
        block_id: in which block, if several have it.
        value: for menus, what is chosen now, as a state value (`{"selected_option": …}`).
        given: in a modal, what stands in all fields at that moment, as in `state.values`.
    """

    action_id: str
    block_id: str | None = None
    value: Any = None
    given: Mapping[str, Any] = field(default_factory=dict)


class Interactions:
    """Everything people can do in this Slack.

    Args:
        workspace: where it happens.
        sockets: how the app hears of it.
        modals: the stacks of views that acks change.
        replies: the `response_url`s that come with commands and clicks.
        commands: the slash commands the app registered; empty = any is taken.
        events: the event types the app subscribed to.
    """

    def __init__(  # noqa: PLR0913 - the parts of one workspace, put together in one place
        self,
        workspace: Workspace,
        sockets: SocketMode,
        modals: Modals,
        replies: ReplyUrls,
        *,
        commands: frozenset[str] = frozenset(),
        events: frozenset[str] = frozenset(),
    ) -> None:
        self.workspace, self.sockets, self.modals, self.replies = workspace, sockets, modals, replies
        self.commands, self.events = commands, events
        self.suggestions = Suggestions(workspace, sockets)

    # -- what people do -------------------------------------------------------------------------------

    async def say(self, person: str, channel_id: str, text: str) -> Answer:
        """Write in a channel; a text that begins with `/` is a command."""
        channel = self.workspace.named(channel_id)
        if person not in channel.members:
            return self._answer(person, error="You are not in this conversation.")
        if text.startswith("/"):
            command, _, rest = text.strip().partition(" ")
            return await self._command(person, channel.id, command, rest.strip())
        self.workspace.put(Message(channel.id, self.workspace.new_ts(), person, shapes.escape(text)))
        return self._answer(person)

    async def _command(self, person: str, channel: str, command: str, text: str) -> Answer:
        if self.commands and command not in self.commands:
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

    async def open_home(self, person: str) -> Answer:
        """Look at the app's Home tab; the app hears of it if it subscribed to `app_home_opened`."""
        if "app_home_opened" not in self.events:
            return self._answer(person)
        payload = payloads.home_opened(self.workspace, person)
        ack = await self.sockets.deliver("events_api", payload)
        return self._answer(person, ack, error=None if ack else NO_ANSWER)

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
