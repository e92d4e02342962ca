"""Headings and blocks, when they are asked for. Each test cites the rule of `docs/links.md` it holds."""

from unicodedata import normalize

import pytest

NOTE = (
    "# One\n\n## Two: part [[x|y]]\n\n### Deep\n\n# Other\n\nSet\nText\n---\n\ntext ^Id-1\n\n- item\n\n^id2\n"
)


@pytest.fixture
def lacking(look):
    """Return the subpaths of a link's note that do not exist."""

    def lacking(*subpaths: str) -> list[tuple[str | None, str]]:
        files = {"n.md": " ".join(f"[[t#{s}]]" for s in subpaths), "t.md": NOTE, "y.md": "", "x.md": ""}
        return [(f.subpath, f.kind) for f in look(files, anchors=True).findings if f.file == "n.md"]

    return lacking


def test_an_empty_target_is_the_same_note(look):
    """Rule 60."""
    assert [
        f.subpath for f in look({"n.md": "# H\n[[#H]] [[#G]] [x](#h) [x](#g)\n"}, anchors=True).findings
    ] == ["G", "g"]


def test_a_missing_heading_is_found_only_when_asked_for(look):
    """Rule 61."""
    files = {"n.md": "[[t#gone]]", "t.md": ""}
    assert look(files).findings == ()
    assert [(f.kind, f.target, f.subpath) for f in look(files, anchors=True).findings] == [
        ("missing-heading", "t", "gone")
    ]


def test_special_characters_spaces_and_case_do_not_matter(lacking):
    """Rule 62."""
    assert lacking("one", "two part x y", "Two:  part [x", "Set Text") == [
        ("Two:  part [x", "missing-heading")
    ]


def test_dashes_underscores_and_apostrophes_matter(look):
    """Rule 63."""
    files = {"n.md": "[[t#a-b]] [[t#a b]] [[t#c_d]] [[t#it's]] [[t#its]]", "t.md": "# a-b\n# c_d\n# it's\n"}
    assert [f.subpath for f in look(files, anchors=True).findings] == ["a b", "its"]


def test_a_chain_names_headings_below_each_other(lacking):
    """Rule 64."""
    assert lacking("One#Deep", "One#Two part x y#Deep", "Other#Deep", "Deep#One") == [
        ("Other#Deep", "missing-heading"),
        ("Deep#One", "missing-heading"),
    ]


def test_blocks_are_compared_without_case(lacking):
    """Rule 65."""
    assert lacking("^id-1", "^ID2", "^id3") == [("^id3", "missing-block")]


def test_headings_are_compared_after_nfc(look):
    """Rule 66."""
    files = {"n.md": f"[[t#{normalize('NFD', 'ガイド')}]]", "t.md": "# ガイド\n"}
    assert look(files, anchors=True).findings == ()
