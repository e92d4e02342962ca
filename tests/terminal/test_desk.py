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
