"""The front matter of a record: flat, machine words, the same keys in every language and outcome."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePath
from typing import Any
from zoneinfo import ZoneInfo

from graph.approval import Failure, Run
from graph.workflows.linkcheck import report
from graph.workflows.linkcheck.ending import Decided, outcome
from graph.workflows.linkcheck.markdown import Foreign
from graph.workflows.linkcheck.state import NOT_JUDGED, Scope, State


def properties(state: State, run: Run, title: str) -> dict[str, Any]:
    """Return every key in order. Times are in the run's zone; what is not known is null or an empty list.

    `judged_by: rules` has nothing of a model. `list_price_usd` is Claude Code's own estimate at list prices, also where a
    subscription covers the calls.
    """
    zone = ZoneInfo(run.zone)

    def here(at: datetime) -> datetime:
        return at.astimezone(zone).replace(microsecond=0)

    decided = Decided.of(state)
    last = decided.last
    outline = report.outline(state)
    verdicts = [item.verdict for item in outline.items] if outline else []
    links, approved = len(state.get("candidates", [])), len(state.get("approved", []))
    gone = len(state.get("gone", []))
    failure = Failure.model_validate(state["failure"]) if state.get("failure") else None
    scope = Scope.model_validate(state.get("scope") or {"notes": 0, "links": 0})
    facts = report.facts(state)
    model, prompt = (
        report.model(state),
        report.prompt(state, outline.draft if outline else report.drafting(state)),
    )
    rules = state["drafter"] == "rules"
    return {
        "title": Foreign.of(title),
        "record": "ringi/1",
        "workflow": run.workflow,
        "run": run.id,
        "continues": run.continues,
        "outcome": outcome(state),
        "failure": failure.kind if failure else None,
        "folder": Foreign.of(state["folder"]),
        "vault": Foreign.of(PurePath(state["vault"]).name),
        "requested": here(run.created),
        "requested_by": Foreign.of(run.requester.name),
        "requested_by_id": Foreign.of(run.requester.id if run.requester.verified else ""),
        "decided": here(last.at) if last else None,
        "decided_by": [Foreign.of(person.name) for person in decided.people],
        "decided_by_id": [Foreign.of(person.id) for person in decided.people if person.verified],
        "decided_in": last.person.surface if last else None,
        "verified": all(p.verified for p in decided.people) if last and decided.people else None,
        "links": links,
        "approved": approved,
        "changed": len(report.changed(state)),
        "left_out": links - approved - gone if last else 0,
        "typo": verdicts.count("typo"),
        "missing_note": verdicts.count("missing-note"),
        "ignore": verdicts.count("ignore"),
        "not_judged": verdicts.count(NOT_JUDGED),
        "judged_before": scope.judged_before,
        "revision": outline.revision if outline else 0,
        "interventions": report.counts(state).get("interventions", 0),
        "retries": facts.get("retries", 0),
        "dropped": report.dropped(state),
        "refused_reads": facts.get("refused_reads", 0),
        "judged_by": state["drafter"] if links else None,
        **({} if rules else {"model": Foreign.of(model) if model else None, "prompt": prompt} | _cost(state)),
        "language": run.language,
    }


def _cost(state: State) -> dict[str, Any]:
    facts = report.facts(state)
    return {
        "billing": report.billing(state),
        "calls": facts.get("calls", 0),
        "turns": facts.get("turns", 0),
        "input_tokens": facts.get("input_tokens", 0),
        "output_tokens": facts.get("output_tokens", 0),
        "list_price_usd": round(facts.get("list_price", 0) / 1_000_000, 4),
    }
