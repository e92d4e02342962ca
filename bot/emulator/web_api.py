"""The Web API's door: who calls, with which token and scopes, how often; then the method itself.

Arguments may come as a form, as JSON or in the query, as Slack's SDKs send them.
Source: https://docs.slack.dev/apis/web-api
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any, NoReturn

from aiohttp import web

from bot.emulator.faults import Faults
from bot.emulator.refusal import Refusal

Arguments = dict[str, Any]
Method = Callable[[Arguments], Awaitable[dict[str, Any]]]

_JSON = ("blocks", "attachments", "metadata", "view", "files")
_FLAGS = (
    "include_locale",
    "include_all_metadata",
    "include_users",
    "include_count",
    "include_disabled",
    "inclusive",
    "return_im",
    "unfurl_links",
    "unfurl_media",
    "mrkdwn",
)


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a method may be called: so many a minute on the long run, so many at once.

    Source: https://docs.slack.dev/apis/web-api/rate-limits (Slack states the first; the second is our reading
    of “short bursts are tolerated”).
    """

    per_minute: float
    burst: int


def slack_rates() -> dict[str, Rate]:
    """Return Slack's tiers for the methods there are; `chat.post*` counts by channel."""
    tier2, tier3, tier4 = Rate(20, 20), Rate(50, 20), Rate(100, 40)
    return {
        "apps.connections.open": tier3,
        "chat.postMessage": Rate(60, 10),
        "chat.postEphemeral": Rate(100, 40),
        "chat.update": tier3,
        "views.open": tier4,
        "views.push": tier4,
        "views.update": tier4,
        "views.publish": tier4,
        "files.getUploadURLExternal": tier4,
        "files.completeUploadExternal": tier4,
        "users.info": tier4,
        "users.list": tier2,
        "usergroups.list": tier2,
        "usergroups.users.list": tier2,
        "conversations.list": tier2,
        "conversations.open": tier3,
        "conversations.info": tier3,
        "conversations.history": tier3,
        "conversations.replies": tier3,
        "conversations.members": tier4,
    }


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


@dataclass(frozen=True, slots=True)
class Call:
    """A method: what it does, the scopes of which one is needed, and whether the app's own token calls it."""

    run: Method
    scopes: tuple[str, ...] = ()
    app_token: bool = False


@dataclass(slots=True)
class WebApi:
    """All methods behind their door.

    Attributes:
        calls: method name → what it does.
        scopes: what the bot token may do.
        rates: method name → how often; empty it to lift all limits.
        faults: what is to go wrong, on demand.
        asked: every call that came in, oldest first (the last 1,000), as (method, arguments without the token).
    """

    bot_token: str
    app_token: str
    scopes: set[str]
    faults: Faults
    calls: dict[str, Call] = field(default_factory=dict)
    rates: dict[str, Rate] = field(default_factory=slack_rates)
    asked: deque[tuple[str, Arguments]] = field(default_factory=lambda: deque(maxlen=1000))
    _buckets: dict[tuple[str, str], _Bucket] = field(default_factory=dict)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        method = request.match_info["method"]
        if self.faults.away:
            _cut(request)
        try:
            arguments, token = await _read(request)
        except Refusal as refusal:
            return self._reply(refusal)
        try:
            self._admit(method, arguments, token)
            await self.faults.before(method)
            body = await self.calls[method].run(arguments)
        except Refusal as refusal:
            return self._reply(refusal)
        if self.faults.loses_reply(method):
            _cut(request)
        return web.json_response({"ok": True, **body}, headers=self._headers())

    def may(self, request: web.Request, scope: str) -> bool:
        """Return whether a request outside the methods bears the bot token, and that may do this."""
        return _same(_bearer(request), self.bot_token) and scope in self.scopes

    def _admit(self, method: str, arguments: Arguments, token: str) -> None:
        """Refuse a call before it does anything."""
        if method not in self.calls:
            raise Refusal("unknown_method", more={"req_method": method})
        if not token:
            raise Refusal("not_authed")
        is_bot, is_app = _same(token, self.bot_token), _same(token, self.app_token)
        if not is_bot and not is_app:
            raise Refusal("invalid_auth")
        call = self.calls[method]
        if is_app != call.app_token:
            raise Refusal("not_allowed_token_type")
        self.asked.append((method, dict(arguments)))
        if is_bot and call.scopes and not self.scopes & set(call.scopes):
            more = {"needed": call.scopes[0], "provided": ",".join(sorted(self.scopes))}
            raise Refusal("missing_scope", more=more)
        self._count(method, arguments)

    def _count(self, method: str, arguments: Arguments) -> None:
        rate = self.rates.get(method)
        if rate is None:
            return
        key = (method, str(arguments.get("channel", "")) if method.startswith("chat.post") else "")
        now = time.monotonic()
        bucket = self._buckets.setdefault(key, _Bucket(rate.burst, now))
        bucket.left = min(rate.burst, bucket.left + (now - bucket.at) * rate.per_minute / 60)
        bucket.at = now
        if bucket.left < 1:
            wait = max(1, math.ceil((1 - bucket.left) * 60 / rate.per_minute))
            raise Refusal("ratelimited", status=429, headers={"Retry-After": str(wait)})
        bucket.left -= 1

    def _headers(self) -> dict[str, str]:
        return {"X-OAuth-Scopes": ",".join(sorted(self.scopes))}

    def _reply(self, refusal: Refusal) -> web.Response:
        return web.json_response(
            refusal.body(), status=refusal.status, headers=self._headers() | refusal.headers
        )


def _cut(request: web.Request) -> NoReturn:
    """Leave a call without an answer, as a network does that went away."""
    if isinstance(request.transport, asyncio.Transport):
        request.transport.abort()
    raise asyncio.CancelledError


def _same(given: str, ours: str) -> bool:
    return compare_digest(given.encode(), ours.encode())


async def _read(request: web.Request) -> tuple[Arguments, str]:
    """Return a call's arguments and its token.

    Raises:
        Refusal: what came is no JSON where JSON is due.
    """
    arguments: Arguments = dict(request.query)
    if request.content_type == "application/json":
        body = _json(await request.text() or "{}", "invalid_json")
        if not isinstance(body, dict):
            raise Refusal("json_not_object")
        arguments |= body
    elif request.method == "POST":
        arguments |= {k: v for k, v in (await request.post()).items() if isinstance(v, str)}
    for name in _JSON:
        if isinstance(arguments.get(name), str):
            wrong = "invalid_blocks_format" if name == "blocks" else "invalid_arguments"
            arguments[name] = _json(arguments[name] or "null", wrong)
    for name in _FLAGS:
        if isinstance(arguments.get(name), str):
            arguments[name] = arguments[name].lower() in {"1", "true"}
    return arguments, _bearer(request) or str(arguments.pop("token", ""))


def _bearer(request: web.Request) -> str:
    """Return the token of the Authorization header, empty if there is none."""
    scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
    return bearer.strip() if scheme.lower() == "bearer" else ""


def _json(text: str, otherwise: str) -> Any:
    """Read JSON, or refuse with this error."""
    try:
        return json.loads(text)
    except ValueError:
        raise Refusal(otherwise) from None


def needed(arguments: Mapping[str, Any], name: str, error: str = "invalid_arguments") -> str:
    """Return an argument that a method cannot do without.

    Raises:
        Refusal: it is missing.
    """
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise Refusal(error, [f"missing required field: {name}"] if error == "invalid_arguments" else [])
    return value
