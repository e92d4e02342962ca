"""`serve`, `emulate`, `demo` and `doctor` as real processes that talk to the local Slack."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow  # real processes, and their time-outs

DEADLINE = 60.0


class Server:
    """A long-running `ringi` and what it has said so far."""

    def __init__(self, arguments, env, cwd, log: Path):
        self.log = log
        with log.open("w") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bot", *arguments], env=env, cwd=cwd, stdout=out, stderr=out
            )

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def until(self, text: str) -> str:
        end = time.monotonic() + DEADLINE
        while text not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.05)
        return self.said

    def end(self, number=signal.SIGTERM) -> int:
        os.kill(self.process.pid, number)
        return self.process.wait(20)


@pytest.fixture
def server(variables, elsewhere, tmp_path):
    """Start long-running commands; whatever still runs at the end is killed."""
    running = []

    def start(*arguments, **more):
        log = tmp_path / f"log-{len(running)}"
        running.append(Server(arguments, {**variables, **more}, elsewhere, log))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture(scope="module")
def slack(tmp_path_factory):
    """The settings that lead to a local Slack, one for all tests here."""
    place = tmp_path_factory.mktemp("emulate")
    env = {"PATH": os.environ["PATH"], "HOME": str(place), "LANG": "C.UTF-8"}
    emulate = Server(["emulate"], env, place, place / "log")
    said = emulate.until("End with Ctrl-C.")
    yield dict(re.findall(r"^([A-Z_]+)=(.*)$", said, re.MULTILINE))
    assert emulate.end() == 0
    assert "Traceback" not in emulate.said


def test_the_local_slack_prints_what_an_app_needs(slack):
    assert slack["SLACK_API_URL"].startswith("http://127.0.0.1:")
    assert slack["SLACK_BOT_TOKEN"].startswith("xoxb-")
    assert slack["SLACK_APP_TOKEN"].startswith("xapp-")
    assert slack["RINGI_STARTERS"] == "U0MEMBER1,U0MEMBER2"


def test_the_doctor_finds_a_working_slack_well(slack, ringi):
    said = ringi("doctor", **slack)
    assert said.code == 0, said.out
    assert "ok    SLACK_BOT_TOKEN: works: ringi in " in said.out
    assert "ok    Scopes: all that manifest.yml asks for" in said.out
    assert "ok    SLACK_APP_TOKEN: works" in said.out
    assert slack["SLACK_BOT_TOKEN"] not in said.out


def test_the_doctor_names_who_and_what_slack_does_not_know(slack, ringi):
    said = ringi("doctor", **{**slack, "RINGI_STARTERS": "U0NOBODY", "RINGI_CHANNEL": "C0ELSEWHERE"})
    assert said.code == 1
    assert "U0NOBODY is no active member" in said.out
    assert "the bot is not in elsewhere" in said.out
    assert "/invite" in said.out


def test_the_doctor_looks_into_user_groups_and_counts_who_could_approve(slack, ringi):
    said = ringi("doctor", **slack, RINGI_APPROVERS="S0APPROVERS", RINGI_OPERATOR="U0MEMBER1")
    assert "ok    Slack: 2 may start, 2 may decide" in said.out, said.out
    said = ringi("doctor", **slack, RINGI_APPROVERS="S0NONE")
    assert said.code == 1
    assert "fail  RINGI_APPROVERS: S0NONE is no user group of this workspace, or it is disabled" in said.out
    said = ringi("doctor", **slack, RINGI_APPROVERS="S0APPROVERS", RINGI_APPROVALS="2")
    assert said.code == 1
    assert "2 approvals are needed, but what U0MEMBER1 starts can be approved by 1 only" in said.out
    assert "warn  RINGI_OPERATOR: is not set: a vote in the terminal" in said.out


def test_the_doctor_tells_a_wrong_token_from_a_dead_line(slack, ringi):
    wrong = ringi("doctor", **{**slack, "SLACK_BOT_TOKEN": "xoxb-wrong", "SLACK_APP_TOKEN": "nonsense"})
    assert wrong.code == 1
    assert "fail  SLACK_BOT_TOKEN: Slack says invalid_auth" in wrong.out
    assert "fail  SLACK_APP_TOKEN: does not begin with xapp-" in wrong.out
    dead = ringi("doctor", **{**slack, "SLACK_API_URL": "http://127.0.0.1:9/api/"})
    assert dead.code == 1
    assert "Slack could not be asked" in dead.out


def test_the_doctor_names_the_scopes_that_are_missing_and_leads_to_the_manifest(server, ringi, tmp_path):
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    manifest["oauth_config"]["scopes"]["bot"] = ["commands", "chat:write"]
    (tmp_path / "less.yml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    said = server("emulate", "--manifest", str(tmp_path / "less.yml")).until("End with Ctrl-C.")
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", said, re.MULTILINE))
    looked = ringi("doctor", **given)
    assert looked.code == 1
    assert "fail  Scopes: the bot token lacks channels:history" in looked.out
    assert "Paste manifest.yml into the app's page" in looked.out


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("SLACK_BOT_TOKEN", "xoxp-1", "fail  SLACK_BOT_TOKEN: does not begin with xoxb-"),
        ("SLACK_APP_TOKEN", "xapp-1", "fail  SLACK_APP_TOKEN: Slack says invalid_auth"),
        ("SLACK_APP_TOKEN", "", "warn  Slack: SLACK_APP_TOKEN is not set."),
        (
            "SLACK_API_URL",
            "http://evil.example/",
            "fail  Settings: SLACK_API_URL would send the tokens to evil",
        ),
        ("RINGI_OPERATOR", "U0NOBODY", "fail  Slack: U0NOBODY is no active member"),
        ("RINGI_CHANNEL", "C0NOWHERE", "fail  RINGI_CHANNEL: Slack says channel_not_found"),
    ],
)
def test_the_doctor_names_each_thing_of_slack_that_is_wrong(slack, ringi, variable, value, words):
    looked = ringi("doctor", **slack | {variable: value})
    assert words in looked.out
    assert looked.code == (0 if "warn" in words else 2 if "Settings" in words else 1)
    assert "Traceback" not in looked.err


def test_the_doctor_looks_into_the_vault(ringi, vault, tmp_path):
    assert "fail  Vault: none is set" in ringi("doctor", RINGI_VAULT="").out
    (tmp_path / "plain").mkdir()
    plain = ringi("doctor", RINGI_VAULT=str(tmp_path / "plain"))
    assert f"warn  Vault: {tmp_path / 'plain'} holds no .obsidian folder" in plain.out
    assert plain.code == 0
    inside = ringi("doctor", RINGI_VAULT=str(vault / "daily")).out
    assert f"It lies inside the vault {vault}; that is probably the one to set." in inside


@pytest.mark.slow
def test_beside_a_server_the_terminal_only_inserts_and_watches(slack, server, ringi, process, tmp_path):
    served = server("serve", **slack)
    assert "ready: connected as @ringi" in served.until("ready: ")

    started = process("linkcheck", "daily", **slack)
    assert started.code == 0, started.err
    assert "A server works on this database" in started.err
    assert "3 links in daily lead nowhere" in started.out
    run = ringi("runs", "--format", "json").json[0]["run"]

    decided = ringi("resume", run[:8], "approve", "by hand", **slack)
    assert decided.code == 0
    (record,) = (tmp_path / "records").glob("*.md")
    assert f"Recorded: {record}" in decided.out
    assert ringi("serve", **slack).code == 3  # one server per database
    assert "a server works on it" in ringi("doctor", **slack).out

    assert served.end(signal.SIGTERM) == 0
    assert "Ended." in served.said
    assert "Traceback" not in served.said
    assert slack["SLACK_BOT_TOKEN"] not in served.said


@pytest.mark.slow
def test_the_demo_says_where_to_go_and_leaves_cleanly(server, tmp_path):
    """The first thing anyone sees of it."""
    demo = server("demo", TMPDIR=str(tmp_path))
    said = demo.until("End      Ctrl-C")
    assert re.search(r"Open     http://127\.0\.0\.1:\d+/\?key=\S+#C0NOTES", said)
    assert "/linkcheck notes" in said
    env_file = re.search(r"--env-file (\S+)", said)[1]
    typed = shlex.split(
        re.search(r"Runs +(.+)", said)[1]
    )  # as it stands there, without an environment's PATH
    kept = {name: os.environ[name] for name in ("HOME", "PYTHONPATH") if name in os.environ}
    env = kept | {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    runs = subprocess.run(typed, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert runs.returncode == 0, runs.stderr
    assert runs.stdout.startswith("No runs yet.")
    assert "TOKEN" not in Path(env_file).read_text(encoding="utf-8")
    assert demo.end(signal.SIGINT) == 0
    assert "Ended." in demo.said
    assert "Traceback" not in demo.said


def test_serve_says_everything_it_lacks_at_once(ringi):
    said = ringi("serve", RINGI_VAULT="")
    assert said.code == 2
    assert "RINGI_VAULT" in said.err
    said = ringi("serve")
    assert said.code == 2
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "RINGI_STARTERS"):
        assert name in said.err
    assert "Copy member ID" in said.err
    said = ringi(
        "serve", RINGI_VAULT="", RINGI_BATCH="0", RINGI_APPROVERS="bob", SLACK_API_URL="http://a.example/"
    )
    assert said.code == 2
    assert [line.split()[0] for line in said.err.splitlines()[1:]] == [
        "RINGI_BATCH",
        "RINGI_VAULT",
        "RINGI_APPROVERS",
        "SLACK_API_URL",
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "RINGI_STARTERS",
    ]


def test_serve_refuses_when_nobody_could_decide_what_someone_starts(ringi):
    said = ringi(
        "serve",
        **dict.fromkeys(("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"), "xany-1"),
        RINGI_STARTERS="U0MEMBER1,U0MEMBER2",
        RINGI_APPROVERS="U0MEMBER1",
    )
    assert said.code == 2
    assert "RINGI_APPROVERS leaves nobody to decide what U0MEMBER1 starts." in said.err


def test_serve_refuses_when_more_have_to_approve_than_can(ringi):
    tokens = dict.fromkeys(("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"), "xany-1")
    both = {"RINGI_STARTERS": "U0MEMBER1", "RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2"}
    said = ringi("serve", **tokens, **both, RINGI_APPROVALS="2")
    assert said.code == 2
    assert "RINGI_APPROVALS is 2, but what U0MEMBER1 starts can be approved by 1 only." in said.err
    said = ringi("serve", **tokens, RINGI_STARTERS="U0MEMBER1", RINGI_APPROVALS="3")
    assert "RINGI_APPROVALS is 3, but what U0MEMBER1 starts can be approved by 1 only." in said.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serve_can_be_ended_while_slack_does_not_answer(server, number):
    tokens = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(DEADLINE)
        served = server(
            "serve",
            SLACK_API_URL=f"http://127.0.0.1:{silent.getsockname()[1]}/api/",
            RINGI_STARTERS="U0MEMBER1",
            **tokens,
        )
        asking, _ = silent.accept()
        with asking:
            begun = time.monotonic()
            assert served.end(number) == 0
            assert time.monotonic() - begun < 15  # a call of Slack is given up after 20
    assert served.said.splitlines()[-1].startswith("Ended.")
    assert "Traceback" not in served.said


def test_serve_never_takes_the_tokens_to_a_stranger(ringi):
    said = ringi("serve", SLACK_API_URL="https://slack.example/api/")
    assert said.code == 2
    assert "RINGI_ALLOW_SLACK_API_URL" in said.err


def test_without_slack_the_doctor_is_content_and_says_what_serve_would_need(ringi, tmp_path):
    said = ringi("doctor")
    assert said.code == 0
    assert "warn  Slack: SLACK_BOT_TOKEN is not set." in said.out
    assert "warn  Slack: RINGI_STARTERS is not set" in said.out
    assert not (tmp_path / "state").exists()
    assert not (tmp_path / "records").exists()


def test_the_doctor_fails_with_the_way_out_of_each_problem(ringi, vault, tmp_path):
    locked = tmp_path / "a file"
    locked.write_text("", encoding="utf-8")
    said = ringi(
        "doctor",
        RINGI_DATABASE=str(vault / "x.sqlite"),
        RINGI_RECORDS=str(locked / "records"),
        RINGI_DRAFTER="claude",
        RINGI_CLAUDE=str(tmp_path / "no claude"),
    )
    assert said.code == 1
    assert "fail  Database: " in said.out
    assert "fail  Records: " in said.out
    assert "fail  Claude: " in said.out
    assert "RINGI_DRAFTER=rules" in said.out


def test_the_doctor_reports_wrong_settings_and_leaves_with_2(ringi):
    said = ringi("doctor", RINGI_BATCH="many", RINGI_STARTERS="bob")
    assert said.code == 2
    assert "RINGI_BATCH" in said.out
    assert "RINGI_STARTERS" in said.out


def test_the_doctor_sees_tokens_that_others_can_read(ringi, elsewhere):
    (elsewhere / ".env").write_text("SLACK_BOT_TOKEN=nonsense\n", encoding="utf-8")
    (elsewhere / ".env").chmod(0o644)
    said = ringi("doctor")
    assert "chmod 600" in said.out


def test_the_doctor_speaks_json_and_japanese(ringi):
    answer = ringi("doctor", "--format", "json").json
    assert answer["ok"] is True
    assert {line["mark"] for line in answer["lines"]} == {"ok", "warn"}
    assert "ok    保管庫：" in ringi("doctor", "--lang", "ja").out


def test_a_port_that_is_taken_and_a_manifest_that_is_none_are_sentences(slack, ringi, tmp_path):
    port = re.search(r":(\d+)/", slack["SLACK_API_URL"])[1]
    said = ringi("emulate", "--port", port)
    assert said.code == 2
    assert said.err.startswith(f"--port {port} cannot be used")
    (tmp_path / "list.yml").write_text("- a\n", encoding="utf-8")
    assert "is no app manifest" in ringi("emulate", "--manifest", str(tmp_path / "list.yml")).err
    assert "cannot be read" in ringi("emulate", "--manifest", "nowhere.yml").err
