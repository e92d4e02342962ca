"""The run: what is done, when it waits, how it goes on. Knows nothing of Slack, terminals or buttons.

The names below are what `bot` may use. They load on first use, so a command that only reads never imports LangGraph.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "Store": "graph.store",
    "Intake": "graph.intake",
    "Engine": "graph.engine",
    "open_store": "graph.runtime",
    "open_engine": "graph.runtime",
    "call_live": "graph.claude",
    "check_claude": "graph.claude",
    "check_contract": "graph.claude.contract",
    "drafters": "graph.claude",
    "sent_prompts": "graph.runtime",
    "can_go_on": "graph.workflows",
    "find_workflow": "graph.workflows",
    "words_of": "graph.workflows",
    "workflow_names": "graph.workflows",
}

__all__ = [
    "Engine",
    "Intake",
    "Store",
    "call_live",
    "can_go_on",
    "check_claude",
    "check_contract",
    "drafters",
    "find_workflow",
    "open_engine",
    "open_store",
    "sent_prompts",
    "words_of",
    "workflow_names",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
