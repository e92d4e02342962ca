"""One question to Claude, confined to reading one folder."""

from __future__ import annotations

import json
import logging
import os
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from graph.approval import Failure
from graph.claude import child, login
from graph.claude.events import Seen
from graph.claude.failures import AGAIN, classify, failure
from graph.claude.turns import Turns
from graph.settings import Settings
from graph.workflow import NoReply, Reply

log = logging.getLogger(__name__)

TRUSTED = 60.0
"""Seconds a login that was found right is not asked again; each call says itself whose login it uses."""

OPTIONS = (
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",  # stream-json demands it
    "--no-session-persistence",  # a transcript would keep what the notes say
    "--restricted",  # reads stay in the folder; settings, hooks and memory files found there are ignored
    "--strict-mcp-config",
    "--tools",
    "Read,Grep,Glob",
    "--permission-prompts",
    "none",
)
"""Of every call. Never `--bare`: it does not use the subscription's login."""


class ClaudeCode:
    """The `claude` command as an implementation of the `Claude` port.

    One for the whole process: it counts the calls at work over all runs.

    Args:
        settings: executable, model, time-out, how many at once, billing.
        environment: where PATH, HOME and LANG are taken from; this process's own if None.
    """

    def __init__(self, settings: Settings, environment: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._outside = os.environ if environment is None else environment
        self._turns = Turns(settings.claude_parallel)
        self._trusted_until = 0.0

    async def ask(
        self,
        prompt: str,
        schema: Mapping[str, Any],
        *,
        folder: str,
        max_turns: int,
        waiting: Callable[[int], None] | None = None,
    ) -> Reply | NoReply:
        """Make one call, and one more if the first took too long or had no structured answer.

        See `graph.workflow.Claude.ask`. Nothing is raised: every ending is a `Reply` or a `NoReply`.
        """
        if not prompt[:1].isalpha():
            raise ValueError("a prompt begins with our own words: `/` would make it a command of claude's")
        async with self._turns.one(waiting):
            first = await self._attempt(prompt, schema, folder, max_turns)
            if not isinstance(first, NoReply) or not _worth_repeating(first):
                return first
            second = await self._attempt(prompt, schema, folder, max_turns)
        return _joined(first, second)

    async def _attempt(
        self,
        prompt: str,
        schema: Mapping[str, Any],
        folder: str,
        max_turns: int,
    ) -> Reply | NoReply:
        """Make one call: look at the login, start the child, read it, say what came of it."""
        settings = self._settings
        seen = Seen(lambda source: login.wrong_source(source, settings.claude_billing))
        call, began = str(uuid.uuid4()), time.monotonic()

        def goes_on(line: bytes) -> bool:
            seen.line(line)
            return seen.wrong_route is None

        try:
            executable = child.find_executable(settings.claude, self._outside)
            environment = child.child_environment(self._outside, self._api_key())
            refused = await self._preflight(executable, environment)
            if refused is not None:
                log.warning("claude login refused", extra={"call": call, "kind": refused.kind})
                return NoReply(refused, {**seen.facts(), "calls": 0})
            ending = await child.run(
                (executable, *self._arguments(schema, max_turns, call)),
                folder=folder,
                environment=environment,
                stdin=prompt.encode("utf-8", "replace"),
                line=goes_on,
                timeout=settings.claude_timeout,
            )
        except child.NotThere as missing:
            kind = "not_installed" if missing.executable else "other"
            log.warning("claude not started", extra={"call": call, "kind": kind})
            return NoReply(failure(kind, str(missing)), {**seen.facts(), "calls": 0})
        why = classify(ending, seen)
        log.info(
            "claude call ended",
            extra={
                "call": call,
                "kind": "ok" if why is None else why.kind,
                "code": ending.code,
                "seconds": round(time.monotonic() - began, 1),
                "reads": seen.reads,
                "api_retries": seen.api_retries,
                **{name: n for name, n in seen.facts().items() if name not in {"calls", "retries"}},
            },
        )
        if why is not None:
            return self._no_reply(why, seen)
        output = (seen.result or {})["structured_output"]
        return Reply(output, seen.facts(), tuple(seen.refused), seen.model)

    def _no_reply(self, why: Failure, seen: Seen) -> NoReply:
        if why.kind == "auth":
            self._trusted_until = 0.0
        return NoReply(why, seen.facts(), tuple(seen.refused))

    def _arguments(self, schema: Mapping[str, Any], max_turns: int, call: str) -> tuple[str, ...]:
        model = self._settings.claude_model
        return (
            *OPTIONS,
            "--json-schema",
            json.dumps(schema, ensure_ascii=False),
            "--max-turns",
            str(max_turns),
            "--session-id",  # once used it stays in use, so each attempt has its own
            call,
            *(("--model", model) if model else ()),
        )

    def _api_key(self) -> str | None:
        """Return the key if, and only if, paying by use was chosen."""
        key = self._settings.anthropic_api_key
        if self._settings.claude_billing != "api" or key is None:
            return None
        return key.get_secret_value()

    async def _preflight(self, executable: str, environment: Mapping[str, str]) -> Failure | None:
        if time.monotonic() < self._trusted_until:
            return None
        refused = await login.preflight(executable, environment, self._settings.claude_billing)
        self._trusted_until = 0.0 if refused else time.monotonic() + TRUSTED
        return refused


def _worth_repeating(reply: NoReply) -> bool:
    return reply.failure.kind in AGAIN


def _joined(first: NoReply, second: Reply | NoReply) -> Reply | NoReply:
    """Return the second ending with what both cost."""
    facts = dict(Counter(first.facts) + Counter(second.facts) + Counter(retries=1))
    facts = {name: facts.get(name, 0) for name in first.facts}
    refused = tuple(dict.fromkeys((*first.refused, *second.refused)))
    if isinstance(second, Reply):
        return Reply(second.output, facts, refused, second.model)
    return NoReply(second.failure, facts, refused)
