"""Ask people, and wait."""

from __future__ import annotations

from typing import Any

from langgraph.types import interrupt

from graph.approval import Answer, carried
from graph.workflows.linkcheck.report import question
from graph.workflows.linkcheck.state import State


def review(state: State) -> dict[str, Any]:
    """Put the report to people and return what they decided.

    LangGraph runs this node again from its first line when it is resumed, so it does nothing but read,
    interrupt and return.
    """
    answer = interrupt(carried(question(state)))
    return {"answers": [Answer.model_validate(answer).model_dump(mode="json")]}
