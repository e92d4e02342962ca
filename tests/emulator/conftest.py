"""A local Slack and a small app of Slack's own library, joined by real sockets."""

from __future__ import annotations

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator


@pytest.fixture
async def slack():
    async with Emulator() as emulator:
        yield emulator


@pytest.fixture
def client(slack):
    return AsyncWebClient(slack.bot_token, base_url=slack.api_url, retry_handlers=[])


@pytest.fixture
async def app(slack, client):
    """An app without listeners; a test adds its own. Connected when the test begins."""
    app = AsyncApp(client=client)
    web_client = AsyncWebClient(slack.app_token, base_url=slack.api_url)
    handler = AsyncSocketModeHandler(app, slack.app_token, web_client=web_client, ping_interval=1)
    await handler.connect_async()
    await slack.sockets.connected()
    yield app
    await handler.close_async()


@pytest.fixture
async def member1(slack):
    return await slack.person("U0MEMBER1")


@pytest.fixture
async def member2(slack):
    return await slack.person("U0MEMBER2")
