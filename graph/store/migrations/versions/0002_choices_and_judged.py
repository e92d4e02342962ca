"""Half-made choices of people, and verdicts that people approved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go up; there is no way down, a backup is."""
    op.create_table(
        "choices",
        sa.Column("request_id", sa.String(length=36), nullable=False),
        sa.Column("person_id", sa.String(length=80), nullable=False),
        sa.Column("items", sa.LargeBinary(), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["request_id"], ["requests.id"], name=op.f("choices_of_requests")),
        sa.PrimaryKeyConstraint("request_id", "person_id", name=op.f("choices_key")),
    )
    op.create_table(
        "judged",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("vault", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("subpath", sa.Text(), nullable=False),
        sa.Column("line_hash", sa.String(length=64), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("goes_to", sa.Text(), nullable=True),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("person", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("judged_key")),
    )
