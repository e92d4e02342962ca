"""Two hundred runs started at once: when the last of them asks, and what the bot does while its edits have to wait.

Slack takes about fifty edits a minute, so most messages are behind their rows for minutes then. Cards must not wait
for that, and waiting must cost nothing.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from bench.acks import cards, lay_out_folders
from bench.bot import MEMBER, slack_and_bot
from bench.figures import Figure
from bot.emulator.web_api import slack_rates

RUNS = 200
WATCHED = 15.0


def spent(pid: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        home, vault = Path(place) / "home", Path(place) / "vault"
        (vault / ".obsidian").mkdir(parents=True)
        home.mkdir()
        lay_out_folders(vault, RUNS)
        async with slack_and_bot(home, vault) as (slack, pid):
            slack.rates["chat.update"] = slack_rates()["chat.update"]
            member = await slack.person(MEMBER)
            begun, used = time.perf_counter(), spent(pid)
            for number in range(RUNS):
                await member.command("C0NOTES", f"/linkcheck notes/{number}")
            typed = time.perf_counter() - begun
            await member.sees(lambda: len(cards(member)) >= RUNS or None, timeout=570)
            asked, work = time.perf_counter() - begun, spent(pid) - used
            used = spent(pid)
            await asyncio.sleep(WATCHED)
            idle = (spent(pid) - used) / WATCHED * 100
            edits = sum(1 for method, _ in slack.web_api.asked if method == "chat.update")
    return [
        Figure(
            f"{RUNS} runs typed at once: until the last command was taken, until the last card asked",
            f"{typed:.0f} s, {asked:.0f} s ({work / RUNS * 1e3:.0f} ms of processor a run, {edits} edits)",
        ),
        Figure("then, with most edits waiting for Slack's pace: processor used by the bot", f"{idle:.0f} %"),
    ]
