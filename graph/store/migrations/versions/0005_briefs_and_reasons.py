"""What a click needs of a review without reading all of it, and words that are kept with half-made choices."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go up; there is no way down, a backup is."""
    op.add_column("requests", sa.Column("brief", sa.LargeBinary(), nullable=True))
    op.add_column("choices", sa.Column("reason", sa.Text(), nullable=True))
