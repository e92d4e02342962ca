"""Similar names: leaving out what cannot be similar loses nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.fuzz import ratio

from graph.vault.alike import CUTOFF, Alike
from graph.vault.fold import fold, fold_all

NAMES = st.text(alphabet="aabcdeé0179かがカ会議\U0001f331\1", min_size=1, max_size=24)


@settings(deadline=None)
@given(st.lists(NAMES, max_size=30, unique=True), st.lists(NAMES, max_size=5, unique=True))
def test_every_pair_above_the_cutoff_is_found_and_no_other(names, wanted):
    found = {(name, choice) for name, near in Alike(names).find(wanted) for _, choice in near}
    assert found == {(w, n) for w in wanted for n in names if ratio(w, n) >= CUTOFF}


@settings(deadline=None)
@given(NAMES, st.lists(st.tuples(st.integers(0, 24), st.sampled_from("aé0")), max_size=5))
def test_a_name_with_a_few_slips_is_found(name, slips):
    written = name
    for at, letter in slips:
        written = written[:at] + letter + written[at + 1 :]
    found = [choice for _, near in Alike([name, "something else"]).find([written]) for _, choice in near]
    assert found == ([name] if ratio(written, name) >= CUTOFF else [])


def test_the_likest_stand_first_and_equals_by_the_alphabet():
    ((_, near),) = Alike(["budgets", "budgett", "budged", "budget"]).find(["budget"])
    assert [name for _, name in near] == ["budget", "budgets", "budgett", "budged"]


@pytest.mark.parametrize("wanted", [[], ["a"]])
def test_no_names_are_near_to_nothing(wanted):
    assert list(Alike([]).find(wanted)) == []


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), max_size=12))
def test_folding_many_names_at_once_is_folding_each(names):
    assert fold_all(names) == [fold(name) for name in names]
