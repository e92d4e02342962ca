"""Chromium on the page of a local Slack, and a small app of Slack's own library behind it.

Everything here lives on one event loop for the whole session, because one Chromium serves all tests: tests of
this folder carry `pytest.mark.asyncio(loop_scope="session")`.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import pytest_asyncio
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.emulator import Emulator

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DESK = {"viewport": {"width": 1280, "height": 800}}
FLAGS = [
    "--no-sandbox",  # a container has no user namespaces; the only pages opened are our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MANIFEST = {
    "features": {
        "app_home": {"home_tab_enabled": True},
        "bot_user": {"display_name": "ringi"},
        "shortcuts": [
            {"name": "Check links", "type": "global", "callback_id": "check", "description": "In a folder"}
        ],
        "slash_commands": [
            {
                "command": "/linkcheck",
                "description": "Check the links of a folder",
                "usage_hint": "[folder] | status | help",
            }
        ],
    },
    "oauth_config": {"scopes": {"bot": ["chat:write", "commands", "users:read", "files:write"]}},
    "settings": {"event_subscriptions": {"bot_events": ["app_home_opened", "message.channels"]}},
}


def _found() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    return next(
        filter(None, map(shutil.which, names)), shutil.which(mac) if sys.platform == "darwin" else None
    )


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def chromium(require):
    """One headless Chromium for all tests."""
    path = require(_found(), "Chromium", "apt-get install chromium fonts-noto-cjk")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def slack():
    async with Emulator(MANIFEST) as emulator:
        emulator.rates.clear()
        emulator.sockets.ack_seconds = emulator.workspace.trigger_seconds = (
            30.0  # a busy machine is not the subject
        )
        yield emulator


@pytest.fixture
def client(slack):
    return AsyncWebClient(slack.bot_token, base_url=slack.api_url, retry_handlers=[])


@pytest_asyncio.fixture(loop_scope="session")
async def app(slack, client):
    """An app without listeners; a test adds its own."""
    app = AsyncApp(client=client)
    web_client = AsyncWebClient(slack.app_token, base_url=slack.api_url)
    handler = AsyncSocketModeHandler(app, slack.app_token, web_client=web_client, ping_interval=1)
    await handler.connect_async()
    await slack.sockets.connected()
    yield app
    await handler.close_async()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(chromium, slack):
    """Open the page as a member: `visit("U0MEMBER1", "C0NOTES")`; on a phone unless told `at=desk`.

    The page's complaints (its console's errors, uncaught exceptions, anything its CSP refused) fail the test.
    """
    contexts, complaints = [], []

    async def go(
        user: str, channel: str | None = None, *, desk: bool = False, url: str | None = None, **more
    ):
        context = await chromium.new_context(**(DESK if desk else PHONE) | more)
        context.set_default_timeout(20000)
        contexts.append(context)
        page = await context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        await page.goto(url or slack.page_url)
        await page.click(f"[data-user={user}]")
        if channel:
            await page.click(f"[data-channel={channel}]")
        return page

    yield go
    for context in contexts:
        await context.close()
    unexpected = [
        said for said in complaints if "WebSocket" not in said and "ERR_CONNECTION_REFUSED" not in said
    ]
    assert unexpected == []


@pytest_asyncio.fixture(loop_scope="session")
async def demo(chromium, tmp_path):
    """A running `ringi demo`: the address it printed, which leads into #notes-care, and the folder its records go to."""
    surroundings = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "demo"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=surroundings
        | {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), "COLUMNS": "200", "PYTHONUNBUFFERED": "1"},
    )
    said = b""
    async with asyncio.timeout(60):
        while not (address := re.search(rb"http://127\.0\.0\.1:\d+/\?key=[\w-]+#\w+", said)):
            line = await process.stdout.readline()
            assert line, f"ringi demo ended: {said.decode()}"
            said += line
    yield address[0].decode(), tmp_path
    process.terminate()
    async with asyncio.timeout(20):
        await process.communicate()
    assert process.returncode == 0


@pytest.fixture
def pictures(tmp_path):
    """Take a picture of the page: `await pictures(page, name)`.

    Where nothing may be skipped (`RINGI_TEST_REQUIRE=all`), those in docs/images are taken anew; elsewhere they go to a
    temporary folder, so that a test run leaves the checkout as it was.
    """
    taken = IMAGES if os.environ.get("RINGI_TEST_REQUIRE") == "all" else tmp_path / "images"
    taken.mkdir(parents=True, exist_ok=True)

    async def take(page, name: str) -> None:
        path = taken / f"{name}.png"
        await page.evaluate(
            "Promise.all(document.getAnimations().map(({finished}) => finished.catch(() => null)))"
        )
        await page.screenshot(path=path)
        assert path.stat().st_size < 300_000

    return take
