"""Which runs this program can carry on: those of the workflows it has, in the version that began them.

A thread runs on whatever graph is given to it, so a run of another version is told by its row, before LangGraph is
asked anything: it stays as it is, and goes on in a program that has that version.
"""

from __future__ import annotations

from collections.abc import Callable

from graph.approval import Run
from graph.errors import OtherVersion
from graph.workflow import Workflow

Find = Callable[[str], Workflow]
"""Finds a workflow by its name; raises `KeyError` if there is none."""


def known(run: Run, find: Find) -> Workflow | None:
    """Return the workflow of a run's name, in whatever version; None if this program has none."""
    try:
        return find(run.workflow)
    except KeyError:
        return None


def carrier(run: Run, find: Find) -> Workflow:
    """Return the workflow that began a run.

    Raises:
        OtherVersion: this program does not have it, or not in that version.
    """
    workflow = known(run, find)
    if workflow is None or workflow.version != run.version:
        raise OtherVersion(run, None if workflow is None else workflow.version)
    return workflow
