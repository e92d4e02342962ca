"""What people report about LangGraph's interrupts and its savers, each as a run of ours. Numbers: L… and S…."""

import ast
import asyncio
import operator
import re
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt
from pydantic import BaseModel

import graph as ours
from graph.approval import Answer, Review
from graph.errors import AlreadyDecided, Replaced, RunEnded, UnknownRequest
from graph.store.checkpoints import WholeWrites

pytestmark = pytest.mark.slow  # whole runs, one after the other


def ask(revision, **content):
    """Ask as a workflow does; return the answer as it is recorded."""
    answer = interrupt(Review(revision=revision, content=content).model_dump(mode="json"))
    return Answer.model_validate(answer).model_dump(mode="json")


def asks_twice(chore):
    """Let the one node that asks ask two questions, one after the other."""

    def review(state):
        first = ask(1, question="first")
        return {"answers": [first, ask(2, question="second")]}

    chore.review = review


def asks_side_by_side(chore, inner=None):
    """Let the review be two questions at once, in two tasks of one step; `inner` puts each into a graph of its own."""

    def which(state):
        return {"answers": [ask(1, question=state["one"])]}

    node = inner(which) if inner else which

    def build():
        graph = StateGraph(type(chore).collect.__annotations__["state"])
        graph.add_node("collect", chore.collect)
        graph.add_node("which", node)
        graph.add_node("record", chore.record)
        graph.add_edge(START, "collect")
        graph.add_conditional_edges(
            "collect", lambda state: [Send("which", {"one": one}) for one in state["found"]], ["which"]
        )
        graph.add_edge("which", "record")
        graph.add_edge("record", END)
        return graph

    chore.build = build


class Asked(TypedDict, total=False):
    one: str
    answers: Annotated[list[dict[str, Any]], operator.add]


class Answered(TypedDict):
    answers: list[dict[str, Any]]


def in_a_graph_of_its_own(node):
    """Return a node that is a graph with this node in it."""
    graph = StateGraph(Asked, output_schema=Answered)
    graph.add_node("inner", node)
    graph.add_edge(START, "inner")
    graph.add_edge("inner", END)
    return graph.compile()


async def open_requests(engine, run):
    return [r for r in await engine.store.requests(run.id) if r.state == "open"]


async def test_an_answer_to_an_id_that_nobody_asked_under_runs_nothing(engine, chore, people, start):
    """L1, L8: LangGraph takes any resume map in silence, and starts a graph for an unknown thread."""
    run = await start(engine)
    await engine.settled(run.id)
    before = list(chore.did)
    for unknown in ("f" * 32, "00000000-0000-4000-8000-000000000000"):
        with pytest.raises(UnknownRequest):
            await engine.intake.decide(unknown, 1, "approve", people.two)
        engine.wake(unknown)
    await asyncio.sleep(0.1)
    assert chore.did == before
    assert [r.id for r in await engine.store.runs()] == [run.id]
    assert chore.records() == []


def calls(name, below):
    """Return where a function is called in our code below a folder: each call with the function it stands in."""
    trees = [
        (path.stem, ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted((Path(ours.__file__).parent / below).rglob("*.py"))
    ]
    return [
        (where, node, one)
        for where, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for one in ast.walk(node)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name
    ]


def test_a_thread_is_told_nothing_but_answers_by_the_id_of_their_question():
    """L13: no `goto`, no update, no bare value beside a question that waits."""
    [(where, _, command)] = calls("Command", ".")
    assert where == "thread"
    assert [ast.unparse(one) for one in command.keywords] == ["resume=dict(answers)"]


def test_a_node_that_asks_catches_nothing_and_does_nothing_else():
    """L17: `except Exception` round a question swallows the pause, and the run would go on unasked."""
    asking = calls("interrupt", "workflows")
    assert asking
    for where, node, _ in asking:
        parts = {type(one) for one in ast.walk(node)}
        assert not parts & {ast.Try, ast.With, ast.For, ast.While, ast.Await}, where
        assert len(node.body) <= 3  # its docstring, the question, what is returned


async def test_words_that_look_like_a_resume_map_are_only_words(engine, chore, people, start):
    """L1: a dict whose keys are all 32 hexadecimal digits is read as a map; an answer of ours is never bare."""
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    words = f'{{"{request.interrupt_id}": "approve"}}'
    await engine.intake.decide(request.id, 1, "reject", people.two, words)
    await engine.settled(run.id)
    [record] = chore.records()
    assert [(a["kind"], a["reason"]) for a in record["answers"]] == [("reject", words)]


async def test_a_node_that_asks_twice_is_not_answered_twice_by_one_word(engine, chore, people, start):
    """L2, L3, S15: the first answer again, and a run that is merely woken, leave the second question open."""
    asks_twice(chore)
    run = await start(engine)
    await engine.settled(run.id)
    [first] = await engine.store.requests(run.id)
    await engine.intake.decide(first.id, 1, "approve", people.one, "one")
    await engine.settled(run.id)
    [second] = await open_requests(engine, run)
    assert second.review.content == {"question": "second"}
    for _ in range(3):
        with pytest.raises(AlreadyDecided):
            await engine.intake.decide(first.id, 1, "approve", people.one, "one")
        engine.wake(run.id)
        assert (await engine.settled(run.id)).state == "waiting"
    assert [r.id for r in await open_requests(engine, run)] == [second.id]
    await engine.intake.decide(second.id, 2, "reject", people.two, "two")
    assert (await engine.settled(run.id)).state == "done"
    [record] = chore.records()
    assert [(a["kind"], a["reason"]) for a in record["answers"]] == [("approve", "one"), ("reject", "two")]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first-first", "last-first"])
@pytest.mark.parametrize("inner", [False, True], ids=["tasks", "subgraphs"])
async def test_two_questions_at_once_are_two_cards_and_each_takes_its_own_answer(
    *, engine, chore, people, start, order, inner
):
    """L4, L5, L6: posted together, answered in any order; one answer leaves the other open, with the same id."""
    asks_side_by_side(chore, in_a_graph_of_its_own if inner else None)
    run = await start(engine)
    await engine.settled(run.id)
    both = await open_requests(engine, run)
    assert len(both) == 2
    keys = [m.key for m in await engine.store.messages(run.id)]
    assert {f"card:{r.id}" for r in both} <= set(keys)
    now, later = both[order[0]], both[order[1]]
    await engine.intake.decide(now.id, 1, "approve", people.one, "now")
    assert (await engine.settled(run.id)).state == "waiting"
    assert [r.id for r in await open_requests(engine, run)] == [later.id]
    assert chore.records() == []
    await engine.intake.decide(later.id, 1, "approve", people.two, "later")
    assert (await engine.settled(run.id)).state == "done"
    [record] = chore.records()
    assert sorted(a["reason"] for a in record["answers"]) == ["later", "now"]
    assert chore.did.count("effect") == 1


async def test_a_word_after_the_end_changes_nothing(engine, chore, people, start, until):
    """L9: done or cancelled; no second record, and the message is not touched."""
    done = await start(engine, source="slack:T0TEAM:done")
    await engine.settled(done.id)
    [request] = await engine.store.requests(done.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    await engine.settled(done.id)
    wanted = [m.wanted for m in await engine.store.messages(done.id)]
    with pytest.raises(AlreadyDecided):
        await engine.intake.decide(request.id, 1, "reject", people.one, "no")
    with pytest.raises(RunEnded):
        await engine.intake.cancel(done.id, people.one)
    chore.hold = asyncio.Event()
    cancelled = await start(engine, source="slack:T0TEAM:cancelled")
    engine.wake(cancelled.id)
    await until(lambda: chore.drafting)
    await engine.intake.cancel(cancelled.id, people.one)
    engine.wake(cancelled.id)
    await until(partial(_is, engine, cancelled.id, "cancelled"))
    with pytest.raises(RunEnded):
        await engine.intake.cancel(cancelled.id, people.one)
    engine.wake()
    await asyncio.sleep(0.1)
    assert len(chore.records()) == 1
    assert [m.wanted for m in await engine.store.messages(done.id)] == wanted


async def test_no_words_are_an_empty_string_inside_the_answer(engine, chore, people, start):
    """L10: a resume with nothing breaks LangGraph."""
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    await engine.settled(run.id)
    assert chore.records()[0]["answers"][0]["reason"] == ""


async def test_state_that_was_written_while_a_question_waits_replaces_the_question(
    engine, chore, people, start
):
    """L11: `update_state` gives the question a new id; the old card says that it was replaced."""
    run = await start(engine)
    await engine.settled(run.id)
    [old] = await engine.store.requests(run.id)
    async with engine._threads.own(run.id) as held:
        graph = chore.build().compile(checkpointer=held.saver)
        config = {"configurable": {"thread_id": run.id}}
        await graph.aupdate_state(config, {"drafts": ["written from outside"]}, as_node="draft")
    await engine.advance(run.id)
    before, after = sorted(await engine.store.requests(run.id), key=lambda r: r.state != "superseded")
    assert (before.id, before.state, after.state) == (old.id, "superseded", "open")
    assert after.review.content["draft"] == "written from outside"
    with pytest.raises(Replaced):
        await engine.intake.check(old.id, 1, people.two)
    assert f"card:{after.id}" in [m.key for m in await engine.store.messages(run.id)]
    await engine.intake.decide(after.id, 1, "approve", people.two)
    assert (await engine.settled(run.id)).state == "done"


async def test_a_question_inside_a_graph_of_its_own_is_asked_once_and_recorded_once(
    engine, chore, people, start
):
    """L12: what stands before the question runs again on resume; the record is one all the same."""
    ran = []

    def counted(state):
        ran.append("before the question")
        return {"answers": [ask(1, question="inner")]}

    inner = in_a_graph_of_its_own(counted)

    async def review(state, config):
        return {"answers": (await inner.ainvoke({"one": "x"}, config))["answers"]}

    chore.review = review
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    assert (await engine.settled(run.id)).state == "done"
    assert len(ran) == 2
    assert (len(chore.records()), chore.did.count("effect")) == (1, 1)
    assert len(await engine.store.requests(run.id)) == 1


async def test_a_step_that_fails_after_its_answer_keeps_the_answer(engine_on, chore, people, start, until):
    """L15: LangGraph keeps the first answer with the task; nobody can give another one either."""
    review = chore.review

    def fails(state):
        answered = review(state)
        chore.step("review")
        return answered

    chore.review = fails
    fails.__name__ = "review"
    chore.wrong["review"] = OSError("the disk")
    async with engine_on(pauses=(0.2,)) as engine:
        run = await start(engine)
        await engine.settled(run.id)
        [request] = await engine.store.requests(run.id)
        await engine.intake.decide(request.id, 1, "reject", people.one, "first")
        engine.wake(run.id)
        await until(lambda: "review" in chore.did)
        with pytest.raises(AlreadyDecided):
            await engine.intake.decide(request.id, 1, "approve", people.two, "second")
        chore.wrong.clear()
        await until(partial(_is, engine, run.id, "done"))
    [record] = chore.records()
    assert [(a["kind"], a["reason"]) for a in record["answers"]] == [("reject", "first")]
    assert chore.did.count("draft") == 1


async def test_a_waiting_thread_is_never_given_input_again(engine_on, chore, start):
    """L18, S16: input restarts a graph; a wake, a sweep and a restart only look. One question is one card."""
    async with engine_on() as engine:
        run = await start(engine)
        await engine.settled(run.id)
    for _ in range(2):
        async with engine_on() as engine:
            engine.wake(run.id)
            await engine.sweep()
            assert (await engine.settled(run.id)).state == "waiting"
            cards = [m.key for m in await engine.store.messages(run.id) if m.key.startswith("card:")]
            assert len(cards) == len(await engine.store.requests(run.id)) == 1
    assert (chore.did.count("collect"), chore.did.count("draft")) == (1, 1)


async def test_a_step_begins_only_once_the_one_before_is_saved(engine, chore, start, monkeypatch):
    """L21: `sync`, however slow the saver; nothing piles up in memory, and a kill repeats one step at most."""
    saving = WholeWrites.aput

    async def slowly(self, *arguments):
        await asyncio.sleep(0.05)
        saved = await saving(self, *arguments)
        chore.did.append("saved")
        return saved

    monkeypatch.setattr(WholeWrites, "aput", slowly)
    run = await start(engine)
    await engine.settled(run.id)
    steps = [one for one in chore.did if one in {"collect", "saved", "draft"}]
    assert steps[steps.index("collect") + 1] == "saved"
    assert steps.index("draft") > steps.index("collect") + 1


async def test_a_step_that_blocks_its_thread_does_not_block_the_loop(engine, chore, start):
    """L24: Slack waits three seconds, and pings go on."""

    def collect(state):
        time.sleep(1.0)
        return {"found": ["a"]}

    chore.collect = collect
    run = await start(engine)
    longest, last = 0.0, time.monotonic()
    settled = asyncio.create_task(engine.settled(run.id))
    while not settled.done():
        await asyncio.sleep(0.01)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert (await settled).state == "waiting"
    assert longest < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # a lock on the whole file is SQLite's
async def test_two_hundred_runs_at_once_meet_no_locked_database(engine, chore, start, caplog):
    """L22: one writer at a time in this process, and nobody else's turn is lost."""
    runs = await asyncio.gather(*(start(engine, source=f"slack:T0TEAM:{n}") for n in range(200)))
    settled = await asyncio.gather(*(engine.settled(run.id) for run in runs))
    assert {run.state for run in settled} == {"waiting"}
    assert "locked" not in caplog.text
    assert chore.did.count("draft") == 200


class Note(BaseModel):
    """What LangGraph saves in silence and reads back as a mapping."""

    path: str


@pytest.mark.parametrize(
    ("found", "name"),
    [
        ([Note(path="a.md")], "Note"),
        ([{"inner": [Note(path="a.md")]}], "Note"),
        ([("a.md", Note)], "\\w*ModelMetaclass"),
    ],
    ids=["object", "deep-inside", "class"],
)
async def test_an_object_in_the_state_is_named_at_once_and_not_turned_into_something_else(
    *, engine_on, chore, people, start, found, name
):
    """L28: after a restart the next step would get a mapping, and fail with an AttributeError on it."""
    chore.found = found
    async with engine_on() as engine:
        run = await start(engine)
        failed = await engine.settled(run.id)
        assert (failed.state, failed.failure.step) == ("failed", "collect")
        assert re.search(rf"A step put a [\w.]*\b{name} into", failed.failure.words)
        assert "draft" not in chore.did
        assert chore.records() == []
    chore.found = ["a"]
    async with engine_on() as engine:
        await engine.intake.retry(run.id, people.one)
        assert (await engine.settled(run.id)).state == "waiting"


class Thing:
    """What no JSON can be made of."""


@pytest.mark.parametrize(
    "content",
    [{"x": Thing()}, {"x": lambda: None}, {1: "x"}, None],
    ids=["object", "function", "number-as-key", "nothing"],
)
async def test_a_question_that_is_no_json_fails_the_run_and_is_not_lost_in_silence(
    engine, chore, start, content
):
    """L31."""
    chore.review = lambda state: interrupt({"version": 1, "revision": 1, "content": content})
    chore.review.__name__ = "review"
    run = await start(engine)
    failed = await engine.settled(run.id)
    assert (failed.state, failed.failure.step) == ("failed", "review")
    assert await engine.store.requests(run.id) == []
    assert any(m.key == f"outcome:{run.id}" for m in await engine.store.messages(run.id))


@pytest.mark.parametrize(
    "text", ["\udcff lone", "長い" * 50_000, "\x00 nothing \x00"], ids=["surrogate", "long", "null"]
)
async def test_a_question_of_any_text_is_asked_and_decided(engine, chore, people, start, text):
    """L31: kept whole; what a surface cannot show it cuts itself."""
    chore.found = [text]
    run = await start(engine)
    settled = await engine.settled(run.id)
    assert settled.state == "waiting", settled.failure
    [request] = await engine.store.requests(run.id)
    assert request.review.content["items"][0].endswith(text[1:])
    await engine.intake.decide(request.id, 1, "approve", people.two, text)
    assert (await engine.settled(run.id)).state == "done"
    kept = chore.records()[0]["answers"][0]["reason"]
    assert kept == text.replace("\udcff", "\ufffd").replace("\x00", "\ufffd")


async def _is(engine, run_id, state):
    return (await engine.store.run(run_id)).state == state
