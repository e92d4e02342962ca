"""The order of the steps, and nothing else.

              nothing was found
collect ─────────────────────────────────────┐
   │  one task per batch                     │
   ▼                                         │
 draft ◄────────────────────┐                │
   │ ▲   some were left out │                │
   ▼ │                      │    it failed   │
assemble ───────────────────┴────────────────┤
   │ │                                       │
   ▼ │ send back                             │
review ───── reject, expired, withdrawn ─────┤
   │ ▲                                       │
   ▼ │ lines changed since the draft         │
verify ──────────────────────────────────────┤
                                             ▼
                                          record
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from graph.approval import Answer
from graph.workflow import Context
from graph.workflows.linkcheck.assemble import assemble
from graph.workflows.linkcheck.collect import collect
from graph.workflows.linkcheck.draft import batches, draft
from graph.workflows.linkcheck.record import record
from graph.workflows.linkcheck.review import review
from graph.workflows.linkcheck.state import State
from graph.workflows.linkcheck.verify import verify


def build() -> StateGraph[State, Context, State, State]:
    """Wire the graph; the caller compiles it with a checkpointer."""
    graph = StateGraph(State, Context)
    graph.add_node("collect", collect)
    graph.add_node("draft", draft)  # type: ignore[call-overload]  # a Send hands it a plain mapping
    graph.add_node("assemble", assemble)
    graph.add_node("review", review)
    graph.add_node("verify", verify)
    graph.add_node("record", record)

    graph.add_edge(START, "collect")
    graph.add_conditional_edges("collect", after_collect, ["draft", "assemble", "record"])
    graph.add_edge("draft", "assemble")
    graph.add_conditional_edges("assemble", after_assemble, ["draft", "review", "record"])
    graph.add_conditional_edges("review", after_review, ["draft", "verify", "record"])
    graph.add_conditional_edges("verify", after_verify, ["review", "record"])
    graph.add_edge("record", END)
    return graph


def after_collect(state: State) -> str | list[Send]:
    """Nothing found: nobody is asked. A run that continues another drafts only what is open."""
    if not state.get("candidates"):
        return "record"
    return _draft(state) or "assemble"


def after_assemble(state: State) -> str | list[Send]:
    """A failure asks nobody; candidates without a verdict are asked about once more, together."""
    if state.get("failure"):
        return "record"
    if state.get("again"):
        return _draft(state) or "review"
    return "review"


def after_review(state: State) -> str | list[Send]:
    """Approve goes on over `verify`; send back drafts again with the words; everything else is recorded."""
    kind = Answer.model_validate(state["answers"][-1]).kind
    if kind == "send_back":
        return _draft(state) or "record"
    return "verify" if kind == "approve" else "record"


def after_verify(state: State) -> str:
    """Ask again only about lines that changed between draft and approval."""
    report = state.get("report")
    return "review" if report and report["stale"] and report["revision"] > _answered(state) else "record"


def _answered(state: State) -> int:
    return len(state.get("answers", [])) - state.get("carried", 0)


def _draft(state: State) -> list[Send]:
    return [Send("draft", batch.model_dump(mode="json")) for batch in batches(state)]
