"""Strangers' text: harmless, measured, cut."""

from hypothesis import given
from hypothesis import strategies as st

from bot.limits import length
from bot.slack import fit


def test_a_japanese_character_is_two_columns():
    assert fit.columns("会議メモ") == 8
    assert fit.columns("Plan") == 4


def test_what_was_cut_ends_in_an_ellipsis_and_is_no_wider_than_asked():
    assert fit.cut("very long name very long name", 12) == "very long n…"
    assert fit.cut("会議メモの議事録", 9) == "会議メモ…"


def test_direction_marks_and_zero_width_characters_are_shown_as_blanks():
    assert fit.clean("\u202egnp.exe\u200b x") == " gnp.exe  x"
    assert fit.clean("a\nb\tc") == "a b c"


def test_a_person_s_line_breaks_stay_and_the_rest_is_counted():
    kept, missing = fit.cut_words("one\ntwo\nthree\n", 300, 2)
    assert kept == "one\ntwo…"
    assert missing == len("\nthree")


def test_one_side_of_an_arrow_may_use_what_the_other_leaves_free():
    left, right = fit.cut_pair("x", "a very long name indeed", 20)
    assert left == "x"
    assert right == "a very long name i…"


@given(st.text(), st.integers(1, 120))
def test_no_text_is_wider_than_asked(text, most):
    assert fit.columns(fit.cut(fit.clean(text), most)) <= max(most, 1)


@given(st.text(), st.integers(1, 200))
def test_no_text_is_longer_than_slack_allows(text, most):
    assert length(fit.cut_units(text, most)) <= most


@given(st.text(alphabet="<>&@!#ul;tgamp|", max_size=80))
def test_escaped_text_holds_no_markup_and_comes_back(text):
    escaped = fit.escape(text)
    assert "<" not in escaped
    assert ">" not in escaped
    assert fit.unescape(escaped) == text
