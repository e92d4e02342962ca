"""docs/emulator.md names what there is."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

from bot.emulator import Emulator

PAGE = Path(__file__).parents[2] / "bot" / "emulator" / "page"
TEXT = (Path(__file__).parents[2] / "docs" / "emulator.md").read_text(encoding="utf-8")


def test_every_method_is_documented_and_no_other():
    table = TEXT.partition("## What it answers")[2].partition("Everything else is")[0]
    named = {
        m
        for row in table.splitlines()
        for m in re.findall(r"`([a-z]+\.[A-Za-z.]+)`", row.split("|")[1] if "|" in row else "")
    }
    assert named == set(Emulator().web_api.calls)


def test_every_fault_that_is_documented_exists():
    section = TEXT.partition("## What goes wrong on demand")[2].partition("##")[0].partition("In tests:")[2]
    slack = Emulator()
    for name in re.findall(r"`([a-z_.]+)(?:\(\)|\[method\])?`", section):
        thing = slack
        for part in name.split("."):
            thing = getattr(thing, part)


def test_the_members_and_channels_that_are_documented_exist():
    slack = Emulator()
    for user in re.findall(r"`(U0[A-Z0-9]+)`", TEXT):
        assert user in slack.workspace.users
    for channel in re.findall(r"`(C0[A-Z]+)`", TEXT):
        assert channel in slack.workspace.channels


def test_every_button_of_the_panel_is_documented_and_no_other():
    section = TEXT.partition("## What goes wrong on demand")[2].partition("In tests:")[0]
    rows = [row.split("|")[1].strip() for row in section.splitlines() if row.startswith("|")][2:]
    named = {button for row in rows for button in row.split(" · ")}
    words = (PAGE / "texts.js").read_text(encoding="utf-8").partition("const JA")[0]
    keys = ("disconnect", "cut", "again", "limit", "lose", "slow", "away", "silent", "expire")
    there = {
        re.search(rf'"break\.{key}": "(.+)"', words)[1]
        for key in (*keys, "archive", "delete", "be", "window")
    }
    assert named == {text.format(place="#channel", name="Member 2") for text in there}


async def test_the_app_on_the_page_is_a_whole_one(tmp_path):
    """It is run as it stands, by its own process, with nothing but the three settings that are printed."""
    code = TEXT.partition("```python\n")[2].partition("```")[0]
    file = tmp_path / "hello.py"
    file.write_text(code, encoding="utf-8")
    async with Emulator() as slack:
        settings = {
            "SLACK_API_URL": slack.api_url,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(file), env=os.environ | settings, cwd=tmp_path
        )
        try:
            await slack.sockets.connected(timeout=60)
            member = await slack.person("U0MEMBER1")
            assert (await member.command("notes-care", "/hello")).ok
            [said] = await member.sees(lambda: member.ephemeral("notes-care"))
            assert said["text"] == "Hello, <@U0MEMBER1>."
        finally:
            process.terminate()
            await process.wait()
