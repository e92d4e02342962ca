"""A PostgreSQL server of this machine's own, on loopback, gone with the process that started it. Used by the benchmarks too."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

INSTALL = "apt-get install postgresql-15 pgbouncer"
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=256MB")


def find_binaries() -> Path | None:
    """Return the newest server's folder of programs; Debian keeps them off PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


class Server:
    """A running server; databases on it cost some milliseconds each."""

    def __init__(self, binaries: Path, *, durable: bool = False) -> None:
        self._binaries = binaries
        self._numbers = itertools.count()
        # As root the server runs as the user that Debian's package made, in a folder that user can reach.
        self._user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        self.folder = Path(tempfile.mkdtemp(prefix="ringi-postgres-", dir=None if durable else _in_memory()))
        if self._user:
            shutil.chown(self.folder, "postgres", "postgres")
        self._run("initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        self.port = free_port()
        settings = [
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={self.folder}",
            f"port={self.port}",
        ]
        settings += [] if durable else _FAST
        settings += ["max_connections=200", "logging_collector=off"]
        self.process = self.spawn(
            str(binaries / "postgres"), "-D", "data", *(part for one in settings for part in ("-c", one))
        )
        self._until_ready()

    def spawn(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a program beside the server, as the same user; it ends with this process, however that ends."""
        with (self.folder / f"{Path(command[0]).name}.log").open("ab") as log:
            leash = ["setpriv", "--pdeathsig", "INT"] if shutil.which("setpriv") else []
            return subprocess.Popen(
                [*leash, *command],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                **self._user,
            )

    def url(self, name: str = "postgres", user: str = "postgres", password: str = "") -> str:
        """Return the address of a database."""
        return f"postgresql://{user}{':' + password if password else ''}@127.0.0.1:{self.port}/{name}"

    def sql(self, statement: str, database: str = "postgres") -> list[tuple]:
        """Run a statement as the superuser; return its rows."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """Create an empty database; return its name."""
        name = f"ringi_{os.getpid()}_{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name}")
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def close(self) -> None:
        """Stop the server and remove what it wrote."""
        self.process.send_signal(signal.SIGQUIT)  # at once; nothing of it is kept
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), *arguments]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True, **self._user)

    def _until_ready(self) -> None:
        import psycopg

        until = time.monotonic() + 60
        while True:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url()).close()
                return
            if time.monotonic() > until or self.process.poll() is not None:
                raise RuntimeError((self.folder / "postgres.log").read_text())
            time.sleep(0.05)


def _in_memory() -> str | None:
    """Return a folder in memory with room for many databases, if this machine has one."""
    with contextlib.suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 2 << 30 and os.access("/dev/shm", os.W_OK):  # noqa: S108 - a folder of our own is made in it
            return "/dev/shm"  # noqa: S108 - same
    return None


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
