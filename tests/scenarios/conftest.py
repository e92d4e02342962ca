"""One town for each test: the real bot on a local Slack, with linkcheck on a folder of notes."""

from __future__ import annotations

from typing import Any

import pytest

NOTES = "C0NOTES"


def words(message: dict[str, Any]) -> str:
    """Return all that a person reads in a message or a modal, top to bottom."""
    found: list[str] = []

    def read(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") in {"plain_text", "mrkdwn"}:
                found.append(str(node["text"]))
            for value in node.values():
                read(value)
        elif isinstance(node, list):
            for value in node:
                read(value)

    read(message.get("blocks", []))
    return "\n".join(found)


def buttons(message: dict[str, Any]) -> list[str]:
    """Return the action ids of a message, top to bottom."""
    found = []
    for block in message["blocks"]:
        found += [e["action_id"] for e in block.get("elements", []) if "action_id" in e]
        if "accessory" in block:
            found.append(block["accessory"]["action_id"])
    return found


@pytest.fixture
def reading():
    """How tests read messages: `reading.words(m)`, `reading.buttons(m)`."""

    class Reading:
        pass

    def find(messages: list[dict[str, Any]], part: str) -> dict[str, Any] | None:
        """Return the last message that says this."""
        return next((m for m in reversed(messages) if part in words(m) or part in m["text"]), None)

    Reading.words, Reading.buttons, Reading.find = map(staticmethod, (words, buttons, find))
    return Reading


@pytest.fixture
async def town(tmp_path, towns):
    async with towns.local_slack() as slack:
        town = towns.Town(slack, tmp_path)
        town.write(
            {
                "daily/2026-11-03.md": "See [[Projct plan]].\n",
                "daily/2026-11-05.md": "We [[Move to new office]].\n",
                "work/Project plan.md": "The plan.\n",
            }
        )
        yield town


@pytest.fixture
def told():
    """Type a command and return its private answer, which comes with the acknowledgement or after it."""

    async def tell(member, text: str, channel: str = NOTES):
        before = len(member.ephemeral(channel))
        answer = await member.command(channel, text)
        assert answer.ok, answer
        assert answer.ack < 3000
        return await member.sees(lambda: (member.ephemeral(channel)[before:] or [None])[0], timeout=20)

    return tell


@pytest.fixture
def asked(town):
    """Start a check and return its card once it asks: `await asked(member)`."""

    async def ask(member, folder: str = "daily", channel: str = NOTES):
        answer = await member.command(channel, f"/linkcheck {folder}")
        assert answer.ok, answer
        return await member.sees(lambda: card(member, channel), timeout=20)

    def card(member, channel: str):
        found = [m for m in member.messages(channel) if "approve" in buttons(m)]
        return found[-1] if found else None

    return ask
