"""Leave one Markdown file behind, once, whatever happens in between."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from graph.approval import Failure, Result
from graph.errors import SettingsError
from graph.workflow import Context
from graph.workflows.linkcheck.ending import outcome
from graph.workflows.linkcheck.files import file_name, lies_within, within_problem, write_once
from graph.workflows.linkcheck.page import page
from graph.workflows.linkcheck.report import counts
from graph.workflows.linkcheck.state import State


async def record(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Write the record and say how the run ended.

    Runs again after a crash: a file that already holds this run is left as it is.

    Raises:
        RecordTaken: the name belongs to a file of another run.
        SettingsError: the records folder lies in the folder under check, which is never written.
        OSError: the file cannot be written.
    """
    run, folder = runtime.context.run, runtime.context.settings.records
    if lies_within(folder, Path(state["vault"], state["folder"])):
        raise SettingsError([within_problem()])
    name = file_name(run, state["folder"])
    await asyncio.to_thread(lambda: write_once(folder / name, page(state, run), run.id))
    failure = Failure.model_validate(state["failure"]) if state.get("failure") else None
    result = Result(outcome=outcome(state), record=name, failure=failure, counts=counts(state))
    return {"result": result.model_dump(mode="json")}
