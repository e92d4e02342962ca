"""The socket's watchdog: a pong that is too old, whatever the library says."""

from types import SimpleNamespace

from bot.slack.app import DEAD_AFTER, Socket


def test_a_socket_that_heard_nothing_for_a_minute_is_dead_even_if_the_library_forgot_its_last_pong(
    monkeypatch,
):
    """S29."""
    now = [1000.0]
    monkeypatch.setattr("bot.slack.app.time.time", lambda: now[0])
    socket = Socket(None, "xapp-1", None)
    socket._heard = 1000.0
    client = SimpleNamespace(last_ping_pong_time=1005.0)
    socket._socket = SimpleNamespace(client=client)
    now[0] = 1010.0
    assert socket.silent() == 5.0
    client.last_ping_pong_time = None
    now[0] = 1005.0 + DEAD_AFTER
    assert socket.silent() >= DEAD_AFTER
