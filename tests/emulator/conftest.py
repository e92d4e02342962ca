"""A local Slack and a small app of Slack's own library, joined by real sockets."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator


@pytest.fixture
async def slack():
    async with Emulator() as emulator:
        emulator.sockets.ack_seconds = emulator.workspace.trigger_seconds = (
            30.0  # a busy machine is not the subject
        )
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


@pytest.fixture
async def http():
    jar = aiohttp.CookieJar(unsafe=True)  # cookies for an IP address, as a browser keeps them
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        yield session


class Browser:
    """The page's socket, read and written as the page does."""

    def __init__(self, socket):
        self.socket, self.number, self.answers, self.state = socket, 0, {}, None

    async def read(self):
        said = await self.socket.receive_json(timeout=5)
        if said["type"] == "state":
            self.state = said
        else:
            self.answers[said["id"]] = said

    async def ask(self, **what):
        self.number += 1
        await self.socket.send_json({"id": self.number, **what})
        while self.number not in self.answers:
            await self.read()
        return self.answers.pop(self.number)

    async def until(self, true):
        async with asyncio.timeout(5):
            while self.state is None or not true(self.state):
                await self.read()
        return self.state


@pytest.fixture
async def browser(slack, http):
    base = slack.api_url.removesuffix("/api/")
    async with http.get(slack.page_url):
        pass
    async with http.ws_connect(f"{base}/page/socket", origin=base) as ws:
        opened = Browser(ws)
        await opened.until(lambda state: True)
        yield opened
