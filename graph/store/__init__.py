"""What is known about runs, in tables; see `tables.py` for the rows and `store.py` for what can be asked."""

from graph.store.store import Store, utc_now
from graph.store.write import Write

__all__ = ["Store", "Write", "utc_now"]
