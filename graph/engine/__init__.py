"""What moves runs. `engine.py` decides what comes next, `thread.py` is the only door to LangGraph.

engine.py      which runs to move, and what a run needs next
thread.py      a run's LangGraph thread: look, begin, resume, go on
faults.py      what an exception of a step is to people
projection.py  what a thread has come to, as rows
orders.py      cancel, stop and retry, carried out
retention.py   ended runs that are old enough are forgotten
places.py      at most so many runs at slow work
hold.py        a call to Claude waits while new checks are on hold
reports.py     progress, at most a row a second
"""

from graph.engine.engine import Engine

__all__ = ["Engine"]
