"""The driving API: a person in the workspace, for tests that act as people do and look at what people see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from bot.emulator import shapes, values
from bot.emulator.answer import Answer, Press
from bot.emulator.interactions import Interactions
from bot.emulator.model import User
from bot.emulator.suggestions import Suggestion

T = TypeVar("T")


class Person:
    """One member of the workspace, with their own modals and their own private messages.

    What a person sees are plain dicts: messages as the page gets them (`channel, ts, thread_ts, user, username,
    text, blocks, ephemeral, edited, files`), views as Slack's view objects.
    """

    def __init__(self, interactions: Interactions, user: User) -> None:
        self._interactions, self._workspace = interactions, interactions.workspace
        self.id, self.name, self.user = user.id, user.name, user

    # -- what they do ---------------------------------------------------------------------------------

    async def command(self, channel: str, text: str) -> Answer:
        """Type a command (`/linkcheck notes`) in a channel, by id or name; the answer holds its `ack` time."""
        return await self._interactions.say(self.id, channel, text)

    async def say(self, channel: str, text: str, *, thread_ts: str | None = None) -> Answer:
        """Write a message, in a thread if its first message is named."""
        return await self._interactions.say(self.id, channel, text, thread_ts)

    async def shortcut(self, callback_id: str) -> Answer:
        """Choose one of the app's global shortcuts."""
        return await self._interactions.shortcut(self.id, callback_id)

    async def click(
        self,
        where: Mapping[str, Any],
        action_id: str,
        *,
        block_id: str | None = None,
        choose: str | list[str] | None = None,
        typed: Mapping[str, str | list[str]] | None = None,
    ) -> Answer:
        """Press a button of a message or a view, or choose in one of its menus.

        Args:
            where: the message or the view, as this class returned it.
            action_id: which element.
            block_id: in which block, if several have it.
            choose: for menus, the option's value or label.
            typed: in a modal, what stands in its fields at that moment.

        Raises:
            LookupError: there is no such element.
            Refusal: the message is gone.
        """
        block, element = values.find(where["blocks"], action_id, block_id)
        value = None
        if choose is not None and element["type"] == "overflow":
            value = {"selected_option": values.option_called(element["options"], str(choose))}
        elif choose is not None:
            chosen = await self._meant(where, [block], {action_id: choose})
            value = chosen[block["block_id"]][action_id]
        given = await self._meant(where, where["blocks"], typed or {})
        press = Press(action_id, block["block_id"], value, given)
        if "ts" in where:
            return await self._interactions.click_message(self.id, where["channel"], where["ts"], press)
        return await self._interactions.click_view(self.id, where["id"], press)

    async def submit(
        self, view: Mapping[str, Any], typed: Mapping[str, str | list[str]] | None = None
    ) -> Answer:
        """Fill fields (by block id or action id) and submit; `errors` holds what stands beside the fields then."""
        given = await self._meant(view, view["blocks"], typed or {})
        return await self._interactions.submit(self.id, view["id"], given)

    async def options(
        self, where: Mapping[str, Any], action_id: str, query: str = "", *, block_id: str | None = None
    ) -> Suggestion:
        """Type in a menu that asks the app for its options; see what it lists then.

        Raises:
            LookupError: there is no such menu, or it asks the app only when more is typed.
            Refusal: the message is gone.
        """
        at = {"view_id": where["id"]} if "ts" not in where else where
        return await self._interactions.suggest(self.id, at, Press(action_id, block_id), query)

    async def close(self, view: Mapping[str, Any], *, everything: bool = False) -> Answer:
        """Close a modal with its own button, or `everything` below it too with ×."""
        return await self._interactions.close(self.id, view["id"], everything=everything)

    async def open_home(self, tab: str = "home") -> Answer:
        """Look at the app's Home tab, or at its `messages` tab."""
        return await self._interactions.open_home(self.id, tab)

    async def _meant(
        self,
        where: Mapping[str, Any],
        blocks: list[dict[str, Any]],
        words: Mapping[str, str | list[str]],
    ) -> dict[str, dict[str, Any]]:
        """Turn words into state values; into menus that ask the app the words are typed first."""
        place = self._interactions.place_of(self.id, where if "ts" in where else {"view_id": where["id"]})
        for name, said in words.items():
            block, element = values.named(blocks, name)
            if element["type"] not in values.EXTERNAL:
                continue
            for one in [said] if isinstance(said, str) else said:
                known = values.options(block, element, place.offered)
                if not any(one in {o["value"], o["text"]["text"]} for o in known):
                    await self.options(where, element["action_id"], one, block_id=block["block_id"])
        return values.spoken(blocks, words, place.offered)

    # -- what they see --------------------------------------------------------------------------------

    @property
    def dm(self) -> str:
        """The id of the direct messages with the app, opened if need be."""
        return self._workspace.open_im(self.id).id

    def messages(self, channel: str | None = None) -> list[dict[str, Any]]:
        """Return what stands in a channel (else in the direct messages), oldest first; no replies, nothing private."""
        return [m for m in self._seen(channel) if m["thread_ts"] is None and not m["ephemeral"]]

    def ephemeral(self, channel: str | None = None) -> list[dict[str, Any]]:
        """Return the private messages shown to this person in a channel, oldest first."""
        return [m for m in self._seen(channel) if m["ephemeral"]]

    def thread(self, ts: str, channel: str | None = None) -> list[dict[str, Any]]:
        """Return the replies below a message, oldest first; without a channel, wherever it stands."""
        where = [channel] if channel else list(self._workspace.channels)
        return [m for c in where for m in self._seen(c) if m["thread_ts"] == ts and not m["ephemeral"]]

    def message(self, ts: str, channel: str | None = None) -> dict[str, Any]:
        """Return a message as it stands now.

        Raises:
            LookupError: this person does not see it (any more).
        """
        where = [channel] if channel else list(self._workspace.channels)
        for shown in (m for c in where for m in self._seen(c)):
            if shown["ts"] == ts:
                return shown
        raise LookupError(f"{self.name} sees no message {ts}.")

    def file(self, file: Mapping[str, Any]) -> bytes:
        """Download a file of a message."""
        return self._workspace.files[file["id"]].content or b""

    @property
    def views(self) -> list[dict[str, Any]]:
        """This person's stack of modals, the one on top last."""
        return [shapes.view(v) for v in self._workspace.stacks.get(self.id, [])]

    @property
    def home(self) -> dict[str, Any] | None:
        """This person's Home tab."""
        shown = self._workspace.homes.get(self.id)
        return shapes.view(shown) if shown else None

    async def sees(self, what: Callable[[], T | None], timeout: float = 20.0) -> T:  # noqa: ASYNC109 - a deadline is this method's purpose
        """Wait until `what()` is true, and return it.

        Raises:
            TimeoutError: it did not become true in `timeout` seconds.
        """
        return await self._workspace.until(what, timeout)

    async def modal(self, callback_id: str | None = None, timeout: float = 20.0) -> dict[str, Any]:  # noqa: ASYNC109 - as above
        """Wait for a modal (with this callback id) on top, and return it.

        Raises:
            TimeoutError: none opened in `timeout` seconds.
        """

        def top() -> dict[str, Any] | None:
            shown = self.views[-1] if self.views else None
            return shown if shown and callback_id in {None, shown["callback_id"]} else None

        return await self.sees(top, timeout)

    def _seen(self, channel: str | None) -> list[dict[str, Any]]:
        found = self._workspace.named(channel or self.dm)
        return [shapes.seen(self._workspace, m) for m in self._workspace.seen_by(self.id, found.id)]
