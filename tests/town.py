"""The real bot on real sockets: a local Slack, the engine, a vault of a test's own notes, and a scripted model."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from bot.emulator import Emulator
from bot.settings import BotSettings
from bot.slack.app import serve
from graph import open_engine
from graph.approval import Failure
from graph.settings import Settings
from graph.workflow import NoReply, Reply

MANIFEST = Path(__file__).parents[1] / "manifest.yml"


def local_slack() -> Emulator:
    """Return a local Slack that knows the bot's manifest; entering it starts it."""
    slack = Emulator(yaml.safe_load(MANIFEST.read_text(encoding="utf-8")))
    # A loaded machine is no fault; what is about Slack's three seconds reads the time.
    slack.sockets.ack_seconds = 20
    return slack


class Scripted:
    """A model that calls everything a missing note, unless it is told something else.

    `verdicts` says it for a link by its name: the verdict, the name it should have if that is `typo`, and the reason.
    """

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.failure: Failure | None = None
        self.verdict = "missing-note"
        self.reason = "no such note"
        self.verdicts: dict[str, dict[str, str]] = {}
        self.held: asyncio.Event | None = None

    async def ask(self, prompt: str, schema: Any, **_: Any) -> Reply | NoReply:
        self.prompts.append(prompt)
        if self.held is not None:
            await self.held.wait()
        if self.failure:
            return NoReply(self.failure, {"calls": 1})
        items = [
            {"id": c, "link": link, "verdict": self.verdict, "reason": self.reason}
            | self.verdicts.get(link, {})
            for c, link in self.asked(prompt)
        ]
        return Reply({"summary": "", "items": items}, {"calls": 1}, model="scripted")

    def asked(self, prompt: str) -> list[tuple[str, str]]:
        """Read ids and links out of the data of a prompt, as a model would."""
        data = re.findall(r"```json\n(.*?)\n```", prompt, re.DOTALL)
        return [(link["id"], link["link"]) for link in json.loads(data[0])]


class Town:
    """One local Slack, one vault, and a bot that can be stopped and started."""

    def __init__(self, slack: Emulator, folder: Path) -> None:
        self.slack = slack
        self.vault = folder / "vault"
        self.records = folder / "state" / "records"
        self.database = folder / "state" / "ringi.sqlite"
        self.claude = Scripted()
        self.given: dict[str, str] = {
            "RINGI_STARTERS": "U0MEMBER1",
            "RINGI_APPROVERS": "U0MEMBER2",
            "RINGI_DRAFTER": "rules",
        }
        self.engine: Any = None
        (self.vault / ".obsidian").mkdir(parents=True)
        (folder / "state").mkdir()

    def write(self, notes: dict[str, str]) -> None:
        """Write notes: path in the vault → text."""
        for path, text in notes.items():
            (self.vault / path).parent.mkdir(parents=True, exist_ok=True)
            (self.vault / path).write_text(text, encoding="utf-8")

    def settings(self) -> tuple[Settings, BotSettings]:
        environment = {
            "RINGI_VAULT": str(self.vault),
            "RINGI_RECORDS": str(self.records),
            "RINGI_DATABASE": str(self.database),
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
            "SLACK_API_URL": self.slack.api_url,
        } | self.given
        return Settings.model_validate(environment), BotSettings.model_validate(environment)

    @asynccontextmanager
    async def bot(self, **given: str):
        """Run the bot; leaving stops it as SIGTERM would."""
        self.given |= given
        settings, bot_settings = self.settings()
        stop, ready = asyncio.Event(), asyncio.Event()
        async with open_engine(settings, bot_settings.policy(), claude=self.claude) as engine:
            self.engine = engine
            serving = asyncio.create_task(serve(engine, bot_settings, ready=lambda _: ready.set(), stop=stop))
            waiting = asyncio.create_task(ready.wait())
            await asyncio.wait({serving, waiting}, timeout=20, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving
            try:
                yield engine
            finally:
                waiting.cancel()
                stop.set()
                await asyncio.wait_for(serving, 20)

    async def ringi(self, *arguments: str) -> str:
        """Run a command line in a process of its own, on the bot's database; return what it says."""
        settings, bot = self.settings()
        environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            **self.given,
            "LANG": "C.UTF-8",
            "COLUMNS": "120",
            "HOME": str(self.database.parent),
            "RINGI_VAULT": str(settings.vault),
            "RINGI_RECORDS": str(settings.records),
            "RINGI_DATABASE": settings.database,
            "SLACK_API_URL": bot.slack_api_url,
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *arguments),
            env=environment,
            cwd=self.database.parent,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(process.communicate(), 90)
        return said.decode()

    async def member(self, number: int):
        return await self.slack.person({1: "U0MEMBER1", 2: "U0MEMBER2", 3: "U0STRANGER"}[number])

    async def outcome(self, state: str = "done"):
        """Wait until the newest run has come to this state, and return it."""
        deadline = asyncio.get_running_loop().time() + 20
        while True:
            runs = await self.engine.store.runs(limit=1)
            if runs and runs[0].state == state:
                return runs[0]
            assert asyncio.get_running_loop().time() < deadline, (
                f"{runs[0].state if runs else None}, not {state}"
            )
            await asyncio.sleep(0.02)

    async def all_shown(self) -> None:
        """Wait until Slack shows what the rows say."""
        store = self.engine.store
        async with asyncio.timeout(120):
            while await store.behind(store.now(), frozenset()):  # noqa: ASYNC110 - rows, not an event
                await asyncio.sleep(0.05)

    def record(self) -> str:
        """Return the text of the one record."""
        (path,) = self.records.glob("*.md")
        return path.read_text(encoding="utf-8")
