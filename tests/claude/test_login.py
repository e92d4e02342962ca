"""Flat rate or nothing: what the child is given, and which logins it may use."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import pytest

from graph.claude import check_claude
from graph.claude.child import Ending
from graph.claude.events import Seen
from graph.claude.failures import classify
from graph.claude.login import wrong_login, wrong_source
from graph.settings import Settings, read


def real(test):
    """Needs the real binary."""
    return pytest.mark.claude(pytest.mark.xdist_group("claude")(test))


_ELSEWHERE = """
ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_UNIX_SOCKET ANTHROPIC_CUSTOM_HEADERS
ANTHROPIC_PROFILE ANTHROPIC_CONFIG_DIR ANTHROPIC_FEDERATION_RULE_ID ANTHROPIC_IDENTITY_TOKEN
ANTHROPIC_IDENTITY_TOKEN_FILE ANTHROPIC_WORKSPACE_ID ANTHROPIC_MODEL CLAUDE_CODE_OAUTH_TOKEN
CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_USE_FOUNDRY CLAUDE_CODE_USE_ANTHROPIC_AWS
CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD CLAUDE_CODE_USE_GATEWAY CLAUDE_CODE_USE_MANTLE CLAUDE_CONFIG_DIR
XDG_CONFIG_HOME HTTPS_PROXY NODE_OPTIONS SLACK_BOT_TOKEN SLACK_APP_TOKEN LANGSMITH_API_KEY
"""
POISON = dict.fromkeys(_ELSEWHERE.split(), "poison")
CONSTANTS = {
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}


@real
async def test_a_poisoned_environment_never_reaches_the_child(asking, home, stub):
    it = asking("ok", POISON)
    before = len(stub.messages("ok"))
    reply = await it.ask()
    assert reply.output == {"summary": "stub"}
    (call,) = it.wrapper.calls()
    given = {
        name: value for name, value in call["env"].items() if name not in {"LC_CTYPE", "PWD", "SHLVL", "_"}
    }
    assert "ringi-claude-" in given.pop("TMPDIR")
    assert given == {"PATH": os.environ["PATH"], "HOME": str(home.path), "LANG": "C.UTF-8", **CONSTANTS}
    assert stub.requests("ok")[-1]["headers"]["authorization"] == "Bearer dummy-access"
    assert len(stub.messages("ok")) == before + 1


@real
async def test_the_call_is_exactly_the_one_that_was_measured(asking, folder):
    it = asking("ok", RINGI_CLAUDE_MODEL="sonnet")
    await it.ask(max_turns=90)
    (call,) = it.wrapper.calls()
    argv = call["argv"]
    assert argv[:11] == [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--no-session-persistence",
        "--restricted",
        "--strict-mcp-config",
        "--tools",
        "Read,Grep,Glob",
        "--permission-prompts",
        "none",
    ]
    assert argv[11] == "--json-schema"
    assert json.loads(argv[12])["type"] == "object"
    assert argv[13:16] == ["--max-turns", "90", "--session-id"]
    assert argv[17:] == ["--model", "sonnet"]
    assert call["cwd"] == str(folder)


@real
async def test_without_a_login_nothing_is_started(asking, home):
    home.log_out()
    it = asking("ok")
    reply = await it.ask()
    assert (reply.failure.kind, reply.failure.words) == ("auth", "Not logged in")
    assert (reply.facts["calls"], it.wrapper.calls()) == (0, [])


@real
async def test_a_login_that_bills_by_use_is_refused_before_anything_starts(asking, home, stub):
    home.log_in_by_key()
    stub.script("console", [{"structured": None}])
    it = asking("console")
    reply = await it.ask()
    assert reply.failure.kind == "auth"
    assert "/login managed key" in reply.failure.words
    assert (it.wrapper.calls(), stub.requests("console")) == ([], [])


@real
async def test_a_login_changed_meanwhile_ends_the_call_before_it_spends(asking, home, stub, gone):
    stub.script("changed", [{"structured": None}])
    it = asking("changed")
    await it.ask()
    spent = len(stub.messages("changed"))
    home.log_in_by_key()
    reply = await it.ask()
    assert reply.failure.kind == "auth"
    assert "/login managed key" in reply.failure.words
    assert len(stub.messages("changed")) == spent == 1
    assert gone(it.wrapper.calls()[-1]["pid"])


@real
async def test_paying_by_use_takes_the_key_that_was_set_for_it(asking, home, stub):
    stub.script("api", [{"structured": None}])
    it = asking("api", RINGI_CLAUDE_BILLING="api", ANTHROPIC_API_KEY="dummy-chosen-key")
    reply = await it.ask()
    assert reply.output == {"summary": "stub"}
    assert stub.requests("api")[-1]["headers"]["x-api-key"] == "dummy-chosen-key"


@real
async def test_paying_by_use_lets_its_key_pass_and_nothing_else(asking):
    it = asking("ok", POISON, RINGI_CLAUDE_BILLING="api", ANTHROPIC_API_KEY="dummy-chosen-key")
    await it.ask()
    (call,) = it.wrapper.calls()
    poisoned = {name for name in POISON if name in call["env"]}
    assert poisoned == {"ANTHROPIC_API_KEY"}
    assert call["env"]["ANTHROPIC_API_KEY"] == "dummy-chosen-key"
    assert "poison" not in call["env"].values()


@real
async def test_paying_by_use_without_its_key_is_refused(asking, home, stub):
    stub.script("api-none", [{"structured": None}])
    it = asking("api-none", RINGI_CLAUDE_BILLING="api")
    reply = await it.ask()
    assert reply.failure.kind == "auth"
    assert stub.requests("api-none") == []


def overage(billing):
    seen = Seen(lambda source: wrong_source(source, billing), flat=billing != "api")
    info = {"status": "allowed", "isUsingOverage": True, "resetsAt": 1796071805}
    seen.line(json.dumps({"type": "rate_limit_event", "rate_limit_info": info}).encode())
    return seen


def test_paid_extra_usage_ends_the_call_with_a_class_of_its_own_and_the_reset_time():
    seen = overage("subscription")
    assert seen.overage
    why = classify(Ending(-9, ""), seen)
    assert (why.kind, why.resets_at) == ("overage", datetime.fromtimestamp(1796071805, UTC))


def test_who_pays_by_use_has_no_extra_usage():
    assert not overage("api").overage


@pytest.mark.parametrize(
    ("status", "billing", "wrong"),
    [
        (
            {
                "loggedIn": True,
                "authMethod": "claude.ai",
                "apiProvider": "firstParty",
                "subscriptionType": "max",
            },
            "subscription",
            None,
        ),
        (
            {"loggedIn": True, "authMethod": "claude.ai", "apiProvider": "firstParty"},
            "subscription",
            "claude.ai, firstParty",
        ),
        (
            {"loggedIn": True, "authMethod": "oauth_token", "apiProvider": "firstParty"},
            "subscription",
            "oauth_token, firstParty",
        ),
        (
            {"loggedIn": True, "authMethod": "third_party", "apiProvider": "bedrock"},
            "subscription",
            "third_party, bedrock",
        ),
        (
            {
                "loggedIn": True,
                "authMethod": "api_key",
                "apiProvider": "firstParty",
                "apiKeySource": "ANTHROPIC_API_KEY",
            },
            "api",
            None,
        ),
        (
            {
                "loggedIn": True,
                "authMethod": "api_key",
                "apiProvider": "firstParty",
                "apiKeySource": "/login managed key",
            },
            "api",
            "api_key, /login managed key, firstParty",
        ),
        (
            {
                "loggedIn": True,
                "authMethod": "claude.ai",
                "apiProvider": "firstParty",
                "subscriptionType": "max",
            },
            "api",
            "claude.ai, firstParty",
        ),
        ({"loggedIn": False, "authMethod": "none"}, "api", "Not logged in"),
        ({}, "subscription", "Not logged in"),
    ],
)
def test_only_the_login_that_was_set_passes(status, billing, wrong):
    assert wrong_login(status, billing) == wrong


@real
async def test_doctor_sees_version_confinement_and_login(wrap, home):
    settings = read(Settings, {"RINGI_CLAUDE": str(wrap("ok").path)})
    outside = {"PATH": os.environ["PATH"], "HOME": str(home.path)}
    checked = await check_claude(settings, environment=outside)
    assert [ok for ok, _ in checked] == [True, True, True]
    version, restricted, login = (sentence for _, sentence in checked)
    assert version.startswith("Claude Code 2.")
    assert "--restricted" in restricted
    assert "subscription (max" in login

    home.log_in_by_key()
    ok, sentence = (await check_claude(settings, environment=outside))[-1]
    assert not ok
    assert "api_key, /login managed key" in sentence
    assert "RINGI_CLAUDE_BILLING=api" in sentence

    home.log_out()
    ok, sentence = (await check_claude(settings, environment=outside, language="ja"))[-1]
    assert not ok
    assert "ログインしていません" in sentence


async def test_doctor_names_the_executable_that_is_missing(tmp_path):
    settings = read(Settings, {"RINGI_CLAUDE": str(tmp_path / "no-claude")})
    ((ok, sentence),) = await check_claude(settings, environment={"PATH": "/usr/bin:/bin"})
    assert not ok
    assert str(tmp_path / "no-claude") in sentence
    assert "RINGI_DRAFTER=rules" in sentence


async def test_doctor_demands_the_key_of_paying_by_use(tmp_path):
    old = tmp_path / "old-claude"
    old.write_text(
        "#!/bin/sh\ncase $1 in --version) echo '1.0.0 (Claude Code)';; *) echo 'usage: claude';; esac\n"
    )
    old.chmod(0o755)
    settings = read(Settings, {"RINGI_CLAUDE": str(old), "RINGI_CLAUDE_BILLING": "api"})
    checked = await check_claude(settings, environment={"PATH": "/usr/bin:/bin"})
    assert [ok for ok, _ in checked] == [True, False, False]
    assert "Update Claude Code" in checked[1].sentence
    assert "ANTHROPIC_API_KEY is not set" in checked[2].sentence
