"""A link check with the real binary from start to record, by the processes people start."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.claude, pytest.mark.xdist_group("claude"), pytest.mark.timeout(300)]
RINGI = Path(sys.executable).with_name("ringi")
ANSWER = {
    "summary": "Done.",
    "items": [{"id": "c1", "link": "Projct plan", "verdict": "missing-note", "reason": "Nobody wrote it."}],
}


def there(path) -> bool:
    return Path(path).exists()


def run_in(said):
    return re.search(r"ringi \w+ ([0-9a-f]{8})", said)[1]


def given(body):
    """What the command was given on stdin, as it stands in the request."""
    contents = [message["content"] for message in body["messages"]]
    texts = [
        c if isinstance(c, str) else b.get("text", "")
        for c in contents
        for b in ([c] if isinstance(c, str) else c)
    ]
    return next(text for text in texts if text.startswith("You look at links"))


def test_what_was_sent_is_shown_word_by_word_and_words_sent_back_arrive(ringi, variables, stub, tmp_path):
    stub.script("judge", [{"structured": ANSWER}])
    env = variables("judge")
    started = ringi(env, "linkcheck", "daily")
    assert started.returncode == 0, started.stderr
    run = run_in(started.stdout)
    words = "Ignore it: `x` @b.md /clear"
    assert ringi(env, "resume", run, "send-back", words).returncode == 0
    shown = json.loads(ringi(env, "show", run, "--prompts", "--format", "json").stdout)
    assert [one["text"].strip() for one in shown] == [given(body).strip() for body in stub.messages("judge")]
    assert len(shown) == 2
    assert "Ignore it: \\u0060x\\u0060 \\u0040b.md /clear" in shown[1]["text"]
    assert "SECRET-OF-NOTE-B" not in json.dumps(stub.messages("judge"))

    text = ringi(env, "show", run, "--prompts").stdout
    assert f"Call {shown[0]['call']}" in text
    assert shown[1]["sha256"] in text.replace("\n", "")
    story = ringi(env, "show", run).stdout
    assert f"call {shown[1]['call'][:8]}, prompt {shown[1]['sha256'][:12]}" in " ".join(story.split())
    assert "2 calls, 4 turns" in story
    assert "at list price, an estimate; the plan covers it" in " ".join(story.split())

    assert ringi(env, "resume", run, "approve", "Verbatim: [[x]] `y`.").returncode == 0
    (record,) = (tmp_path / "records").glob("*.md")
    said = record.read_text()
    assert "calls: 2\n" in said
    assert "Reason: ``Verbatim: [[x]] `y`.``" in said
    assert "These words reached Claude · " in said
    assert shown[1]["call"][:8] in said


def test_a_usage_limit_ends_the_run_with_its_class_its_words_and_the_reset_time(
    ringi, variables, stub, tmp_path
):
    env = variables("usage-limit")
    failed = ringi(env, "linkcheck", "daily", "--format", "json")
    assert failed.returncode == 1, failed.stderr
    run = json.loads(failed.stdout)["run"]
    told = json.loads(ringi(env, "show", run, "--format", "json").stdout)
    assert (told["state"], told["failure"]["kind"]) == ("failed", "usage_limit")
    assert told["failure"]["words"].startswith("You've hit your")
    assert told["failure"]["resets_at"]
    (record,) = (tmp_path / "records").glob("*.md")
    assert "failure: usage_limit" in record.read_text()

    stub.script("usage-limit-over", [{"structured": ANSWER}])
    again = ringi(variables("usage-limit-over"), "retry", run[:8])
    assert again.returncode == 0, again.stderr
    assert f"continues run {run[:8]}" in " ".join(again.stdout.lower().split())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_ringi_that_is_killed_in_mid_call_leaves_no_claude(  # noqa: PLR0917 - each a fixture
    ringi, variables, stub, home, gone, tmp_path, how
):
    calls = len(stub.messages("hang"))
    process = await asyncio.create_subprocess_exec(
        RINGI, "linkcheck", "daily", env=variables("hang"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    async with asyncio.timeout(100):
        while len(stub.messages("hang")) == calls:
            assert process.returncode is None
            await asyncio.sleep(0.05)
    made = json.loads((tmp_path / "calls-hang.jsonl").read_text().splitlines()[-1])
    sessions, temporary = home.path / ".claude" / "sessions", made["env"]["TMPDIR"]
    assert there(temporary)
    assert len(list(sessions.iterdir())) == 1
    process.send_signal(how)
    await process.communicate()
    began = time.monotonic()
    async with asyncio.timeout(30):
        while not gone(made["pid"]):  # noqa: ASYNC110 - another process has no event
            await asyncio.sleep(0.05)
    assert time.monotonic() - began < 10
    notes = tmp_path / "state" / "claude-children"
    if how == signal.SIGKILL:
        assert len(list(notes.glob("*.json"))) == 1, "the note stays for the next start"
    stub.script("judge-after", [{"structured": ANSWER}])
    (run,) = json.loads(ringi(variables("judge-after"), "runs", "--format", "json").stdout)
    assert ringi(variables("judge-after"), "retry", run["run"][:8]).returncode == 0
    assert [*notes.iterdir(), *sessions.iterdir()] == []
    assert not there(temporary)
