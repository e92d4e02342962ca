"""The socket's watchdog: a pong that is too old, whatever the library says and whatever happens to the clock."""

import asyncio
import functools
import time
from types import SimpleNamespace

import pytest

from bot.slack import socket as room
from bot.slack.socket import Socket


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def library():
    """What the library knows of its connection."""
    return SimpleNamespace(last_ping_pong_time=None)


@pytest.fixture
def socket(clock, library):
    socket = Socket(None, "xapp-1", None, clock=clock)
    socket._socket = SimpleNamespace(client=library)
    return socket


def test_a_socket_that_heard_nothing_for_a_minute_is_dead_even_if_the_library_forgot_its_last_pong(
    socket, library, clock
):
    """S29."""
    library.last_ping_pong_time = 5.0
    clock.now += 10
    assert socket.silent() == 0.0
    library.last_ping_pong_time = None
    clock.now += 60
    assert socket.silent() == 60.0


def test_a_clock_that_is_set_back_does_not_hide_a_dead_socket(socket, library, clock):
    """S29: the library dates its pongs by the machine's time; an hour back, and a dead socket would look alive."""
    library.last_ping_pong_time = time.time() + 3600
    socket.silent()
    clock.now += 61
    assert socket.silent() == 61.0


async def test_a_new_address_is_asked_for_with_patience_until_the_token_works_again(monkeypatch):
    """An app token that stopped working: one line a try, ever rarer, no traceback; then it goes on by itself."""
    asked, pauses, connected = [], [], []

    async def address(client):
        asked.append(client)
        if len(asked) < 5:
            raise ConnectionError
        return "ws://x"

    async def sleep(seconds, real=asyncio.sleep):
        pauses.append(seconds)
        await real(0)

    monkeypatch.setattr(room, "address", address)
    monkeypatch.setattr(room.asyncio, "sleep", sleep)
    socket = Socket(None, "xapp-1", None)
    monkeypatch.setattr(socket, "connect", functools.partial(_note, connected))
    await socket._anew()
    assert connected == ["ws://x"]
    assert pauses == [1.0, 5.0, 15.0, 60.0]


async def _note(connected, url):
    connected.append(url)
