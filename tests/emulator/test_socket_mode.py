"""The app's sockets: one per envelope, reconnects, redelivery, late acks, dead lines."""

from __future__ import annotations

import asyncio
import contextlib

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient


async def connect(slack, app):
    web_client = AsyncWebClient(slack.app_token, base_url=slack.api_url)
    handler = AsyncSocketModeHandler(app, slack.app_token, web_client=web_client, ping_interval=1)
    await handler.connect_async()
    return handler


async def open_socket(slack, http):
    """Open a socket without any library, as (socket, hello)."""
    bearer = {"Authorization": f"Bearer {slack.app_token}"}
    async with http.post(f"{slack.api_url}apps.connections.open", headers=bearer) as reply:
        url = (await reply.json())["url"]
    socket = await http.ws_connect(url)
    return socket, await socket.receive_json(), url


@pytest.fixture
def counted(app):
    """How often the command ran, by text."""
    runs = []

    @app.command("/check")
    async def check(ack, body):
        runs.append(body["text"])
        await ack()

    return runs


async def test_a_socket_greets_pongs_and_opens_once_per_ticket(slack):
    async with aiohttp.ClientSession() as http:
        socket, hello, url = await open_socket(slack, http)
        assert hello["type"] == "hello"
        assert hello["num_connections"] == 1
        assert hello["connection_info"] == {"app_id": "A0APP"}
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(url)
        assert refused.value.status == 403
        await socket.close()


async def test_slacks_synchronous_client_which_names_no_port_is_let_in_and_a_rebound_name_is_not(slack):
    async with aiohttp.ClientSession() as http:
        bearer = {"Authorization": f"Bearer {slack.app_token}"}
        for host, status in (("evil.example", 403), ("127.0.0.1", 101)):
            async with http.post(f"{slack.api_url}apps.connections.open", headers=bearer) as reply:
                url = (await reply.json())["url"]
            if status == 101:
                socket = await http.ws_connect(url, headers={"Host": host})
                await socket.close()
                continue
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await http.ws_connect(url, headers={"Host": host})
            assert refused.value.status == status


async def test_each_envelope_goes_to_one_socket_only(slack, app, member1):
    """S13: two processes of one app; each payload goes to one of them."""
    seen = []

    def counting(name, one):
        @one.command("/check")
        async def check(ack, body):
            seen.append((name, body["text"]))
            await ack()

        return one

    counting("first", app)
    others = [AsyncApp(client=AsyncWebClient(slack.bot_token, base_url=slack.api_url)) for _ in range(2)]
    handlers = [await connect(slack, counting(name, one)) for name, one in zip("ab", others, strict=True)]
    await slack.sockets.connected(3)
    for number in range(6):
        assert (await member1.command("notes-care", f"/check {number}")).ok
    for handler in handlers:
        await handler.close_async()
    assert sorted(text for _, text in seen) == ["0", "1", "2", "3", "4", "5"]
    assert {name for name, _ in seen} == {"first", "a", "b"}


async def test_an_app_that_was_asked_to_reconnect_does_and_goes_on(slack, counted, member1):
    await slack.disconnect("refresh_requested")
    await slack.sockets.connected()
    assert (await member1.command("notes-care", "/check x")).ok
    assert counted == ["x"]


async def test_an_app_whose_line_was_cut_comes_back(slack, counted, member1):
    slack.drop_connections()
    assert slack.sockets.connections == 0
    assert not (await member1.command("notes-care", "/check lost")).ok
    await slack.sockets.connected()
    assert (await member1.command("notes-care", "/check x")).ok
    assert counted == ["x"]


async def test_a_silent_line_is_noticed_and_replaced(slack, counted, member1):
    """S29: TCP stands, nobody answers; the library gives up after its heartbeat."""
    before = slack.sockets._links[0]
    slack.sockets.silent = True
    await slack.workspace.until(lambda: before not in slack.sockets._links, 10)
    slack.sockets.silent = False
    await slack.sockets.connected()
    assert (await member1.command("notes-care", "/check x")).ok


async def test_a_line_that_could_not_be_written_to_is_not_tried_again(slack):
    """Whoever delivers anew at once would else fail on the same line for ever, before anyone notices its end."""
    async with aiohttp.ClientSession() as http:
        await open_socket(slack, http)
        await slack.sockets.connected()
        slack.sockets._links[0].transport.close()
        assert await slack.sockets.deliver("slash_commands", {"command": "/check"}) is None
        assert slack.sockets.connections == 0


async def test_an_envelope_delivered_twice_keeps_its_id(slack, counted, member1):
    """S12: the library does not tell a redelivered envelope from a new one; the app has to."""
    await member1.command("notes-care", "/check x")
    await slack.redeliver()
    assert counted == ["x", "x"]
    first, second = slack.sockets.sent
    assert first["envelope_id"] == second["envelope_id"]
    assert second["retry_attempt"] == 1
    assert slack.sockets.acks[first["envelope_id"]] == 2


async def test_an_ack_may_come_over_another_socket_and_a_late_one_changes_nothing(slack, member1):
    async with aiohttp.ClientSession() as http:
        one, _, _ = await open_socket(slack, http)
        other, _, _ = await open_socket(slack, http)
        typed = asyncio.create_task(member1.command("notes-care", "/check x"))
        envelope, reader = await _first_envelope(one, other)
        assert envelope["type"] == "slash_commands"
        assert envelope["accepts_response_payload"] is True
        ack = {"envelope_id": envelope["envelope_id"], "payload": {"text": "Hello."}}
        await (one if reader is other else other).send_json(ack)
        answer = await typed
        assert answer.said["text"] == "Hello."
        await one.send_json(ack)
        await one.send_str("no json")
        typed = asyncio.create_task(member1.command("notes-care", "/check y"))
        envelope, reader = await _first_envelope(one, other)
        await reader.send_json({"envelope_id": envelope["envelope_id"]})
        assert (await typed).said is None
        assert [m["text"] for m in member1.ephemeral("notes-care")] == ["Hello."]
        await one.close()
        await other.close()


async def _first_envelope(*sockets):
    reads = {asyncio.create_task(s.receive_json()): s for s in sockets}
    done, pending = await asyncio.wait(reads, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    task = done.pop()
    return task.result(), reads[task]


async def test_an_eleventh_socket_is_sent_away(slack):
    async with aiohttp.ClientSession() as http:
        sockets = [(await open_socket(slack, http))[0] for _ in range(10)]
        _, told, _ = await open_socket(slack, http)
        assert (told["type"], told["reason"]) == ("disconnect", "too_many_websockets")
        for socket in sockets:
            await socket.close()
