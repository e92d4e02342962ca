"""How long a person waits for Slack to accept what they did, while the bot is busy with other things.

Fifty runs wait for a decision, and a folder of 20,000 notes is being read over and over; then commands,
presses and submissions are timed from the envelope on the socket to its acknowledgement.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from bench.bot import MEMBER, slack_and_bot
from bench.figures import Figure, p50_p99, percentile
from bot.emulator.people import Person

RUNS = 50
NOTES = 100_000
GOAL = 300.0


def lay_out_folders(vault: Path, many: int) -> None:
    """Make folders that are checked at the same time: of one folder one check is at work at a time."""
    for number in range(many):
        folder = vault / "notes" / str(number)
        folder.mkdir(parents=True)
        (folder / "one.md").write_text("See [[Missing page]] and [[Other page]].\n")


def lay_out(vault: Path) -> None:
    (vault / ".obsidian").mkdir(parents=True)
    lay_out_folders(vault, RUNS)
    for number in range(NOTES):
        folder = vault / "big" / f"{number // 500:03}"
        folder.mkdir(parents=True, exist_ok=True)
        links = " ".join(f"[[note {(number * 7 + step) % NOTES}]]" for step in range(8))
        (folder / f"note {number}.md").write_text(
            f"# Note {number}\n\nWords and {links} and more words.\n" * 3
        )


def cards(member: Person) -> list[dict]:
    """Return the cards that still ask."""
    return [
        message
        for message in member.messages("C0NOTES")
        if any(
            element.get("action_id") == "approve"
            for block in message["blocks"] or []
            for element in block.get("elements", [])
        )
    ]


async def keep_reading(member: Person, reads: list[float]) -> None:
    """Have the big folder read again as soon as it has been read."""
    while True:
        before = {message["ts"] for message in member.messages("C0NOTES")}
        answer = await member.command("C0NOTES", "/linkcheck big")
        if answer.ack:
            reads.append(answer.ack)

        def ended(known: set[str] = before) -> bool:
            return any(
                "No broken links" in message["text"]
                for message in member.messages("C0NOTES")
                if message["ts"] not in known
            )

        await member.sees(lambda: ended() or None, timeout=120)


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        home, vault = Path(place) / "home", Path(place) / "vault"
        home.mkdir()
        lay_out(vault)
        async with slack_and_bot(home, vault) as (slack, _):
            member = await slack.person(MEMBER)
            for number in range(RUNS):
                await member.command("C0NOTES", f"/linkcheck notes/{number}")
            await member.sees(lambda: len(cards(member)) >= RUNS or None, timeout=240)
            commands: list[float] = []
            reading = asyncio.create_task(keep_reading(member, commands))
            await asyncio.sleep(1)
            presses, submissions = [], []
            for card in cards(member)[:RUNS]:
                for _ in range(2):
                    commands.append((await member.command("C0NOTES", "/linkcheck status")).ack)
                    pressed = await member.click(card, "approve")
                    presses.append(pressed.ack)
                    view = await member.modal("decide")
                    if len(presses) % 2:
                        await member.close(view)
                submitted = await member.submit(view, {"reason": "Checked."})
                submissions.append(submitted.ack)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
    rows = []
    for name, values in (("command", commands), ("press", presses), ("submission", submissions)):
        if any(value is None for value in values):
            raise RuntimeError(f"a {name} was not acknowledged")
        rows.append(
            Figure(
                f"acknowledgement of a {name}, p50 / p99 of {len(values)}, {RUNS} runs waiting, {NOTES:,} notes being read",
                p50_p99(values),
                f"p99 < {GOAL:.0f} ms",
                percentile(values, 99) < GOAL,
            )
        )
    return rows
