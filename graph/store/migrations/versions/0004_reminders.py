"""When a request's one reminder is due, and what finds a time that has come without reading every question."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go up; there is no way down, a backup is."""
    op.add_column("requests", sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("requests_by_state_remind_at", "requests", ["state", "remind_at"])
