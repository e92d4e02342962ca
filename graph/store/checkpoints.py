"""Where LangGraph keeps its threads: in the same file, compressed, readable as plain JSON types only.

Imports LangGraph; whoever only reads runs or inserts acts has no need of it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
import weakref
import zlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import aiosqlite
import ormsgpack
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Send

from graph.errors import NotPlain, StoreError
from graph.store.sqlite import BUSY_SECONDS, existing
from graph.store.store import Fence

T = TypeVar("T")
_PACKED = "z:"
# The state of a large vault is megabytes of text that repeats itself; 1 is a third of the time of the default
# for nearly the same size, and it runs on the event loop.
_LEVEL = 1
# What LangGraph itself lets through, so that nothing but objects is looked at.
_OPTIONS = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_REPLACE_SURROGATES
)


class PackedPlainJson(JsonPlusSerializer):
    """Compress what LangGraph stores, and build nothing from it but plain types and LangGraph's own.

    By default its serializer imports and builds any class that the file names.
    Source: https://github.com/langchain-ai/langgraph/security/advisories/GHSA-g48c-2wqr-h844
    """

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=())
        self._comes_back: dict[type, bool] = {}

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the kind of content and its bytes, packed unless that makes them longer.

        Raises:
            NotPlain: there is an object in it that would be read back as something else.
        """
        self._refuse_objects(obj)
        kind, content = super().dumps_typed(obj)
        packed = zlib.compress(content, _LEVEL)
        return (_PACKED + kind, packed) if len(packed) < len(content) else (kind, content)

    def _refuse_objects(self, obj: Any) -> None:
        """Refuse what LangGraph would save in silence and give back as a mapping.

        The next step of this process would still get the object, the same step after a restart would not.
        Source: https://github.com/langchain-ai/langgraph/issues/7695
        """
        foreign: list[type] = []

        def inside(one: Any) -> Any:
            kind = type(one)
            if isinstance(one, BaseException):
                return None  # kept as words
            if kind not in self._comes_back:
                self._comes_back[kind] = self._is_read_back(one)
            if not self._comes_back[kind]:
                foreign.append(kind)
                raise TypeError
            if isinstance(one, Send):
                return one.arg
            if dataclasses.is_dataclass(one):
                return [getattr(one, field.name) for field in dataclasses.fields(one)]
            return list(one) if isinstance(one, set | frozenset | deque) else None

        try:
            ormsgpack.packb(obj, default=inside, option=_OPTIONS)
        except ormsgpack.MsgpackEncodeError:
            if foreign:
                raise NotPlain(f"{foreign[0].__module__}.{foreign[0].__qualname__}") from None

    def _is_read_back(self, one: object) -> bool:
        try:
            return type(super().loads_typed(super().dumps_typed(one))) is type(one)
        except (TypeError, ValueError):  # nothing can be made of it at all
            return False

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Read what `dumps_typed` returned."""
        kind, content = data
        if kind.startswith(_PACKED):
            kind, content = kind.removeprefix(_PACKED), zlib.decompress(content)
        return super().loads_typed((kind, content))


class WholeWrites(BaseCheckpointSaver[str]):
    """A saver whose writes end as they should even if the step that made them is cancelled.

    A write cut off between its insert and its commit would leave the file locked for everyone else.
    """

    _trouble: tuple[type[Exception], ...] = (sqlite3.Error,)
    _under_way: set[asyncio.Future[Any]]

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        try:
            return await super().aget_tuple(config)
        except self._trouble as error:
            raise StoreError("checkpoints", f"The state of the run could not be read: {error}") from error

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        return await self._whole(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task of a step wrote."""
        await self._whole(super().aput_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that was saved of a thread."""
        await self._whole(super().adelete_thread(thread_id))

    async def finished(self) -> None:
        """Return once every write that was begun has ended, well or not."""
        await asyncio.gather(*self._writes(), return_exceptions=True)

    def _writes(self) -> set[asyncio.Future[Any]]:
        if not hasattr(self, "_under_way"):
            self._under_way = set()
        return self._under_way

    async def _whole(self, write: Coroutine[Any, Any, T]) -> T:
        writing = asyncio.ensure_future(write)
        self._writes().add(writing)
        writing.add_done_callback(self._writes().discard)
        try:
            return await asyncio.shield(writing)
        except self._trouble as error:
            raise StoreError("checkpoints", f"The state of the run could not be saved: {error}") from error


class WholeSqliteWrites(WholeWrites, AsyncSqliteSaver):
    """The saver of a SQLite file."""


@dataclass(frozen=True, slots=True)
class Held:
    """A run that this process holds.

    Attributes:
        saver: to move its thread with.
        fence: what makes sure, in a transaction on the run's rows, that it is still held.
        still: tells whether it is still held. None, like the fence, where nobody could take it away.
    """

    saver: BaseCheckpointSaver[str]
    fence: Fence | None = None
    still: Callable[[], Awaitable[bool]] | None = None


class Threads(Protocol):
    """The threads of a database: who holds one may move it, and nobody else does meanwhile."""

    def own(self, run_id: str) -> AbstractAsyncContextManager[Held | None]:
        """Hold a run's thread; yields None if another process holds it, which then looks at it again afterwards."""
        ...

    async def alone(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do work that only one process of this database does at a time; waits until it may, returns with the work."""
        ...


class OneProcess:
    """The threads of a database that one process serves."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        self._held = Held(saver)
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    @asynccontextmanager
    async def own(self, run_id: str) -> AsyncIterator[Held]:
        """Hold a run's thread; waits for whoever in this process holds it."""
        lock = self._locks.setdefault(run_id, asyncio.Lock())
        async with lock:
            yield self._held

    async def alone(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work at once: there is no other process."""
        del name
        await work()


@asynccontextmanager
async def open_threads(path: Path, writing: AbstractAsyncContextManager[object]) -> AsyncIterator[OneProcess]:
    """Open the checkpoints of a database file.

    Args:
        path: of the file.
        writing: the lock under which this process writes to it.
    """
    connection = await aiosqlite.connect(existing(path), timeout=BUSY_SECONDS, uri=True)
    try:
        await connection.execute("PRAGMA synchronous=FULL")
        saver = WholeSqliteWrites(connection, serde=PackedPlainJson())
        saver.lock = writing  # type: ignore[assignment] # only entered and left
        await saver.setup()
        yield OneProcess(saver)
    finally:
        await asyncio.shield(connection.close())
