"""How many runs there are, counted by the database and not by reading them."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from graph.approval import RunState
from graph.store.store import Store
from graph.store.tables import runs


async def census(store: Store, states: Collection[RunState] | None = None) -> dict[tuple[str, int], int]:
    """Return how many runs there are, of any state or of these, by the workflow and version that began them."""
    its = (runs.c.workflow, runs.c.version)
    statement = sa.select(*its, sa.func.count().label("n")).group_by(*its).order_by(*its)
    if states is not None:
        statement = statement.where(runs.c.state.in_(list(states)))
    found = await store._rows(statement)  # noqa: SLF001 - a part of the store, in a file of its own
    return {(row["workflow"], row["version"]): row["n"] for row in found}
