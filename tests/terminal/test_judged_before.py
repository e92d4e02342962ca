"""In a terminal: what was approved is not asked again, until it is wanted or forgotten."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.slow  # whole runs, one after the other


def decided(ringi, *words: str) -> str:
    run = re.search(r"run ([0-9a-f]{8})", ringi("linkcheck", "daily").err)[1]
    ringi("resume", run, *words)
    return run


def test_a_second_check_asks_nobody_and_says_what_was_judged_before(ringi):
    decided(ringi, "approve")
    again = ringi("linkcheck", "daily")
    assert again.code == 0
    assert "No new broken links in daily" in again.out
    assert "3 judged before, nothing new." in again.out
    assert "daily に新しいリンク切れはありません" in ringi("linkcheck", "daily", "--lang", "ja").out


def test_a_new_link_is_asked_alone(ringi, vault):
    decided(ringi, "approve")
    (vault / "daily" / "new.md").write_text("[[Nobody wrote this]]\n", encoding="utf-8")
    again = ringi("linkcheck", "daily").out
    assert "1 link in daily leads nowhere" in again
    assert "3 more links were judged before" in again


def test_all_asks_again_and_so_does_a_check_after_forgetting(ringi):
    decided(ringi, "approve")
    assert "3 links in daily lead nowhere" in ringi("linkcheck", "daily", "--all").out
    assert ringi("forget", "work").out == (
        "Nothing is known to be approved in work, so there is nothing to forget.\n"
    )

    assert ringi("forget", "daily", "--format", "json").json == {"folder": "daily", "forgotten": 4}
    assert "3 links in daily lead nowhere" in ringi("linkcheck", "daily").out


def test_what_was_rejected_is_asked_again(ringi):
    decided(ringi, "reject", "wrong folder")
    assert "3 links in daily lead nowhere" in ringi("linkcheck", "daily").out


def test_a_folder_that_is_gone_can_be_forgotten_and_an_unknown_one_is_refused(ringi, vault):
    decided(ringi, "approve")
    (vault / "daily").rename(vault / "diary")
    assert "Forgotten what was approved, in places: 4." in ringi("forget", "daily").out
    assert ringi("forget", "daily").code != 0
    assert "承認済みの判定はありません。" in ringi("forget", ".", "--lang", "ja").out
