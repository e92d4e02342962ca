"""What outlives the bot: a local Slack, a vault, a database, records; and what starts the bot again when it dies."""

import asyncio
import ctypes
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path

import life

from bot.emulator import Emulator
from bot.manifest import read_manifest
from graph.policy import Policy
from graph.runtime import open_engine
from graph.settings import Settings

LIFE = Path(life.__file__)
NOTES = {
    "daily/2026-11-03.md": "See [[Projct plan]].\n",
    "daily/2026-11-05.md": "We [[Move to new office]].\n",
    "work/Project plan.md": "The plan.\n",
}


def die_with_parent():
    """Let this process end when the one that forked it does, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@contextmanager
def a_database(where):
    """Yield what gives each town a database of today's schema with nothing in it: a file, or one on a server.

    On `postgres` the server is one of our own. The tables are made once and copied: no boundary lies in that.
    """
    with tempfile.TemporaryDirectory() as folder:
        if where == "sqlite":
            made = Path(folder) / "ringi.sqlite"
            make_tables(str(made))
            yield functools.partial(copied, made)
        elif where == "postgres":
            with our_server() as address, on_server(address) as fresh:
                yield fresh
        else:
            with on_server(where) as fresh:
                yield fresh


def make_tables(database):
    """Make the tables, in a process of its own: what is forked later has opened nothing."""

    async def make():
        async with open_engine(Settings(RINGI_DATABASE=database), Policy(), claude=object(), everyone=False):
            pass

    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(make())
        except BaseException:  # noqa: BLE001 - a child ends here, whatever happened
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("the tables could not be made")


@contextmanager
def small_disk(folder):
    """Let this folder be a disk of its own that can be filled; needs the right to mount."""
    folder.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "ringi-test", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def copied(made, home):
    path = home / "state" / "ringi.sqlite"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    shutil.copyfile(made, path)
    yield str(path)


@contextmanager
def on_server(where):
    import psycopg

    def at(name):
        return where.rpartition("/")[0] + f"/{name}"

    def tell(statement):
        with psycopg.connect(where, autocommit=True) as server:
            server.execute(statement)

    made = f"crash_{os.getpid()}"
    tell(f"CREATE DATABASE {made}")
    make_tables(at(made))

    @contextmanager
    def fresh(home):
        name = f"{made}_{home.name.lower()}"
        tell(f'CREATE DATABASE "{name}" TEMPLATE {made}')
        yield at(name)
        tell(f'DROP DATABASE "{name}" WITH (FORCE)')

    yield fresh
    tell(f"DROP DATABASE {made} WITH (FORCE)")


@contextmanager
def our_server():
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from throwaway_postgres import INSTALL, Server, find_binaries

    binaries = find_binaries()
    if binaries is None:
        raise SystemExit(f"PostgreSQL's server is missing here; install it with: {INSTALL}")
    server = Server(binaries)
    try:
        yield server.url()
    finally:
        server.close()


class Cradle:
    """A process that has imported everything and opened nothing, and forks a bot for each order it is given."""

    def __init__(self):
        orders, self._orders = os.pipe()
        self._said, said = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._orders)
            os.close(self._said)
            try:
                self._rock(orders, said)
            finally:
                os._exit(0)
        os.close(orders)
        os.close(said)
        self._reply = os.fdopen(self._said)

    @staticmethod
    def _rock(orders, said):
        die_with_parent()
        for line in os.fdopen(orders):
            pid = os.fork()
            if pid == 0:
                die_with_parent()
                os.close(said)
                os._exit(life.main(json.loads(line)))
            os.write(said, f"{pid}\n".encode())
            os.write(said, f"{os.waitpid(pid, 0)[1]}\n".encode())

    async def start(self, order):
        """Start a bot; return its pid."""
        os.write(self._orders, json.dumps(order).encode() + b"\n")
        return int(await asyncio.to_thread(self._reply.readline))

    async def ended(self):
        """Wait for the end of the bot that was started; return the signal that ended it, 0 for none, else -1."""
        status = int(await asyncio.to_thread(self._reply.readline))
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -1 if os.WEXITSTATUS(status) else 0

    def close(self):
        os.close(self._orders)
        os.waitpid(self.pid, 0)
        self._reply.close()


class Cold:
    """The same with a new interpreter for each bot."""

    async def start(self, order):
        self._process = await asyncio.create_subprocess_exec(sys.executable, str(LIFE), json.dumps(order))
        return self._process.pid

    async def ended(self):
        code = await self._process.wait()
        return -code if code < 0 else -1 if code else 0


class Town:
    """One local Slack, one vault, and a bot that is started again whenever it is killed.

    Attributes:
        lives: how each life of the bot ended: the signal, 0 if it ended by itself, -1 if it failed.
        told: what people were told about what they decided.
        patience: seconds for anything; only a fault takes so long.
    """

    def __init__(self, home, database, cradle, kills, args):
        self.home, self._cradle = home, cradle
        self.patience, self._mutant, self.harm = args.patience, args.mutant, args.harm
        self._kills = list(kills)
        self.vault, self.records = home / "vault", home / "state" / "records"
        self.database = database
        self.slack = Emulator(read_manifest())
        self.lives, self.told, self._pid = [], [], None
        self._ending = self._over = False
        (self.vault / ".obsidian").mkdir(parents=True)
        for path, text in NOTES.items():
            (self.vault / path).parent.mkdir(exist_ok=True)
            (self.vault / path).write_text(text)

    @property
    def environment(self):
        return {
            "RINGI_VAULT": str(self.vault),
            "RINGI_RECORDS": str(self.records),
            "RINGI_DATABASE": self.database,
            "RINGI_BATCH": "1",
            "RINGI_STARTERS": "U0MEMBER1",
            "RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2",
            "RINGI_SELF_APPROVAL": "yes",
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
            "SLACK_API_URL": self.slack.api_url,
        }

    @property
    def settings(self):
        return Settings.model_validate(self.environment)

    @property
    def life(self):
        """The number of the life that is lived now, from 0."""
        return len(self.lives)

    async def keep_alive(self):
        """Start the bot, again and again, until it ends because it was told to.

        Raises:
            RuntimeError: it ended in another way.
        """
        while True:
            kill = self._kills.pop(0) if self._kills else None
            order = {
                "home": str(self.home),
                "number": self.life,
                "kill": kill,
                "mutant": self._mutant,
                "harm": self.harm,
            }
            self._pid = await self._cradle.start(order | {"environment": self.environment})
            if self._over:
                self.end(at_once=True)
            ended = await self._cradle.ended()
            self._pid = None
            while self.slack.sockets.connections:  # noqa: ASYNC110 - until the local Slack has noticed
                await asyncio.sleep(0.005)
            self.lives.append(ended)
            for waiting in self.slack.sockets._waiting.values():  # nobody will acknowledge it now
                if not waiting.done():
                    waiting.set_exception(ConnectionError())
            if self._over or (ended == 0 and self._ending):
                return
            if ended != signal.SIGKILL:
                said = self.home / f"trouble.{len(self.lives) - 1}"
                raise RuntimeError(said.read_text() if said.exists() else f"the bot ended with {ended}")
            self._ending = False

    async def up(self):
        """Wait until the bot can be reached."""
        while not self.slack.sockets.connections:  # noqa: ASYNC110 - another process connects
            await asyncio.sleep(0.01)

    def end(self, *, at_once=False):
        """Tell the bot to end, as a supervisor does; at once, if nothing more is wanted of it."""
        self._ending, self._over = True, at_once
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL if at_once else signal.SIGTERM)
