"""The one place that puts the parts together: settings in, an open store or a running engine out."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.ext.asyncio import AsyncEngine

from graph.errors import DatabaseInUse, DatabaseUnusable
from graph.policy import Policy
from graph.settings import Settings
from graph.store import Store, sqlite
from graph.store.migrate import HEAD, migrate, schema_of
from graph.versions import known

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from graph.approval import Run
    from graph.engine import Engine
    from graph.engine.worker import Worker
    from graph.store.checkpoints import Threads
    from graph.workflow import Claude, Sent, Workflow


def server_running(settings: Settings) -> bool:
    """Tell whether some server moves the runs of this database, so that others may leave it to it."""
    if settings.on_postgres:
        from graph.store import postgres

        return postgres.is_served(settings.database)
    return sqlite.is_served(Path(settings.database))


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[Store]:
    """Open the tables to read and to insert, beside servers or without one. Imports no LangGraph.

    A missing or older database is created or migrated first; SQLite's only if no server works on it.

    Raises:
        DatabaseMisplaced: it would lie in a vault or in a synced folder.
        DatabaseInUse: it is of an older version while another process works on it.
        StoreError: it cannot be reached or created, or is of a newer version.
    """
    if settings.on_postgres:
        async with _on_postgres(settings) as (store, _):
            yield store
        return
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
    """Become a process that moves the runs of this database, on SQLite the one; they go on where they were.

    Args:
        settings: of the run.
        policy: who may do what.
        claude: the model; None = the `claude` command.
        on_change: called after each commit that may concern messages; must not block.
        workflow: finds a workflow by its name; None = the ones that come with the program.
        everyone: begin with every run that has something to do, and on PostgreSQL take jobs. Without, only runs that
            are woken are moved: who comes for one run does not start work, and spend, on others that are cut off a
            moment later.

    Raises:
        DatabaseInUse: another process does, and the database takes only one.
        DatabaseMisplaced: the database would lie in a vault or in a synced folder.
        StoreError: it cannot be reached or created, is unfit, or of a newer version.
    """
    # LangGraph leaves batches and saves it had not begun unawaited when a run is cancelled; nothing is lost by that.
    unbegun = r"coroutine '(arun_with_retry|AsyncPregelLoop\..*)' was never awaited"
    warnings.filterwarnings("ignore", unbegun, RuntimeWarning)
    opened = _many_processes(settings, everyone=everyone) if settings.on_postgres else _one_process(settings)
    async with opened as (store, threads, worker):
        from graph.engine import Engine
        from graph.intake import Intake

        if claude is None:
            from graph.claude import ClaudeCode

            claude = ClaudeCode(settings)
            claude.end_leftovers()
        if workflow is None:
            from graph.workflows import find_workflow

            workflow = find_workflow
            if everyone or not settings.on_postgres:
                await asyncio.to_thread(_tidy, settings)
        store.on_change = on_change
        intake = Intake(store, policy, workflow)
        engine = Engine(store, intake, settings, claude=claude, threads=threads, workflow=workflow)
        async with AsyncExitStack() as stack:
            if worker is not None:
                engine.jobs = worker
                await stack.enter_async_context(worker.working(engine.carry))
            stack.push_async_callback(engine.close)
            if everyone:
                async with store.write() as write:
                    await write.bump_waiting()
                await intake.count_again()
                await engine.sweep()
            if everyone and settings.keep_days:
                await stack.enter_async_context(_beside(engine.forget_regularly(settings.keep_days)))
            yield engine


def _tidy(settings: Settings) -> None:
    """Clear away what killed processes left half-done; others at work on the same database are given a minute."""
    from graph.workflows import find_workflow, workflow_names

    before = time.time() - (60 if settings.on_postgres else 0)
    for name in workflow_names():
        if (tidy := find_workflow(name).tidy) is not None:
            tidy(settings, before)


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let work go on beside the block; it ends with it."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _one_process(settings: Settings) -> AsyncIterator[tuple[Store, Threads, None]]:
    path = _place(settings)
    with sqlite.serving(path):
        from graph.store.checkpoints import open_threads

        async with sqlite.connect(path) as (database, changed):
            await migrate(database)
            store = Store(database, changed=changed)
            async with open_threads(path, store.lock) as threads:
                yield store, threads, None


@asynccontextmanager
async def _many_processes(
    settings: Settings, *, everyone: bool
) -> AsyncIterator[tuple[Store, Threads, Worker | None]]:
    from graph.store import postgres

    await postgres.refuse_unfit(settings.database)
    async with _on_postgres(settings, every_table=True) as (store, database):
        from graph.store.postgres_threads import open_threads

        worker = None
        if everyone:
            from graph.engine.worker import Worker

            worker = Worker(settings.database, database, settings.runs_at_once)
        async with open_threads(settings.database) as threads:
            yield store, threads, worker


@asynccontextmanager
async def _on_postgres(
    settings: Settings, *, every_table: bool = False
) -> AsyncIterator[tuple[Store, AsyncEngine]]:
    """Open the tables on PostgreSQL; with `every_table` also look whether those of the jobs are new enough."""
    from graph.store import jobs, postgres

    async with postgres.connect(settings.database) as database:
        async with postgres.refused_in_words(settings.database):
            if every_table or await schema_of(database) != HEAD:
                await migrate(database)
        yield Store(database, changed=postgres.always_changed, defer=jobs.defer), database


async def move_database(settings: Settings, to: Settings) -> dict[str, int]:
    """Copy everything from a SQLite file to an empty PostgreSQL database; return how many rows of each kind.

    All or nothing: cut off or failed, the target is as empty as before. The file is left as it is.

    Raises:
        DatabaseInUse: a process works on the file, or a server takes jobs of the target.
        DatabaseNotEmpty: the target has runs.
        StoreError: one of them cannot be used, or the counts do not agree.
    """
    from graph.store import postgres
    from graph.store.transfer import copy

    path = Path(settings.database)
    if not path.is_file():  # noqa: ASYNC240 - nothing else runs on this loop
        raise DatabaseUnusable(str(path), f"There is no database {path}, so there is nothing to copy.")
    await postgres.refuse_unfit(to.database)
    with sqlite.serving(path):
        if server_running(to):
            raise DatabaseInUse(to.database_shown, f"A server works on {to.database_shown}; end it first.")
        async with sqlite.connect(path) as (source, _), _on_postgres(to, every_table=True) as (_, target):
            await migrate(source)
            from graph.store.postgres_threads import open_threads

            async with open_threads(to.database):  # makes their tables
                return await copy(path, source, target, to.database_shown)


async def sent_prompts(settings: Settings, run: Run) -> list[Sent]:
    """Return every prompt a run has sent, oldest first, as it was given. Only reads; imports LangGraph.

    Raises:
        DatabaseMisplaced: the database would lie in a vault or in a synced folder.
    """
    from graph.engine.thread import Thread
    from graph.workflows import find_workflow

    workflow = known(run, find_workflow)
    if workflow is None or workflow.sent is None:
        return []
    async with _thread_to_read(settings, run.id) as saver:
        look = await Thread(workflow, run.id, saver, concurrency=1).look()
    return workflow.sent(look.values, run) if look.begun else []


@asynccontextmanager
async def _thread_to_read(settings: Settings, run_id: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    if settings.on_postgres:
        from graph.store.postgres_threads import open_to_read

        async with open_to_read(settings.database) as saver:
            yield saver
        return
    from graph.store.checkpoints import open_threads

    async with open_threads(_place(settings), asyncio.Lock()) as threads, threads.own(run_id) as held:
        yield held.saver


def _place(settings: Settings) -> Path:
    path = Path(settings.database)
    sqlite.refuse_misplaced(path, settings.vault)
    sqlite.create_file(path)
    return path
