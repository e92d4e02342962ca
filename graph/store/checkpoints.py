"""Where LangGraph keeps its threads: in the same file, compressed, readable as plain JSON types only.

Imports LangGraph; whoever only reads runs or inserts acts has no need of it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import weakref
import zlib
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.errors import StoreError
from graph.store.sqlite import BUSY_SECONDS, existing

T = TypeVar("T")
_PACKED = "z:"
# The state of a large vault is megabytes of text that repeats itself; 1 is a third of the time of the default
# for nearly the same size, and it runs on the event loop.
_LEVEL = 1


class PackedPlainJson(JsonPlusSerializer):
    """Compress what LangGraph stores, and build nothing from it but plain types and LangGraph's own.

    By default its serializer imports and builds any class that the file names.
    Source: https://github.com/langchain-ai/langgraph/security/advisories/GHSA-g48c-2wqr-h844
    """

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=())

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the kind of content and its bytes, packed unless that makes them longer."""
        kind, content = super().dumps_typed(obj)
        packed = zlib.compress(content, _LEVEL)
        return (_PACKED + kind, packed) if len(packed) < len(content) else (kind, content)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Read what `dumps_typed` returned."""
        kind, content = data
        if kind.startswith(_PACKED):
            kind, content = kind.removeprefix(_PACKED), zlib.decompress(content)
        return super().loads_typed((kind, content))


class WholeWrites(AsyncSqliteSaver):
    """A saver whose writes end as they should even if the step that made them is cancelled.

    A write cut off between its insert and its commit would leave the file locked for everyone else.
    """

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        return await _whole(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task of a step wrote."""
        await _whole(super().aput_writes(config, writes, task_id, task_path))


async def _whole(write: Coroutine[Any, Any, T]) -> T:
    try:
        return await asyncio.shield(asyncio.ensure_future(write))
    except sqlite3.Error as error:
        raise StoreError("checkpoints", f"The state of the run could not be saved: {error}") from error


class Threads:
    """The threads of this process: who holds one may move it, and nobody else does meanwhile."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        self._saver = saver
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    @asynccontextmanager
    async def own(self, run_id: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
        """Hold a run's thread; yields the saver to move it with."""
        lock = self._locks.setdefault(run_id, asyncio.Lock())
        async with lock:
            yield self._saver


@asynccontextmanager
async def open_threads(path: Path, writing: asyncio.Lock) -> AsyncIterator[Threads]:
    """Open the checkpoints of a database file.

    Args:
        path: of the file.
        writing: the lock under which this process writes to it.
    """
    connection = await aiosqlite.connect(existing(path), timeout=BUSY_SECONDS, uri=True)
    try:
        await connection.execute("PRAGMA synchronous=FULL")
        saver = WholeWrites(connection, serde=PackedPlainJson())
        saver.lock = writing
        await saver.setup()
        yield Threads(saver)
    finally:
        await asyncio.shield(connection.close())
