"""Check the links of a folder of notes, ask a person, record what was decided.

Importing this is cheap; LangGraph is imported by `WORKFLOW.build()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph.approval import Answer, Result
from graph.errors import Both, SettingsError, UnknownFolder
from graph.settings import Settings, can_be_made
from graph.workflow import Context, Workflow
from graph.workflows.linkcheck.before import approved
from graph.workflows.linkcheck.files import lies_within, remove_left, unwritable_problem, within_problem
from graph.workflows.linkcheck.form import FORM
from graph.workflows.linkcheck.numbers import brief
from graph.workflows.linkcheck.report import counts
from graph.workflows.linkcheck.sent import sent
from graph.workflows.linkcheck.state import Piece, State
from graph.workflows.linkcheck.texts import EN, JA

if TYPE_CHECKING:
    from langgraph.graph import StateGraph

__all__ = ["WORKFLOW"]

_CARRIED = (
    "vault",
    "folder",
    "drafter",
    "batch",
    "anchors",
    "everything",
    "scope",
    "candidates",
    "report",
    "answers",
    "asked",
    "approved",
    "gone",
    "places_dropped",
)


def read_input(typed: str, settings: Settings, *, everything: bool = False) -> dict[str, Any]:
    """Turn what a person typed into a run's input: `vault, folder, drafter, batch, anchors, everything`.

    The whole text is the folder's name. The words that cards use for the whole vault are understood too,
    unless a folder is called so.

    Raises:
        UnknownFolder: there is no such folder.
        SettingsError: there is no vault, records would lie in the folder under check, or cannot be written.
    """
    from graph.vault import folder_on_disk

    vault = settings.vault
    if vault is None:
        raise SettingsError(
            [
                (
                    "RINGI_VAULT",
                    Both(
                        "is not set; give the folder that Obsidian opens as the vault.",
                        "が未設定です。Obsidian で保管庫として開くフォルダを指定してください。",
                    ),
                )
            ]
        )
    folder = _resolve(vault, typed)
    on_disk = folder_on_disk(vault, folder)
    if on_disk is not None and lies_within(settings.records, on_disk):
        raise SettingsError([within_problem()])
    if not can_be_made(settings.records):
        raise SettingsError([unwritable_problem(settings.records)])
    return {
        "vault": str(vault),
        "folder": folder,
        "drafter": settings.drafter,
        "batch": settings.batch,
        "anchors": settings.anchors,
        "everything": everything,
    }


def _resolve(vault: Path, typed: str) -> str:
    """Return the folder meant, `.` for the whole vault."""
    from graph.vault import resolve_folder

    try:
        return resolve_folder(vault, typed)
    except UnknownFolder:
        if typed in {EN.say.whole_vault, JA.say.whole_vault}:
            return "."
        raise


def build() -> StateGraph[State, Context, State, State]:
    """Make the graph."""
    from graph.workflows.linkcheck import graph

    return graph.build()


def result(values: Mapping[str, Any]) -> Result:
    """Read how a finished thread ended."""
    return Result.model_validate(values["result"])


def withdraw(values: Mapping[str, Any], answers: Sequence[Answer]) -> tuple[dict[str, Any], str]:
    """Return the update that ends a thread with the last of these answers, as if `review` had returned it.

    Those before it that the thread was never told of are recorded with it.
    """
    known = values.get("answers", [])
    said = [answer.model_dump(mode="json") for answer in answers]
    return {"answers": [one for one in said if one not in known]}, "review"


def seed(values: Mapping[str, Any]) -> tuple[dict[str, Any], str] | None:
    """Return what a new run goes on with after a recorded failure: all but the failure and its record."""
    if not values.get("candidates"):
        return None
    kept = {name: values[name] for name in _CARRIED if name in values}
    pieces = [piece for piece in values.get("drafts", []) if Piece.model_validate(piece).failure is None]
    return {**kept, "drafts": pieces, "carried": len(values.get("answers", []))}, "collect"


WORKFLOW = Workflow(
    name="linkcheck",
    version=1,
    slow=frozenset({"collect", "draft"}),
    words={"en": EN, "ja": JA},
    read_input=read_input,
    build=build,
    result=result,
    counts=counts,
    withdraw=withdraw,
    seed=seed,
    sent=sent,
    tidy=lambda settings, before: remove_left(settings.records, before),
    approved=approved,
    brief=brief,
    form=FORM,
)
