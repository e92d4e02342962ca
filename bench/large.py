"""How long after a tap its modal stands in Slack, where a review holds thousands of links.

Each button is pressed in a bot that has just started, which has read nothing of the review yet, and then some more times.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from bench.bot import MEMBER, bot_beside, local_slack
from bench.figures import Figure
from bot.emulator import Emulator

LINKS = 5_000
AGAIN = 5
GOAL = 300.0
BUTTONS = {"approve": "decide", "items": "items_page", "everything": "everything"}


def lay_out(vault: Path) -> None:
    (vault / ".obsidian").mkdir(parents=True)
    folder = vault / "notes"
    folder.mkdir()
    for number in range(LINKS // 10):
        links = "".join(f"- See [[Missing page {number * 10 + n}]] here.\n" for n in range(10))
        (folder / f"note {number}.md").write_text(links)


async def press(slack: Emulator, action: str) -> float:
    """Press a button of the newest card; return the milliseconds until its modal stands."""
    member = await slack.person(MEMBER)
    card = next(
        m for m in reversed(member.messages("C0NOTES")) if '"approve"' in str(m["blocks"]).replace("'", '"')
    )
    begun = time.perf_counter()
    await member.click(card, action)
    view = await member.modal(BUTTONS[action], timeout=60)
    took = (time.perf_counter() - begun) * 1000
    await member.close(view, everything=True)
    return took


async def measure() -> list[Figure]:
    rows = []
    with tempfile.TemporaryDirectory() as place:
        home, vault = Path(place) / "home", Path(place) / "vault"
        home.mkdir()
        lay_out(vault)
        async with local_slack() as slack:
            async with bot_beside(slack, home, vault):
                member = await slack.person(MEMBER)
                await member.command("C0NOTES", "/linkcheck notes")
                await member.sees(
                    lambda: any("lead nowhere" in m["text"] for m in member.messages("C0NOTES")) or None,
                    timeout=300,
                )
                await member.sees(
                    lambda: any("Ready" in str(m["blocks"]) for m in member.messages("C0NOTES")) or None,
                    timeout=60,
                )
            for action in BUTTONS:
                async with bot_beside(slack, home, vault):
                    first = await press(slack, action)
                    rest = statistics.median([await press(slack, action) for _ in range(AGAIN)])
                rows.append(
                    Figure(
                        f"from a tap on *{action}* to its modal, {LINKS:,} links: first tap of a bot, median of {AGAIN} more",
                        f"{first:.0f} / {rest:.0f} ms",
                        f"< {GOAL:.0f} ms",
                        first < GOAL,
                    )
                )
    return rows
