"""The tables, and the two column types that every database needs spelled out.

What judges is a unique key: `runs.source` (a redelivered command), `runs.continues` (one continuation per run),
`requests` (run, interrupt), `votes` (request, person), `decisions` (request), `messages.key`, and `judged` (a link
on an unchanged line).
"""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "pk": "%(table_name)s_key",
        "uq": "%(table_name)s_one_%(column_0_N_name)s",
        "fk": "%(table_name)s_of_%(referred_table_name)s",
        "ck": "%(table_name)s_%(constraint_name)s",
        "ix": "%(table_name)s_by_%(column_0_N_name)s",
    }
)


class UtcTime(sa.types.TypeDecorator[datetime]):
    """An aware time in UTC; SQLite would forget the zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Store in UTC."""
        del dialect
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return an aware time."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PackedJson(sa.types.TypeDecorator[Any]):
    """JSON, compressed: a review of thousands of links repeats itself."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> bytes | None:
        """Pack."""
        del dialect
        if value is None:
            return None
        return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

    def process_result_value(self, value: bytes | None, dialect: sa.Dialect) -> Any:
        """Unpack."""
        del dialect
        return None if value is None else json.loads(zlib.decompress(value))


_ID = sa.String(36)
_WORD = sa.String(20)
# `none_as_null`: an absent value is SQL's NULL, never the JSON text `null`.
_JSON = sa.JSON(none_as_null=True)


def _one_of(column: str, *words: str) -> sa.CheckConstraint:
    """Allow only these words in a column."""
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=column)


runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("source", sa.String(200), nullable=False, unique=True),
    sa.Column("workflow", sa.String(40), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("input", _JSON, nullable=False),
    sa.Column("requester", _JSON, nullable=False),
    sa.Column("requester_id", sa.String(80), nullable=False, index=True),
    sa.Column("language", sa.String(2), nullable=False),
    sa.Column("zone", sa.String(64), nullable=False),
    sa.Column("place", sa.String(40)),
    sa.Column("response_url", sa.Text),
    sa.Column("state", _WORD, nullable=False),
    sa.Column("progress", _JSON),
    sa.Column("counts", _JSON, nullable=False),
    sa.Column("result", _JSON),
    sa.Column("failure", _JSON),
    sa.Column("continues", _ID, sa.ForeignKey("runs.id"), unique=True),
    sa.Column("retry_offered", sa.Boolean, nullable=False),
    sa.Column("retry_at", UtcTime),
    # Tries of the step after a decision (`record`) that failed so far; the engine repeats it a few times by itself.
    sa.Column("retries", sa.Integer, nullable=False),
    sa.Column("interventions", sa.Integer, nullable=False),
    sa.Column("ended_by", _JSON),
    sa.Column("created", UtcTime, nullable=False),
    sa.Column("changed", UtcTime, nullable=False),
    sa.Column("ended", UtcTime),
    _one_of("state", "queued", "running", "waiting", "resuming", "done", "failed", "cancelled"),
    sa.Index("runs_by_state_created", "state", "created"),
    sa.Index("runs_by_state_requester_id", "state", "requester_id"),
    sa.Index("runs_by_ended", "ended"),
    sa.Index("runs_by_requester_id_created", "requester_id", "created"),
)

requests = sa.Table(
    "requests",
    metadata,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("run_id", _ID, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("interrupt_id", sa.String(64), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("review", PackedJson, nullable=False),
    sa.Column("state", _WORD, nullable=False),
    sa.Column("created", UtcTime, nullable=False),
    sa.Column("deadline", UtcTime),
    sa.Column("remind_at", UtcTime),
    # The review as a card shows it: of thousands of items a few, and numbers. NULL = the review is its own brief.
    sa.Column("brief", PackedJson),
    sa.UniqueConstraint("run_id", "interrupt_id"),
    # Holds all that the order of waiting runs needs: a row has the review before these columns, which may be large.
    sa.Index("requests_by_state_deadline", "state", "deadline", "created", "run_id"),
    _one_of("state", "open", "decided", "superseded"),
    sa.Index("requests_by_state_remind_at", "state", "remind_at"),
)

votes = sa.Table(
    "votes",
    metadata,
    sa.Column("request_id", _ID, sa.ForeignKey("requests.id"), primary_key=True),
    sa.Column("person_id", sa.String(80), primary_key=True),
    sa.Column("person", _JSON, nullable=False),
    sa.Column("kind", _WORD, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("items", _JSON),
    sa.Column("at", UtcTime, nullable=False),
)

decisions = sa.Table(
    "decisions",
    metadata,
    sa.Column("request_id", _ID, sa.ForeignKey("requests.id"), primary_key=True),
    sa.Column("person", _JSON, nullable=False),
    sa.Column("kind", _WORD, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("items", _JSON),
    sa.Column("at", UtcTime, nullable=False),
    _one_of("kind", "approve", "reject", "send_back", "expired", "withdrawn"),
)

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("key", sa.String(140), nullable=False, unique=True),
    sa.Column("run_id", _ID, sa.ForeignKey("runs.id"), nullable=False, index=True),
    sa.Column("place", sa.String(40), nullable=False),
    sa.Column("thread", sa.String(140)),
    sa.Column("data", _JSON),
    sa.Column("wanted", sa.Integer, nullable=False),
    sa.Column("shown", sa.Integer, nullable=False),
    sa.Column("digest", sa.String(64)),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("next_try", UtcTime),
    sa.Column("channel", sa.String(40)),
    sa.Column("ts", sa.String(40)),
    sa.Column("problem", sa.String(80)),
)
sa.Index(
    "messages_behind",
    messages.c.seq,
    sqlite_where=messages.c.shown < messages.c.wanted,
    postgresql_where=messages.c.shown < messages.c.wanted,
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run_id", _ID, sa.ForeignKey("runs.id"), nullable=False, index=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("person", _JSON),
    sa.Column("what", sa.String(40), nullable=False),
    sa.Column("data", _JSON, nullable=False),
)

orders = sa.Table(
    "orders",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("kind", _WORD, nullable=False),
    sa.Column("run_id", _ID, sa.ForeignKey("runs.id"), index=True),
    sa.Column("person", _JSON, nullable=False),
    sa.Column("due", UtcTime, nullable=False),
    sa.Column("created", UtcTime, nullable=False),
    sa.Column("done", UtcTime),
    _one_of("kind", "cancel", "stop", "retry", "hold", "release"),
    sa.Index("orders_by_done_due", "done", "due"),
)

choices = sa.Table(
    "choices",
    metadata,
    sa.Column("request_id", _ID, sa.ForeignKey("requests.id"), primary_key=True),
    sa.Column("person_id", sa.String(80), primary_key=True),
    sa.Column("items", PackedJson, nullable=False),  # item id → `agree`, another verdict, or `leave`
    sa.Column("reason", sa.Text),  # typed at the end and not sent yet
    sa.Column("changed", UtcTime, nullable=False),
)

judged = sa.Table(
    "judged",
    metadata,
    # `graph.memory.Spot.key`: paths may be longer than PostgreSQL can index.
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("vault", sa.Text, nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("subpath", sa.Text, nullable=False),  # empty = the link names none
    sa.Column("line_hash", sa.String(64), nullable=False),
    sa.Column("verdict", _WORD, nullable=False),
    sa.Column("goes_to", sa.Text),  # the name a typo stands for
    # A plain id: the verdict outlives its run (retention).
    sa.Column("run_id", _ID, nullable=False),
    sa.Column("person", _JSON, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
)
