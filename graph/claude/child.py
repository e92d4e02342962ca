"""The child process: a closed environment, a group of its own, pipes that never fill up, an end that is certain."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.claude.leash import Leash

GRACE = 5.0
"""Seconds between asking a child to end and ending it; it was measured to take a tenth of a second."""

LONGEST_STDERR = 2_000
CHUNK = 1 << 16
TICK, SOON = 0.05, 0.005
"""Seconds between two looks whether the child has ended."""

CONSTANTS = {
    # The command's ten retries take three minutes to report an outage, and a time-out of ours would hide it.
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}


_MISSING = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ELOOP, errno.ENAMETOOLONG}
)
"""Why a program or a folder cannot be used; for anything else that keeps a process from starting it is not to blame."""


class NotThere(Exception):
    """The executable or the folder is missing.

    Attributes:
        what: the path that is not there.
        executable: it is the executable that is missing.
    """

    def __init__(self, what: str, *, executable: bool) -> None:
        super().__init__(f"{what}: no such file")
        self.what, self.executable = what, executable


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended.

    Attributes:
        code: exit code; negative = by that signal.
        stderr: the beginning of it.
        timed_out: we ended it because it took too long.
    """

    code: int
    stderr: str
    timed_out: bool = False


def child_environment(
    environment: Mapping[str, str], api_key: str | None = None, temporary: str | None = None
) -> dict[str, str]:
    """Return the child's whole environment: an allow-list, our constants and, if billing says so, one key.

    `temporary` is where the child may leave temporary files: the command leaves a small folder a run, for ever.

    Anything else can move the call to another account, endpoint or proxy. Relative entries of PATH are left out:
    the child's folder belongs to strangers, and a program found there would be theirs.
    """
    kept = {name: environment[name] for name in ("HOME", "LANG") if environment.get(name)}
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    kept["PATH"] = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())
    ours = {"ANTHROPIC_API_KEY": api_key, "TMPDIR": temporary}
    return kept | CONSTANTS | {name: value for name, value in ours.items() if value}


def find_executable(name: str, environment: Mapping[str, str]) -> str:
    """Return the executable's absolute path, so that no folder under check can stand in for it.

    Raises:
        NotThere: it cannot be found.
    """
    try:
        meant = Path(name).expanduser()
    except RuntimeError as nobody:  # `~name` of nobody on this machine
        raise NotThere(name, executable=True) from nobody
    found = shutil.which(str(meant), path=child_environment(environment)["PATH"])
    if found is None:
        raise NotThere(name, executable=True)
    return str(Path(found).absolute())


async def run(  # noqa: PLR0913 - what a process is: command, place, environment, input, output, time
    command: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    stdin: bytes,
    line: Callable[[bytes], bool],
    timeout: float,  # noqa: ASYNC109 - it is a result here, not an exception
    leash: Leash | None = None,
) -> Ending:
    """Run a command to its end, whatever happens to us meanwhile.

    Args:
        command: absolute path of the executable and its arguments.
        folder: working directory.
        environment: the whole environment of the child.
        stdin: given at once, then closed.
        line: gets each line of stdout, however long; returning False ends the child at once.
        timeout: seconds until the child is ended.
        leash: ends the child if this process is killed; without one it ends by itself soon anyway.

    Cancelling ends the child, and everything it started, before the cancellation goes on.

    Raises:
        NotThere: the executable or the folder does not exist.
        OSError: this machine starts no process now: too many of them, or of open files.
    """
    process = await _start(command, folder, environment)
    stderr = bytearray()
    timed_out = False
    try:
        if leash is not None:
            leash.take(process.pid)
        async with asyncio.timeout(timeout), asyncio.TaskGroup() as tasks:
            pipes = [
                tasks.create_task(_feed(process, stdin)),
                tasks.create_task(_lines(process, line)),
                tasks.create_task(_drain(process, stderr)),
            ]
            await _gone(process, pipes[1])
            await asyncio.wait(pipes, timeout=GRACE)  # what left the group may hold them for ever
            for pipe in pipes:
                pipe.cancel()
    except TimeoutError:
        timed_out = True
    finally:
        try:
            await _end(process)
        finally:
            if leash is not None:
                leash.let_go()
    code = -signal.SIGKILL if process.returncode is None else process.returncode
    return Ending(code, stderr.decode(errors="replace"), timed_out)


async def _start(
    command: Sequence[str], folder: str, environment: Mapping[str, str]
) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=dict(environment),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
    except OSError as error:  # also: no permission, no program, another machine's program
        if error.errno not in _MISSING:
            raise
        missing = str(error.filename or command[0])
        raise NotThere(missing, executable=missing != folder) from error


async def _feed(process: asyncio.subprocess.Process, stdin: bytes) -> None:
    if process.stdin is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # its exit code says more
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await process.stdin.wait_closed()


async def _lines(process: asyncio.subprocess.Process, line: Callable[[bytes], bool]) -> None:
    parts: list[bytes] = []
    while process.stdout is not None and (chunk := await process.stdout.read(CHUNK)):
        head, *rest = chunk.split(b"\n")
        parts.append(head)
        for following in rest:
            if not line(b"".join(parts)):
                _signal(process, signal.SIGKILL)  # at once: asking would leave it time to go on
                return
            parts = [following]
    if any(parts):
        line(b"".join(parts))


async def _drain(process: asyncio.subprocess.Process, stderr: bytearray) -> None:
    while process.stderr is not None and (chunk := await process.stderr.read(CHUNK)):
        stderr += chunk[: max(0, LONGEST_STDERR - len(stderr))]


async def _gone(process: asyncio.subprocess.Process, stdout: asyncio.Task[None] | None = None) -> None:
    """Wait for the child alone, then end what it left behind, so that the pipes close.

    `process.wait()` also waits for the pipes in some versions of Python, and a child of the child may hold them.
    Once stdout has ended, the child is about to; until then a look now and then is enough.
    """
    while process.returncode is None:
        if stdout is None or stdout.done():
            await asyncio.sleep(SOON)
        else:
            await asyncio.wait({stdout}, timeout=TICK)
    _signal(process, signal.SIGKILL)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the whole group: ask, wait, insist. The last step also catches what outlived its parent."""
    try:
        if process.returncode is None and _signal(process, signal.SIGTERM):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_gone(process), GRACE)
    finally:
        _signal(process, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.communicate(), GRACE)
    except TimeoutError:
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - the only way to let go of pipes that another process holds


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> bool:
    """Signal the child's group, which bears the child's id."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
