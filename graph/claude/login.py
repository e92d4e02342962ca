"""Which login the child would use, asked before anything is spent: flat rate, or what was chosen on purpose."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from typing import Any, Literal

from graph.approval import Failure
from graph.claude import child
from graph.claude.failures import failure, kind_of_stderr

ASK = 30.0
"""Seconds for a question that needs neither network nor model."""

Billing = Literal["subscription", "api"]
KEY = "ANTHROPIC_API_KEY"
NOT_LOGGED_IN = "Not logged in"


async def ask(
    executable: str, arguments: tuple[str, ...], environment: Mapping[str, str]
) -> tuple[child.Ending, str]:
    """Run the command for an answer that costs nothing; returns how it ended and its stdout.

    It runs in an empty folder: some of its subcommands read the settings of the folder they stand in.
    """
    lines: list[bytes] = []

    def keep(line: bytes) -> bool:
        lines.append(line)
        return True

    with tempfile.TemporaryDirectory(prefix="ringi-") as empty:
        ending = await child.run(
            (executable, *arguments),
            folder=empty,
            environment={**environment, "TMPDIR": empty},
            stdin=b"",
            line=keep,
            timeout=ASK,
        )
    return ending, b"\n".join(lines).decode(errors="replace")


async def preflight(executable: str, environment: Mapping[str, str], billing: Billing) -> Failure | None:
    """Return why no call may be made with the present login, None if it is the one that was set."""
    ending, text = await ask(executable, ("--restricted", "auth", "status"), environment)
    if ending.timed_out:
        return failure("timeout", "the login could not be asked in time")
    try:
        status = json.loads(text)
    except ValueError:
        words = ending.stderr or text or f"auth status ended with code {ending.code}"
        return failure(kind_of_stderr(ending.stderr), words)
    wrong = wrong_login(status if isinstance(status, dict) else {}, billing)
    if wrong is None or wrong == NOT_LOGGED_IN:
        return None if wrong is None else failure("auth", wrong)
    return failure("auth", f"logged in by {wrong}, but RINGI_CLAUDE_BILLING is {billing}")


def wrong_login(status: Mapping[str, Any], billing: Billing) -> str | None:
    """Say which login it is if it isn't the one that was set.

    `oauth_token` fails too: it may be a subscription's or a pay-as-you-go account's, and cannot be told apart.
    """
    method, source = status.get("authMethod"), status.get("apiKeySource")
    if not status.get("loggedIn") or method in {None, "none"}:
        return NOT_LOGGED_IN
    first_party = status.get("apiProvider") == "firstParty"
    if billing == "api":
        right = first_party and method == "api_key" and source == KEY
    else:
        right = first_party and method == "claude.ai" and bool(status.get("subscriptionType"))
    shown = ", ".join(str(v) for v in (method, source, status.get("apiProvider")) if v)
    return None if right else shown


def wrong_source(source: str, billing: Billing) -> str | None:
    """Judge what the call itself says about its login (`init.apiKeySource`)."""
    right = KEY if billing == "api" else "none"
    return None if source == right else f"billed by {source}"
