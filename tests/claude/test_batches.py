"""Batches and limits with the real binary, by the processes people start: what is kept, what is not sent, what it cost."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

pytestmark = [pytest.mark.claude, pytest.mark.xdist_group("claude"), pytest.mark.timeout(300)]
LINKS = ("First plan", "Second plan", "Third plan", "Fourth plan")
ZONE = ZoneInfo("Asia/Tokyo")


@pytest.fixture
def four(folder):
    """Four links that lead nowhere; asked about one a call."""
    for file in folder.iterdir():
        file.unlink()
    for number, link in enumerate(LINKS, 1):
        (folder / f"{number}.md").write_text(f"SECRET-OF-NOTE-{number} [[{link}]].\n")
    return {"RINGI_BATCH": "1", "TZ": "Asia/Tokyo"}


def asked(body) -> list[dict]:
    """What a call was asked about."""
    fence = re.compile(r"```json\n(.*?)\n```", re.DOTALL)
    contents = [message["content"] for message in body["messages"]]
    texts = [b.get("text", "") for c in contents for b in ([{"text": c}] if isinstance(c, str) else c)]
    prompt = next(text for text in texts if text.startswith("You look at links"))
    return json.loads(fence.search(prompt)[1])


def judge(body):
    items = [
        {"id": a["id"], "link": a["link"], "verdict": "missing-note", "reason": "So."} for a in asked(body)
    ]
    return {"summary": "Done.", "items": items}


def links(stub, scenario) -> list[str]:
    return [one["link"] for body in stub.messages(scenario) for one in asked(body)]


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_a_limit_in_the_second_batch_keeps_the_first_and_sends_no_third(
    ringi, variables, stub, four, tmp_path
):
    """000-28, 000-29: class, words and reset time in the reader's zone; what is finished is kept and paid once."""
    resets = int(time.time()) + 3600
    limit = {**stub.scenarios["usage-limit"][0]}
    limit["headers"] = limit["headers"] | {"anthropic-ratelimit-unified-reset": str(resets)}

    def meets_the_limit(body):
        return limit if asked(body)[0]["link"] == LINKS[1] else {"structured": judge}

    stub.script("limited", [meets_the_limit])
    stub.script("open-again", [{"structured": judge}])
    env = variables("limited", **four)
    failed = ringi(env, "linkcheck", "daily")
    assert failed.returncode == 1, failed.stderr
    assert links(stub, "limited") == list(LINKS[:2])
    at = datetime.fromtimestamp(resets, UTC).astimezone(ZONE)
    said = squeezed(failed.stdout)
    assert "Usage limit reached" in said
    assert "It said: “You've hit your" in said
    assert f"It can go on from {at.day} {at:%b} {at:%H:%M}." in said
    assert "1 of 4 links are judged and kept; nothing is asked twice." in said
    (record,) = (tmp_path / "records").glob("*.md")
    told = record.read_text()
    assert "outcome: failed\nfailure: usage_limit\n" in told
    assert f"> It can go on from {at.day} {at:%b} {at.year}, {at:%H:%M}." in told
    assert "> Claude said: `You've hit your" in told
    assert "Continue when the limit has reset." in told
    assert "calls: 2\n" in told

    run = re.search(r"ringi retry ([0-9a-f]{8})", failed.stdout)[1]
    again = ringi(variables("open-again", **four), "retry", run)
    assert again.returncode == 0, again.stderr
    assert links(stub, "open-again") == list(LINKS[1:])
    carried = re.search(r"ringi resume ([0-9a-f]{8})", again.stdout)[1]
    assert ringi(env, "resume", carried, "approve").returncode == 0
    records = {path.stem[-8:]: path.read_text() for path in (tmp_path / "records").glob("*.md")}
    assert "calls: 4\n" in records[carried], (
        "what it took over cost a call; the call that failed stands in the record before"
    )
    assert records[run] == told


def test_what_it_cost_is_right_over_batches_revisions_and_repeated_calls(
    ringi, variables, stub, four, tmp_path
):
    """000-26, 000-28: each call is 2 turns, 10 tokens in and 5 out; prose is asked for again, which counts."""
    prose: list[str] = []

    def once_in_prose(body):
        first = asked(body)[0]["link"] == LINKS[2] and len(prose) < 2  # the command asks once more by itself
        prose.extend(["x"] if first else [])
        return {"text": "Here is what I think."} if first else {"structured": judge}

    stub.script("counted", [once_in_prose])
    env = variables("counted", **four | {"RINGI_BATCH": "2"})
    started = ringi(env, "linkcheck", "daily", "--format", "json")
    assert started.returncode == 0, started.stdout
    run = json.loads(started.stdout)["run"]
    first = json.loads(ringi(env, "show", run, "--format", "json").stdout)["counts"]
    assert (first["calls"], first["retries"]) == (3, 1)
    assert ringi(env, "resume", run[:8], "send-back", "Look again.").returncode == 0
    second = json.loads(ringi(env, "show", run, "--format", "json").stdout)["counts"]
    assert (second["calls"], second["retries"]) == (5, 1)
    for name, each in (("turns", 2), ("input_tokens", 10), ("output_tokens", 5), ("list_price", 140)):
        assert second[name] - first[name] == 2 * each, name
    assert ringi(env, "resume", run[:8], "approve").returncode == 0
    (record,) = (tmp_path / "records").glob("*.md")
    told = record.read_text()
    for name in ("calls", "turns", "input_tokens", "output_tokens"):
        assert f"{name}: {second[name]}\n" in told
    assert f"list_price_usd: {second['list_price'] / 1_000_000:.4f}".rstrip("0") in told
    assert "at list price, an estimate; the plan covers it" in told
