"""How a run comes to be."""

from __future__ import annotations

from graph.approval import Person, Run
from graph.store import Write


async def accept(write: Write, run: Run, person: Person) -> bool:
    """Insert a run with the first message of it."""
    if not await write.add_run(run):
        return False
    await write.add_message(f"progress:{run.id}", run)
    await write.event(run.id, person, "accepted", **({"continues": run.continues} if run.continues else {}))
    return True
