"""How the local Slack says no: Slack's own error names, in Slack's own shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Refusal(Exception):
    """A call that Slack answers with `{"ok": false, "error": …}`.

    Attributes:
        error: Slack's name for it, for example `channel_not_found`.
        messages: what is wrong with the arguments, one sentence each, with a JSON pointer where there is one.
        more: further fields of the reply (`needed`, `provided` …).
        status: HTTP status; Slack answers nearly everything with 200.
        headers: further headers (`Retry-After`).
    """

    def __init__(
        self,
        error: str,
        messages: Sequence[str] = (),
        *,
        more: dict[str, Any] | None = None,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(error)
        self.error, self.messages = error, list(messages)
        self.more, self.status, self.headers = more or {}, status, headers or {}

    def body(self) -> dict[str, Any]:
        """Return the JSON that Slack would send."""
        reply: dict[str, Any] = {"ok": False, "error": self.error, **self.more}
        if self.messages:
            reply["response_metadata"] = {"messages": [f"[ERROR] {m}" for m in self.messages]}
            if self.error == "invalid_blocks":
                reply["errors"] = list(self.messages)
        return reply
