"""One life of the real bot: it serves until it is told to end, or until it kills itself.

Started cold as `life.py ORDER`, or forked from a process that has imported this and opened nothing. The order is JSON:
`home`, `number` of this life, `kill` (see `boundaries.py`), `mutant`, and `environment`, the bot's settings.
"""

import asyncio
import hashlib
import json
import logging
import os
import re
import signal
import sys
import traceback
from pathlib import Path

import aiosqlite  # noqa: F401 - warm, as the modules below: what a bot imports late
import alembic.command  # noqa: F401 - see above
from boundaries import cross, watch, workflow
from mutants import MUTANTS

import graph.store.checkpoints
import graph.workflows.linkcheck.by_claude
import graph.workflows.linkcheck.graph  # noqa: F401 - see above
from bot.settings import BotSettings
from bot.slack import app
from graph.approval import Failure
from graph.engine import engine
from graph.runtime import open_engine
from graph.settings import Settings
from graph.workflow import NoReply, Reply


class Scripted:
    """A model that calls everything a missing note.

    With a file `limit` in the home it has room for one call only; with `hold` it does not come to an end; with
    `trouble` it breaks; with `held` it should not be asked, and tells on whoever does.
    """

    def __init__(self, home, life):
        self.home, self.life = home, life

    async def ask(self, prompt, schema, **_):
        cross("claude:before")
        if (self.home / "held").exists():
            (self.home / "asked_while_held").touch()
        if (self.home / "trouble").exists():
            raise RuntimeError
        if (self.home / "limit").exists() and (self.home / "asked.txt").exists():
            return NoReply(Failure(kind="usage_limit", step="", words="no room"), {"calls": 1})
        digest = hashlib.sha256(prompt.encode()).hexdigest()[:12]
        with (self.home / "asked.txt").open("a") as file:
            file.write(f"{self.life} {digest}\n")
        await asyncio.sleep(0.05)
        while (self.home / "hold").exists():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
        data = json.loads(re.findall(r"```json\n(.*?)\n```", prompt, re.DOTALL)[0])
        items = [
            {"id": link["id"], "link": link["link"], "verdict": "missing-note", "reason": "no such note"}
            for link in data
        ]
        cross("claude:after")
        return Reply({"summary": "", "items": items}, {"calls": 1}, model="scripted")


async def live(order):
    """Be the bot until SIGTERM."""
    home = Path(order["home"])
    cross.begin(home, order["number"], order["kill"], order["harm"])
    watch()
    if order["mutant"]:
        MUTANTS[order["mutant"]]()
    engine.WATCH_SECONDS = 0.3  # quicker, so that a run of the tests meets it
    settings = Settings.model_validate(order["environment"])
    bot_settings = BotSettings.model_validate(order["environment"])
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    claude = Scripted(home, order["number"])
    async with open_engine(settings, bot_settings.policy(), claude=claude, workflow=workflow) as moving:
        await app.serve(moving, bot_settings, stop=stop)


def main(order):
    """Live; return the process's exit code."""
    home = Path(order["home"])
    logging.basicConfig(
        filename=home / "bot.log", level=logging.WARNING, format="%(levelname)s %(name)s %(message)s"
    )
    try:
        asyncio.run(live(order))
    except BaseException:  # noqa: BLE001 - the parent reads why
        (home / f"trouble.{order['number']}").write_text(traceback.format_exc())
        return 1
    return 0


if __name__ == "__main__":
    os._exit(main(json.loads(sys.argv[1])))
