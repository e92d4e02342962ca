"""A real vault, the real graph on a real checkpointer, and a Claude that says what the test wrote down."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command
from langsmith import tracing_context

from graph.approval import Answer, Failure, Person, Progress, Review, Run
from graph.memory import Memory, NoMemory
from graph.settings import Settings
from graph.workflow import Call, Context, NoReply, Reply
from graph.workflows import find_workflow
from graph.workflows.linkcheck.markdown import read_front_matter

MEMBER1 = Person(id="T0TEAM/U0MEMBER1", name="Member 1", surface="slack", verified=True)
MEMBER2 = Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True)
RUN_ID = "8f3c2a51-6d0e-4c1b-9a77-2f60d1c3b9e4"
SAVED = datetime(2026, 11, 12, 3, tzinfo=UTC).timestamp()

NOTES = {
    "daily/2026-11-03.md": "Ask for the numbers in [[Projct plan]] before Friday.\n",
    "daily/2026-11-05.md": "Open: [[Move to new office]], date still missing.\n",
    "daily/2026-11-06.md": "- [[Move to new office]] again\n",
    "daily/How we write.md": "Write links as [[link to note]].\n",
    "work/Project plan.md": "The plan.\n",
}
SAYS = {
    "Projct plan": ("typo", "One letter missing.", "Project plan"),
    "Move to new office": ("missing-note", "Announced, not written.", None),
    "link to note": ("ignore", "An example in a how-to.", None),
}


class ScriptedClaude:
    """Answers each link as the test says; `None` leaves it out. Keeps what it was asked."""

    def __init__(self, says: Mapping[str, tuple[str, str, str | None] | None]) -> None:
        self.says = dict(says)
        self.prompts: list[str] = []
        self.invents: list[dict[str, Any]] = []
        self.fails_at: dict[int, Failure] = {}
        self.refused: tuple[str, ...] = ()

    async def ask(self, prompt, schema, *, folder, max_turns, waiting=None, doing=None, begin=None):
        self.prompts.append(prompt)
        facts = {"calls": 1, "retries": 0, "turns": 2, "refused_reads": len(self.refused)}
        facts |= {"input_tokens": 100, "output_tokens": 10, "list_price": 250_000}
        failure = self.fails_at.get(len(self.prompts))
        call = self._receipt(prompt, answered=failure is None)
        if failure:
            return NoReply(failure, facts, self.refused, (call,))
        items = []
        for link in links_in(prompt):
            said = self.says[link["link"]]
            if said is not None:
                verdict, reason, target = said
                items.append({"id": link["id"], "link": link["link"], "verdict": verdict, "reason": reason})
                items[-1] |= {"target": target} if target else {}
        output = {"summary": "Done.", "items": items + self.invents}
        return Reply(output, facts, self.refused, "scripted-model", (call,))

    def _receipt(self, prompt: str, *, answered: bool) -> Call:
        number = len(self.prompts)
        at = datetime(2026, 12, 1, 4, 40, number, tzinfo=UTC)
        return Call(f"ca11{number:04}-0000", hashlib.sha256(prompt.encode()).hexdigest(), at, answered)

    def asked(self, call: int) -> list[str]:
        """Return the links of one call, first = 1."""
        return [link["link"] for link in links_in(self.prompts[call - 1])]


def links_in(prompt: str) -> list[dict[str, Any]]:
    return json.loads(re.search(r"```json\n(.*?)\n```", prompt, re.DOTALL)[1])


class Check:
    """One run of the graph on one database file, as the engine drives it."""

    def __init__(self, root: Path, claude: ScriptedClaude, run: Run, settings: Settings) -> None:
        self.root, self.claude, self.run, self.settings = root, claude, run, settings
        self.progress: list[Progress] = []
        self.memory: Memory = NoMemory()
        self.config = {"configurable": {"thread_id": run.id}}

    async def _graph(self, act):
        connection = await aiosqlite.connect(self.root / "state.sqlite")
        try:
            saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=[]))
            graph = find_workflow("linkcheck").build().compile(checkpointer=saver)
            with tracing_context(enabled=False):
                return await act(graph)
        finally:
            await connection.close()

    async def go(self, given) -> dict[str, Any]:
        context = Context(
            run=self.run,
            settings=self.settings,
            claude=self.claude,
            report=self.progress.append,
            memory=self.memory,
        )

        async def act(graph):
            return await graph.ainvoke(given, self.config, context=context, durability="sync")

        return await self._graph(act)

    async def state(self):
        return await self._graph(lambda graph: graph.aget_state(self.config))

    async def write(self, update, node: str) -> None:
        await self._graph(lambda graph: graph.aupdate_state(self.config, update, as_node=node))

    async def start(self) -> Review | None:
        await self.go(self.run.input)
        return await self.question()

    async def go_on(self) -> Review | None:
        await self.go(None)
        return await self.question()

    async def question(self) -> Review | None:
        asked = (await self.state()).interrupts
        return Review.model_validate(asked[0].value) if asked else None

    async def answer(
        self, kind: str, reason: str = "", person: Person = MEMBER2, items: dict[str, str] | None = None
    ) -> Review | None:
        """Resume with a decision; return the next question, if there is one."""
        state = await self.state()
        review = Review.model_validate(state.interrupts[0].value)
        at = datetime(2026, 12, 1, 5, 2, tzinfo=UTC)
        said = Answer(kind=kind, reason=reason, person=person, revision=review.revision, at=at, items=items)
        await self.go(Command(resume={state.interrupts[0].id: said.model_dump(mode="json")}))
        return await self.question()

    async def result(self):
        return find_workflow("linkcheck").result((await self.state()).values)

    @property
    def records(self) -> list[Path]:
        return sorted(self.settings.records.glob("*.md")) if self.settings.records.exists() else []

    @property
    def patches(self) -> list[Path]:
        return sorted(self.settings.records.glob("*.patch"))

    @property
    def record(self) -> str:
        (path,) = self.records
        return path.read_text(encoding="utf-8")

    @property
    def front(self) -> dict[str, Any]:
        return read_front_matter(self.record)


@pytest.fixture
def claude() -> ScriptedClaude:
    return ScriptedClaude(SAYS)


@pytest.fixture
def write_notes(tmp_path):
    """Write notes into the vault: path → text."""

    def write(notes: Mapping[str, str]) -> Path:
        for path, text in notes.items():
            file = tmp_path / "Notes" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            os.utime(file, (SAVED, SAVED))
        return tmp_path / "Notes"

    return write


@pytest.fixture
def link_check(tmp_path, claude, write_notes):
    """Make a run on a vault: `link_check()` is the small vault of this file, its folder `daily`."""

    def make(
        notes: Mapping[str, str] = NOTES,
        folder: str = "daily",
        *,
        run_id: str = RUN_ID,
        language: str = "en",
        drafter: str = "claude",
        batch: int = 40,
        records: Path | None = None,
        continues: str | None = None,
        requester: Person = MEMBER1,
        anchors: bool = False,
        everything: bool = False,
    ) -> Check:
        vault = write_notes(notes)
        settings = Settings.model_validate(
            {
                "RINGI_VAULT": vault,
                "RINGI_DATABASE": str(tmp_path / "ringi.sqlite"),
                "RINGI_RECORDS": records or tmp_path / "records",
                "RINGI_DRAFTER": drafter,
                "RINGI_BATCH": batch,
                "RINGI_ANCHORS": anchors,
            }
        )
        created = datetime(2026, 12, 1, 4, 31, tzinfo=UTC)
        run = Run(
            id=run_id,
            source=f"terminal:{run_id}",
            workflow="linkcheck",
            version=1,
            input=find_workflow("linkcheck").read_input(folder, settings, everything=everything),
            requester=requester,
            language=language,
            zone="Asia/Tokyo",
            place=None,
            state="running",
            created=created,
            changed=created,
            continues=continues,
        )
        return Check(tmp_path, claude, run, settings)

    return make
