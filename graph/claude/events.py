"""What the child's lines say, read as they come: one JSON object a line.

Only counts, names and the last line are kept. Lines hold the notes the model read, so none is ever logged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Doing = Callable[[str, int], None]
"""What a call is at and how often: `reading`, `retrying`, `answering`; see `graph.workflow.Claude.ask`."""

LONGEST_PATH = 300
MOST_PATHS = 50
MOST = 1 << 53
"""No count of a call is larger, and every database and script reads it."""

LAST_DAY = 4_102_444_800
"""No window opens again after this (epoch seconds, 2100): a later time could not be written in every zone."""


@dataclass(slots=True)
class Seen:
    """What one call has said so far.

    Attributes:
        billing: tells what is wrong with the source of the login (`init.apiKeySource`), None if nothing is.
        doing: told what the call is at.
        flat: nothing may be billed beside the plan.
        result: the last line, once it is there.
        wrong_route: why the call must not go on: it would be billed another way than set.
        overage: the plan's window is used up and the account would pay for what comes now, which it must not.
        resets_at: when the plan's window opens again, once a limit was hit.
        api_retries: requests that the command repeated by itself.
        unreadable: a line was nested deeper than can be read; what a tool is called with is the model's to choose.
    """

    billing: Callable[[str], str | None]
    doing: Doing | None = None
    flat: bool = True
    result: dict[str, Any] | None = None
    wrong_route: str | None = None
    overage: bool = False
    resets_at: datetime | None = None
    model: str | None = None
    turns: int = 0
    reads: int = 0
    refused: list[str] = field(default_factory=list)
    refused_reads: int = 0
    api_retries: int = 0
    unreadable: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    list_price: int = 0
    _usage: dict[str, tuple[int, int]] = field(default_factory=dict)

    def line(self, raw: bytes) -> None:
        """Take one line in; a line that is no JSON object says nothing. Nothing it may hold raises.

        The command writes the lines, but a model that obeys a note chooses some of what stands in them.
        """
        try:
            event = json.loads(raw.decode("utf-8", "replace"))
        except RecursionError:
            self.unreadable = True
            return
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        match event.get("type"), event.get("subtype"):
            case "system", "init":
                self._begin(event)
            case "system", "api_retry":
                self.api_retries += 1
                self._tell("retrying", self.api_retries)
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
            "list_price": self.list_price,
        }

    def _begin(self, event: Mapping[str, Any]) -> None:
        self.model = _text(event.get("model")) or self.model
        # Absent means a version that does not say; the login was asked before the call all the same.
        source = event.get("apiKeySource", "none")
        self.wrong_route = self.wrong_route or self.billing(_text(source) or "an unknown key")

    def _limit(self, info: Mapping[str, Any]) -> None:
        """Keep the reset time of a limit that was hit; these events also come when all is well."""
        self.overage = self.overage or (self.flat and info.get("isUsingOverage") is True)
        resets = _amount(info.get("resetsAt"))
        if (self.overage or info.get("status") == "rejected") and resets is not None and resets < LAST_DAY:
            self.resets_at = datetime.fromtimestamp(resets, UTC)

    def _assistant(self, message: Mapping[str, Any]) -> None:
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else []:
            if _mapping(block).get("type") == "tool_use":
                self.turns += 1
                self._use(_text(block.get("name")))
        usage, identity = _mapping(message.get("usage")), _text(message.get("id"))
        if (
            identity is not None and usage
        ):  # of a call that is ended before its last line, this is all there is
            self._usage[identity] = (_read_tokens(usage), _number(usage.get("output_tokens")))
            self.input_tokens = sum(read for read, _ in self._usage.values())
            self.output_tokens = sum(written for _, written in self._usage.values())

    def _use(self, tool: str | None) -> None:
        if tool in {"Read", "Grep", "Glob"}:
            self.reads += 1
            self._tell("reading", self.reads)
        elif tool == "StructuredOutput":
            self._tell("answering", 1)

    def _tell(self, what: str, number: int) -> None:
        if self.doing is not None:
            self.doing(what, number)

    def _end(self, event: dict[str, Any]) -> None:
        self.result = event
        turns = _amount(event.get("num_turns"))
        self.turns = self.turns if turns is None else int(turns)
        usage = _mapping(event.get("usage"))
        if usage:
            self.input_tokens, self.output_tokens = _read_tokens(usage), _number(usage.get("output_tokens"))
        price = _amount(event.get("total_cost_usd")) or 0
        self.list_price = min(round(price * 1_000_000), MOST)
        denials = event.get("permission_denials")
        refused = [_mapping(d) for d in denials] if isinstance(denials, list) else []
        self.refused_reads = max(self.refused_reads, len(refused))
        asked = [_mapping(denial.get("tool_input")) for denial in refused[:MOST_PATHS]]
        paths = [_text(a.get("file_path")) or _text(a.get("path")) or _text(a.get("pattern")) for a in asked]
        self.refused = [path[:LONGEST_PATH] for path in paths if path]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _read_tokens(usage: Mapping[str, Any]) -> int:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(_number(usage.get(name)) for name in names)


def _text(value: object) -> str | None:
    """Return text that can be stored and shown: JSON may hold NUL and halves of a character, databases may not."""
    if not isinstance(value, str):
        return None
    return "".join(c if c.isprintable() else "\ufffd" for c in value) or None


def _amount(value: object) -> float | None:
    """Return a number that something can have been; None for what is none, negative, or beyond counting."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        return None
    return value


def _number(value: object) -> int:
    return int(_amount(value) or 0)
