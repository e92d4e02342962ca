"""The workflows there are. Each is one folder and one line here; it is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.workflow import Workflow

_WHERE = {"linkcheck": "graph.workflows.linkcheck"}


def workflow_names() -> tuple[str, ...]:
    """Return their names, which are also slash commands and CLI verbs."""
    return tuple(_WHERE)


def find_workflow(name: str) -> Workflow:
    """Return the workflow of this name.

    Raises:
        KeyError: there is none; names come from our own tables, so that is a fault of ours.
    """
    workflow: Workflow = import_module(_WHERE[name]).WORKFLOW
    return workflow
