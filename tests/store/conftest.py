"""A store on an empty file, and a workflow that only has a name."""

from types import SimpleNamespace

import pytest

from graph.approval import Person
from graph.intake import Intake
from graph.policy import Policy
from graph.runtime import open_store
from graph.settings import Settings


@pytest.fixture
def people():
    return SimpleNamespace(
        one=Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True),
        two=Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True),
        stranger=Person(id="T0TEAM/U0STRANGER", name="Member 3", surface="slack", verified=True),
    )


@pytest.fixture
def settings(database):
    return Settings(RINGI_DATABASE=database)


@pytest.fixture
async def store(settings):
    async with open_store(settings) as opened:
        yield opened


@pytest.fixture
def intake(store):
    users = frozenset({"U0MEMBER1", "U0MEMBER2"})
    return Intake(store, Policy(starters=users, approvers=users, self_approval=True, team="T0TEAM"))


@pytest.fixture
def start(intake, people):
    async def started(source="slack:T0TEAM:1", place="C0NOTES"):
        run, _ = await intake.start(
            SimpleNamespace(name="chore", version=1),
            {"folder": "daily"},
            source=source,
            requester=people.one,
            language="en",
            zone="Europe/London",
            place=place,
        )
        return run

    return started
