"""Kill the program at every boundary of a run and see what is left once it is started again.

A first life records every boundary it crosses: commits, checkpoint writes, calls of Slack, answers to people,
nodes, the record's link, each before and after. Then, for each of them, a forked process kills itself there and
another carries on. Forked, because importing LangGraph takes seconds; the parent imports and opens nothing.

usage: lives.py SCENARIO EVERY [MUTANT]; prints one JSON object.
"""

import asyncio
import json
import os
import shutil
import sys
import tempfile
import traceback
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import aiosqlite  # noqa: F401 - warm, as the modules below
import alembic.command  # noqa: F401 - see above
from world import ONE, TWO, USERS, Outside, chore, cross, watch_commits

from graph.approval import Policy
from graph.errors import AlreadyDecided, NotRetryable, RunEnded
from graph.runtime import open_engine
from graph.settings import Settings
from graph.store.rows import plain


async def body_of(store, message):
    """Return what a message shows: all of it comes from rows."""
    kind, _, about = message.key.partition(":")
    run = await store.run(message.run_id)
    decision = await store.decision(about) if kind in {"card", "outcome"} else None
    said = decision and [decision.kind, decision.reason, decision.person.id]
    return json.dumps([kind, run.state, said, await store.continued_by(run.id)])


async def relay(store, outside):
    """Bring every message to the state of its rows, as the bot's relay does."""
    while behind := await store.unshown(store.now()):
        for message in behind:
            body = await body_of(store, message)
            tried = await store.trying(message.key)
            if tried.ts:
                outside.update(tried.ts, body)
                ts = tried.ts
            else:
                looks = tried.tries > 1 and outside.mutant != "post-without-looking"
                ts = (outside.find(message.key) if looks else None) or outside.post(
                    message.key, message.thread, body
                )
            await store.shown(message.key, message.wanted, body[:64], "C0NOTES", ts)


async def say(outside, what, said, act):
    """Let a person act until they are told what stands."""
    if outside.told(what) is None:
        if outside.mutant == "answer-before-commit" and said[2] == TWO.id:
            outside.tell(what, said)
        try:
            decision = await act()
        except AlreadyDecided as late:
            decision = late.decision
        outside.tell(what, [decision.kind, decision.reason, decision.person.id])


async def started(engine, outside, workflow):
    if outside.told("start") is None:
        run, _ = await engine.intake.start(
            workflow,
            {"folder": "daily"},
            source="slack:T0TEAM:trigger",
            requester=ONE,
            language="en",
            zone="UTC",
            place="C0NOTES",
        )
        outside.tell("start", run.id)
    return outside.told("start")


async def rivals(engine, outside, run_id, revision, acts):
    """Two people answer the same card."""
    request = (await engine.store.requests(run_id))[revision - 1]
    for person, kind in acts:
        said = [kind, f"{kind} by {person.name}", person.id]
        deciding = partial(engine.intake.decide, request.id, revision, kind, person, said[1])
        await say(outside, f"{run_id}:{revision}:{person.id}", said, deciding)
        engine.wake(run_id)
        engine.wake()


async def send_back_and_approve(engine, outside, workflow):
    run_id = await started(engine, outside, workflow)
    await engine.settled(run_id)
    await relay(engine.store, outside)
    await rivals(engine, outside, run_id, 1, [(TWO, "send_back"), (ONE, "send_back")])
    await engine.settled(run_id)
    await relay(engine.store, outside)
    await rivals(engine, outside, run_id, 2, [(TWO, "approve"), (ONE, "reject")])
    await engine.settled(run_id)


async def failure_and_retry(engine, outside, workflow):
    run_id = await started(engine, outside, workflow)
    await engine.settled(run_id)
    await relay(engine.store, outside)
    if outside.told("retry") is None:
        try:
            new_id = (await engine.intake.retry(run_id, ONE)).id
        except NotRetryable as done:
            new_id = done.continued_by
        outside.tell("retry", new_id)
    new_id = outside.told("retry")
    await engine.settled(new_id)
    await relay(engine.store, outside)
    await rivals(engine, outside, new_id, 1, [(ONE, "reject"), (TWO, "approve")])
    await engine.settled(new_id)


async def withdraw_while_redrafting(engine, outside, workflow):
    run_id = await started(engine, outside, workflow)
    if (await engine.store.run(run_id)).state in {"queued", "running"}:
        await engine.settled(run_id)
    await relay(engine.store, outside)
    await rivals(engine, outside, run_id, 1, [(TWO, "send_back")])
    engine.wake(run_id)
    while "redrafting" not in outside.did():  # noqa: ASYNC110 - another life may have written it
        await asyncio.sleep(0.01)
    if outside.told("cancel") is None:
        with suppress(RunEnded):
            await engine.intake.cancel(run_id, ONE)
        outside.tell("cancel")
    engine.wake(run_id)
    await engine.settled(run_id)


SCENARIOS = {
    "approve": send_back_and_approve,
    "failure": failure_and_retry,
    "withdraw": withdraw_while_redrafting,
}


async def life(home, scenario, mutant):
    """Live once: the program, and the people around it who repeat what was not answered."""
    outside = Outside(home, mutant)
    workflow = chore(outside, scenario)
    settings = Settings(RINGI_DATABASE=str(home / "state" / "ringi.sqlite"))
    policy = Policy(starters=USERS, approvers=USERS, self_approval=True, team="T0TEAM")
    async with open_engine(
        settings, policy, claude=SimpleNamespace(), workflow=lambda name: workflow
    ) as engine:
        await SCENARIOS[scenario](engine, outside, workflow)
        await relay(engine.store, outside)
        return await found(engine.store, outside)


async def found(store, outside):
    """Return what is left: rows, posts, records, and what people were told."""
    runs = await store.runs()
    left = {"runs": [], "did": outside.did(), "told": {}, "records": {}, "posts": []}
    for run in reversed(runs):
        messages = [asdict(message) for message in await store.messages(run.id)]
        left["runs"].append(
            {
                "id": run.id,
                "state": run.state,
                "outcome": run.result and run.result.outcome,
                "ended_by": plain(run.ended_by),
                "decisions": [[d.kind, d.reason, d.person.id] for d in await store.decisions(run.id)],
                "requests": [request.state for request in await store.requests(run.id)],
                "messages": {m["key"]: [m["wanted"], m["shown"], m["ts"]] for m in messages},
                "bodies": {m.key: await body_of(store, m) for m in await store.messages(run.id)},
                "events": [event.what for event in await store.events(run.id)],
            }
        )
    left["orders"] = len(await store.orders())
    left["told"] = {
        what: json.loads(answer) for what, answer in outside.file.execute("SELECT what, answer FROM told")
    }
    left["posts"] = [list(row) for row in outside.file.execute("SELECT ts, key, body FROM posts ORDER BY ts")]
    left["records"] = {
        path.stem: json.loads(path.read_text()) for path in (outside.home / "records").iterdir()
    }
    return left


def check(left, scenario):
    """Say what is wrong with what is left; an empty list is what one wants."""
    wrong = []

    def holds(condition, sentence):
        if not condition:
            wrong.append(sentence)

    expected = {
        "approve": [("done", "approved", 5)],
        "failure": [("failed", "failed", 2), ("done", "rejected", 3)],
        "withdraw": [("done", "withdrawn", 3)],
    }[scenario]
    ended = [(run["state"], run["outcome"], len(run["messages"])) for run in left["runs"]]
    holds(ended == expected, f"ended as {ended}")
    holds(left["did"].count("effect") == len(expected), f"effects: {left['did']}")
    holds(left["orders"] == 0, "orders are left")
    posted = [key for _, key, _ in left["posts"]]
    rows = {key: row for run in left["runs"] for key, row in run["messages"].items()}
    bodies = {key: body for run in left["runs"] for key, body in run["bodies"].items()}
    holds(len(posted) == len(set(posted)), f"posted twice: {posted}")
    holds(set(posted) == set(rows), f"posted {posted}, rows {list(rows)}")
    holds(all(wanted == shown for wanted, shown, _ in rows.values()), f"behind: {rows}")
    holds({key: body for _, key, body in left["posts"]} == bodies, "a message shows what no row says")
    holds({key: str(ts) for ts, key, _ in left["posts"]} == {k: r[2] for k, r in rows.items()}, "another ts")
    for run in left["runs"]:
        said = run["decisions"] + ([["withdrawn", "", ONE.id]] if run["ended_by"] else [])
        holds(left["records"].get(run["id"]) == said, f"recorded {left['records']}, decided {said}")
        holds("open" not in run["requests"], f"requests {run['requests']}")
        once = [event for event in run["events"] if event in {"accepted", "ended"}]
        holds(once == ["accepted", "ended"], f"history {run['events']}")
    for what, answer in left["told"].items():
        run = next((run for run in left["runs"] if what.startswith(run["id"])), None)
        holds(run is None or answer in run["decisions"], f"{what} was told {answer}")
    return wrong


def fork(home, scenario, mutant, deadly):
    """Live in a process of its own; return whether it was killed, and otherwise what it left."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            cross.names, cross.deadly = [], deadly
            left = asyncio.run(asyncio.wait_for(life(home, scenario, mutant), 60))
            (home / "left.json").write_text(json.dumps({"left": left, "names": cross.names}))
            code = 0
        except BaseException:  # noqa: BLE001 - a child ends here, whatever happened
            traceback.print_exc()
        os._exit(code)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return None
    if os.WEXITSTATUS(status) != 0:
        return {"left": None, "names": []}
    return json.loads((home / "left.json").read_text())


def fresh(base):
    home = Path(tempfile.mkdtemp(dir=base))
    (home / "records").mkdir()
    return home


def main(scenario, every, mutant):
    watch_commits()
    with tempfile.TemporaryDirectory() as base:
        whole = fork(fresh(base), scenario, mutant, None)
        names = whole["names"]
        wrong = (
            {"none": check(whole["left"], scenario)}
            if whole["left"] is None or check(whole["left"], scenario)
            else {}
        )
        again = killed = 0
        for deadly in range(1, len(names) + 1, every):
            home = fresh(base)
            first = fork(home, scenario, mutant, deadly)
            killed += first is None
            second = first or fork(home, scenario, mutant, None)
            problems = (
                ["it did not start again"]
                if not second or second["left"] is None
                else check(second["left"], scenario)
            )
            if problems:
                wrong[f"{deadly} {names[deadly - 1]}"] = problems
            else:
                again += len(second["left"]["did"]) > len(whole["left"]["did"])
            shutil.rmtree(home)
    sys.stdout.write(
        json.dumps(
            {
                "boundaries": len(names),
                "kinds": sorted(set(names)),
                "killed": killed,
                "again": again,
                "wrong": wrong,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
