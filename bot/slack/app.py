"""The bot on Slack: which listener hears what, and how it connects, watches itself and stops."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import BotSettings
from bot.slack.actions import Actions
from bot.slack.away import AWAY, error_name
from bot.slack.commands import Commands
from bot.slack.desk import Desk, Workspace
from bot.slack.relay import Relay
from bot.slack.socket import Socket, address
from bot.slack.submissions import Submissions
from graph import workflow_names
from graph.engine import Engine
from graph.errors import SettingsError

log = logging.getLogger(__name__)

END_SECONDS = 5.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_CALLBACKS = ("decide", "late_words")


def build_app(desk: Desk, reads: AsyncWebClient, auth: dict[str, Any]) -> AsyncApp:
    """Return the app with its listeners; makes no call to Slack."""
    authorized = AuthorizeResult(
        enterprise_id=auth.get("enterprise_id"),
        team_id=auth.get("team_id"),
        bot_id=auth.get("bot_id"),
        bot_user_id=auth.get("user_id"),
        bot_token=reads.token,
    )

    async def authorize(**_: Any) -> AuthorizeResult:
        return authorized  # known since the start: a first request makes no call of its own

    app = AsyncApp(
        name="ringi",
        logger=logging.getLogger(
            "slack_bolt"
        ),  # else Bolt takes the root's level, and its DEBUG holds payloads
        client=AsyncWebClient(base_url=reads.base_url),  # Bolt's own; the token comes with `authorize`
        authorize=authorize,
        signing_secret="",
        request_verification_enabled=False,  # nothing arrives over HTTP
    )
    commands = Commands(desk)
    actions = Actions(desk, commands)
    submissions = Submissions(desk)

    async def typed(ack: AsyncAck, body: dict[str, Any]) -> None:
        await commands.typed(ack, body)

    async def clicked(ack: AsyncAck, body: dict[str, Any]) -> None:
        await actions.clicked(ack, body)

    async def submitted(ack: AsyncAck, body: dict[str, Any]) -> None:
        await submissions.submitted(ack, body)

    async def late_words(ack: AsyncAck, body: dict[str, Any]) -> None:
        await submissions.late_words(ack, body)

    async def other(ack: AsyncAck) -> None:
        await ack()

    async def failed(error: Exception, body: dict[str, Any]) -> BoltResponse:
        """Catch what no listener caught; there should be nothing."""
        log.error("request failed", exc_info=error, extra={"kind": body.get("type") or body.get("command")})
        return BoltResponse(status=200, body="")

    for name in workflow_names():
        app.command(f"/{name}")(typed)
    app.action(re.compile(".*"))(clicked)
    app.view("decide")(submitted)
    app.view("late_words")(late_words)
    app.view(re.compile(".*"))(other)
    app.error(failed)
    return app


async def serve(
    engine: Engine,
    bot_settings: BotSettings,
    *,
    ready: Callable[[str], None] | None = None,
    stop: asyncio.Event,
) -> None:
    """Connect to Slack and work until `stop` is set.

    Args:
        engine: its intake's policy is completed with the team that the bot token belongs to.
        bot_settings: tokens, address, who and where.
        ready: told once, when the socket is connected, as whom.
        stop: ends it; what is being sent is finished.

    Raises:
        SettingsError: a token is missing or not accepted, or Slack cannot be reached.
    """
    bot_token, app_token = _tokens(bot_settings)
    reads = _client(bot_settings, bot_token, retries=True)
    sends = _client(bot_settings, bot_token, retries=False)
    auth = await _who_we_are(reads)
    opening = _client(bot_settings, app_token, retries=True)
    url = await _socket_address(opening)
    engine.intake.policy = bot_settings.policy(str(auth["team_id"]))
    workspace = Workspace(str(auth["team_id"]), str(auth.get("team") or ""), str(auth.get("user") or "ringi"))
    desk = Desk(engine, bot_settings, workspace, reads, sends)
    app = build_app(desk, reads, auth)
    relay = Relay(desk)
    told = engine.store.on_change

    def changed() -> None:
        relay.poke()
        if told is not None:
            told()

    engine.store.on_change = changed
    socket = Socket(app, app_token, opening)
    try:
        await socket.connect(url)
        async with asyncio.TaskGroup() as tasks:
            # Several processes may answer; one of them at a time brings the messages up to date.
            relaying = tasks.create_task(engine.alone("relay", relay.run), name="relay")
            beside = [
                tasks.create_task(engine.watch(relay.poke), name="watch"),
                tasks.create_task(socket.watch(), name="socket"),
                tasks.create_task(desk.people.warm(bot_settings.starters | bot_settings.approvers)),
            ]
            if ready is not None:
                ready(f"@{workspace.bot} in {workspace.name or workspace.team}")
            await stop.wait()
            relay.end()
            await asyncio.wait({relaying}, timeout=END_SECONDS if relay.at_work else 0)
            for task in [relaying, *beside]:
                task.cancel()
    finally:
        engine.store.on_change = told
        await socket.close()
        await relay.close()


def _tokens(settings: BotSettings) -> tuple[str, str]:
    bot, app = settings.slack_bot_token, settings.slack_app_token
    problems = []
    if bot is None or not bot.get_secret_value().startswith("xoxb-"):
        problems.append(("SLACK_BOT_TOKEN", "is not set, or is no bot token (xoxb-…)."))
    if app is None or not app.get_secret_value().startswith("xapp-"):
        problems.append(("SLACK_APP_TOKEN", "is not set, or is no app-level token (xapp-…)."))
    if not settings.starters:
        problems.append(
            (
                "RINGI_STARTERS",
                "is not set, so nobody could start anything. In Slack: your profile, ⋮, Copy member ID.",
            )
        )
    if problems or bot is None or app is None:
        raise SettingsError(problems)
    return bot.get_secret_value(), app.get_secret_value()


def _client(settings: BotSettings, token: str, *, retries: bool) -> AsyncWebClient:
    """Return a client. Calls that may be repeated are, on a lost connection and on a server's fault; posts never.

    Source: https://docs.slack.dev/tools/python-slack-sdk/web#retryhandler
    """
    handlers = [AsyncConnectionErrorRetryHandler(), AsyncServerErrorRetryHandler()] if retries else []
    client = AsyncWebClient(token=token, base_url=settings.slack_api_url, timeout=20, retry_handlers=handlers)
    if urlsplit(settings.slack_api_url).hostname in _LOOPBACK:
        client.proxy = None  # the SDK takes a proxy from the environment even for this machine
    return client


async def _who_we_are(client: AsyncWebClient) -> dict[str, Any]:
    try:
        reply = await client.auth_test()
    except AWAY as error:
        raise SettingsError([("SLACK_BOT_TOKEN", _why(error, "auth.test"))]) from error
    data: Any = reply.data
    return dict(data)


async def _socket_address(client: AsyncWebClient) -> str:
    """Ask for the address of the socket; a wrong token fails here, where the SDK would try for ever."""
    try:
        return await address(client)
    except AWAY as error:
        raise SettingsError([("SLACK_APP_TOKEN", _why(error, "apps.connections.open"))]) from error


def _why(error: Exception, method: str) -> str:
    name = error_name(error)
    if not isinstance(error, SlackApiError):
        return f"Slack could not be reached ({name} at {method}); is this machine online, and SLACK_API_URL right?"
    hints = {
        "invalid_auth": "Slack does not know this token; copy it again from the app's settings.",
        "not_allowed_token_type": "this is the wrong kind of token for it.",
        "missing_scope": "the token lacks a scope; SLACK_APP_TOKEN needs connections:write.",
        "account_inactive": "the app was uninstalled; install it again.",
        "token_revoked": "the token was revoked; install the app again.",
    }
    return hints.get(name, "Slack refused it.") + f" ({name} at {method})"
