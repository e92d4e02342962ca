"""How we reach Slack: the tokens, the clients, and what is said when it does not take them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.settings import BotSettings
from bot.slack.away import AWAY, error_name
from bot.slack.socket import address
from graph.errors import Both, SettingsError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def tokens(settings: BotSettings) -> tuple[str, str]:
    """Return the bot's and the app's token.

    Raises:
        SettingsError: one is missing or of the wrong kind, or nobody could start anything.
    """
    bot, app = settings.slack_bot_token, settings.slack_app_token
    problems = []
    if bot is None or not bot.get_secret_value().startswith("xoxb-"):
        problems.append(
            (
                "SLACK_BOT_TOKEN",
                Both(
                    "is not set, or is no bot token (xoxb-…).",
                    "が未設定か、ボットトークン（xoxb-…）ではありません。",
                ),
            )
        )
    if app is None or not app.get_secret_value().startswith("xapp-"):
        problems.append(
            (
                "SLACK_APP_TOKEN",
                Both(
                    "is not set, or is no app-level token (xapp-…).",
                    "が未設定か、アプリレベルのトークン（xapp-…）ではありません。",
                ),
            )
        )
    if not settings.starters:
        problems.append(
            (
                "RINGI_STARTERS",
                Both(
                    "is not set, so nobody could start anything. In Slack: your profile, ⋮, Copy member ID.",
                    "が未設定のため、誰も始められません。Slack のプロフィールの ⋮ から「メンバー ID をコピー」。",
                ),
            )
        )
    if problems or bot is None or app is None:
        raise SettingsError(problems)
    return bot.get_secret_value(), app.get_secret_value()


def client_for(settings: BotSettings, token: str, *, retries: bool) -> AsyncWebClient:
    """Return a client. Calls that may be repeated are, on a lost connection and on a server's fault; posts never.

    Source: https://docs.slack.dev/tools/python-slack-sdk/web#retryhandler
    """
    handlers = [AsyncConnectionErrorRetryHandler(), AsyncServerErrorRetryHandler()] if retries else []
    client = AsyncWebClient(token=token, base_url=settings.slack_api_url, timeout=20, retry_handlers=handlers)
    if urlsplit(settings.slack_api_url).hostname in _LOOPBACK:
        client.proxy = None  # the SDK takes a proxy from the environment even for this machine
    return client


async def who_we_are(client: AsyncWebClient) -> dict[str, Any]:
    """Ask whose token it is.

    Raises:
        SettingsError: nobody's, or Slack cannot be reached.
    """
    try:
        reply = await client.auth_test()
    except AWAY as error:
        raise SettingsError([("SLACK_BOT_TOKEN", _why(error, "auth.test"))]) from error
    data: Any = reply.data
    return dict(data)


async def socket_address(client: AsyncWebClient) -> str:
    """Ask for the address of the socket; a wrong token fails here, where the SDK would try for ever.

    Raises:
        SettingsError: the token opens no socket, or Slack cannot be reached.
    """
    try:
        return await address(client)
    except AWAY as error:
        raise SettingsError([("SLACK_APP_TOKEN", _why(error, "apps.connections.open"))]) from error


def _why(error: Exception, method: str) -> Both:
    name = error_name(error)
    if not isinstance(error, SlackApiError):
        return Both(
            f"Slack could not be reached ({name} at {method}); is this machine online, and SLACK_API_URL right?",
            f"Slack に接続できません（{method} で {name}）。ネットワークと SLACK_API_URL を確認してください。",
        )
    en, ja = _HINTS.get(name, ("Slack refused it.", "Slack に拒否されました。"))
    return Both(f"{en} ({name} at {method})", f"{ja}（{method} で {name}）")


_HINTS = {
    "invalid_auth": (
        "Slack does not know this token; copy it again from the app's settings.",
        "Slack にないトークンです。アプリの設定からもう一度コピーしてください。",
    ),
    "not_allowed_token_type": (
        "this is the wrong kind of token for it.",
        "この種類のトークンは使えません。",
    ),
    "missing_scope": (
        "the token lacks a scope; SLACK_APP_TOKEN needs connections:write.",
        "トークンの権限が足りません。SLACK_APP_TOKEN には connections:write が必要です。",
    ),
    "account_inactive": (
        "the app was uninstalled; install it again.",
        "アプリがアンインストールされています。インストールし直してください。",
    ),
    "token_revoked": (
        "the token was revoked; install the app again.",
        "トークンが無効にされています。アプリをインストールし直してください。",
    ),
}
