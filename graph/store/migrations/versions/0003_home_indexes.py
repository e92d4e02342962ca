"""What a person's list is read from: open requests by deadline, what ended lately, the last run of each person."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go up; there is no way down, a backup is."""
    op.create_index("requests_by_state_deadline", "requests", ["state", "deadline", "created", "run_id"])
    op.create_index("runs_by_state_requester_id", "runs", ["state", "requester_id"])
    op.create_index("runs_by_ended", "runs", ["ended"])
    op.create_index("runs_by_requester_id_created", "runs", ["requester_id", "created"])
