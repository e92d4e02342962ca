"""Two processes decide the same requests at the same moments, one says approve, the other reject.

usage: rivals.py DATABASE ROUNDS; prints one JSON object: what each was told, and what stands.
"""

import asyncio
import json
import multiprocessing
import sys
from types import SimpleNamespace

from graph.approval import Person, Review
from graph.engine.projection import request_id, waiting
from graph.errors import AlreadyDecided
from graph.intake import Intake
from graph.policy import Policy
from graph.runtime import open_store
from graph.settings import Settings

PEOPLE = {
    "approve": Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True),
    "reject": Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True),
}
USERS = frozenset({"U0MEMBER1", "U0MEMBER2"})
POLICY = Policy(starters=USERS, approvers=USERS, self_approval=True, team="T0TEAM")


async def ask(settings, rounds):
    """Put as many requests to people as there are rounds."""
    ids = []
    async with open_store(settings) as store:
        for number in range(rounds):
            run, _ = await Intake(store, POLICY).start(
                SimpleNamespace(name="chore", version=1),
                {"folder": "daily"},
                source=f"slack:T0TEAM:{number}",
                requester=PEOPLE["approve"],
                language="en",
                zone="UTC",
                place="C0NOTES",
            )
            await waiting(store, run, {"one": Review(revision=1, content={}).model_dump(mode="json")}, {})
            ids.append(request_id(run.id, "one"))
    return ids


async def decide(settings, ids, kind, together):
    """Say one thing to every request, each at the moment the other process does too."""
    told = []
    async with open_store(settings) as store:
        intake = Intake(store, POLICY)
        for one in ids:
            await asyncio.to_thread(together.wait)
            try:
                told.append(
                    [(await intake.decide(one, 1, kind, PEOPLE[kind], f"{kind}, I say")).kind, "stands"]
                )
            except AlreadyDecided as late:
                told.append([late.decision.kind, late.decision.reason])
    return told


def process(settings, ids, kind, together, answers):
    answers.put((kind, asyncio.run(decide(settings, ids, kind, together))))


async def standing(settings, ids):
    async with open_store(settings) as store:
        return [
            [len(await store.decisions((await store.request(one)).run_id)), (await store.decision(one)).kind]
            for one in ids
        ]


def main(database, rounds):
    settings = Settings(RINGI_DATABASE=database)
    ids = asyncio.run(ask(settings, rounds))
    context = multiprocessing.get_context("fork")
    together, answers = context.Barrier(2), context.SimpleQueue()
    both = [context.Process(target=process, args=(settings, ids, kind, together, answers)) for kind in PEOPLE]
    for one in both:
        one.start()
    told = dict(answers.get() for _ in both)
    for one in both:
        one.join()
    sys.stdout.write(json.dumps({"told": told, "stands": asyncio.run(standing(settings, ids))}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
