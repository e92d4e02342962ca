"""Make a database as some version of ringi writes it: `python tests/upgrades/make.py CHECKOUT SCHEMA`.

CHECKOUT is a checkout of that version, SCHEMA the migration it ends with. The notes have to lie where the runs say
they lie, so their place is the same on every machine. What is written is kept beside this file, for good.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

PLACE = Path("/tmp/ringi-upgrades")  # noqa: S108 - see above; it holds four notes of a test
NOTES = {
    "daily/2026-11-03.md": "See [[Projct plan]] before Friday.\n",
    "daily/2026-11-05.md": "We [[Move to new office]] soon.\n",
    "work/Project plan.md": "The plan.\n",
}


def lay_out() -> Path:
    """Write the vault and return it."""
    for path, text in NOTES.items():
        (PLACE / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (PLACE / "vault" / path).write_text(text, encoding="utf-8")
    (PLACE / "vault" / ".obsidian").mkdir(exist_ok=True)
    return PLACE / "vault"


async def write(database: Path, vault: Path, records: Path) -> None:
    """Write runs that wait for their first and their second answer, are done, and stopped with and without a record."""
    from graph import find_workflow, open_engine
    from graph.approval import Failure, Person
    from graph.policy import Policy
    from graph.settings import Settings, read
    from graph.workflow import NoReply, Reply

    class Scripted:
        """A model that calls everything a missing note, is at its limit, or breaks."""

        way = "answers"

        async def ask(self, prompt: str, _schema: object, **_: object) -> Reply | NoReply:
            if self.way == "breaks":
                raise RuntimeError
            if self.way == "limit":
                return NoReply(Failure(kind="usage_limit", step="draft", words="limit reached"), {"calls": 1})
            links = json.loads(re.search(r"```json\n(.*?)\n```", prompt, re.DOTALL)[1])
            items = [
                {"id": one["id"], "link": one["link"], "verdict": "missing-note", "reason": "no such note"}
                for one in links
            ]
            return Reply({"summary": "", "items": items}, {"calls": 1}, model="scripted")

    one, two = (
        Person(id=f"T0TEAM/U0MEMBER{n}", name=f"Member {n}", surface="slack", verified=True) for n in (1, 2)
    )
    users = frozenset({"U0MEMBER1", "U0MEMBER2"})
    policy = Policy(starters=users, approvers=users, self_approval=True, team="T0TEAM")
    over = {"vault": vault, "database": str(database), "records": records, "drafter": "claude"}
    settings, claude = read(Settings, {}, **over), Scripted()
    workflow = find_workflow("linkcheck")
    async with open_engine(settings, policy, claude=claude) as engine:

        async def started(name: str) -> str:
            run, _ = await engine.intake.start(
                workflow,
                workflow.read_input("daily", settings),
                source=f"slack:T0TEAM:{name}",
                requester=one,
                language="en",
                zone="Europe/London",
                place="C0NOTES",
            )
            await engine.settled(run.id)
            return run.id

        async def decided(run_id: str, kind: str, words: str) -> None:
            newest = (await engine.store.requests(run_id))[-1]
            await engine.intake.decide(newest.id, newest.revision, kind, two, words)
            await engine.settled(run_id)

        await started("waits")
        await decided(await started("asked-again"), "send_back", "Look again.")
        await decided(await started("done"), "approve", "Fine.")
        claude.way = "limit"
        await started("at-its-limit")
        claude.way = "breaks"
        await started("broken")


def main() -> None:
    checkout, schema = sys.argv[1:]
    sys.path.insert(0, str(Path(checkout).resolve()))
    shutil.rmtree(PLACE, ignore_errors=True)
    database = PLACE / "state" / "ringi.sqlite"
    asyncio.run(write(database, lay_out(), PLACE / "records"))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")  # all in one file
    kept = Path(__file__).with_name(f"{schema}.sqlite.gz")
    kept.write_bytes(gzip.compress(database.read_bytes(), mtime=0))
    shutil.rmtree(PLACE)


if __name__ == "__main__":
    main()
