"""What the stub may say: one script per way a call can go. See `stub.py` for the words of a reply."""

from __future__ import annotations

import time
from typing import Any

Reply = dict[str, Any]
OK: Reply = {"structured": None}


def usage_limit(seconds: int = 3600, claim: str = "five_hour", at: float | None = None) -> Reply:
    """What a subscription's login gets when its window is used up."""
    now = time.time() if at is None else at
    return {
        "status": 429,
        "message": "This request would exceed your account's rate limit. Please try again later.",
        "headers": {
            "anthropic-ratelimit-unified-status": "rejected",
            "anthropic-ratelimit-unified-representative-claim": claim,
            "anthropic-ratelimit-unified-reset": str(int(now) + seconds),
            "anthropic-ratelimit-unified-overage-status": "rejected",
            "retry-after": str(seconds),
        },
    }


def overage() -> Reply:
    """What a subscription's login gets when its window is used up and the account pays for more."""
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-reset": str(int(time.time()) + 3600),
        "anthropic-ratelimit-unified-overage-status": "allowed",
    }
    return {"tool_use": [["Glob", {"pattern": "*.md"}]], "headers": headers}


def scenarios() -> dict[str, list[Reply]]:
    """Return the scripts that are there from the start, by name."""
    return {
        "ok": [OK],
        "prose": [{"text": "Here is my answer in prose."}],
        "unfit": [{"structured": {"__not_in_schema__": True}}],
        "empty": [{"text": ""}],
        "overage": [overage(), OK],
        "too-many-tokens": [{"text": "and so on", "stop_reason": "max_tokens"}],
        "prompt-too-long": [
            {"status": 400, "message": "prompt is too long: 2000000 tokens > 1000000 maximum"}
        ],
        "refusal": [{"text": "", "stop_reason": "refusal"}],
        "400": [{"status": 400, "message": "stub: invalid request"}],
        "401": [{"status": 401, "message": "invalid x-api-key"}],
        "403": [{"status": 403, "message": "stub: permission denied"}],
        "404": [{"status": 404, "message": "model: no-such-model"}],
        "429": [{"status": 429, "message": "stub: rate limited"}],
        "usage-limit": [usage_limit()],
        "credit": [{"status": 400, "message": "Your credit balance is too low to access the Anthropic API."}],
        "500": [{"status": 500, "message": "stub: internal server error"}],
        "529": [{"status": 529, "message": "Overloaded"}],
        "stream-overloaded": [{"stream_error": "overloaded_error"}],
        "hang": [{"hang": "headers"}],
        "hang-stream": [{"hang": "stream"}],
        "hang-ping": [{"hang": "ping"}],
        "drop": [{"drop": True}],
        "drop-stream": [{"drop": "stream"}],
        "endless": [{"tool_use": [["Glob", {"pattern": "*.md"}]]}],
        "escape": [
            {"tool_use": [["Read", {"file_path": "/etc/hostname"}]]},
            {"tool_use": [["Read", {"file_path": "../outside.md"}]]},
            {"tool_use": [["Read", {"file_path": "link-to-outside.md"}]]},
            {"tool_use": [["Glob", {"pattern": "*", "path": "/etc"}]]},
            {"tool_use": [["Glob", {"pattern": "../*"}]]},
            {"tool_use": [["Grep", {"pattern": ".", "path": "/etc/hostname", "output_mode": "content"}]]},
            {"tool_use": [["Grep", {"pattern": ".", "path": "..", "output_mode": "content"}]]},
            {"tool_use": [["Bash", {"command": "echo pwned > pwned.txt", "description": "x"}]]},
            {"tool_use": [["Write", {"file_path": "pwned.txt", "content": "pwned"}]]},
            {"tool_use": [["Edit", {"file_path": "a.md", "old_string": "A", "new_string": "B"}]]},
            OK,
        ],
    }
