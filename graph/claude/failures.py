"""What an ending means. The exit code alone says little: the last line is read first, then stderr.

| kind | meaning | asked again |
| --- | --- | --- |
| `auth` | not logged in, login refused, or a login that would be billed another way than set | no |
| `usage_limit` | the plan's window is used up; `resets_at` says until when | no |
| `overloaded` | the service is busy or broken; the command has tried again already | no |
| `timeout` | no answer in time; we ended it | once |
| `no_structured_output` | it answered, but not in the shape asked for | once |
| `bad_schema` | the command refuses our schema | no |
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
AGAIN = frozenset({"timeout", "no_structured_output"})


def failure(kind: str, words: str = "", seen: Seen | None = None) -> Failure:
    """Make a failure; the caller fills in the step."""
    resets_at = seen.resets_at if seen is not None and kind == "usage_limit" else None
    return Failure(kind=kind, step="", words=one_line(words), resets_at=resets_at)


def one_line(words: str, longest: int = LONGEST_WORDS) -> str:
    """Squeeze foreign words into one printable line of bounded length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def classify(ending: Ending, seen: Seen) -> Failure | None:
    """Return why the call failed, None if `structured_output` is there."""
    if seen.wrong_route is not None:
        return failure("auth", seen.wrong_route)
    if seen.result is None:
        return _without_last_line(ending)
    if isinstance(seen.result.get("structured_output"), dict) and not seen.result.get("is_error"):
        return None
    return failure(_kind(seen.result, said(seen), ending), said(seen), seen)


def _without_last_line(ending: Ending) -> Failure:
    if ending.timed_out:
        return failure("timeout", "no answer in time")
    kind = "bad_schema" if "--json-schema" in ending.stderr else "other"
    return failure(kind, ending.stderr or f"ended with code {ending.code} and without an answer")


def said(seen: Seen) -> str:
    """Return the command's own words about how it ended."""
    result = seen.result or {}
    if isinstance(result.get("result"), str):
        return str(result["result"])
    errors = result.get("errors")
    words = "; ".join(str(e) for e in errors) if isinstance(errors, list) else ""
    return words or str(result.get("subtype", ""))


def _kind(result: Mapping[str, Any], words: str, ending: Ending) -> str:
    """Name the failure; the first rule that fits. `subtype` says `success` even for errors of the service."""
    status, subtype = result.get("api_error_status"), result.get("subtype")
    reason = str(result.get("terminal_reason", ""))
    number = status if isinstance(status, int) else 0
    rules = (
        (reason.startswith("aborted"), "timeout" if ending.timed_out else "other"),
        # No turn at all: the prompt was taken for a command of its own, and asking again would not help.
        (not result.get("is_error") and result.get("num_turns") == 0, "other"),
        (not result.get("is_error"), "no_structured_output"),
        (subtype == "error_max_structured_output_retries", "no_structured_output"),
        (number in {401, 403} or words.startswith(("Not logged in", "Credit balance")), "auth"),
        (number == TOO_MANY and words.startswith("You've hit your"), "usage_limit"),
        (number == TOO_MANY or number >= SERVER_ERROR, "overloaded"),
        (words.startswith("Request timed out"), "timeout"),
        # The service broke off in mid-stream, each time.
        (subtype == "error_during_execution" and reason == "completed", "overloaded"),
    )
    return next((kind for fits, kind in rules if fits), "other")
