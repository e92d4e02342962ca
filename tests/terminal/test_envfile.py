"""Settings from the environment and one `.env`, and never from where somebody else could have put it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bot.envfile import read_env_file
from bot.settings import BotSettings
from graph.errors import SettingsError
from graph.settings import Settings, read

EXAMPLE = Path(__file__).resolve().parents[2] / ".env.example"


def _example():
    """Variable → (the comment above it, its value)."""
    found = {}
    comment = ""
    for line in EXAMPLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            comment = line
        elif match := re.fullmatch(r"([A-Z_]+)=(.*)", line):
            found[match[1]] = (comment, match[2])
            comment = ""
    return found


def test_the_example_names_every_setting_and_no_other():
    settings = {field.alias for model in (Settings, BotSettings) for field in model.model_fields.values()}
    assert set(_example()) == settings


def test_each_setting_of_the_example_has_one_line_that_explains_it():
    assert [name for name, (comment, _) in _example().items() if len(comment) < 20] == []


def test_the_example_shows_the_defaults():
    variables = {name: value for name, (_, value) in _example().items()}
    assert read(BotSettings, variables) == BotSettings()
    assert read(Settings, variables) == Settings()


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (BotSettings, "RINGI_APPROVALS", "0"),
        (BotSettings, "RINGI_APPROVERS", "C0NOTES"),
        (BotSettings, "RINGI_STARTERS", "S0APPROVERS"),
        (Settings, "RINGI_DEADLINE_HOURS", "-1"),
        (Settings, "RINGI_DEADLINE_HOURS", "1e9"),
        (Settings, "RINGI_REMIND_HOURS", "nan"),
    ],
)
def test_a_number_of_people_or_of_hours_that_cannot_be_is_refused_by_name(model, name, value):
    with pytest.raises(SettingsError) as refused:
        read(model, {name: value})
    assert [problem[0] for problem in refused.value.problems] == [name]


def test_approvers_are_people_and_user_groups_however_they_were_copied():
    bot = read(
        BotSettings, {"RINGI_APPROVERS": "U0MEMBER1, <@U0MEMBER2> S0APPROVERS,<!subteam^S0OTHERS|@others>"}
    )
    assert bot.approving_users == {"U0MEMBER1", "U0MEMBER2"}
    assert bot.approving_groups == {"S0APPROVERS", "S0OTHERS"}


def test_the_env_file_is_read_from_the_working_directory(ringi, elsewhere):
    (elsewhere / ".env").write_text("RINGI_LANGUAGE=ja\n", encoding="utf-8")
    assert ringi("runs").out.startswith("run はまだありません")


def test_it_is_never_searched_upwards(ringi, elsewhere):
    (elsewhere.parent / ".env").write_text("RINGI_LANGUAGE=ja\n", encoding="utf-8")
    assert ringi("runs").out.startswith("No runs yet")


def test_the_environment_wins_even_with_an_empty_value(ringi, elsewhere, vault):
    (elsewhere / ".env").write_text("RINGI_LANGUAGE=ja\nRINGI_VAULT=/nowhere\n", encoding="utf-8")
    said = ringi("runs", RINGI_LANGUAGE="en", RINGI_VAULT=str(vault))
    assert said.out.startswith("No runs yet")


def test_a_named_file_stands_before_the_one_here(ringi, elsewhere, tmp_path):
    (elsewhere / ".env").write_text("RINGI_LANGUAGE=en\n", encoding="utf-8")
    named = tmp_path / "mine.env"
    named.write_text("RINGI_LANGUAGE=ja\n", encoding="utf-8")
    assert ringi("--env-file", str(named), "runs").out.startswith("run はまだありません")
    assert ringi("runs", RINGI_ENV_FILE=str(named)).out.startswith("run はまだありません")


def test_a_named_file_that_is_missing_is_an_error(ringi):
    said = ringi("--env-file", "nowhere.env", "runs")
    assert said.code == 2
    assert "--env-file names nowhere.env, and there is no such file." in said.err


def test_inside_a_vault_it_is_left_alone_and_said_so(ringi, vault, monkeypatch):
    (vault / "daily" / ".env").write_text("RINGI_LANGUAGE=ja\n", encoding="utf-8")
    monkeypatch.chdir(vault / "daily")
    said = ringi("runs")
    assert said.out.startswith("No runs yet")
    assert "is left alone: it lies in a vault" in said.err
    assert ringi("--env-file", ".env", "runs").code == 2


def test_a_link_that_leads_into_a_vault_is_left_alone(vault, elsewhere):
    (vault / "settings").write_text("RINGI_LANGUAGE=ja\n", encoding="utf-8")
    (elsewhere / ".env").symlink_to(vault / "settings")
    found = read_env_file(None, here=elsewhere)
    assert found.values == {}
    assert "in a vault" in (found.ignored or "")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away; CI runs as root")
def test_another_owners_file_is_left_alone(elsewhere):
    (elsewhere / ".env").write_text("RINGI_CLAUDE=/tmp/evil\n", encoding="utf-8")
    os.chown(elsewhere / ".env", 12345, 12345)
    found = read_env_file(None, here=elsewhere)
    assert found.values == {}
    assert "another user" in (found.ignored or "")
    with pytest.raises(SettingsError, match="another user"):
        read_env_file(".env", here=elsewhere)


def test_a_file_that_everyone_can_write_is_left_alone(elsewhere):
    (elsewhere / ".env").write_text("RINGI_CLAUDE=/tmp/evil\n", encoding="utf-8")
    (elsewhere / ".env").chmod(0o666)
    assert "chmod 600" in (read_env_file(None, here=elsewhere).ignored or "")


def test_a_pipe_does_not_hang_it(elsewhere):
    os.mkfifo(elsewhere / ".env")
    assert "no ordinary file" in (read_env_file(None, here=elsewhere).ignored or "")


def test_dollars_in_a_value_stay_as_they_are(elsewhere):
    (elsewhere / ".env").write_text("SLACK_BOT_TOKEN=xoxb-a$HOME-${PATH}\n", encoding="utf-8")
    assert read_env_file(None, here=elsewhere).values == {"SLACK_BOT_TOKEN": "xoxb-a$HOME-${PATH}"}


def test_every_setting_can_be_given_by_the_environment_alone():
    for model in (Settings, BotSettings):
        for name, field in model.model_fields.items():
            assert re.fullmatch(r"(RINGI|SLACK|ANTHROPIC)_[A-Z_]+", field.alias or ""), name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RINGI_VAULT", "/nowhere"),
        ("RINGI_DATABASE", "mysql://x"),
        ("RINGI_DATABASE", "postgresql://a@b@c/d"),
        ("RINGI_RECORDS", "~nobody-of-that-name/records"),
        ("RINGI_DRAFTER", "guess"),
        ("RINGI_BATCH", "many"),
        ("RINGI_BATCH", "0"),
        ("RINGI_CLAUDE_PARALLEL", "99"),
        ("RINGI_CLAUDE_TIMEOUT_SECONDS", "-1"),
        ("RINGI_DEADLINE_HOURS", "soon"),
        ("RINGI_REMIND_HOURS", "nan"),
        ("RINGI_ANCHORS", "perhaps"),
        ("RINGI_KEEP_DAYS", "1.5"),
        ("RINGI_STARTERS", "bob"),
        ("RINGI_APPROVERS", "bob"),
        ("RINGI_OPERATOR", "bob"),
        ("RINGI_CHANNEL", "#notes"),
        ("RINGI_LOG_LEVEL", "loud"),
        ("SLACK_API_URL", "nowhere"),
        ("SLACK_API_URL", "https://a.example/"),
    ],
)
def test_what_is_wrong_with_a_setting_is_said_in_the_readers_language(ringi, name, value):
    english = ringi("runs", **{name: value}, RINGI_LANGUAGE="en").err
    japanese = ringi("runs", **{name: value}, RINGI_LANGUAGE="ja").err
    assert english.startswith(f"{name} ")
    assert not re.search(r"[぀-ヿ]", english)
    assert re.match(rf"{name} [ぁ-ヿ]", japanese)
    for word in (" takes ", " is no ", " holds ", " or ", "Input"):
        assert word not in japanese


def test_why_a_file_is_left_alone_is_said_in_the_readers_language(ringi, elsewhere):
    (elsewhere / ".env").write_text("RINGI_BATCH=1\n", encoding="utf-8")
    (elsewhere / ".env").chmod(0o666)
    said = ringi("runs", "--lang", "ja").err
    assert (
        said
        == f"{elsewhere / '.env'} は読み込みません：このマシンのどのユーザーも書き込めます。chmod 600 を実行してください。\n"
    )
    assert "chmod 600 を実行してください。" in ringi("doctor", "--lang", "ja").out
    assert "none というファイルはありません。" in ringi("--env-file", "none", "runs", "--lang", "ja").err
