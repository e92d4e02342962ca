"""Lines that nobody expects: what a model that obeys a note, or a broken pipe, can put into the stream."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.claude.child import Ending
from graph.claude.events import MOST, Seen
from graph.claude.failures import classify
from graph.workflow import Reply

HALF = "\ud83d"
"""Half of a character: JSON may hold it, UTF-8, databases and Slack may not."""


def read(*lines: bytes | dict) -> Seen:
    seen = Seen(lambda _: None)
    for line in lines:
        seen.line(line if isinstance(line, bytes) else json.dumps(line).encode())
    return seen


def result(**more) -> dict:
    return {"type": "result", "is_error": False, "structured_output": {"summary": "x"}} | more


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_a_tool_called_with_something_nested_beyond_reading_does_not_stop_the_reading():
    call = f'{{"type":"assistant","message":{{"content":[{{"input":{nested(100_000)}}}]}}}}'
    seen = read(call.encode(), result())
    assert classify(Ending(0, ""), seen) is None


def test_an_answer_nested_beyond_reading_is_none_in_the_shape_asked_for():
    line = f'{{"type":"result","is_error":false,"permission_denials":{nested(100_000)}}}'
    why = classify(Ending(0, ""), read(line.encode()))
    assert (why.kind, why.words) == (
        "no_structured_output",
        "a line of the answer was nested too deep to be read",
    )


def test_what_no_database_takes_in_a_refused_path_can_be_stored():
    paths = (f"/etc/{HALF}/{'x' * 1_000}", "/a\0b", "/line\nbreak\u202e")
    denials = [{"tool_input": {"file_path": path}} for path in paths]
    first, *others = read(result(permission_denials=denials, result=HALF)).refused
    assert first.startswith("/etc/\ufffd/xxx")
    assert len(first) == 300
    assert others == ["/a\ufffdb", "/line\ufffdbreak\ufffd"]


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-1", "true", '"7"', "null", "1e300", "9" * 4_000, "[]"])
def test_a_number_that_is_none_counts_nothing(odd):
    line = (
        f'{{"type":"result","num_turns":{odd},"total_cost_usd":{odd},'
        f'"usage":{{"input_tokens":{odd},"output_tokens":{odd}}}}}'
    )
    facts = read(line.encode()).facts()
    assert all(isinstance(number, int) and 0 <= number <= MOST for number in facts.values())
    assert (facts["turns"], facts["input_tokens"], facts["list_price"]) == (0, 0, 0)


@pytest.mark.parametrize("at", [253_402_300_799, 1e300, -62_135_596_801, True, "soon"])
def test_a_reset_time_that_no_clock_shows_is_none(at):
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": at}}
    assert read(limit).resets_at is None


def test_the_last_reset_time_that_is_believed_can_be_written_in_every_zone():
    limit = {"status": "rejected", "resetsAt": 4_102_444_799}
    at = read({"type": "rate_limit_event", "rate_limit_info": limit}).resets_at
    assert at == datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert at.astimezone(ZoneInfo("Pacific/Kiritimati")).year == 2100


def test_a_byte_that_is_no_text_costs_a_character_and_not_the_answer():
    line = json.dumps(result(structured_output={"summary": "caf?"})).encode().replace(b"caf?", b"caf\xe9")
    assert read(line).result["structured_output"] == {"summary": "caf\ufffd"}


def test_of_two_last_lines_the_last_counts_and_nothing_is_counted_twice():
    refused = {"permission_denials": [{"tool_input": {"path": "/etc"}}]}
    seen = read(
        result(num_turns=2, **refused), result(num_turns=3, structured_output={"summary": "y"}, **refused)
    )
    assert classify(Ending(0, ""), seen) is None
    assert seen.result["structured_output"] == {"summary": "y"}
    assert (seen.facts()["turns"], seen.refused, seen.refused_reads) == (3, ["/etc"], 1)


@pytest.mark.parametrize("output", [None, [], "text", 7])
def test_a_last_line_whose_answer_is_no_object_is_no_answer(output):
    assert classify(Ending(0, ""), read(result(structured_output=output))).kind == "no_structured_output"


def test_what_stands_between_events_and_events_of_other_tasks_say_nothing():
    seen = read(
        b"\x1b[2J\x00",
        {"type": "stream_event", "event": {"type": "content_block_delta"}},
        {"type": "user", "message": {"content": '{"type":"result","structured_output":{}}'}},
        {"type": "assistant", "message": {"content": [None, 7, {"type": "tool_use", "name": ["Read"]}]}},
        {"type": ["result"], "structured_output": {"summary": "forged"}},
        {"type": "system", "subtype": {"init": 1}},
    )
    assert seen.result is None
    assert (seen.reads, seen.wrong_route) == (0, None)


TEXTS = st.sampled_from(["", "Read", "init", "rejected", "You've hit your limit", "none", "é\u202e\n", HALF])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)
NAMES = (
    "subtype message content usage input_tokens name id model apiKeySource rate_limit_info status resetsAt "
    "isUsingOverage num_turns total_cost_usd permission_denials tool_input file_path path result errors is_error "
    "structured_output terminal_reason api_error_status stop_reason type"
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES.split()), ANY, max_size=6)
INNER = st.dictionaries(
    st.sampled_from(NAMES.split()), ANY | OBJECTS | st.lists(OBJECTS, max_size=2), max_size=6
)
KINDS = st.sampled_from(["system", "assistant", "result", "rate_limit_event", "user"])


@given(st.lists(st.tuples(KINDS, INNER), max_size=4), st.integers(-9, 255), st.booleans())
def test_nothing_a_line_may_hold_raises_and_all_that_is_kept_can_be_stored(events, code, late):
    seen = read(*({**inner, "type": kind} for kind, inner in events))
    why = classify(Ending(code, "", late), seen)
    kept = [seen.facts(), seen.refused, seen.model, seen.wrong_route, why and why.model_dump(mode="json")]
    assert json.loads(json.dumps(kept, allow_nan=False, ensure_ascii=False).encode()) == kept
    assert all(isinstance(number, int) and 0 <= number <= MOST * 3 for number in seen.facts().values())
    assert why is not None or isinstance(seen.result["structured_output"], dict)


def test_paid_extra_usage_that_is_told_beside_an_answer_stops_all_the_same():
    paid = {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "isUsingOverage": True}}
    assert classify(Ending(0, ""), read(result(), paid)).kind == "overage"


NONSENSE = [
    ["Read", {"file_path": f"/etc/{HALF}"}],
    ["Read", {"file_path": "/etc/" + "x" * 5_000}],
    ["Read", {"file_path": "/etc/line\nbreak\u202e"}],
    ["Read", {"file_path": ["/etc/hostname"]}],
    ["Glob", {"pattern": HALF, "path": "/etc"}],
    ["Grep", {"pattern": "(" * 2_000, "path": ".."}],
    ["Read", f'{{"file_path": "/etc/hostname", "offset": {nested(3_000)}}}'],
    ["Write", f'{{"file_path": "a.md", "content": {nested(3_000)}}}'],
    [HALF, {"x": 1}],
    ["StructuredOutput", f'{{"summary": {nested(3_000)}}}'],
]


@pytest.mark.claude
@pytest.mark.xdist_group("claude")
async def test_a_model_that_calls_tools_with_nonsense_gets_refusals_and_the_call_its_answer(asking, stub):
    stub.script("nonsense", [*({"tool_use": [call]} for call in NONSENSE), {"structured": None}])
    reply = await asking("nonsense").ask(max_turns=40)
    assert isinstance(reply, Reply), reply
    assert reply.output == {"summary": "stub"}
    assert len(stub.tool_results("nonsense")) == len(NONSENSE)
    assert reply.facts["refused_reads"] >= 3
    for path in reply.refused:
        assert len(path.encode()) <= 4 * 300
