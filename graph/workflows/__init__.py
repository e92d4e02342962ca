"""The workflows there are. Each is one folder and one line here; it is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from graph.approval import ENDED, Language, Run
from graph.versions import known

if TYPE_CHECKING:
    from graph.workflow import Words, Workflow

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


def can_go_on(run: Run) -> bool:
    """Tell whether this program has what began a run, in that version; of one that has ended it does not matter."""
    return run.state in ENDED or begins(run.workflow, run.version)


def begins(name: str, version: int) -> bool:
    """Tell whether runs of this workflow and version are those that this program begins."""
    return name in _WHERE and find_workflow(name).version == version


def words_of(run: Run, language: Language) -> Words:
    """Return how a run is spoken of, also one that another version of the program began."""
    workflow = known(run, find_workflow)
    if workflow is not None and can_go_on(run):
        return workflow.words[language]
    from graph.workflows.other import OtherWords

    return OtherWords(run.workflow, run.version, language)
