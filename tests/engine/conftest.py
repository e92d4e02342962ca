"""A small workflow of real LangGraph nodes: look at something, draft, ask, check, record."""

import asyncio
import json
import operator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.approval import Answer, Failure, Person, Progress, Result, Review
from graph.policy import Policy
from graph.runtime import open_engine, open_store
from graph.settings import Settings
from graph.workflow import Context, Workflow

MEMBER_1 = Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True)
MEMBER_2 = Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True)
STRANGER = Person(id="T0TEAM/U0STRANGER", name="Member 3", surface="slack", verified=True)
OPERATOR = Person(id="operator", name="operator", surface="terminal", verified=False)


class State(TypedDict, total=False):
    folder: str
    found: list[str]
    drafts: Annotated[list[str], operator.add]
    answers: Annotated[list[dict[str, Any]], operator.add]
    failure: dict[str, Any] | None
    record: str


@dataclass
class Chore:
    """What the small workflow does, what it is told to do wrong, and what it did."""

    folder: Path
    found: list[str] = field(default_factory=lambda: ["a", "b"])
    did: list[str] = field(default_factory=list)
    wrong: dict[str, Exception | None] = field(default_factory=dict)
    usage_limit: bool = False
    hold: asyncio.Event | None = None
    version: int = 1
    name: str = "chore"
    slow: frozenset[str] = frozenset({"collect", "draft"})
    drafting: int = 0
    most_drafting: int = 0
    words: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)

    def step(self, name: str) -> None:
        self.did.append(name)
        if self.wrong.get(name):
            raise self.wrong[name]

    async def collect(self, state: State, runtime: Runtime[Context]) -> State:
        self.step("collect")
        runtime.context.report(Progress(step="collect", counts={"read": 1, "notes": 2}))
        return {"found": self.found}

    async def draft(self, state: State, runtime: Runtime[Context]) -> State:
        self.drafting += 1
        self.most_drafting = max(self.drafting, self.most_drafting)
        try:
            self.step("draft")
            runtime.context.report(Progress(step="draft", counts={"done": 1, "all": 2}))
            if self.hold is not None:
                await self.hold.wait()
        finally:
            self.drafting -= 1
        if self.usage_limit:
            return {"failure": {"kind": "usage_limit", "step": "draft", "words": "limit reached"}}
        answers = state.get("answers", [])
        heard = answers[-1]["reason"] if answers else ""
        return {"drafts": [f"draft {len(answers) + 1} {heard}".strip()], "failure": None}

    def review(self, state: State) -> State:
        revision = len(state.get("answers", [])) + 1
        content = {"items": state["found"], "draft": state["drafts"][-1]}
        review = Review(
            revision=revision, content=content, choices={name: ["other"] for name in state["found"]}
        )
        answer = interrupt(review.model_dump(mode="json"))
        return {"answers": [Answer.model_validate(answer).model_dump(mode="json")]}

    async def verify(self, state: State) -> State:
        self.step("verify")
        return {}

    async def record(self, state: State, runtime: Runtime[Context]) -> State:
        self.step("record")
        name = f"{runtime.context.run.id}.json"
        path = self.folder / name
        if not path.exists():
            path.write_text(
                json.dumps({"answers": state.get("answers", []), "failure": state.get("failure")})
            )
            self.did.append("effect")
        return {"record": name}

    def build(self) -> StateGraph:
        graph = StateGraph(State, context_schema=Context)
        for node in (self.collect, self.draft, self.review, self.verify, self.record):
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "collect")
        graph.add_conditional_edges("collect", lambda s: "draft" if s["found"] else "record")
        graph.add_conditional_edges("draft", lambda s: "record" if s.get("failure") else "review")
        graph.add_conditional_edges(
            "review",
            lambda s: {"send_back": "draft", "approve": "verify"}.get(s["answers"][-1]["kind"], "record"),
        )
        graph.add_edge("verify", "record")
        graph.add_edge("record", END)
        return graph

    def result(self, state: State) -> Result:
        record = state.get("record")
        if state.get("failure"):
            return Result(outcome="failed", record=record, failure=Failure.model_validate(state["failure"]))
        if not state["found"]:
            return Result(outcome="no-candidates", record=record)
        kind = state["answers"][-1]["kind"]
        outcome = {"approve": "approved", "reject": "rejected"}.get(kind, kind)
        return Result(outcome=outcome, record=record, counts=self.counts(state))

    def counts(self, state: State) -> dict[str, int]:
        return {"candidates": len(state.get("found", [])), "drafts": len(state.get("drafts", []))}

    def withdraw(self, state: State, answers: list[Answer]) -> tuple[dict[str, Any], str]:
        said = [answer.model_dump(mode="json") for answer in answers]
        return {"answers": [one for one in said if one not in state.get("answers", [])]}, "review"

    def workflow(self) -> Workflow:
        return Workflow(
            name=self.name,
            version=self.version,
            slow=self.slow,
            words=self.words,
            read_input=lambda text, settings, everything=False: {"folder": text},
            build=self.build,
            result=self.result,
            counts=self.counts,
            withdraw=self.withdraw,
            seed=lambda state: ({"folder": state["folder"], "found": state["found"]}, "collect"),
        )

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in sorted(self.folder.iterdir())]


@pytest.fixture
def people():
    return SimpleNamespace(one=MEMBER_1, two=MEMBER_2, stranger=STRANGER, operator=OPERATOR)


@pytest.fixture
def chore(tmp_path):
    return Chore(tmp_path / "records")


@pytest.fixture
def settings(database):
    return Settings(RINGI_DATABASE=database, RINGI_RUNS_AT_ONCE=2)


@pytest.fixture
def policy():
    return Policy(
        starters=frozenset({"U0MEMBER1", "U0MEMBER2"}),
        approvers=frozenset({"U0MEMBER1", "U0MEMBER2"}),
        self_approval=True,
        team="T0TEAM",
    )


@pytest.fixture
def engine_on(settings, policy, chore):
    """Open an engine on the test's database; again and again, as after a restart."""

    @asynccontextmanager
    async def opened(**more):
        pauses = more.pop("pauses", None)
        async with open_engine(
            more.pop("settings", settings),
            more.pop("policy", policy),
            claude=SimpleNamespace(),
            workflow=lambda name: chore.workflow(),
            **more,
        ) as engine:
            if pauses is not None:
                engine._parts = replace(engine._parts, pauses=pauses)
            yield engine

    return opened


@pytest.fixture
async def engine(engine_on):
    async with engine_on() as opened:
        yield opened


@pytest.fixture
def start(chore):
    """Start a run of the small workflow, as a command in a channel does."""

    async def started(engine_or_intake, source="slack:T0TEAM:1", requester=MEMBER_1, place="C0NOTES"):
        intake = getattr(engine_or_intake, "intake", engine_or_intake)
        run, _ = await intake.start(
            chore.workflow(),
            {"folder": "daily"},
            source=source,
            requester=requester,
            language="en",
            zone="Europe/London",
            place=place,
        )
        return run

    return started


@pytest.fixture
def store_on(settings):
    return lambda: open_store(settings)


@pytest.fixture
def until():
    """Wait for a condition, at most a minute."""

    async def waited(condition):
        late = asyncio.get_running_loop().time() + 60
        while asyncio.get_running_loop().time() < late:
            found = condition()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(0.01)
        raise AssertionError("it did not come true within a minute")

    return waited
