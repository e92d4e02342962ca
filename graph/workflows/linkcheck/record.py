"""Leave files behind, each once, whatever happens in between: the record, and a patch of the typos that were approved."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from graph.approval import Failure, Result, Run
from graph.errors import SettingsError
from graph.workflow import Context
from graph.workflows.linkcheck.ending import outcome
from graph.workflows.linkcheck.files import (
    RUN,
    file_name,
    lies_within,
    patch_name,
    within_problem,
    write_once,
)
from graph.workflows.linkcheck.page import Patched, page
from graph.workflows.linkcheck.patch import fixes
from graph.workflows.linkcheck.report import counts
from graph.workflows.linkcheck.state import State

_HEAD = re.compile(rf"{RUN}\S+\nfixes: (\d+)\nnot fixed: (\d+)\n")


async def record(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Write patch and record and say how the run ended.

    Runs again after a crash: a file that already is this run's is left as it is.

    Raises:
        RecordTaken: a name belongs to a file of another run.
        SettingsError: the records folder lies in the folder under check, which is never written.
        OSError: a file cannot be written.
    """
    run, folder = runtime.context.run, runtime.context.settings.records
    if lies_within(folder, Path(state["vault"], state["folder"])):
        raise SettingsError([within_problem()])
    name, ended = file_name(run, state["folder"]), outcome(state)
    patched = Patched(None, 0, 0)
    if ended in {"approved", "approved-in-part"}:
        patched = await asyncio.to_thread(_leave_patch, state, run, folder)
    await asyncio.to_thread(lambda: write_once(folder / name, page(state, run, patched), run.id))
    failure = Failure.model_validate(state["failure"]) if state.get("failure") else None
    made = {"fixes": patched.fixed, "not_fixed": patched.unfixed}
    known = counts(state) | {word: n for word, n in made.items() if n}
    result = Result(outcome=ended, record=name, patch=patched.name, failure=failure, counts=known)
    return {"result": result.model_dump(mode="json")}


def _leave_patch(state: State, run: Run, folder: Path) -> Patched:
    """Write the patch, unless there is nothing to mend; one that is there already says itself what is in it."""
    name = patch_name(run)
    if not (folder / name).exists():
        made = fixes(state)
        if not made.fixed:
            return Patched(None, 0, made.unfixed)
        head = f"{RUN}{run.id}\nfixes: {made.fixed}\nnot fixed: {made.unfixed}\n\n"
        write_once(folder / name, head + made.diff, run.id)
        return Patched(name, made.fixed, made.unfixed)
    write_once(folder / name, "", run.id)
    found = _HEAD.match((folder / name).read_text(encoding="utf-8", errors="replace"))
    return Patched(name, *(int(number) for number in found.groups())) if found else Patched(name, 0, 0)
