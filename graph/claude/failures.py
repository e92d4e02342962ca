"""What an ending means. The exit code alone says little: the last line is read first, then stderr.

| kind | meaning | asked again |
| --- | --- | --- |
| `auth` | not logged in, login refused, or a login that would be billed another way than set | no |
| `overage` | the plan's window is used up and the account pays for more; we ended it | no |
| `usage_limit` | the plan's window is used up; `resets_at` says until when | no |
| `overloaded` | the service is busy or broken; the command has tried again already | no |
| `network` | the service could not be reached, or the line broke | no |
| `timeout` | no answer in time; we ended it | once |
| `no_structured_output` | it answered, but not in the shape asked for | once |
| `turn_limit` | it went on reading until our bound | no |
| `too_long` | the question is longer than the model or the command takes | no |
| `refusal` | the model's safeguards declined | no |
| `model` | there is no such model, or it is not for this account | no |
| `bad_schema` | the command refuses our schema | no |
| `outdated` | the command lacks an option we rely on | no |
| `not_installed` | there is no such executable | no |
| `other` | anything else; unknown wording always ends here | no |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph.approval import Failure
from graph.claude.child import Ending
from graph.claude.events import Seen

LONGEST_WORDS = 500
TOO_MANY, SERVER_ERROR = 429, 500
NOT_FOUND = 404
NETWORK = ("ECONN", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "Unable to connect")
AGAIN = frozenset({"timeout", "no_structured_output"})
"""What one more try may mend."""

WALLS = frozenset({"auth", "overage", "usage_limit"})
"""What every other call at that moment would meet too."""


def failure(kind: str, words: str = "", seen: Seen | None = None) -> Failure:
    """Make a failure; the caller fills in the step."""
    limited = seen is not None and kind in {"usage_limit", "overage"}
    resets_at = seen.resets_at if seen is not None and limited else None
    return Failure(kind=kind, step="", words=one_line(words), resets_at=resets_at)


def one_line(words: str, longest: int = LONGEST_WORDS) -> str:
    """Squeeze foreign words into one printable line of bounded length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def classify(ending: Ending, seen: Seen) -> Failure | None:
    """Return why the call failed, None if `structured_output` is there."""
    if seen.wrong_route is not None:
        return failure("auth", seen.wrong_route)
    if seen.overage:
        return failure("overage", "the account has begun to pay for extra usage", seen)
    if seen.result is None:
        return _without_last_line(ending, seen)
    if _answered(seen):
        return None
    return failure(_kind(seen.result, said(seen), ending), said(seen), seen)


def _answered(seen: Seen) -> bool:
    result = seen.result or {}
    return isinstance(result.get("structured_output"), dict) and not result.get("is_error")


def _without_last_line(ending: Ending, seen: Seen) -> Failure:
    if ending.timed_out:
        return failure("timeout", "no answer in time")
    if seen.unreadable:
        return failure("no_structured_output", "a line of the answer was nested too deep to be read")
    words = ending.stderr or f"ended with code {ending.code} and without an answer"
    return failure(kind_of_stderr(ending.stderr), words)


def kind_of_stderr(stderr: str) -> str:
    """Name a failure of which there is nothing but what stderr says."""
    lower = stderr.lower()
    rules = (
        ("unknown option" in lower or "unknown command" in lower, "outdated"),
        ("--json-schema" in stderr, "bad_schema"),
        ("input exceeds" in lower, "too_long"),
    )
    return next((kind for fits, kind in rules if fits), "other")


def said(seen: Seen) -> str:
    """Return the command's own words about how it ended."""
    result = seen.result or {}
    if isinstance(result.get("result"), str):
        return str(result["result"])
    errors, subtype = result.get("errors"), result.get("subtype")
    words = [error for error in errors if isinstance(error, str)] if isinstance(errors, list) else []
    return "; ".join(words) or (subtype if isinstance(subtype, str) else "")


def _kind(result: Mapping[str, Any], words: str, ending: Ending) -> str:
    """Name the failure; the first rule that fits. `subtype` says `success` even for errors of the service."""
    status, subtype = result.get("api_error_status"), result.get("subtype")
    said_why = result.get("terminal_reason")
    reason = said_why if isinstance(said_why, str) else ""
    number = status if isinstance(status, int) else 0
    rules = (
        (reason.startswith("aborted"), "timeout" if ending.timed_out else "other"),
        # No turn at all: the prompt was taken for a command of its own, and asking again would not help.
        (not result.get("is_error") and result.get("num_turns") == 0, "other"),
        (not result.get("is_error"), "no_structured_output"),
        (subtype == "error_max_structured_output_retries", "no_structured_output"),
        (subtype == "error_max_turns", "turn_limit"),
        (
            reason in {"prompt_too_long", "blocking_limit"} or words.startswith("Prompt is too long"),
            "too_long",
        ),
        (result.get("stop_reason") == "refusal", "refusal"),
        (number == NOT_FOUND and "model" in words, "model"),
        (number in {401, 403} or words.startswith(("Not logged in", "Credit balance")), "auth"),
        (number == TOO_MANY and words.startswith("You've hit your"), "usage_limit"),
        (number == TOO_MANY or number >= SERVER_ERROR, "overloaded"),
        (words.startswith("Request timed out"), "timeout"),
        (any(sign in words for sign in NETWORK), "network"),
        # The service broke off in mid-stream, each time.
        (subtype == "error_during_execution" and reason == "completed", "overloaded"),
    )
    return next((kind for fits, kind in rules if fits), "other")
