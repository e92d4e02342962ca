"""From the command to the first card, for the sample vault; and what the idle bot holds in memory."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import bot
from bench.acks import cards
from bench.bot import MEMBER, resident, slack_and_bot
from bench.figures import Figure

TIMES = 5


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        home, vault = Path(place) / "home", Path(place) / "vault"
        home.mkdir()
        shutil.copytree(Path(bot.__file__).parent / "demo_vault", vault)
        (vault / ".obsidian").mkdir()
        async with slack_and_bot(home, vault) as (slack, pid):
            member = await slack.person(MEMBER)
            await asyncio.sleep(3)
            idle = resident(pid)
            seconds = []
            for number in range(1, TIMES + 1):
                begun = time.perf_counter()
                await member.command("C0NOTES", "/linkcheck notes")
                await member.sees(lambda wanted=number: len(cards(member)) >= wanted or None, timeout=60)
                seconds.append(time.perf_counter() - begun)
            later = resident(pid)
    return [
        Figure(
            f"start to card, sample vault, rules: first, then median of {TIMES - 1}",
            f"{seconds[0]:.2f} s, {statistics.median(seconds[1:]):.2f} s",
        ),
        Figure("memory of the idle bot, before and after those runs", f"{idle:.0f} / {later:.0f} MiB"),
    ]
