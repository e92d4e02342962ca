"""The real bot as a process of its own, beside a local Slack in this one."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import bot
from bot.emulator import Emulator

MEMBER = "U0MEMBER1"


def environment(home: Path, vault: Path) -> dict[str, str]:
    """Return settings for a bot whose state lies in `home`; rules judge, so that no model is timed."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(
            Path(bot.__file__).parents[1]
        ),  # the code that is measured, wherever it is installed
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "RINGI_VAULT": str(vault),
        "RINGI_DATABASE": str(home / "state" / "ringi.sqlite"),
        "RINGI_RECORDS": str(home / "records"),
        "RINGI_DRAFTER": "rules",
        "RINGI_STARTERS": MEMBER,
        "RINGI_CHANNEL": "C0NOTES",
        "RINGI_LOG_LEVEL": "WARNING",
    }


@asynccontextmanager
async def local_slack() -> AsyncIterator[Emulator]:
    """Yield a local Slack without rate limits."""
    from bot.manifest import read_manifest

    slack = Emulator(read_manifest())
    slack.rates.clear()
    await slack.start()
    try:
        yield slack
    finally:
        await slack.close()


@asynccontextmanager
async def bot_beside(
    slack: Emulator, home: Path, vault: Path, *, ready: bool = True, **settings: str
) -> AsyncIterator[int]:
    """Yield the process id of a bot, once it is connected to this Slack or (`ready` = False) at once."""
    variables = (
        environment(home, vault)
        | settings
        | {
            "SLACK_API_URL": slack.api_url,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
        }
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "serve", cwd=home, env=variables, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            while ready and "ready" not in (line := (await process.stdout.readline()).decode()):
                if not line:
                    raise RuntimeError("the bot ended before it was ready")
        yield process.pid
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            await process.wait()


@asynccontextmanager
async def slack_and_bot(home: Path, vault: Path) -> AsyncIterator[tuple[Emulator, int]]:
    """Yield a local Slack without rate limits and the process id of a bot that is connected to it."""
    async with local_slack() as slack, bot_beside(slack, home, vault) as pid:
        yield slack, pid


def resident(pid: int) -> float:
    """Return the memory a process holds, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024
