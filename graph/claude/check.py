"""What `ringi doctor` asks the `claude` command: nothing that costs, nothing that needs the network.

`call_live` is the exception: it is asked for by name.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from graph.approval import Language
from graph.claude import child, login
from graph.claude.command import ClaudeCode
from graph.claude.failures import one_line
from graph.claude.texts import TEXTS, Texts
from graph.settings import Settings
from graph.workflow import NoReply


class Checked(NamedTuple):
    """One thing looked at.

    Attributes:
        ok: it is as it should be.
        sentence: what was found and, if it isn't ok, the way out. Holds foreign words.
    """

    ok: bool
    sentence: str


async def check_claude(
    settings: Settings, *, language: Language = "en", environment: Mapping[str, str] | None = None
) -> list[Checked]:
    """Look at the executable, its version, its `--restricted` option and its login, in this order.

    A missing executable ends the list. Takes about a second.
    """
    say = TEXTS[language]
    outside = os.environ if environment is None else environment
    key = settings.anthropic_api_key
    api = settings.claude_billing == "api"
    inside = child.child_environment(outside, key.get_secret_value() if api and key else None)
    try:
        path = child.find_executable(settings.claude, outside)
        return [
            await _version(path, inside, say),
            await _restricted(path, inside, say),
            Checked(ok=False, sentence=say.no_key)
            if api and key is None
            else await _login(path, inside, settings, say),
        ]
    except child.NotThere:
        return [Checked(ok=False, sentence=say.missing.format(command=one_line(settings.claude)))]


def drafters(settings: Settings) -> tuple[str, ...]:
    """Return which drafters can work here: rules always, Claude where its command is found. Looks at the disk."""
    try:
        child.find_executable(settings.claude, os.environ)
    except child.NotThere:
        return ("rules",)
    return ("claude", "rules")


LIVE = "Answer with the word ok. There is nothing to read."
LIVE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


async def call_live(
    settings: Settings, *, language: Language = "en", environment: Mapping[str, str] | None = None
) -> Checked:
    """Make one small real call, by the same way as every other, in an empty folder. It counts towards the plan."""
    say, began = TEXTS[language], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ringi-") as empty:
        reply = await ClaudeCode(settings, environment).ask(LIVE, LIVE_SCHEMA, folder=empty, max_turns=4)
    if isinstance(reply, NoReply):
        words = one_line(reply.failure.words, 200)
        return Checked(ok=False, sentence=say.live_failed.format(kind=reply.failure.kind, words=words))
    sentence = say.live.format(
        model=one_line(reply.model or "?", 60),
        seconds=f"{time.monotonic() - began:.1f}",
        price=f"{reply.facts['list_price'] / 1_000_000:.4f}",
    )
    return Checked(ok=True, sentence=sentence)


async def _version(path: str, environment: Mapping[str, str], say: Texts) -> Checked:
    ending, text = await login.ask(path, ("--version",), environment)
    version = text.split()[0] if text.split() and ending.code == 0 else ""
    if not version[:1].isdigit():
        words = one_line(ending.stderr or text or f"code {ending.code}", 200)
        return Checked(ok=False, sentence=say.no_version.format(path=path, words=words))
    return Checked(ok=True, sentence=say.version.format(version=one_line(version, 40), path=path))


async def _restricted(path: str, environment: Mapping[str, str], say: Texts) -> Checked:
    _, text = await login.ask(path, ("--help",), environment)
    ok = "--restricted" in text
    return Checked(ok=ok, sentence=say.restricted if ok else say.no_restricted)


async def _login(path: str, environment: Mapping[str, str], settings: Settings, say: Texts) -> Checked:
    ending, text = await login.ask(path, ("--restricted", "auth", "status"), environment)
    try:
        status: Any = json.loads(text)
    except ValueError:
        status = None
    if not isinstance(status, dict):
        words = one_line(ending.stderr or text or f"code {ending.code}", 200)
        return Checked(ok=False, sentence=say.unknown_login.format(words=words))
    wrong = login.wrong_login(status, settings.claude_billing)
    if wrong is None and settings.claude_billing == "api":
        return Checked(ok=True, sentence=say.api)
    if wrong is None:
        plan = one_line(str(status.get("planTier") or status["subscriptionType"]), 40)
        return Checked(ok=True, sentence=say.subscription.format(plan=plan))
    if wrong == login.NOT_LOGGED_IN:
        return Checked(ok=False, sentence=say.not_logged_in)
    sentence = say.wrong_login_api if settings.claude_billing == "api" else say.wrong_login
    return Checked(ok=False, sentence=sentence.format(login=one_line(wrong, 200)))
