"""Whose turn it is: posts before edits, what was decided before mere progress, and nobody waits for another channel."""

from __future__ import annotations

import pytest

from bot.slack.budget import Budget
from bot.slack.pace import Pace
from bot.slack.turns import next_turns
from graph.approval import Behind


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def post(key, run="a", place="C0NOTES", state="waiting", *, tried=False) -> Behind:
    return Behind(key, run, place, False, tried, state)


def edit(key, run="a", place="C0NOTES", state="waiting") -> Behind:
    return Behind(key, run, place, True, False, state)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def budget(clock):
    return Budget(clock=clock)


@pytest.fixture
def pace(clock):
    return Pace(clock)


@pytest.fixture
def sent(budget, pace):
    """Take turns until nothing is left: what goes out, in order, each pass as one list of keys."""

    def take(behind: list[Behind], passes: int = 20) -> list[list[str]]:
        found = []
        for _ in range(passes):
            turns = next_turns(behind, {}, budget, pace)
            if not turns:
                break
            found.append([one.key for one in turns])
            behind = [one for one in behind if one not in turns]
        return found

    return take


def test_cards_go_out_in_order_each_right_after_the_first_message_of_its_run(sent):
    """Two hundred runs started at once: nobody waits for all first messages before the first card."""
    behind = [
        *[post(f"progress:{run}", run, state="waiting") for run in "ab"],
        post("progress:z", "z", state="queued"),
        *[post(f"card:{run}", run) for run in "ba"],
    ]
    assert [keys for (keys,) in sent(behind)] == [
        "progress:b",
        "card:b",
        "progress:a",
        "card:a",
        "progress:z",
    ]


def test_one_post_a_channel_at_a_time_and_other_channels_do_not_wait(sent):
    behind = [post("card:a"), post("card:b"), post("card:c", place="C0GENERAL")]
    assert sent(behind) == [["card:a", "card:c"], ["card:b"]]


def test_what_slack_failed_at_is_not_overtaken(sent):
    behind = [post("card:a"), post("progress:b", "b", state="queued", tried=True)]
    assert sent(behind) == [["progress:b"], ["card:a"]]


def test_an_edit_that_points_to_a_card_waits_for_the_card(sent):
    behind = [edit("card:a1"), edit("progress:a"), post("card:a2")]
    assert sent(behind) == [["card:a2"], ["card:a1", "progress:a"]]


def test_decisions_are_shown_before_progress_of_which_one_goes_every_three_seconds(sent, budget, clock):
    behind = [edit(f"progress:{run}", run, state="running") for run in "ab"] + [
        edit("card:c", "c", state="done")
    ]
    assert sent(behind, passes=1) == [["card:c", "progress:a"]]
    assert budget.take("progress:a", progress=True)
    assert sent(behind[1:], passes=1) == [["card:c"]]
    clock.now += 3
    assert sent(behind[1:], passes=1) == [["card:c", "progress:b"]]


def test_without_budget_no_edit_is_even_looked_at_and_posts_go_on(sent, budget):
    for number in range(40):
        assert budget.take(f"card:{number}", progress=False)
    assert sent([edit("card:x"), post("card:a", "b")]) == [["card:a"]]


def test_edits_under_way_count_against_the_budget(budget, pace):
    for number in range(39):
        budget.take(f"card:{number}", progress=False)
    under_way = {"card:x": edit("card:x")}
    assert next_turns([edit("card:x"), edit("card:y")], under_way, budget, pace) == []
    assert next_turns([edit("card:y")], {}, budget, pace) == [edit("card:y")]


def test_a_channel_in_which_slack_asked_to_wait_gets_one_post_a_second_for_a_minute(pace, clock):
    pace.limited("C0NOTES", 3)
    assert (pace.free("C0NOTES"), pace.free("C0GENERAL")) == (False, True)
    clock.now += 3
    posts = 0
    for _ in range(300):
        if pace.free("C0NOTES"):
            pace.posted("C0NOTES")
            posts += 1
        clock.now += 0.1
    assert posts == 30
    clock.now += 60
    pace.posted("C0NOTES")
    assert pace.free("C0NOTES")


def test_when_slack_asks_to_wait_with_edits_none_goes_out_until_then(budget, clock):
    budget.hold(5)
    assert not budget.take("card:a", progress=False)
    clock.now += 5
    assert budget.take("card:a", progress=False)


def test_what_was_decided_does_not_wait_for_cards_that_are_only_looked_over(sent, budget):
    """After a start every card that waits is compared with its row; a decision taken meanwhile goes before them."""
    behind = [edit(f"card:{n}", f"run {n}") for n in range(100)] + [edit("card:now", "now", state="done")]
    assert sent(behind, passes=1)[0][0] == "card:now"
