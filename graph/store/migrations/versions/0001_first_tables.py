"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go up; there is no way down, a backup is."""
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("workflow", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("input", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("requester", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("requester_id", sa.String(length=80), nullable=False),
        sa.Column("language", sa.String(length=2), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("place", sa.String(length=40), nullable=True),
        sa.Column("response_url", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("progress", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("counts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("failure", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("continues", sa.String(length=36), nullable=True),
        sa.Column("retry_offered", sa.Boolean(), nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("retries", sa.Integer(), nullable=False),
        sa.Column("interventions", sa.Integer(), nullable=False),
        sa.Column("ended_by", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'waiting', 'resuming', 'done', 'failed', 'cancelled')",
            name=op.f("runs_state"),
        ),
        sa.ForeignKeyConstraint(["continues"], ["runs.id"], name=op.f("runs_of_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("runs_key")),
        sa.UniqueConstraint("continues", name=op.f("runs_one_continues")),
        sa.UniqueConstraint("source", name=op.f("runs_one_source")),
    )
    op.create_index(op.f("runs_by_requester_id"), "runs", ["requester_id"], unique=False)
    op.create_index("runs_by_state_created", "runs", ["state", "created"], unique=False)
    op.create_table(
        "events",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("what", sa.String(length=40), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("events_of_runs")),
        sa.PrimaryKeyConstraint("seq", name=op.f("events_key")),
    )
    op.create_index(op.f("events_by_run_id"), "events", ["run_id"], unique=False)
    op.create_table(
        "messages",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=140), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("place", sa.String(length=40), nullable=False),
        sa.Column("thread", sa.String(length=140), nullable=True),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("shown", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_try", sa.DateTime(timezone=True), nullable=True),
        sa.Column("channel", sa.String(length=40), nullable=True),
        sa.Column("ts", sa.String(length=40), nullable=True),
        sa.Column("problem", sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("messages_of_runs")),
        sa.PrimaryKeyConstraint("seq", name=op.f("messages_key")),
        sa.UniqueConstraint("key", name=op.f("messages_one_key")),
    )
    op.create_index(
        "messages_behind",
        "messages",
        ["seq"],
        unique=False,
        sqlite_where=sa.text("shown < wanted"),
        postgresql_where=sa.text("shown < wanted"),
    )
    op.create_index(op.f("messages_by_run_id"), "messages", ["run_id"], unique=False)
    op.create_table(
        "orders",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=True),
        sa.Column("person", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind IN ('cancel', 'stop', 'retry', 'hold', 'release')", name=op.f("orders_kind")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("orders_of_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("orders_key")),
    )
    op.create_index("orders_by_done_due", "orders", ["done", "due"], unique=False)
    op.create_index(op.f("orders_by_run_id"), "orders", ["run_id"], unique=False)
    op.create_table(
        "requests",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("interrupt_id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("review", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'decided', 'superseded')", name=op.f("requests_state")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("requests_of_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("requests_key")),
        sa.UniqueConstraint("run_id", "interrupt_id", name=op.f("requests_one_run_id_interrupt_id")),
    )
    op.create_table(
        "decisions",
        sa.Column("request_id", sa.String(length=36), nullable=False),
        sa.Column("person", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("items", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('approve', 'reject', 'send_back', 'expired', 'withdrawn')", name=op.f("decisions_kind")
        ),
        sa.ForeignKeyConstraint(["request_id"], ["requests.id"], name=op.f("decisions_of_requests")),
        sa.PrimaryKeyConstraint("request_id", name=op.f("decisions_key")),
    )
    op.create_table(
        "votes",
        sa.Column("request_id", sa.String(length=36), nullable=False),
        sa.Column("person_id", sa.String(length=80), nullable=False),
        sa.Column("person", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("items", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["request_id"], ["requests.id"], name=op.f("votes_of_requests")),
        sa.PrimaryKeyConstraint("request_id", "person_id", name=op.f("votes_key")),
    )
