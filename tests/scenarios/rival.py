"""Someone at the terminal of the same machine: a process that decides what it is told to, at the moment it is told to.

One JSON object a line comes in: request, revision, kind, reason, and when (seconds of the monotonic clock, which all
processes of a machine share). One goes out: whether it stands, or the lines a person reads instead.

usage: rival.py DATABASE LOGIN
"""

import asyncio
import json
import sys
import time

from bot.terminal import answers
from graph.approval import Person
from graph.errors import AlreadyDecided, RingiError
from graph.intake import Intake
from graph.policy import Policy
from graph.runtime import open_store
from graph.settings import Settings


async def main(database: str, login: str) -> None:
    person = Person(id=login, name=login, surface="terminal", verified=False)
    async with open_store(Settings(RINGI_DATABASE=database)) as store:
        intake = Intake(store, Policy())
        await store.runs(limit=1)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while line := await asyncio.to_thread(sys.stdin.readline):
            told = json.loads(line)
            await asyncio.sleep(max(0.0, told["when"] - time.monotonic()))
            try:
                await intake.decide(told["request"], told["revision"], told["kind"], person, told["reason"])
                said = {"stands": True, "lines": []}
            except RingiError as error:
                late = (
                    AlreadyDecided(error.decision, told["reason"])
                    if isinstance(error, AlreadyDecided)
                    else error
                )
                said = {"stands": False, "lines": answers.to_error(late, "en", "UTC").lines}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
