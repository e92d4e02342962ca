"""Chromium on the page of a local Slack, and a small app of Slack's own library behind it.

Everything here lives on one event loop for the whole session, because one Chromium serves all tests: tests of
this folder carry `pytest.mark.asyncio(loop_scope="session")`.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import importlib.util
import json
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

WORD_ONLY = ".unknown, .picture"
STILL = """Promise.all(document.getAnimations().filter(({effect}) => effect.getComputedTiming().endTime !== Infinity)
  .map(({finished}) => finished.catch(() => null)))"""
SERIOUS = {"serious", "critical"}
AXE = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations
  .map(({id, impact, nodes}) => ({id, impact, where: nodes.map(({target, failureSummary}) => `${target} ${failureSummary}`)}))"""


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


def _installed_axe() -> Path | None:
    here = Path(__file__).with_name("install_axe.py")
    spec = importlib.util.spec_from_file_location("ringi_tests_install_axe", here)
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    return install.installed()


@pytest.fixture(scope="session")
def axe(require) -> Path:
    """The script that looks for barriers; a test that is about nothing else asks for it."""
    return require(_installed_axe(), "axe-core", ".venv/bin/python tests/browser/install_axe.py")


@pytest.fixture(scope="session")
def barriers():
    """Look for serious barriers on a page: `await barriers(page)` names each; none where axe-core is not installed."""
    found = _installed_axe()
    script = found.read_text(encoding="utf-8") if found else None

    async def look(page) -> list[str]:
        if script is None:
            return []
        await page.evaluate(STILL)
        if not await page.evaluate("'axe' in window"):
            await page.evaluate(script)
        some = await page.evaluate(AXE)
        return [json.dumps(one, ensure_ascii=False) for one in some if one["impact"] in SERIOUS]

    return look


def words_of(node) -> list[str]:
    """Return what a person reads in blocks: the words around mentions, times and marks, and of menus the choice."""
    if isinstance(node, list):
        return [word for one in node for word in words_of(one)]
    if not isinstance(node, dict):
        return []
    if node.get("type") in {"plain_text", "mrkdwn"}:
        marked = node["type"] == "mrkdwn"
        parts = re.split(r"<[^>]*>|[*_`\n]", node["text"]) if marked else [node["text"]]
        parts = [html.unescape(part) for part in parts] if marked else parts
        return [word for part in parts if (word := " ".join(part.split()))]
    hidden = {"placeholder", "confirm", "initial_value"}
    return [word for name, value in node.items() if name not in hidden for word in words_of(value)]


class Walker:
    """Somebody at the page who taps, types and looks, no more.

    What is pressed is called by its words, in what lies on top; of several the last, which is the newest. Each place
    they look at is looked at for barriers too, and for what the page could not show.
    """

    def __init__(self, page, person, *, phone: bool, barriers, pictures, suffix: str) -> None:
        self.page, self.person, self.phone = page, person, phone
        self._barriers, self._pictures, self._suffix = barriers, pictures, suffix
        self.top = page.locator("dialog[open], body:not(:has(dialog[open])) .frame")

    async def tap(self, target) -> None:
        await (target.tap() if self.phone else target.click())

    async def press(self, words: str) -> None:
        """Press a button by the words on it."""
        named = re.compile(rf"^\s*{re.escape(words)}\s*$")
        await self.tap(self.top.locator("button:visible, a.button:visible").filter(has_text=named).last)

    async def sees(self, words: str | re.Pattern[str]) -> None:
        """Wait until these words stand somewhere on top."""
        await self.top.get_by_text(words).last.wait_for()

    async def sees_the_newest_whole(self) -> None:
        """The newest message of the channel needs no more than one screen."""
        log = await self.page.locator("#channel .log").bounding_box()
        newest = await self.page.locator("#channel .message").last.bounding_box()
        assert newest["height"] <= log["height"]

    async def misses(self, words: str) -> None:
        """Wait until no button on top is called this."""
        named = re.compile(rf"^\s*{re.escape(words)}\s*$")
        await self.top.locator("button:visible").filter(has_text=named).last.wait_for(state="detached")

    async def asked(self, title: str | re.Pattern[str]):
        """Wait for a modal of this title."""
        await self.page.get_by_role("dialog", name=title).wait_for()

    async def alone(self) -> None:
        """Wait until no modal is open."""
        await self.page.locator("#modal[open]").wait_for(state="detached")

    async def write(self, words: str) -> None:
        """Type into the one text field of a modal."""
        await self.page.locator("dialog[open]").get_by_role("textbox").fill(words)

    async def choose(self, item: str, option: str) -> None:
        """Choose in a menu of a modal by its label."""
        await self.page.locator("dialog[open]").get_by_label(item).select_option(label=option)

    async def command(self, slash: str, send: str) -> None:
        """Send the app's command alone: `/`, the suggestion, Send."""
        composer = self.page.locator("#channel .composer")
        await self.tap(composer.get_by_role("button", name=slash))
        await self.tap(composer.get_by_role("option").first)
        await self.tap(composer.get_by_role("button", name=send))

    async def home(self, name: str) -> None:
        """Go to the app's Home tab."""
        if self.phone:
            await self.tap(self.page.locator(".pane:visible .back"))
        await self.tap(self.page.locator("[data-channel^=D0]"))
        await self.tap(self.page.get_by_role("tab", name=name))

    async def channel(self, channel: str) -> None:
        """Go to a channel."""
        if self.phone:
            await self.tap(self.page.locator(".pane:visible .back"))
        await self.tap(self.page.locator(f"[data-channel={channel}]"))

    async def _shown(self) -> list[dict]:
        """Return what the app sent that lies on top now: a modal, the Home tab, or the messages of the open panes."""
        if self.person.views:
            return self.person.views[-1]["blocks"]
        if await self.page.locator("#home").is_visible():
            return self.person.home["blocks"]
        sent = []
        if await self.page.locator("#channel").is_visible():
            sent += self.person.messages("C0NOTES") + self.person.ephemeral("C0NOTES")
        if await self.page.locator("#thread").is_visible():
            root = await self.page.locator("#thread .message").first.get_attribute("data-ts")
            sent += self.person.thread(root, "C0NOTES")
        return [block for message in sent for block in message["blocks"]]

    async def reads_all(self) -> None:
        """Wait until every word that was sent stands on top; what is sent meanwhile counts instead."""
        missing = """(top, words) => {
          const there = top.innerText.replace(/\\s+/g, " ");
          return words.filter((word) => !there.includes(word));
        }"""
        left = ["nothing was read"]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(20):
                while left := await self.top.last.evaluate(missing, words_of(await self._shown())):  # noqa: ASYNC110 - the page rings no bell
                    await asyncio.sleep(0.05)
        if left:
            top = await self.top.last.evaluate("top => `${top.id} ${top.className}: ${top.innerText}`")
            raise AssertionError(f"{left} not in {top}")

    async def look(self, picture: str | None = None, *, desk: str | None = None) -> None:
        """Look at all that is on the page now; keep a picture of it if it has a name, on a phone or at a desk."""
        assert await self.page.locator(WORD_ONLY).count() == 0
        await self.reads_all()
        if self.phone:
            beyond = "[...document.querySelectorAll('dialog[open] *, .pane *')].filter(n => n.getBoundingClientRect().right > 390.5).map(n => n.className)"
            assert await self.page.evaluate(beyond) == []
        assert await self._barriers(self.page) == []
        if name := picture if self.phone else desk and f"desk.{desk}":
            await self._pictures(self.page, f"{name}.{self._suffix}")


@pytest_asyncio.fixture(loop_scope="session")
async def walker(visit, barriers, pictures):
    """Come to a page as somebody, into #notes-care: `await walker(slack, "U0MEMBER1", phone=True, suffix="en")`."""

    async def come(slack: Emulator, user: str, *, phone: bool, suffix: str) -> Walker:
        more = {"device_scale_factor": 1.5} if phone else {}
        page = await visit(user, "C0NOTES", url=slack.page_url, desk=not phone, **more)
        person = await slack.person(user)
        return Walker(page, person, phone=phone, barriers=barriers, pictures=pictures, suffix=suffix)

    return come


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
        await page.evaluate(STILL)
        await page.screenshot(path=path)
        assert path.stat().st_size < 300_000

    return take
