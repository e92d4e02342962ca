"""The one place that puts the parts together: settings in, an open store or a running engine out."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graph.approval import Policy
from graph.settings import Settings
from graph.store import Store, sqlite
from graph.store.migrate import HEAD, migrate, schema_of

if TYPE_CHECKING:
    from graph.approval import Run
    from graph.engine import Engine
    from graph.workflow import Claude, Sent, Workflow


def server_running(settings: Settings) -> bool:
    """Tell whether a process owns this database, so that others only insert into it."""
    return sqlite.is_served(Path(settings.database))


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """Open the tables to read and to insert, beside a server or without one. Imports no LangGraph.

    Without a server a missing or older database is created or migrated first.

    Raises:
        DatabaseMisplaced: it would lie in a vault or in a synced folder.
        DatabaseInUse: it is of an older version while another process works on it.
        StoreError: it cannot be created, or is of a newer version.
    """
    path = _place(settings)
    async with sqlite.connect(path) as (database, changed):
        if await schema_of(database) != HEAD:
            with sqlite.serving(path, patience=10):
                await migrate(database)
        yield Store(database, changed=changed)


@asynccontextmanager
async def open_engine(  # noqa: PLR0913 - the parts it puts together
    settings: Settings,
    policy: Policy,
    *,
    claude: Claude | None = None,
    on_change: Callable[[], None] | None = None,
    workflow: Callable[[str], Workflow] | None = None,
    everyone: bool = True,
) -> AsyncIterator[Engine]:
    """Become the one process that moves the runs of this database; they go on where they were.

    Args:
        settings: of the run.
        policy: who may do what.
        claude: the model; None = the `claude` command.
        on_change: called after each commit that may concern messages; must not block.
        workflow: finds a workflow by its name; None = the ones that come with the program.
        everyone: begin with every run that has something to do. Without, only runs that are woken are moved: who
            comes for one run does not start work, and spend, on others that are cut off a moment later.

    Raises:
        DatabaseInUse: another process does.
        DatabaseMisplaced: the database would lie in a vault or in a synced folder.
        StoreError: it cannot be created, or is of a newer version.
    """
    path = _place(settings)
    with sqlite.serving(path):
        # LangGraph leaves batches and saves it had not begun unawaited when a run is cancelled; nothing is lost by that.
        unbegun = r"coroutine '(arun_with_retry|AsyncPregelLoop\..*)' was never awaited"
        warnings.filterwarnings("ignore", unbegun, RuntimeWarning)
        from graph.engine import Engine
        from graph.intake import Intake
        from graph.store.checkpoints import open_threads

        if claude is None:
            from graph.claude import ClaudeCode

            claude = ClaudeCode(settings)
            claude.end_leftovers()
        if workflow is None:
            from graph.workflows import find_workflow

            workflow = find_workflow
        async with sqlite.connect(path) as (database, changed):
            await migrate(database)
            store = Store(database, changed=changed)
            store.on_change = on_change
            async with open_threads(path, store.lock) as threads:
                intake = Intake(store, policy)
                engine = Engine(store, intake, settings, claude=claude, threads=threads, workflow=workflow)
                try:
                    if everyone:
                        await engine.sweep()
                    yield engine
                finally:
                    await engine.close()


async def sent_prompts(settings: Settings, run: Run) -> list[Sent]:
    """Return every prompt a run has sent, oldest first, as it was given. Only reads; imports LangGraph.

    Raises:
        DatabaseMisplaced: the database would lie in a vault or in a synced folder.
    """
    path = _place(settings)
    from graph.engine.thread import Thread
    from graph.store.checkpoints import open_threads
    from graph.workflows import find_workflow

    workflow = find_workflow(run.workflow)
    if workflow.sent is None:
        return []
    async with open_threads(path, asyncio.Lock()) as threads, threads.own(run.id) as saver:
        look = await Thread(workflow, run.id, saver, concurrency=1).look()
    return workflow.sent(look.values, run) if look.begun else []


def _place(settings: Settings) -> Path:
    path = Path(settings.database)
    sqlite.refuse_misplaced(path, settings.vault)
    sqlite.create_file(path)
    return path
