"""Names a lost link may have meant, and why, in words."""

import pytest

from graph.vault import why


@pytest.fixture
def near(look):
    """Return the near names of one link as (name to write, reason in English)."""

    def near(link: str, *files: str, **more: str) -> list[tuple[str, str]]:
        vault = {"src/n.md": f"[[{link}]]", **dict.fromkeys(files, ""), **more}
        return [(n.target, why(n, "en")) for f in look(vault).findings for n in f.nearby]

    return near


@pytest.mark.parametrize(
    ("link", "file", "words"),
    [
        ("Projct plan", "work/Project plan.md", "one letter missing, in work/"),
        ("Onboardding list", "people/Onboarding list.md", "one letter too many, in people/"),
        ("Projekt plan", "Project plan.md", "one letter different"),
        ("Porject plan", "Project plan.md", "two letters swapped"),
        ("Weekly  review", "Weekly review.md", "two spaces instead of one"),
        ("Weeklyreview", "Weekly review.md", "a space missing"),
        ("Week ly review", "Weekly review.md", "a space too many"),
        ("Budget-2026", "money/Budget 2026.md", "hyphen for a space, in money/"),
        ("Budget_2026", "Budget 2026.md", "underscore for a space"),
        ("Budget 2026", "Budget-2026.md", "space for a hyphen"),
        ("a.b-c", "a_b c.md", "other separator"),
        ("ＡＰＩ設計", "API設計.md", "full-width for half-width"),
        ("ｶﾀｶﾅ", "カタカナ.md", "full-width for half-width"),
        ("会議メも", "work/会議メモ.md", "hiragana for katakana, in work/"),
        ("strasse", "Straße.md", "other capitals"),
        ("20240102", "Daily/2024-01-02.md", "same day, written another way, in Daily/"),
        ("2024年1月2日", "2024-01-02.md", "same day, written another way"),
        ("old/place/Note", "new/Note.md", "same name, in new/"),
        ("old/Note", "Note.md", "same name, at the top of the vault"),
        ("会議メモ", "work/会議のメモ.md", "one letter missing, in work/"),
        ("Project planning", "Project plan.md", "85 % alike"),
        ("picture.pgn", "img/picture.png", "two letters swapped, in img/"),
    ],
)
def test_a_near_name_says_why_it_is_near(near, link, file, words):
    assert near(link, file)[0] == (file.rpartition("/")[2].removesuffix(".md"), words)


def test_reasons_are_said_in_japanese(look):
    files = {
        "n.md": "[[会議メも]] [[予算2026]] [[Projct plan]]",
        "w/会議メモ.md": "",
        "予算 2026.md": "",
        "Project plan.md": "",
    }
    assert [why(f.nearby[0], "ja") for f in look(files).findings] == [
        "かなの違いだけ、w/ にあり",
        "空白が抜けている",
        "1文字抜けている",
    ]


def test_other_numbers_stand_last_and_say_so(near):
    found = near("議事録2024", "議事録2025.md", "議事緑2024.md")
    assert found == [("議事緑2024", "one letter different"), ("議事録2025", "other number, 86 % alike")]


def test_short_names_may_differ_in_one_letter_only(near):
    assert near("note", "notes.md", "nite.md", "nte.md") == [
        ("notes", "one letter missing"),
        ("nte", "one letter too many"),
        ("nite", "one letter different"),
    ]
    assert near("API", "APP.md", "APIs.md", "APIsx.md") == [("APIs", "one letter missing")]


def test_what_is_not_similar_is_not_offered(near):
    assert near("Retro November", "Vendor comparison.md", "Travel policy.md") == []


def test_a_long_name_that_holds_a_short_one_is_not_offered(near):
    assert near("plan", "Project plan for the next year.md") == []


def test_at_most_five_are_offered_best_first(near):
    found = near("chapters", *(f"chapter{c}.md" for c in "abcdefgh"), "x/Chap ters.md", "y/Chapters .md")
    assert len(found) == 5
    assert found[0][0] == "Chap ters"


def test_an_ambiguous_name_is_written_with_its_folder(near):
    assert near("Projct plan", "a/Project plan.md", "b/Project plan.md") == [
        ("a/Project plan", "one letter missing, in a/"),
        ("b/Project plan", "one letter missing, in b/"),
    ]


def test_a_name_that_no_link_can_reach_is_not_offered(near):
    assert near("C# note", "C# notes.md") == []


def test_an_alias_names_its_note(near):
    notes = {
        "people/Robert Smith.md": '---\naliases: [Bob, "Bobby S"]\n---\n',
        "b.md": "---\nalias: Zed\n---\n",
    }
    assert near("bob", **notes) == [("Robert Smith", "an alias of it, in people/")]
    assert near("Zed", **notes) == [("b", "an alias of it")]


def test_an_alias_may_be_the_last_property(near):
    assert near("Zed", **{"b.md": "---\naliases:\n- Zed\n---\n- a list\n"}) == [("b", "an alias of it")]


def test_headings_are_offered_by_each_note_that_has_them(near):
    notes = {"a.md": "# Tasks ##\n", "b.md": "x\n## Tasks\n", "c.md": "```\n# Tasks\n```\n"}
    assert near("tasks", **notes) == [
        ("a#Tasks", "a heading in it"),
        ("b#Tasks", "a heading in it"),
    ]


def test_a_heading_names_its_place(near):
    notes = {"work/Plan.md": "# Plan\n\n## Open questions?\n"}
    assert near("Open  questions", **notes) == [("Plan#Open questions?", "a heading in it, in work/")]


def test_how_often_a_target_is_linked_is_counted(look):
    found = look({"a.md": "[[New office]] [[new office|x]]", "b.md": "[[New office#h]] [[Other]]"}).findings
    assert [(f.target, f.linked) for f in found] == [
        ("New office", 3),
        ("new office", 3),
        ("New office", 3),
        ("Other", 1),
    ]


def test_every_reason_has_words_in_both_languages():
    from typing import get_args

    from graph.vault.finding import Detail, Reason
    from graph.vault.texts import EN, JA

    for texts in (EN, JA):
        assert set(texts.reasons) == set(get_args(Reason))
        assert set(texts.details) == set(get_args(Detail)) - {""}
