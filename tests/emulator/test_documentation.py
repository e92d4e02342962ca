"""docs/emulator.md names what there is."""

from __future__ import annotations

import re
from pathlib import Path

from bot.emulator import Emulator

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
    section = TEXT.partition("## What goes wrong on demand")[2].partition("##")[0]
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
