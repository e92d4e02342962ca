"""The contract with the `claude` command as a program: every row we rely on, tried on the installed version.

Needs no network and no login: a stub stands in for the service, and each row has a home of its own.

    rows.py       what is relied on
    place.py      where a row is tried
    stub.py       the service, scripted
    scenarios.py  what it may say
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graph.claude import child
from graph.claude.contract.place import Place
from graph.claude.contract.rows import ROWS, Row
from graph.claude.contract.stub import StubServer
from graph.settings import Settings

__all__ = ["ROWS", "Tried", "check_contract"]

AT_ONCE = 2
LONGEST = 90.0
"""Seconds after which a row is given up; the slowest takes ten."""


class Tried(NamedTuple):
    """How a row came out.

    Attributes:
        found: what was found; `expects` word for word if nothing differs.
    """

    name: str
    expects: str
    found: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Tell whether nothing differs."""
        return self.found == self.expects


async def check_contract(
    settings: Settings,
    *,
    environment: Mapping[str, str],
    told: Callable[[Tried], None] = lambda _: None,
    rows: Sequence[Row] = ROWS,
) -> list[Tried] | None:
    """Try every row on the executable that the settings name; about two minutes.

    Args:
        settings: only the executable is used.
        environment: where it is looked for.
        told: gets each row as it is done.
        rows: which.

    Returns:
        The rows in their order; None if there is no such executable.
    """
    try:
        binary = child.find_executable(settings.claude, environment)
    except child.NotThere:
        return None
    places = asyncio.Semaphore(AT_ONCE)

    async def one(row: Row) -> Tried:
        async with places:
            tried = await _try(row, binary)
        told(tried)
        return tried

    return await asyncio.gather(*(one(row) for row in rows))


async def _try(row: Row, binary: str) -> Tried:
    """Try one row in a place of its own; whatever goes wrong in it is what was found."""
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="ringi-contract-", ignore_cleanup_errors=True) as root,
        StubServer() as stub,
    ):
        try:
            async with asyncio.timeout(LONGEST):
                found = await row.tries(Place.make(Path(root), binary, stub))
        except TimeoutError:
            found = f"nothing in {LONGEST:.0f} s"
        except Exception as error:  # noqa: BLE001 - a version that behaves unlike ours may break a row in any way
            found = f"{type(error).__name__}: {error}"
    return Tried(row.name, row.expects, found, time.monotonic() - began)
