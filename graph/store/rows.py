"""From a table's row to the word of an approval it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import RowMapping

from graph.approval import (
    Decision,
    Event,
    Failure,
    Message,
    Order,
    Person,
    Progress,
    Request,
    Result,
    Review,
    Run,
    Vote,
    Whole,
)

Row = Mapping[str, Any] | RowMapping
M = TypeVar("M", bound=BaseModel)


def _maybe(model: type[M], value: Any) -> M | None:
    return None if value is None else model.model_validate(value)


def plain(value: BaseModel | None) -> Any:
    """Return a model as plain JSON, for a column."""
    return None if value is None else value.model_dump(mode="json")


def storable(text: str) -> str:
    """Return a text with what no database can hold replaced: NUL, and halves of a character that stand alone."""
    return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)


def run(row: Row) -> Run:
    """Read a row of `runs`."""
    return Run(
        **{name: row[name] for name in _RUN_AS_IS},
        requester=Person.model_validate(row["requester"]),
        progress=_maybe(Progress, row["progress"]),
        result=_maybe(Result, row["result"]),
        failure=_maybe(Failure, row["failure"]),
        ended_by=_maybe(Person, row["ended_by"]),
    )


_RUN_AS_IS = (
    "id",
    "source",
    "workflow",
    "version",
    "input",
    "language",
    "zone",
    "place",
    "state",
    "created",
    "changed",
    "ended",
    "continues",
    "response_url",
    "retry_offered",
    "retry_at",
    "interventions",
    "counts",
)


def request(row: Row) -> Request:
    """Read a row of `requests`."""
    return Request(
        **{
            name: row[name]
            for name in (
                "id",
                "run_id",
                "interrupt_id",
                "revision",
                "state",
                "created",
                "deadline",
                "remind_at",
            )
        },
        review=Review.model_validate(row["review"]),
    )


def decision(row: Row, said: tuple[Vote, ...] = ()) -> Decision:
    """Read a row of `decisions`, with the votes that were given."""
    return Decision(
        **{name: row[name] for name in ("request_id", "kind", "reason", "at", "items")},
        person=Person.model_validate(row["person"]),
        votes=said,
    )


def vote(row: Row) -> Vote:
    """Read a row of `votes`."""
    person = Person.model_validate(row["person"])
    return Vote(**{name: row[name] for name in ("kind", "reason", "at", "items")}, person=person)


def votes(found: Iterable[Row]) -> dict[str, tuple[Vote, ...]]:
    """Read rows of `votes` by their request."""
    by_request: dict[str, tuple[Vote, ...]] = {}
    for row in found:
        by_request[row["request_id"]] = (*by_request.get(row["request_id"], ()), vote(row))
    return by_request


def message(row: Row) -> Message:
    """Read a row of `messages`."""
    return Message(**{name: row[name] for name in Message.__dataclass_fields__})


def event(row: Row) -> Event:
    """Read a row of `events`."""
    return Event(row["at"], row["run_id"], _maybe(Person, row["person"]), row["what"], row["data"])


def order(row: Row) -> Order:
    """Read a row of `orders`."""
    person = Person.model_validate(row["person"])
    return Order(row["id"], row["kind"], row["run_id"], person, row["due"], row["done"])


def whole(row: Row, its: Mapping[str, Sequence[Row]], hold: Order | None) -> Whole:
    """Read a row of `runs` and the rows that belong to it, by table; `later` is the run that carries it on."""
    one = run(row)
    return Whole(
        one,
        tuple(request(found) for found in its.get("requests", ())),
        tuple(decision(found) for found in its.get("decisions", ())),
        tuple(message(found) for found in its.get("messages", ())),
        tuple(order(found) for found in its.get("orders", ())),
        next((str(found["id"]) for found in its.get("later", ())), None),
        hold if one.is_held(hold) else None,
        votes(its.get("votes", ())),
    )
