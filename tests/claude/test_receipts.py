"""What a call tells while it works, and the receipt it leaves: which words went out, when, and whether they were answered."""

from __future__ import annotations

import asyncio
import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest

from graph.claude.events import Seen

pytestmark = [pytest.mark.claude, pytest.mark.xdist_group("claude")]


async def test_an_answered_call_has_a_receipt_for_exactly_what_was_given(asking, stub):
    it, before = asking("ok"), datetime.now(UTC)
    words = "Look at the links: é 漢字 \U0001f4ce."
    reply = await it.ask(prompt=words)
    (call,) = reply.calls
    assert call.prompt == hashlib.sha256(words.encode()).hexdigest()
    assert call.answered
    assert before <= call.at <= datetime.now(UTC) < before + timedelta(minutes=2)
    (made,) = it.wrapper.calls()
    assert made["argv"][made["argv"].index("--session-id") + 1] == call.id
    assert words in json.dumps(stub.messages("ok")[-1], ensure_ascii=False)


async def test_a_call_asked_again_has_two_receipts_for_the_same_words(asking):
    reply = await asking("prose").ask()
    first, second = reply.calls
    assert (first.answered, second.answered) == (False, False)
    assert first.prompt == second.prompt
    assert first.id != second.id


async def test_what_was_never_started_has_no_receipt_and_cost_nothing(asking, home):
    home.log_out()
    reply = await asking("ok").ask()
    assert reply.calls == ()
    assert set(reply.facts.values()) == {0}


async def test_a_call_tells_what_it_is_at_and_never_what_a_note_is_called(asking, stub):
    stub.script(
        "busy",
        [
            {"tool_use": [["Read", {"file_path": "a.md"}], ["Grep", {"pattern": "SECRET"}]]},
            {"tool_use": [["Glob", {"pattern": "*.md"}]]},
            {"structured": None},
        ],
    )
    it = asking("busy")
    await it.ask()
    assert it.did == [("reading", 1), ("reading", 2), ("reading", 3), ("answering", 1)]


async def test_the_service_asked_again_is_told(asking):
    it = asking("500")
    await it.ask()
    assert it.did == [("retrying", 1), ("retrying", 2)]


@pytest.mark.parametrize("kind", ["usage_limit", "overage"])
async def test_what_waited_while_another_met_the_limit_is_not_sent_into_the_same_wall(asking, stub, kind):
    begins, *rest = stub.scenarios[kind.replace("_", "-")]
    stub.script(f"wall-{kind}", [begins | {"delay": 1}, *rest])
    it = asking(f"wall-{kind}")
    first, second, third = await asyncio.gather(it.ask(), it.ask(), it.ask())
    assert {reply.failure.kind for reply in (first, second, third)} == {kind}
    assert [len(reply.calls) for reply in (first, second, third)] == [1, 0, 0]
    assert len(it.wrapper.calls()) == 1
    assert all(reply.failure.resets_at for reply in (first, second, third))
    again = await it.ask()
    assert len(again.calls) == 1, "who asks after that, asks on purpose"


def test_a_call_ended_in_the_middle_has_cost_what_it_said_so_far():
    seen = Seen(lambda _: None)
    for identity, read, written in (("m1", 100, 1), ("m1", 100, 7), ("m2", 140, 3)):
        usage = {"input_tokens": read, "cache_read_input_tokens": 1_000, "output_tokens": written}
        message = {"id": identity, "content": [], "usage": usage}
        seen.line(json.dumps({"type": "assistant", "message": message}).encode())
    assert (seen.facts()["input_tokens"], seen.facts()["output_tokens"]) == (2_240, 10)


@pytest.mark.parametrize("scenario", ["ok", "hang"])
async def test_a_call_leaves_no_file_of_its_own_anywhere(asking, home, tmp_path, monkeypatch, scenario):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    it = asking(scenario, RINGI_CLAUDE_TIMEOUT_SECONDS="3" if scenario == "hang" else "60")
    await it.ask()
    assert list((tmp_path / "temporary").iterdir()) == []
    assert list((tmp_path / "state" / "claude-children").iterdir()) == []
    assert list((home.path / ".claude" / "sessions").iterdir()) == []
