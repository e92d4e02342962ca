"""The node that waits: LangGraph runs it again from its first line, so it does nothing but ask."""

from __future__ import annotations

import ast
from pathlib import Path

import graph.workflows

STEPS = sorted(Path(graph.workflows.__file__).parent.rglob("*.py"))


def nodes_that_wait():
    """Yield every function of a workflow that calls `interrupt`."""
    for path in STEPS:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and calls(function, "interrupt"):
                yield path.name, function


def calls(node, name):
    return [
        call
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name
    ]


def test_it_asks_in_its_first_statement_once_and_with_no_try_around_it():
    """000-10, 001-5, 001-6: whatever stood before would happen twice, and a second `interrupt` is matched by index."""
    waiting = list(nodes_that_wait())
    assert [name for name, _ in waiting] == ["review.py"]
    for name, function in waiting:
        first = function.body[1]  # after the docstring
        assert isinstance(first, ast.Assign), name
        assert calls(first, "interrupt") == [first.value], name
        assert len(calls(function, "interrupt")) == 1, name
        assert not [node for node in ast.walk(function) if isinstance(node, ast.Try | ast.TryStar)], name


async def test_nothing_before_it_happens_again_when_people_have_answered(link_check, claude):
    """000-10: judged once for each revision, recorded once, however often the node that waits runs."""
    check = link_check()
    await check.start()
    assert len(claude.prompts) == 1
    await check.answer("send_back", "Look again.")
    assert len(claude.prompts) == 2
    await check.answer("approve")
    assert len(claude.prompts) == 2
    assert len(check.records) == 1
    assert check.front["interventions"] == 2


def test_no_run_is_ever_kept_in_memory_alone():
    """001-9: not in the demo either."""
    root = Path(graph.workflows.__file__).parents[2]
    programs = [*root.glob("graph/**/*.py"), *root.glob("bot/**/*.py")]
    assert len(programs) > 100
    assert [p.name for p in programs if "MemorySaver" in p.read_text(encoding="utf-8")] == []
