"""What reaches a screen: harmless, in the width there is, without colour where none is wanted."""

from __future__ import annotations

import io
import unicodedata

import pytest
from rich.cells import cell_len

from bot.terminal.progress import Bar
from bot.terminal.report import table
from bot.terminal.screen import Screen, open_screen, paint, safe, to_json
from bot.terminal.texts import EN, JA, clock, took
from graph.approval import Progress
from graph.workflow import ItemText

ITEMS = [
    ItemText(
        id="c1",
        number=1,
        label="[[Projct plan]]",
        to="Project plan",
        verdict="typo",
        verdict_text="Typo",
        place="2026-11-03, line 8",
        file="2026-11-03.md:8",
        why="one letter missing, in work/",
    ),
    ItemText(
        id="c2",
        number=2,
        label="[[会議メも]]",
        to="会議メモ",
        verdict="typo",
        verdict_text="Typo",
        place="2026-11-05, line 1",
        file="2026-11-05.md:1",
        why="hiragana for katakana, in work/",
        was="Missing note",
    ),
]


def _screen(*, live: bool) -> Screen:
    return Screen(
        out=io.StringIO(),
        err=io.StringIO(),
        width=80,
        colour=False,
        live=live,
        language="en",
        zone="UTC",
    )


def test_columns_line_up_whatever_the_script():
    lines = paint(table(ITEMS, EN, 100), width=100, colour=False).splitlines()
    places = [line.index("2026") for line in lines if "2026" in line]
    columns = [cell_len(line[:at]) for line, at in zip(lines[1:4:2], places, strict=True)]
    assert columns[0] == columns[1]


def test_a_changed_verdict_says_what_it_was():
    assert "was missing note" in paint(table(ITEMS, EN, 100), width=100, colour=False)
    assert "was missing note" in paint(table(ITEMS, EN, 59), width=59, colour=False)


def test_below_60_columns_each_item_is_two_lines():
    shown = paint(table(ITEMS[:1], EN, 59), width=59, colour=False).splitlines()
    assert shown == [
        "1 [[Projct plan]] -> Project plan",
        "  typo, 2026-11-03.md:8, one letter missing, in work/",
    ]


@pytest.mark.parametrize("width", [24, 40, 59, 60, 80, 110])
def test_long_names_fold_and_nothing_is_cut(width):
    long = ItemText(
        id="c1",
        number=1,
        label="[[" + "あ" * 120 + "]]",
        to="x" * 200,
        verdict="typo",
        verdict_text="Typo",
        place="",
        file="n.md:1",
        why="",
    )
    shown = paint(table([long], EN, width), width=width, colour=False)
    assert shown.count("あ") == 120
    assert shown.count("x") == 200
    assert max(map(cell_len, shown.splitlines())) <= width
    assert "…" not in shown


def test_without_colour_there_is_not_one_escape():
    assert "\x1b" not in paint(table(ITEMS, EN, 100), width=100, colour=False)
    assert "\x1b" in paint(table(ITEMS, EN, 100), width=100, colour=True)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_no_color_and_dumb_terminals_are_respected(environment, colour):
    assert open_screen({**environment, "COLUMNS": "80"}, "en", "UTC", _Terminal()).colour is colour


@pytest.mark.parametrize("asked", ["", "0", "-3", "many", "９９"])
def test_a_senseless_width_is_not_believed(asked):
    assert open_screen({"COLUMNS": asked}, "en", "UTC", io.StringIO()).width == 100


def test_every_character_that_could_steer_becomes_a_blank():
    every = "".join(chr(c) for c in range(0x110000))
    harmful = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not {unicodedata.category(c) for c in safe(every)} & harmful
    assert safe("会議メモ 👩 café ") == "会議メモ 👩 café "


def test_json_escapes_what_could_steer_and_nothing_else():
    assert to_json({"会議": "a\x9b\u202e\u200b"}) == '{"会議": "a\\u009b\\u202e\\u200b"}'


def test_a_pipe_gets_a_line_a_step_and_no_escape():
    now = iter([0.0, 1.0, 2.0, 13.0, 14.0])
    screen = _screen(live=False)
    bar = Bar(screen, EN, tick=lambda: next(now))
    bar.show("Step 1 of 3, reading notes: 1 of 9 read", Progress(step="collect"))
    bar.show("Step 1 of 3, reading notes: 2 of 9 read", Progress(step="collect"))
    bar.show("Step 1 of 3, reading notes: 9 of 9 read", Progress(step="collect"))
    bar.show("Step 2 of 3, judging", Progress(step="draft"))
    bar.done()
    assert screen.err.getvalue().splitlines() == [
        "Step 1 of 3, reading notes: 1 of 9 read, 0:01",
        "Step 1 of 3, reading notes: 9 of 9 read, 0:13",
        "Step 2 of 3, judging, 0:14",
    ]


def test_a_terminal_gets_a_bar_in_one_place_that_goes_away():
    screen = _screen(live=True)
    bar = Bar(screen, JA, tick=lambda: 0.0)
    bar.show("ステップ 2/3、判定中\x1b[2J", Progress(step="draft", counts={"done": 5, "all": 10}))
    bar.done()
    drawn = screen.err.getvalue()
    assert "[##########..........]" in drawn
    assert "\n" not in drawn
    assert drawn.count("\x1b[2J") == 0
    assert drawn.endswith("\r\x1b[2K")


def test_times_are_the_readers():
    from datetime import UTC, datetime

    at, now = datetime(2026, 12, 1, 4, 5, tzinfo=UTC), datetime(2026, 12, 2, tzinfo=UTC)
    assert clock(at, "en", "Asia/Tokyo", now=now) == "1 Dec 13:05"
    assert clock(at, "ja", "Asia/Tokyo", now=now) == "12/1 13:05"
    assert clock(at, "en", "UTC", now=datetime(2027, 1, 2, tzinfo=UTC)) == "1 Dec 2026 04:05"
    assert (took(7), took(100), took(3729)) == ("0:07", "1:40", "1:02:09")


def test_both_languages_have_the_same_placeholders():
    import re
    from dataclasses import fields

    for field in fields(EN):
        english, japanese = getattr(EN, field.name), getattr(JA, field.name)
        if isinstance(english, str):
            assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", japanese)), field.name
        else:
            assert set(english) == set(japanese), field.name
