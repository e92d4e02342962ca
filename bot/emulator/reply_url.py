"""The `response_url` of a command or a click: five uses within thirty minutes.

Source: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
"""

from __future__ import annotations

from typing import Any

from bot.emulator import checks, complete
from bot.emulator.model import BOT_USER, URL_SECONDS, URL_USES, Message, ReplyAddress
from bot.emulator.refusal import Refusal
from bot.emulator.workspace import Workspace


class ReplyUrls:
    """All reply addresses of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def address(self, reply_id: str, kind: str) -> str:
        """Return the whole address; `kind` is `commands` or `actions`."""
        return f"{self.workspace.base}/{kind}/{reply_id}"

    def use(self, reply_id: str, body: Any) -> None:
        """Do what an app posted to a reply address.

        Raises:
            Refusal: unknown, used up, too old, or no valid message.
        """
        address = self.workspace.replies.get(reply_id)
        if address is None:
            raise Refusal("no_such_url", status=404)
        if self.workspace.clock() - address.at > URL_SECONDS:
            raise Refusal("expired_url", status=404)
        if address.uses >= URL_USES:
            raise Refusal("used_url", status=404)
        if not isinstance(body, dict):
            raise Refusal("invalid_payload", status=400)
        if body.get("delete_original"):
            if address.message is not None:
                self.workspace.delete(address.channel, address.message.ts)
        elif body.get("replace_original") and address.message is not None:
            self._replace(address.message, body)
        else:
            self.say(address, body)
        address.uses += 1

    def say(self, address: ReplyAddress, body: Any) -> Message:
        """Post what an app answered to a command or a click, privately unless it says otherwise.

        Raises:
            Refusal: it is no valid message.
        """
        body = {"text": body} if isinstance(body, str) else body
        if not isinstance(body, dict):
            raise Refusal("invalid_payload", status=400)
        text, blocks = checks.content(body)
        public = body.get("response_type") == "in_channel"
        thread = body.get("thread_ts") or (address.message.thread_ts if address.message else None)
        return self.workspace.put(
            Message(
                address.channel,
                self.workspace.new_ts(),
                BOT_USER,
                text,
                complete.blocks(blocks),
                thread_ts=thread,
                only_for=None if public else address.user,
            )
        )

    def _replace(self, message: Message, body: dict[str, Any]) -> None:
        text, blocks = checks.content(body)
        message.text, message.blocks = text, complete.blocks(blocks)
        message.edited = self.workspace.new_ts()
        self.workspace.touch()
