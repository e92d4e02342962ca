"""What the child's lines say, read as they come: one JSON object a line.

Only counts, names and the last line are kept. Lines hold the notes the model read, so none is ever logged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

LONGEST_PATH = 300
MOST_PATHS = 50


@dataclass(slots=True)
class Seen:
    """What one call has said so far.

    Attributes:
        billing: tells what is wrong with the source of the login (`init.apiKeySource`), None if nothing is.
        result: the last line, once it is there.
        wrong_route: why the call must not go on: it would be billed another way than set.
        resets_at: when the plan's window opens again, once a limit was hit.
        api_retries: requests that the command repeated by itself.
    """

    billing: Callable[[str], str | None]
    result: dict[str, Any] | None = None
    wrong_route: str | None = None
    resets_at: datetime | None = None
    model: str | None = None
    turns: int = 0
    reads: int = 0
    refused: list[str] = field(default_factory=list)
    refused_reads: int = 0
    api_retries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def line(self, raw: bytes) -> None:
        """Take one line in; a line that is no JSON object says nothing."""
        try:
            event = json.loads(raw)
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        match event.get("type"), event.get("subtype"):
            case "system", "init":
                self._begin(event)
            case "system", "api_retry":
                self.api_retries += 1
            case "system", "permission_denied":
                self.refused_reads += 1
            case "rate_limit_event", _:
                self._limit(_mapping(event.get("rate_limit_info")))
            case "assistant", _:
                self._assistant(_mapping(event.get("message")))
            case "result", _:
                self._end(event)
            case _:
                return

    def facts(self) -> dict[str, int]:
        """Return what the call did and cost so far."""
        return {
            "calls": 1,
            "retries": 0,
            "turns": self.turns,
            "refused_reads": self.refused_reads,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }

    def _begin(self, event: Mapping[str, Any]) -> None:
        self.model = _text(event.get("model")) or self.model
        # Absent means a version that does not say; the login was asked before the call all the same.
        source = event.get("apiKeySource", "none")
        self.wrong_route = self.wrong_route or self.billing(str(source))

    def _limit(self, info: Mapping[str, Any]) -> None:
        """Keep the reset time of a limit that was hit; these events also come when all is well."""
        if info.get("isUsingOverage") is True:
            self.wrong_route = self.wrong_route or self.billing("extra usage")
        resets = info.get("resetsAt")
        if info.get("status") == "rejected" and isinstance(resets, int | float):
            try:
                self.resets_at = datetime.fromtimestamp(resets, UTC)
            except (OverflowError, OSError, ValueError):
                return

    def _assistant(self, message: Mapping[str, Any]) -> None:
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if _mapping(block).get("type") == "tool_use":
                self.turns += 1
                self.reads += block.get("name") in {"Read", "Grep", "Glob"}

    def _end(self, event: dict[str, Any]) -> None:
        self.result = event
        turns = event.get("num_turns")
        self.turns = turns if isinstance(turns, int) else self.turns
        usage = _mapping(event.get("usage"))
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        self.input_tokens = sum(_number(usage.get(name)) for name in read)
        self.output_tokens = _number(usage.get("output_tokens"))
        denials = event.get("permission_denials")
        refused = [_mapping(d) for d in denials] if isinstance(denials, list) else []
        self.refused_reads = max(self.refused_reads, len(refused))
        for denial in refused[:MOST_PATHS]:
            asked = _mapping(denial.get("tool_input"))
            path = _text(asked.get("file_path")) or _text(asked.get("path")) or _text(asked.get("pattern"))
            if path:
                self.refused.append(path[:LONGEST_PATH])


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
