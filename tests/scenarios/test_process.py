"""The bot as a process: told to end, paused, started twice. Real sockets, a real database, a child that judges."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

NOTES = "C0NOTES"
DEADLINE = 60

CLAUDE = '''#!{python} -IS
"""A `claude` that answers like the real one, and takes its time while there is a file `hold`."""
import json, os, pathlib, re, subprocess, sys, time

home = pathlib.Path({home!r})
if sys.argv[-2:] == ["auth", "status"]:
    print(json.dumps(dict(
        loggedIn=True, authMethod="claude.ai", apiProvider="firstParty", subscriptionType="max")))
    sys.exit()
prompt = sys.stdin.read()
with (home / "calls").open("a") as calls:
    calls.write(str(os.getpid()) + "\\n")
if (home / "hold").exists():
    child = subprocess.Popen(["sleep", "600"])
    (home / "children").write_text(str(os.getpid()) + " " + str(child.pid))
    while (home / "hold").exists():
        time.sleep(0.05)
links = json.loads(re.findall("```json\\n(.*?)\\n```", prompt, re.DOTALL)[0])
items = [dict(id=i["id"], link=i["link"], verdict="missing-note", reason="no such note") for i in links]
print(json.dumps(dict(type="system", subtype="init", apiKeySource="none", model="model")))
print(json.dumps(dict(
    type="result", subtype="success", is_error=False, num_turns=1, structured_output=dict(summary="", items=items))))
'''


class Server:
    """`ringi serve`, and what it has said so far."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process, self.log = process, log

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    async def ready(self) -> Server:
        async with asyncio.timeout(DEADLINE):
            while "ready: connected" not in self.said:
                assert self.process.returncode is None, self.said
                await asyncio.sleep(0.05)
        return self

    async def ended(self) -> int:
        return await asyncio.wait_for(self.process.wait(), DEADLINE)

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.process.pid, number)


class Place:
    """The bot's settings, and how its processes are started."""

    def __init__(self, town, folder: Path) -> None:
        self.town, self.folder = town, folder
        self.hold, self.calls, self.children = folder / "hold", folder / "calls", folder / "children"
        claude = folder / "claude"
        claude.write_text(CLAUDE.format(python=sys.executable, home=str(folder)), encoding="utf-8")
        claude.chmod(0o755)
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        self.environment = kept | {
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "RINGI_VAULT": str(town.vault),
            "RINGI_RECORDS": str(town.records),
            "RINGI_DATABASE": str(town.database),
            "SLACK_BOT_TOKEN": town.slack.bot_token,
            "SLACK_APP_TOKEN": town.slack.app_token,
            "SLACK_API_URL": town.slack.api_url,
            "RINGI_STARTERS": "U0MEMBER1",
            "RINGI_APPROVERS": "U0MEMBER2",
            "RINGI_CLAUDE": str(claude),
        }
        self.running: list[Server] = []

    async def serve(self) -> Server:
        """Start `ringi serve`; it may not come far."""
        log = self.folder / f"log-{len(self.running)}"
        with log.open("w") as out:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "serve"), env=self.environment, stdout=out, stderr=out
            )
        self.running.append(Server(process, log))
        return self.running[-1]

    async def ringi(self, *arguments: str) -> tuple[int, str]:
        """Run a command to its end."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *arguments),
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(process.communicate(), DEADLINE)
        return process.returncode or 0, said.decode()

    def times_asked(self) -> int:
        """Tell how often Claude was called."""
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
async def place(town, tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    place = Place(town, folder)
    yield place
    place.hold.unlink(missing_ok=True)
    for server in place.running:
        if server.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                server.signal(signal.SIGCONT)
                server.process.kill()
            await server.process.wait()


def alive(pid: str) -> bool:
    """Tell whether a process runs; one that has ended and only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def at_rest(database: Path) -> bool:
    """Tell whether nothing is left to be shown, so that the server has nothing to write."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT count(*) FROM messages WHERE shown < wanted").fetchone() == (0,)


@pytest.mark.slow
async def test_told_to_end_in_mid_draft_it_ends_the_child_says_so_and_goes_on_after_the_next_start(
    town, place, reading
):
    """SIGTERM: the step is left, its whole process group ended, the message says paused; then nothing is missing."""
    place.hold.touch()
    one, two = await town.member(1), await town.member(2)
    server = await (await place.serve()).ready()
    assert (await one.command(NOTES, "/linkcheck daily")).ok
    await one.sees(place.children.exists, DEADLINE)
    pids = place.children.read_text().split()
    server.signal(signal.SIGTERM)
    assert await server.ended() == 0
    assert "Traceback" not in server.said
    assert not any(map(alive, pids))
    paused = one.messages(NOTES)[-1]
    assert "*Paused*" in reading.words(paused)
    place.hold.unlink()
    await (await place.serve()).ready()
    card = await one.sees(
        lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), DEADLINE
    )
    assert place.times_asked() == 2
    await one.sees(lambda: reading.find([one.message(paused["ts"])], "Ready to decide"), DEADLINE)
    await two.click(card, "approve")
    assert (await two.submit(await two.modal("decide", DEADLINE))).ok
    await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"), DEADLINE)
    assert len(list(town.records.glob("*.md"))) == 1


@pytest.mark.slow
async def test_a_paused_process_never_leads_to_two_executions_of_one_run(town, place, reading):
    """L22, L41: while it sleeps nobody takes its place; a decision made meanwhile is carried out once, by it."""
    one = await town.member(1)
    server = await (await place.serve()).ready()
    assert (await one.command(NOTES, "/linkcheck daily")).ok
    await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), DEADLINE)
    asked = place.times_asked()
    await one.sees(lambda: at_rest(town.database), DEADLINE)  # not in the middle of a transaction
    server.signal(signal.SIGSTOP)
    second = await place.serve()
    assert await second.ended() == 3
    assert "Another ringi process" in second.said
    assert f"(pid {server.process.pid})" in second.said
    code, listed = await place.ringi("runs", "--format", "json")
    assert code == 0
    run = json.loads(listed)[0]["run"][:8]
    code, said = await place.ringi("resume", run, "send-back", "look again")
    assert (code, list(town.records.glob("*.md"))) == (0, []), said
    server.signal(signal.SIGCONT)
    await one.sees(lambda: reading.find(one.messages(NOTES), "Revision 2"), DEADLINE)
    assert place.times_asked() == asked + 1
    await place.ringi("resume", run, "approve")
    await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"), DEADLINE)
    assert len(list(town.records.glob("*.md"))) == 1
    assert place.times_asked() == asked + 1


@pytest.mark.slow
async def test_a_process_paused_in_mid_draft_goes_on_with_the_same_draft(town, place, reading):
    """L41: the child goes on living; nobody else asks for the same verdicts."""
    place.hold.touch()
    one = await town.member(1)
    server = await (await place.serve()).ready()
    assert (await one.command(NOTES, "/linkcheck daily")).ok
    await one.sees(place.children.exists, DEADLINE)
    server.signal(signal.SIGSTOP)
    code, said = await place.ringi("runs")
    assert (code, "running" in said) == (0, True)
    place.hold.unlink()
    server.signal(signal.SIGCONT)
    await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), DEADLINE)
    assert place.times_asked() == 1
