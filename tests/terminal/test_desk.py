"""Who sits at the terminal, in which language and zone, and where their runs' cards go."""

from __future__ import annotations

import pytest

from bot.terminal.desk import language_of, machine_zone, open_desk, terminal_place
from graph.approval import Person
from graph.policy import Policy

ME = Person(id="me", name="me", surface="terminal", verified=False)


@pytest.mark.parametrize(
    ("policy", "channel", "place"),
    [
        (Policy(), None, None),
        (Policy(), "C0NOTES", None),  # nobody in Slack could decide it
        (Policy(operator="U0MEMBER1"), None, "U0MEMBER1"),
        (Policy(operator="U0MEMBER1"), "C0NOTES", "C0NOTES"),
        (Policy(approvers=frozenset({"U0MEMBER2"})), "C0NOTES", "C0NOTES"),
        (Policy(approvers=frozenset({"U0MEMBER1"}), operator="U0MEMBER1"), "C0NOTES", None),
        (
            Policy(approvers=frozenset({"U0MEMBER1"}), operator="U0MEMBER1", self_approval=True),
            None,
            "U0MEMBER1",
        ),
    ],
)
def test_a_run_from_here_gets_a_card_only_where_someone_may_decide_it(policy, channel, place):
    assert terminal_place(channel, policy, ME) == place


@pytest.mark.parametrize(
    ("chosen", "environment", "language"),
    [
        (None, {}, "en"),
        (None, {"LANG": "ja_JP.UTF-8"}, "ja"),
        (None, {"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        ("en", {"LANG": "ja_JP.UTF-8"}, "en"),
        ("ja", {"LANG": "C"}, "ja"),
    ],
)
def test_the_language_is_chosen_then_the_locales_then_english(chosen, environment, language):
    assert language_of(chosen, environment) == language


def test_the_zone_is_the_machines():
    assert machine_zone({"TZ": "Asia/Tokyo"}) == "Asia/Tokyo"
    assert machine_zone({"TZ": ":Europe/London"}) == "Europe/London"
    assert "/etc" not in machine_zone({"TZ": "../../etc/passwd"})


def test_no_variable_says_who_someone_is():
    desk = open_desk({"LOGNAME": "someone-else", "USER": "someone-else"})
    assert desk.person.name != "someone-else"
    assert desk.person.surface == "terminal"
    assert desk.person.verified is False


def test_a_setting_that_cannot_be_read_says_what_it_takes_in_words_for_people(ringi):
    said = ringi(
        "runs", RINGI_APPROVALS="two", RINGI_BATCH="0", RINGI_ANCHORS="perhaps", RINGI_DRAFTER="guess"
    )
    assert said.code == 2
    for sentence in (
        "RINGI_APPROVALS takes a whole number (it is 'two')",
        "RINGI_BATCH takes 1 or more (it is '0')",
        "RINGI_ANCHORS takes yes or no (it is 'perhaps')",
        "RINGI_DRAFTER takes 'claude' or 'rules' (it is 'guess')",
    ):
        assert sentence in said.err
    assert "Input should" not in said.err


def test_the_doctor_names_a_variable_that_is_no_setting(ringi):
    said = ringi("doctor", RINGI_OPERATR="U0MEMBER1")
    assert "RINGI_OPERATR is no setting, and does nothing" in said.out
    assert "did you mean RINGI_OPERATOR?" in said.out


def test_without_a_vault_a_folder_that_is_not_here_leads_to_the_setting(ringi, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ringi("links", "nowhere", RINGI_VAULT="")
    assert said.code == 2
    assert "RINGI_VAULT is not set, and there is no folder nowhere where you are." in said.err
