"""What people do to runs, each act one committed transaction. See `intake.py`."""

from graph.intake.intake import NEEDS_REASON, Intake

__all__ = ["NEEDS_REASON", "Intake"]
