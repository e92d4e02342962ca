"""One question to Claude, confined to reading one folder."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graph.approval import Failure
from graph.claude import child, leftovers, login
from graph.claude.events import Doing, Seen
from graph.claude.failures import AGAIN, WALLS, classify, failure
from graph.claude.leash import Leash
from graph.claude.options import arguments
from graph.claude.turns import Turns
from graph.settings import Settings
from graph.workflow import Call, NoReply, Reply

log = logging.getLogger(__name__)

TRUSTED = 60.0
"""Seconds a login that was found right is not asked again; each call says itself whose login it uses."""

NOTHING = dict.fromkeys(Seen(lambda _: None).facts(), 0)
"""What a call cost that was never made."""


class ClaudeCode:
    """The `claude` command as an implementation of the `Claude` port.

    One for the whole process: it counts the calls at work over all runs.

    Args:
        settings: executable, model, time-out, how many at once, billing; where the database is, for the notes of
            children at work lie beside it.
        environment: where PATH, HOME and LANG are taken from; this process's own if None.
    """

    def __init__(self, settings: Settings, environment: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._outside = os.environ if environment is None else environment
        self._turns = Turns(settings.claude_parallel)
        self._trusted_until = 0.0
        self._wall: tuple[float, Failure] | None = None

    def end_leftovers(self) -> int:
        """End the children of a server on this database that died; returns how many. Call it once, at start."""
        return leftovers.end(leftovers.folder(self._settings))

    async def ask(  # noqa: PLR0913 - the port's
        self,
        prompt: str,
        schema: Mapping[str, Any],
        *,
        folder: str,
        max_turns: int,
        waiting: Callable[[int], None] | None = None,
        doing: Doing | None = None,
        begin: Callable[[], Awaitable[None]] | None = None,
    ) -> Reply | NoReply:
        """Make one call, and one more if the first took too long or had no structured answer.

        A call that was waiting for its turn while another met a limit, or a login that may not be used, is not made:
        it would meet the same.

        See `graph.workflow.Claude.ask`. Every ending of a call is a `Reply` or a `NoReply`.

        Raises:
            OSError: this machine has no room for a call: no process, no file, no space.
        """
        if not prompt[:1].isalpha():
            raise ValueError("a prompt begins with our own words: `/` would make it a command of claude's")
        asked = time.monotonic()
        async with self._turns.one(waiting):
            if self._wall is not None and self._wall[0] >= asked:
                return NoReply(self._wall[1], NOTHING)
            if begin is not None:
                await begin()
            reply = await self._attempt(prompt, schema, folder, max_turns, doing)
            if isinstance(reply, NoReply) and reply.failure.kind in AGAIN:
                if doing is not None:
                    doing("retrying", 1)
                reply = _joined(reply, await self._attempt(prompt, schema, folder, max_turns, doing))
            if isinstance(reply, NoReply) and reply.failure.kind in WALLS:
                self._wall = (time.monotonic(), reply.failure)
                self._trusted_until = 0.0
            return reply

    async def _attempt(
        self,
        prompt: str,
        schema: Mapping[str, Any],
        folder: str,
        max_turns: int,
        doing: Doing | None,
    ) -> Reply | NoReply:
        """Make one call: look at the login, start the child, read it, say what came of it."""
        call, settings = str(uuid.uuid4()), self._settings
        given = prompt.encode("utf-8", "replace")
        billing = settings.claude_billing
        seen = Seen(lambda source: login.wrong_source(source, billing), doing, flat=billing != "api")
        began, at = time.monotonic(), datetime.now(UTC)
        try:
            executable = child.find_executable(settings.claude, self._outside)
            refused = await self._preflight(executable)
            if refused is not None:
                log.info("claude login refused", extra={"call": call, "kind": refused.kind})
                return NoReply(refused, NOTHING)
            command = (executable, *arguments(schema, max_turns, call, settings.claude_model))
            ending = await self._run(command, folder, given, seen, call)
        except child.NotThere as missing:
            kind = "not_installed" if missing.executable else "other"
            log.info("claude not started", extra={"call": call, "kind": kind})
            return NoReply(failure(kind, str(missing)), NOTHING)
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
        receipt = (Call(call, hashlib.sha256(given).hexdigest(), at, why is None),)
        if why is not None:
            return NoReply(why, seen.facts(), tuple(seen.refused), receipt)
        output = (seen.result or {})["structured_output"]
        return Reply(output, seen.facts(), tuple(seen.refused), seen.model, receipt)

    async def _run(
        self, command: tuple[str, ...], folder: str, given: bytes, seen: Seen, call: str
    ) -> child.Ending:
        """Run the command on a leash, in an environment of its own; ended as soon as it must not go on."""

        def goes_on(line: bytes) -> bool:
            seen.line(line)
            return seen.wrong_route is None and not seen.overage

        with tempfile.TemporaryDirectory(prefix=leftovers.TEMPORARY, ignore_cleanup_errors=True) as own:
            environment = child.child_environment(self._outside, self._api_key(), own)
            home = environment.get("HOME")
            try:
                return await child.run(
                    command,
                    folder=folder,
                    environment=environment,
                    stdin=given,
                    line=goes_on,
                    timeout=self._settings.claude_timeout,
                    leash=Leash(leftovers.folder(self._settings), Path(own), home, call),
                )
            finally:
                leftovers.forget_session(home, call)
                await asyncio.to_thread(leftovers.end_started, Path(own))

    def _api_key(self) -> str | None:
        """Return the key if, and only if, paying by use was chosen."""
        key = self._settings.anthropic_api_key
        if self._settings.claude_billing != "api" or key is None:
            return None
        return key.get_secret_value()

    async def _preflight(self, executable: str) -> Failure | None:
        if time.monotonic() < self._trusted_until:
            return None
        environment = child.child_environment(self._outside, self._api_key())
        refused = await login.preflight(executable, environment, self._settings.claude_billing)
        self._trusted_until = 0.0 if refused else time.monotonic() + TRUSTED
        return refused


def _joined(first: NoReply, second: Reply | NoReply) -> Reply | NoReply:
    """Return the second ending with what both cost."""
    total = Counter(first.facts) + Counter(second.facts) + Counter(retries=1)
    facts = {name: total[name] for name in first.facts}
    refused = tuple(dict.fromkeys((*first.refused, *second.refused)))
    calls = first.calls + second.calls
    if isinstance(second, Reply):
        return Reply(second.output, facts, refused, second.model, calls)
    return NoReply(second.failure, facts, refused, calls)
