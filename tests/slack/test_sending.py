"""The budget of edits, the digest, and what can be done about Slack's errors."""

from datetime import UTC, datetime, timedelta

from bot.slack import drawing
from bot.slack.blocks import Content, actions, button, header, plain
from bot.slack.budget import Budget
from bot.slack.sending import later

NOW = datetime(2026, 12, 1, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_forty_edits_a_minute_and_not_one_more():
    clock = Clock()
    budget = Budget(clock=clock)
    assert sum(budget.take(f"card:{n}", progress=False) for n in range(100)) == 40
    clock.now = 59.9
    assert not budget.take("card:x", progress=False)
    clock.now = 60.0
    assert budget.take("card:x", progress=False)


def test_mere_progress_is_edited_every_three_seconds_in_all_so_decisions_find_room():
    clock = Clock()
    budget = Budget(clock=clock)
    taken = 0
    for tick in range(600):
        clock.now = tick / 10
        taken += budget.take(f"progress:{tick % 5}", progress=True)
    assert taken == 20
    assert sum(budget.take("card:1", progress=False) for _ in range(100)) == 20


def test_the_message_longest_unedited_comes_first():
    clock = Clock()
    budget = Budget(clock=clock)
    budget.take("progress:a", progress=True)
    clock.now = 5.0
    budget.take("progress:b", progress=True)
    assert sorted(["progress:b", "progress:a", "progress:c"], key=budget.last) == [
        "progress:c",
        "progress:a",
        "progress:b",
    ]


def test_content_that_differs_in_block_ids_alone_is_the_same_content():
    def content(n: int, text: str = "x") -> Content:
        return Content("t", [plain(text), actions(f"progress.{n}", button("cancel", "Cancel", "r"))])

    assert drawing.digest(content(1)) == drawing.digest(content(2))
    assert drawing.digest(content(1)) != drawing.digest(content(1, "y"))


def test_a_lean_message_keeps_the_headline_and_the_buttons():
    whole = Content("t", [header("Q"), plain("x" * 3000), actions("a.1", button("approve", "Approve", "v"))])
    assert [b["type"] for b in drawing.lean(whole).blocks] == ["header", "actions"]


def test_what_can_heal_is_tried_again_and_what_cannot_is_not():
    """S31: no endless retry on a message that is gone."""
    assert later("message_not_found", 1, NOW) is None
    assert later("is_archived", 1, NOW) == NOW + timedelta(minutes=1)
    assert later("is_archived", 99, NOW) == NOW + timedelta(hours=1)
    assert later("internal_error", 1, NOW) == NOW + timedelta(seconds=2)
    assert later("ServerDisconnectedError", 3, NOW) == NOW + timedelta(seconds=15)
