"""Three hundred clicks in ten seconds, each on another card: how soon they are acknowledged, and whether all count.

Ten people decide thirty cards each: a press, the modal, a submission. So there are three hundred submissions too.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.acks import GOAL, cards, lay_out_folders
from bench.bot import MEMBER, bot_beside, local_slack
from bench.figures import Figure, p50_p99, percentile
from bot.emulator import Emulator
from bot.emulator.model import User
from bot.emulator.people import Person

CLICKS, PEOPLE, SECONDS = 300, 10, 10.0
SLACK_WAITS = 3000.0  #: milliseconds; a submission carries its run on beside thirty others a second
ALL = [MEMBER, *(f"U0DECIDES{number}" for number in range(2, PEOPLE + 1))]


@dataclass(slots=True)
class Times:
    """Milliseconds to each acknowledgement; `spread` is the seconds from the first press to the last."""

    presses: list[float] = field(default_factory=list)
    submissions: list[float] = field(default_factory=list)
    spread: float = 0.0


async def join(slack: Emulator) -> list[Person]:
    """Have as many people in the workspace, and in the channel, as are to decide."""
    for number, user in enumerate(ALL, start=1):
        slack.workspace.users.setdefault(user, User(user, f"Member {number}", "Europe/London", "en-US"))
        slack.workspace.channels["C0NOTES"].members.add(user)
    return [await slack.person(user) for user in ALL]


async def decide(person: Person, mine: list[dict], first: float, times: Times) -> None:
    """Decide one card after the other, each at its time or as soon as the one before is done."""
    for number, card in enumerate(mine):
        due = first + number * SECONDS / len(mine)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        pressed = await person.click(card, "approve")
        times.presses.append(pressed.ack)
        times.spread = max(times.spread, time.perf_counter() - first)
        view = await person.modal("decide")
        submitted = await person.submit(view, {"reason": "Checked."})
        times.submissions.append(submitted.ack)
        await person.sees(lambda: not person.views or None)


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as place:
        home, vault = Path(place) / "home", Path(place) / "vault"
        (vault / ".obsidian").mkdir(parents=True)
        home.mkdir()
        lay_out_folders(vault, CLICKS)
        async with local_slack() as slack:
            people = await join(slack)
            said = {"RINGI_APPROVERS": ",".join(ALL), "RINGI_SELF_APPROVAL": "yes"}
            async with bot_beside(slack, home, vault, **said):
                for number in range(CLICKS):
                    await people[0].command("C0NOTES", f"/linkcheck notes/{number}")
                asked = await people[0].sees(
                    lambda: found if len(found := cards(people[0])) >= CLICKS else None, timeout=300
                )
                times, begun = Times(), time.perf_counter()
                await asyncio.gather(
                    *(
                        decide(person, asked[at::PEOPLE], begun + at * SECONDS / CLICKS, times)
                        for at, person in enumerate(people)
                    )
                )
                answered = time.perf_counter()
                while (done := len(list((home / "records").glob("*.md")))) < CLICKS:
                    if time.perf_counter() - answered > 60:
                        break
                    await asyncio.sleep(0.05)
                after = time.perf_counter() - answered
    rows = [
        Figure(
            f"acknowledgement of a {name}, p50 / p99 of {len(values)} on different cards in {times.spread:.0f} s",
            p50_p99(values),
            f"p99 < {goal:.0f} ms",
            percentile(values, 99) < goal,
        )
        for name, values, goal in (
            ("press", times.presses, GOAL),
            ("submission", times.submissions, SLACK_WAITS),
        )
    ]
    return [
        *rows,
        Figure(
            "of these, resumed and recorded; the last one after the last submission",
            f"{done} of {CLICKS}; {after:.1f} s",
            f"{CLICKS} of {CLICKS}",
            done == CLICKS,
        ),
    ]
