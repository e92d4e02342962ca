"""Databases as earlier versions wrote them, and the notes their runs are about."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest

from graph.approval import Person
from graph.policy import Policy
from graph.runtime import move_database, open_engine
from graph.settings import Settings, read
from graph.workflow import Reply

HERE = Path(__file__).parent
RELEASED = sorted(HERE.glob("*.sqlite.gz"))


@pytest.fixture(params=RELEASED, ids=[path.name.partition(".")[0] for path in RELEASED])
async def left(request, tmp_path, database):
    """Settings of a database that an earlier version left, on SQLite, or moved to PostgreSQL from there."""
    file = tmp_path / "left" / "ringi.sqlite"
    file.parent.mkdir()
    file.write_bytes(gzip.decompress(request.param.read_bytes()))
    spec = importlib.util.spec_from_file_location("make", HERE / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    over = {"vault": make.lay_out(), "records": tmp_path / "records"}
    settings = read(Settings, {}, database=str(file), **over)
    if database.startswith("postgresql"):
        target = read(Settings, {}, database=database, **over)
        await move_database(settings, target)
        settings = target
    yield settings
    shutil.rmtree(make.PLACE, ignore_errors=True)


class Obliging:
    """A model that calls everything a missing note."""

    async def ask(self, prompt, _schema, **_):
        links = json.loads(re.search(r"```json\n(.*?)\n```", prompt, re.DOTALL)[1])
        items = [
            {"id": one["id"], "link": one["link"], "verdict": "missing-note", "reason": "no such note"}
            for one in links
        ]
        return Reply({"summary": "", "items": items}, {"calls": 1}, model="scripted")


@pytest.fixture
def member():
    return Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True)


@pytest.fixture
async def engine(left):
    """This version, on what an earlier one left."""
    users = frozenset({"U0MEMBER1", "U0MEMBER2"})
    policy = Policy(starters=users, approvers=users, self_approval=True, team="T0TEAM")
    async with open_engine(left, policy, claude=Obliging()) as opened:
        yield opened
