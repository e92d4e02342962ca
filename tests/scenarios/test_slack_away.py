"""Slack out of reach, refusing or silent: the runs go on, the terminal decides, and Slack catches up in order."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
import time

import pytest

from bot.emulator.socket_mode import SocketMode
from bot.slack import socket as sockets
from graph.approval import Person

NOTES = "C0NOTES"
OPERATOR = Person(id="operator", name="operator", surface="terminal", verified=False)


@pytest.fixture
def terminal(town):
    """Run `ringi` on the bot's own database, in a process of its own, and return what it printed."""

    async def run(*arguments: str) -> str:
        settings = {
            "RINGI_VAULT": str(town.vault),
            "RINGI_RECORDS": str(town.records),
            "RINGI_DATABASE": str(town.database),
            "RINGI_CHANNEL": NOTES,
            "LANG": "C.UTF-8",
            **town.given,
        }
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *arguments),
            env=kept | settings,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 0, said.decode()
        return said.decode()

    return run


@pytest.fixture
def decide(town):
    """Decide the newest run as the terminal does, without the cost of a process."""

    async def said(kind: str, reason: str = ""):
        run = (await town.engine.store.runs(limit=1))[0]
        request = (await town.engine.store.requests(run.id))[-1]
        await town.engine.intake.decide(request.id, request.revision, kind, OPERATOR, reason)
        town.engine.wake(run.id)
        return run

    return said


@pytest.fixture
def until():
    """Wait for a condition, at most thirty seconds."""

    async def waited(condition):
        for _ in range(600):
            found = condition()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(0.05)
        raise AssertionError("it did not come true in time")

    return waited


def keys(slack) -> list[str]:
    """Return the keys of all messages that stand in Slack, in the order they were posted."""
    every = [m for channel in slack.workspace.messages.values() for m in channel if m.metadata]
    return [m.metadata["event_payload"]["key"] for m in sorted(every, key=lambda m: float(m.ts))]


def shortened(found: list[str]) -> list[str]:
    return [key.partition(":")[0] for key in found]


async def test_while_slack_is_away_the_terminal_starts_and_decides_and_slack_catches_up_in_order(
    town, asked, reading, terminal, until
):
    """R28, and connection lost: nothing is lost, nothing is posted twice, and what is not shown is said where one looks."""
    town.write({"other/x.md": "[[Nowhere]]\n"})
    async with town.bot(RINGI_CHANNEL=NOTES) as engine:
        one = await town.member(1)
        card = await asked(one)
        first = (await engine.store.runs())[0]
        town.slack.go_away()
        assert "1 link in other leads nowhere" in await terminal("linkcheck", "other")
        second = (await engine.store.runs(limit=1))[0]
        await until(lambda: engine.store.problems([second.id]))
        assert "not shown" in await terminal("runs")
        assert "Not shown in Slack" in await terminal("show", second.id[:8])
        await terminal("resume", first.id[:8], "reject", "wrong folder")
        await terminal("resume", second.id[:8], "approve", "by hand")
        assert len(list(town.records.glob("*.md"))) == 2
        town.slack.come_back()
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 1 link in other"), 40)
        assert reading.buttons(done) == ["show_record"]
        await until(lambda: shortened(keys(town.slack)).count("outcome") == 2)
        closed = await one.sees(lambda: reading.find(one.messages(NOTES), "Rejected: 2 links in daily"), 20)
        assert closed["ts"] == card["ts"]
        posted = keys(town.slack)
        assert len(posted) == len(set(posted))
        assert shortened(posted) == ["progress", "card", "progress", "card", "outcome", "outcome"]
        assert posted[2] == f"progress:{second.id}"
        await until(functools.partial(_all_shown, engine))
        assert "not shown" not in await terminal("runs")
        await town.slack.sockets.connected(timeout=40)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        await town.outcome("waiting")


async def _all_shown(engine) -> bool:
    return await engine.store.problems() == {}


async def test_slack_asks_to_wait_and_nobody_calls_it_meanwhile(town, asked, reading):
    """429 with Retry-After: not one call before the time, then the same message, once."""
    async with town.bot():
        one = await town.member(1)
        town.slack.faults.limit_next("chat.postMessage", retry_after=2)
        begun = time.monotonic()
        await asked(one)
        assert time.monotonic() - begun >= 2
        posts = [a for method, a in town.slack.web_api.asked if method == "chat.postMessage"]
        assert len(posts) == 3
        assert shortened(keys(town.slack)) == ["progress", "card"]


@pytest.mark.parametrize("status", [500, 503])
async def test_a_slack_out_of_order_keeps_the_order(town, asked, reading, status, until):
    """5xx: a newer message does not overtake the one that Slack failed at."""
    town.write({"other/x.md": "[[Nowhere]]\n"})
    async with town.bot() as engine:
        one = await town.member(1)
        town.slack.faults.refuse("internal_error", "chat.postMessage", status=status)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        assert (await one.command(NOTES, "/linkcheck other")).ok
        await until(functools.partial(_both_wait, engine))
        assert set((await engine.store.problems()).values()) == {"internal_error"}
        assert one.messages(NOTES) == []
        town.slack.come_back()
        await until(lambda: len(keys(town.slack)) == 4)
        order = [r.id for r in reversed(await engine.store.runs())]
        posted = keys(town.slack)
        assert posted[0] == f"progress:{order[0]}"
        for run_id in order:
            card = f"card:{(await engine.store.requests(run_id))[0].id}"
            assert posted.index(f"progress:{run_id}") < posted.index(card)


async def _both_wait(engine) -> bool:
    runs = await engine.store.runs()
    return len(runs) == 2 and all(run.state == "waiting" for run in runs)


async def test_every_reply_is_lost_once_and_every_message_stands_once(town, asked, reading, until):
    """S28: cards, progress and outcomes; the second try finds the first by its key."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        town.slack.lose_next_reply("chat.postMessage")
        card = await asked(one)
        town.slack.lose_next_reply("chat.postMessage", times=2)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await until(lambda: len(one.thread(card["ts"], NOTES)) >= 1)
        await asyncio.sleep(3)
        assert shortened(keys(town.slack)) == ["progress", "card", "outcome"]


async def test_what_may_have_been_posted_is_not_posted_again_before_it_could_be_looked_for(
    town, asked, reading, until
):
    """S28: the reply is lost and history does not answer either; better late than twice."""
    async with town.bot():
        one = await town.member(1)
        town.slack.lose_next_reply("chat.postMessage")
        town.slack.faults.break_next("conversations.history", 503, times=4)
        await asked(one)
        await until(lambda: len(keys(town.slack)) == 2)
        assert shortened(keys(town.slack)) == ["progress", "card"]


async def test_a_channel_archived_under_a_decided_card_tells_the_requester_directly(
    town, asked, reading, decide, until
):
    """S31: the decision stands, the outcome finds its person, and nothing is tried for ever."""
    async with town.bot() as engine:
        one = await town.member(1)
        card = await asked(one)
        town.slack.archive(NOTES)
        run = await decide("approve", "From the terminal.")
        told = await one.sees(lambda: reading.find(one.messages(), "approved"), 20)
        assert "<@U0MEMBER1>" in reading.words(told)
        assert (await town.outcome()).result.outcome == "approved"
        assert "approve" in reading.buttons(one.message(card["ts"]))  # an archived channel takes no edit
        for _ in range(5):
            message = await engine.store.message(f"card:{(await engine.store.requests(run.id))[0].id}")
            if message.next_try is None:
                break
            await engine.store.not_shown(message.key, message.problem, engine.store.now(), message.tries)
            await until(functools.partial(_tried_again, engine, message))
        assert (message.problem, message.next_try) == ("is_archived", None)
        assert len(one.messages()) == 1


async def _tried_again(engine, before) -> bool:
    now = await engine.store.message(before.key)
    return now.tries > before.tries


async def test_a_card_that_cannot_be_posted_is_not_waited_for_in_silence(
    town, told, reading, terminal, until
):
    """S26, R29: the channel was archived under the run; the requester is told, `status` says so, and it is tried again."""
    async with town.bot() as engine:
        one, two = await town.member(1), await town.member(2)
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        await until(lambda: one.messages(NOTES))
        town.slack.archive(NOTES)
        run = await town.outcome("waiting")
        direct = await one.sees(lambda: reading.find(one.messages(), "not shown"), 20)
        assert "is_archived" in reading.words(direct)
        assert f"ringi show {run.id[:8]}" in reading.words(direct)
        assert reading.buttons(direct) == ["cancel"]
        listed = await told(two, "/linkcheck status", "C0GENERAL")
        assert "is_archived" in reading.words(listed)
        assert "is_archived" in await terminal("show", run.id[:8])
        town.slack.workspace.channels[NOTES].archived = False
        await engine.store.try_soon(engine.store.now())
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "2 links in daily lead nowhere"), 20)
        assert "approve" in reading.buttons(card)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await one.sees(lambda: one.messages() and not reading.buttons(one.messages()[-1]), 20)


async def test_a_deleted_thread_does_not_swallow_the_outcome(town, asked, reading, decide):
    """S31, S48: an edit alone notifies nobody, and a deleted card has no thread to notify in."""
    async with town.bot():
        one = await town.member(1)
        card = await asked(one)
        town.slack.delete(card)
        await decide("reject", "Wrong folder.")
        told = await one.sees(lambda: reading.find(one.messages(), "rejected"), 20)
        assert "Wrong folder." in reading.words(told)


async def test_a_scope_that_is_missing_ends_a_new_run_with_words_and_leaves_an_old_one_to_the_terminal(
    town, asked, reading, decide, until
):
    """S26. The model is held, so that the first message is refused before anyone could be asked."""
    async with town.bot(RINGI_DRAFTER="claude") as engine:
        one = await town.member(1)
        card = await asked(one)
        town.slack.web_api.scopes.discard("chat:write")
        town.claude.held = asyncio.Event()
        await decide("approve", "Fine.")
        run = await town.outcome()
        await until(lambda: engine.store.problems([run.id]))
        assert (await engine.store.problems([run.id]))[run.id] == "missing_scope"
        town.write({"daily/2026-11-07.md": "See [[Something new]].\n"})
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        await town.outcome("failed")
        await one.sees(lambda: reading.find(one.ephemeral(NOTES), "missing_scope"))
        town.slack.web_api.scopes.add("chat:write")
        await engine.store.try_soon(engine.store.now())
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"), 20)
        assert done["ts"] == card["ts"]


async def test_a_check_that_asks_before_the_refusal_waits_and_whoever_typed_it_is_told(town, asked, reading):
    async with town.bot() as engine:
        one = await town.member(1)
        await asked(one)
        town.slack.web_api.scopes.discard("chat:write")
        (town.vault / "quick").mkdir()
        town.write({"quick/one.md": "See [[Something new]].\n"})
        assert (await one.command(NOTES, "/linkcheck quick")).ok
        told = await one.sees(lambda: reading.find(one.ephemeral(NOTES), "missing_scope"), 20)
        run = (await engine.store.runs(limit=1))[0]
        assert run.state in {"waiting", "failed"}
        waits = f"ringi show {run.id[:8]}" in reading.words(told)
        assert waits == (run.state == "waiting")


async def test_a_revoked_token_holds_messages_back_until_it_works_again(town, asked, reading, decide, until):
    """Nothing is given up, and nothing is called in a hurry."""
    async with town.bot() as engine:
        one = await town.member(1)
        card = await asked(one)
        town.slack.faults.refuse("token_revoked")
        run = await decide("approve", "Fine.")
        await until(lambda: engine.store.problems([run.id]))
        assert await engine.store.problems([run.id]) == {run.id: "token_revoked"}
        await town.outcome()
        town.slack.come_back()
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"), 20)
        assert done["ts"] == card["ts"]
        await until(lambda: len(one.thread(card["ts"], NOTES)) == 1)


async def test_an_app_token_that_stops_working_costs_clicks_but_no_decision(
    town, asked, reading, decide, monkeypatch
):
    """Messages still go out; when the token works again, the next click arrives."""
    monkeypatch.setattr(sockets, "PING_SECONDS", 0.2)
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        town.slack.faults.refuse("invalid_auth", "apps.connections.open")
        town.slack.drop_connections()
        lost = await two.click(card, "approve")
        assert lost.error == "the app did not respond"
        await decide("approve", "From the terminal.")
        await one.sees(lambda: reading.find(one.messages(NOTES), "Approved: 2 links in daily"), 20)
        town.slack.faults.heal()
        await town.slack.sockets.connected(timeout=30)
        town.write({"daily/2026-11-07.md": "See [[Something new]].\n"})
        again = await asked(one)
        await two.click(again, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await town.outcome()


@pytest.mark.parametrize("library_reconnects", [True, False], ids=["by-the-library", "by-the-watchdog"])
async def test_a_silent_socket_is_given_up_and_the_next_click_arrives(
    town, asked, monkeypatch, library_reconnects
):
    """S29: the connection stands, no pong comes. The library notices; where it does not, the watchdog does."""
    monkeypatch.setattr(sockets, "PING_SECONDS", 0.2)
    if not library_reconnects:
        made = sockets.AsyncSocketModeHandler

        def without(*arguments, **more):
            socket = made(*arguments, **more)
            socket.client.default_auto_reconnect_enabled = False
            return socket

        monkeypatch.setattr(sockets, "AsyncSocketModeHandler", without)
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        before = town.slack.sockets._links[0]
        town.slack.sockets.silent = True
        await one.sees(lambda: before not in town.slack.sockets._links, 20)
        town.slack.sockets.silent = False
        await town.slack.sockets.connected(timeout=30)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        await town.outcome()


async def test_what_comes_only_as_a_retry_counts(town, asked, monkeypatch):
    """S30, R49: sent while no socket was open, it arrives later with a retry number, for the first time."""
    sending = SocketMode.send

    async def only_as_a_retry(self, envelope):
        return await sending(self, envelope | {"retry_attempt": 1, "retry_reason": "timeout"})

    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        modal = await two.modal("decide")
        monkeypatch.setattr(SocketMode, "send", only_as_a_retry)
        assert (await two.submit(modal, {"reason": "Fine."})).ok
        await town.outcome()
