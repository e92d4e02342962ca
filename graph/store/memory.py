"""The table of verdicts that people approved: kept, looked up, forgotten."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from graph.memory import Approved, Spot
from graph.store import rows
from graph.store.tables import judged

_One = TypeVar("_One")
_AT_ONCE = 500  # rows a statement; databases bound the values of one


async def judged_before(connection: AsyncConnection, spots: Collection[Spot]) -> set[Spot]:
    """Return those of the spots that somebody approved a verdict for."""
    by_key = {spot.key: spot for spot in spots}
    found: set[Spot] = set()
    for some in _parts(list(by_key)):
        which = sa.select(judged.c.key).where(judged.c.key.in_(some))
        found |= {by_key[key] for key in (await connection.execute(which)).scalars()}
    return found


async def keep(connection: AsyncConnection, run_id: str, approved: Iterable[Approved]) -> None:
    """Insert approved verdicts; the newest word on a spot counts."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    values = {one.spot.key: _row(run_id, one) for one in approved}
    for some in _parts(list(values.values())):
        statement = insert(judged).values(some)
        newer = {name: statement.excluded[name] for name in ("verdict", "goes_to", "run_id", "person", "at")}
        await connection.execute(statement.on_conflict_do_update(index_elements=["key"], set_=newer))


async def forget(connection: AsyncConnection, vault: str, folder: str) -> int:
    """Delete what was approved about a folder and all below it, `.` = the vault; return how many verdicts."""
    statement = sa.delete(judged).where(judged.c.vault == vault)
    if folder != ".":
        inside = f"{folder}/"
        statement = statement.where(sa.func.substr(judged.c.file, 1, len(inside)) == inside)
    return int((await connection.execute(statement)).rowcount)


def _row(run_id: str, one: Approved) -> dict[str, Any]:
    spot = one.spot
    return {
        "key": spot.key,
        "vault": rows.storable(spot.vault),
        "file": rows.storable(spot.file),
        "target": rows.storable(spot.target),
        "subpath": rows.storable(spot.subpath),
        "line_hash": spot.line_hash,
        "verdict": one.verdict,
        "goes_to": None if one.goes_to is None else rows.storable(one.goes_to),
        "run_id": run_id,
        "person": rows.plain(one.person),
        "at": one.at,
    }


def _parts(everything: Sequence[_One]) -> Iterator[Sequence[_One]]:
    return (everything[at : at + _AT_ONCE] for at in range(0, len(everything), _AT_ONCE))
