"""A database that one process opens twice keeps what is committed afterwards, whoever else comes and goes."""

import subprocess
import sys

import pytest

from graph.approval import Person
from graph.intake import Intake
from graph.policy import Policy
from graph.runtime import open_store
from graph.settings import Settings, read
from graph.workflows import find_workflow

COME_AND_GO = """
import asyncio, sys
from graph.runtime import open_store
from graph.settings import Settings, read

async def look():
    async with open_store(read(Settings, {"RINGI_DATABASE": sys.argv[1]})) as store:
        print(len(await store.runs()))

asyncio.run(look())
"""


def _another_process_counts(path):
    done = subprocess.run(
        [sys.executable, "-c", COME_AND_GO, path], capture_output=True, text=True, timeout=60, check=True
    )
    return int(done.stdout)


@pytest.mark.slow
async def test_what_is_committed_after_a_second_opening_is_there_for_everyone(tmp_path):
    """Opening and closing the file by hand drops SQLite's locks, and another process deletes the log in use."""
    settings = read(Settings, {"RINGI_DATABASE": str(tmp_path / "ringi.sqlite")})
    me = Person(id="me", name="me", surface="terminal", verified=False)

    async def start(store, source):
        given = {"folder": "daily"}
        intake = Intake(store, Policy())
        await intake.start(
            find_workflow("linkcheck"),
            given,
            source=source,
            requester=me,
            language="en",
            zone="UTC",
            place=None,
        )

    async with open_store(settings) as first:
        await start(first, "terminal:1")
        async with open_store(settings):
            pass
        assert _another_process_counts(settings.database) == 1  # it closes as if it were the last
        await start(first, "terminal:2")
        assert _another_process_counts(settings.database) == 2
    assert _another_process_counts(settings.database) == 2
