"""Each way a call can fail, by the real binary: what people are told, and what is asked again."""

from __future__ import annotations

import asyncio
import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph.claude import failures
from graph.claude.child import Ending
from graph.claude.events import Seen
from graph.claude.failures import classify
from graph.workflows.linkcheck.texts import EN, JA

pytestmark = [pytest.mark.claude, pytest.mark.xdist_group("claude")]


async def test_an_answer_in_shape_comes_with_what_it_cost(asking):
    reply = await asking("ok").ask()
    assert reply.output == {"summary": "stub"}
    assert reply.facts == {
        "calls": 1,
        "retries": 0,
        "turns": 2,
        "refused_reads": 0,
        "input_tokens": 10,
        "output_tokens": 5,
        "list_price": 140,
    }
    assert reply.model is not None
    assert reply.model.startswith("claude-")


@pytest.mark.parametrize(
    ("scenario", "kind", "words"),
    [
        ("401", "auth", ""),
        ("403", "auth", "403"),
        ("credit", "auth", "Credit balance is too low"),
        ("429", "overloaded", "not your usage limit"),
        ("500", "overloaded", "500"),
        ("529", "overloaded", "529"),
        ("stream-overloaded", "overloaded", "529"),
        ("drop-stream", "network", "ECONNRESET"),
        ("400", "other", "400"),
        ("404", "model", "selected model"),
        ("drop", "network", "ECONNRESET"),
        ("refusal", "refusal", "safeguards"),
    ],
)
async def test_a_failure_is_named_told_in_its_own_words_and_not_asked_again(asking, scenario, kind, words):
    reply = await asking(scenario).ask()
    assert reply.failure.kind == kind
    assert words in reply.failure.words
    assert reply.failure.resets_at is None
    assert (reply.facts["calls"], reply.facts["retries"]) == (1, 0)


async def test_a_usage_limit_says_when_the_window_opens_again(asking, stub):
    resets = int(time.time()) + 3600
    limit = {**stub.scenarios["usage-limit"][0]}
    limit["headers"] = limit["headers"] | {"anthropic-ratelimit-unified-reset": str(resets)}
    stub.script("limit-at", [limit])
    reply = await asking("limit-at").ask()
    assert reply.failure.kind == "usage_limit"
    assert reply.failure.words.startswith("You've hit your")
    assert reply.failure.resets_at == datetime.fromtimestamp(resets, UTC)
    assert reply.facts["calls"] == 1


@pytest.mark.parametrize("scenario", ["prose", "unfit"])
async def test_an_answer_in_no_shape_is_asked_for_once_more_and_counted(asking, scenario):
    it = asking(scenario)
    reply = await it.ask()
    assert reply.failure.kind == "no_structured_output"
    assert (reply.facts["calls"], reply.facts["retries"]) == (2, 1)
    sessions = [call["argv"][call["argv"].index("--session-id") + 1] for call in it.wrapper.calls()]
    assert len(set(sessions)) == 2


async def test_the_second_answer_counts_with_what_both_cost(asking, stub):
    stub.script("prose-then-shape", [{"text": "prose"}])
    it = asking("prose-then-shape")
    ask, tried = it.claude._attempt, []

    async def attempt(*args):
        if tried:
            stub.script("prose-then-shape", [{"structured": None}])
        tried.append(1)
        return await ask(*args)

    it.claude._attempt = attempt
    reply = await it.ask()
    assert reply.output == {"summary": "stub"}
    assert (reply.facts["calls"], reply.facts["retries"]) == (2, 1)
    assert reply.facts["input_tokens"] > 10


@pytest.mark.parametrize("scenario", ["hang", "hang-stream", "hang-ping"])
async def test_a_silent_service_is_a_time_out_tried_twice_and_nothing_stays_behind(asking, gone, scenario):
    it = asking(scenario, RINGI_CLAUDE_TIMEOUT_SECONDS="3")
    began = time.monotonic()
    reply = await it.ask()
    assert reply.failure.kind == "timeout"
    assert (reply.facts["calls"], reply.facts["retries"]) == (2, 1)
    assert time.monotonic() - began < 12
    assert all(gone(call["pid"]) for call in it.wrapper.calls())


async def test_a_loop_of_tool_calls_ends_at_the_bound(asking):
    reply = await asking("endless").ask(max_turns=3)
    assert reply.failure.kind == "turn_limit"
    assert "Reached maximum number of turns (3)" in reply.failure.words


@pytest.mark.parametrize(
    "name", ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema"]
)
async def test_a_schema_that_names_a_newer_draft_fails_at_start_and_sends_nothing(asking, stub, name):
    before = len(stub.requests("ok"))
    reply = await asking("ok").ask(schema={"$schema": name, "type": "object"})
    assert reply.failure.kind == "bad_schema"
    assert "--json-schema" in reply.failure.words
    assert len(stub.requests("ok")) == before


async def test_a_keyword_the_command_does_not_know_fails_too(asking):
    reply = await asking("ok").ask(schema={"type": "object", "unevaluatedProperties": False})
    assert reply.failure.kind == "bad_schema"


async def test_a_line_of_megabytes_is_read(asking, stub):
    stub.script("long", [{"structured": {"summary": "x" * 3_000_000}}])
    reply = await asking("long").ask()
    assert len(reply.output["summary"]) == 3_000_000


async def test_a_prompt_that_begins_like_a_command_never_leaves(asking):
    it = asking("ok")
    with pytest.raises(ValueError, match="our own words"):
        await it.ask(prompt="/clear")
    assert it.wrapper.calls() == []


async def test_a_folder_that_is_gone_is_said(asking, folder):
    it = asking("ok")
    it.folder = folder / "gone"
    reply = await it.ask()
    assert reply.failure.kind == "other"
    assert str(it.folder) in reply.failure.words


async def test_an_older_version_that_lacks_an_option_fails_with_its_own_words(asking):
    it = asking("ok")
    script = it.wrapper.path.read_text().replace('"--settings"', '"--no-such-option", "--settings"')
    it.wrapper.path.write_text(script)
    reply = await it.ask()
    assert reply.failure.kind == "outdated"
    assert "unknown option '--no-such-option'" in reply.failure.words


async def test_cancelling_a_call_leaves_no_process_and_no_transcript(asking, stub, home, gone):
    it = asking("hang")
    before = len(stub.messages("hang"))
    task = asyncio.create_task(it.ask(prompt="Judge SECRET-OF-PROMPT."))
    while len(stub.messages("hang")) == before:
        assert not task.done()
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(it.wrapper.calls()[-1]["pid"])
    assert "SECRET-OF-PROMPT" not in home.text()


async def test_calls_of_all_runs_take_turns(asking, stub):
    stub.script("slow", [{"structured": None, "delay": 1}])
    it = asking("slow", RINGI_CLAUDE_PARALLEL="1")
    first, second = await asyncio.gather(it.ask(), it.ask())
    assert first.output == second.output == {"summary": "stub"}
    assert it.said == [1, 0]


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ({"is_error": False, "num_turns": 0, "result": ""}, "other"),
        ({"is_error": False, "structured_output": "text"}, "no_structured_output"),
        (
            {"is_error": True, "subtype": "error_during_execution", "terminal_reason": "aborted_streaming"},
            "other",
        ),
        (
            {
                "is_error": True,
                "subtype": "error_during_execution",
                "terminal_reason": "completed",
                "errors": ["x"],
            },
            "overloaded",
        ),
        ({"is_error": True, "result": "Request timed out. If the API is slow to answer …"}, "timeout"),
        ({"is_error": True, "result": "Words nobody has seen before"}, "other"),
        ({}, "no_structured_output"),
    ],
)
def test_endings_that_cannot_be_provoked_here_are_read_by_the_table(result, kind):
    seen = Seen(lambda _: None)
    seen.line(json.dumps({"type": "result", **result}).encode())
    assert classify(Ending(code=1, stderr=""), seen).kind == kind


def test_lines_that_are_no_events_say_nothing():
    seen = Seen(lambda _: None)
    for line in (
        b"",
        b"Warning: something",
        b"[1]",
        b"null",
        b'{"type": 5}',
        b'{"type": "assistant"}',
        b"\xff",
    ):
        seen.line(line)
    assert seen.result is None
    assert classify(Ending(code=1, stderr="boom\n at line 1"), seen).words == "boom at line 1"


def test_foreign_words_are_one_line_of_bounded_length():
    seen = Seen(lambda _: None)
    words = "bell \x07 and\nline\u2028break " + "x" * 5_000
    seen.line(json.dumps({"type": "result", "is_error": True, "result": words}).encode())
    said = classify(Ending(code=1, stderr=""), seen).words
    assert said.startswith("bell and line break x")
    assert len(said) == 500


def test_the_page_about_claude_says_of_every_class_what_happened_and_what_to_do():
    page = (Path(__file__).parents[2] / "docs" / "claude.md").read_text("utf-8")
    told = set(re.findall(r"^\| `(\w+)` \| .{20,} \| .{5,} \|$", page, re.MULTILINE))
    known = set(re.findall(r"^\| `(\w+)` \|", failures.__doc__, re.MULTILINE))
    assert told == known
    assert len(told) == 15
    for words in (EN, JA):
        heads = [words.say.failed_head[kind] for kind in known]
        steps = [words.say.failed_means[kind] for kind in known]
        assert len(set(heads)) == len(set(steps)) == 15
