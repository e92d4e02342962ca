"""Every boundary that one life of the bot crosses, by name; at one of them it comes to harm.

A boundary is a moment before or after something that outlives the process, or is seen from outside: a commit, a
checkpoint, a call of Slack, an acknowledgement, a step, a call of Claude, the record's link.
"""

import contextlib
import functools
import os
import signal
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from graph.engine.thread import Thread
from graph.store import Store
from graph.workflows import find_workflow

PAUSE_SECONDS = 4.0  #: Slack waits three for an acknowledgement
FULL_SECONDS = 1.5


def die(_):
    """Be gone."""
    os.kill(os.getpid(), signal.SIGKILL)


def pause(_):
    """Be paused for longer than Slack waits, as a machine is that sleeps."""
    subprocess.Popen(["sh", "-c", f"sleep {PAUSE_SECONDS}; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)


def full(home):
    """Leave no room on the disk of the database and the records for a while."""
    filling = home / "state" / "filling"
    with filling.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    threading.Timer(FULL_SECONDS, filling.unlink).start()


HARMS = {"kill": die, "pause": pause, "full": full}


class Boundaries:
    """Counts what is crossed and writes it down, and does harm to this process where it is told to.

    Attributes:
        kill: a number, the how manyth boundary of this life; or a name and the how manyth of that name.
    """

    def __init__(self):
        self.kill, self.log, self.crossed, self.by_name = None, None, 0, {}

    def begin(self, home, number, kill, harm):
        self.log = os.open(home / f"crossed.{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.kill = tuple(kill) if isinstance(kill, list) else kill
        self.home, self.harm = home, HARMS[harm]

    def __call__(self, name):
        self.crossed += 1
        self.by_name[name] = self.by_name.get(name, 0) + 1
        os.write(self.log, f"{name}\n".encode())
        if self.kill in (self.crossed, (name, self.by_name[name])):
            with (self.home / "harmed").open("a") as harmed:
                harmed.write(f"{name}\n")
            self.harm(self.home)


cross = Boundaries()


def watched(original, name):
    """Let what a coroutine function does lie between two boundaries; `name` gets its arguments."""

    @functools.wraps(original)
    async def crossing(*args, **more):
        named = name if isinstance(name, str) else name(*args, **more)
        cross(f"{named}:before")
        result = await original(*args, **more)
        cross(f"{named}:after")
        return result

    return crossing


def transaction():
    """Name a transaction by the function that opened it."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == __file__ or frame.f_globals.get("__name__") == "contextlib":
        frame = frame.f_back
    return frame.f_code.co_name


def watch_commits():
    write, set_message = Store.write, Store._set_message

    @asynccontextmanager
    async def watched_write(self, *args, **more):
        name = f"commit:{transaction()}"
        async with write(self, *args, **more) as opened:
            yield opened
            cross(f"{name}:before")
        cross(f"{name}:after")

    Store.write = watched_write
    Store._set_message = watched(set_message, lambda *_, **__: f"commit:{transaction()}")


def watch_checkpoints():
    begin = Thread.__init__

    def watched_begin(self, workflow, run_id, saver, *rest, **more):
        for name in ("aput", "aput_writes"):
            if name not in vars(saver):
                setattr(saver, name, watched(getattr(saver, name), f"checkpoint:{name}"))
        begin(self, workflow, run_id, saver, *rest, **more)

    Thread.__init__ = watched_begin


def watch_slack():
    def call(self, api_method, *, json=None, **_):
        key = ((json or {}).get("metadata") or {}).get("event_payload", {}).get("key", "")
        return f"slack:{api_method}" + (f":{key.partition(':')[0]}" if key else "")

    AsyncWebClient.api_call = watched(AsyncWebClient.api_call, call)
    answer = SocketModeClient.send_socket_mode_response
    SocketModeClient.send_socket_mode_response = watched(answer, "ack")


def watch_record():
    link = os.link

    def watched_link(*args, **more):
        cross("record:link:before")
        link(*args, **more)
        cross("record:link:after")

    os.link = watched_link


def workflow(name):
    """Return a workflow whose every step is a boundary."""
    real = find_workflow(name)

    def build():
        graph = real.build()
        for step, node in graph.nodes.items():
            if node.runnable.afunc is not None:
                node.runnable.afunc = watched(node.runnable.afunc, f"step:{step}")
            else:
                node.runnable.func = watched_step(node.runnable.func, f"step:{step}")
        return graph

    return replace(real, build=build)


def watched_step(original, name):
    @functools.wraps(original)
    def crossing(*args, **more):
        cross(f"{name}:before")
        result = original(*args, **more)
        cross(f"{name}:after")
        return result

    return crossing


def watch():
    """Let everything be a boundary that this process does from now on."""
    watch_commits()
    watch_checkpoints()
    watch_slack()
    watch_record()
