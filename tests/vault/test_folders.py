"""Which folder a person means, and which vault a folder belongs to."""

from pathlib import Path
from unicodedata import normalize

import pytest

from graph.errors import UnknownFolder
from graph.vault import (
    find_vault,
    fingerprint,
    folder_inside,
    folder_on_disk,
    near_folders,
    resolve_folder,
    scan,
)

FILES = {
    "daily/a.md": "[[x]]",
    "daily/old/b.md": "[[y]]",
    "work/daily/c.md": "",
    ".obsidian/app.json": "{}",
    "n.md": "",
}


@pytest.mark.parametrize(
    ("typed", "folder"),
    [
        ("daily", "daily"),
        ("daily/", "daily"),
        ("./daily", "daily"),
        ("daily/old", "daily/old"),
        ("daily/../work", "work"),
        ("Daily", "daily"),
        (".", "."),
        ("./", "."),
    ],
)
def test_a_folder_is_named_from_the_vault(write_vault, typed, folder):
    assert resolve_folder(write_vault(FILES), typed) == folder


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "dail",
        "daily ",
        "n.md",
        "..",
        "../vault",
        "daily/../..",
        ".obsidian",
        "daily/.hidden",
        "/etc",
        "a\0b",
        "x" * 5000,
        "~",
    ],
)
def test_anything_else_is_unknown(write_vault, tmp_path, typed):
    vault = write_vault({**FILES, "daily/.hidden/x.md": ""})
    with pytest.raises(UnknownFolder) as error:
        resolve_folder(vault, typed)
    assert error.value.folder == typed
    assert not any(part.startswith(".") for near in error.value.near for part in near.split("/"))


def test_spaces_belong_to_the_name(write_vault):
    vault = write_vault({" two  words /n.md": "[[x]]"})
    assert resolve_folder(vault, " two  words ") == " two  words "
    with pytest.raises(UnknownFolder):
        resolve_folder(vault, "two words")


def test_words_of_commands_are_folders_behind_a_dot(write_vault):
    assert resolve_folder(write_vault({"status/n.md": ""}), "./status") == "status"


def test_an_absolute_path_counts_by_where_it_really_lies(write_vault, tmp_path):
    vault = write_vault(FILES)
    (tmp_path / "way").symlink_to(vault / "daily")
    assert resolve_folder(vault, str(vault / "daily")) == "daily"
    assert resolve_folder(vault, str(tmp_path / "way")) == "daily"
    assert resolve_folder(vault, str(vault)) == "."


def test_a_link_out_of_the_vault_or_into_a_hidden_folder_is_unknown(write_vault, tmp_path):
    vault = write_vault(FILES)
    (tmp_path / "far").mkdir()
    (vault / "out").symlink_to(tmp_path / "far")
    (vault / "settings").symlink_to(vault / ".obsidian")
    (vault / "same").symlink_to(vault / "daily")
    for typed in ("out", "settings"):
        with pytest.raises(UnknownFolder):
            resolve_folder(vault, typed)
    assert resolve_folder(vault, "same") == "daily"


def test_a_folder_that_became_a_link_since_it_was_resolved_is_not_there(write_vault, tmp_path):
    vault = write_vault({**FILES, "work/deep/n.md": ""})
    (tmp_path / "alias").symlink_to(vault)
    assert folder_inside(vault, "work/deep") == vault / "work" / "deep"
    assert folder_inside(tmp_path / "alias", "work/deep") == tmp_path / "alias" / "work" / "deep"
    assert folder_inside(vault, ".") == vault
    assert folder_inside(vault, "work/gone") is None
    (vault / "work").rename(tmp_path / "far")
    for elsewhere in (tmp_path / "far", vault / ".obsidian", vault / "daily"):
        (elsewhere / "deep").mkdir(exist_ok=True)
        (vault / "work").symlink_to(elsewhere)
        assert folder_inside(vault, "work/deep") is None
        assert folder_inside(vault, "work") is None
        (vault / "work").unlink()


@pytest.mark.parametrize("disk", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_composed_and_decomposed_folders_are_the_same(write_vault, disk, typed):
    vault = write_vault({normalize(disk, "ガイド/n.md"): "[[x]]"})
    folder = resolve_folder(vault, normalize(typed, "ガイド"))
    assert folder == normalize("NFC", "ガイド")
    assert [f.file for f in scan(vault, folder).findings] == ["ガイド/n.md"]
    assert folder_on_disk(vault, folder) == vault / normalize(disk, "ガイド")


def test_near_folders_are_offered_best_first(write_vault):
    vault = write_vault({**FILES, "diary/n.md": "", "zzz/n.md": "", "会議/n.md": ""})
    assert near_folders(vault, "dialy") == ["daily", "diary", "work/daily"]
    assert near_folders(vault, "work-daily") == ["work/daily", "daily", "work"]
    assert near_folders(vault, "かいぎ") == []
    assert near_folders(vault, "daily", limit=1) == ["daily"]


def test_subfolders_are_included_and_neighbours_are_not(write_vault):
    vault = write_vault({"daily/a.md": "[[x]]", "daily/old/b.md": "[[y]]", "daily 2/c.md": "[[z]]"})
    result = scan(vault, "daily")
    assert [f.target for f in result.findings] == ["x", "y"]
    assert (result.notes, result.looked_up, result.folder) == (2, 2, "daily")


def test_names_of_the_whole_vault_count_for_a_folder(write_vault):
    assert scan(write_vault({"daily/a.md": "[[n]]", "work/n.md": ""}), "daily").findings == ()


def test_a_folder_left_out_is_no_source_and_stays_a_target(write_vault):
    vault = write_vault({"a.md": "[[r]]", "records/r.md": "[[x]]", "records 2/s.md": "[[y]]"})
    result = scan(vault, ".", without=["records"])
    assert ([f.target for f in result.findings], result.notes) == (["y"], 2)


def test_the_vault_is_the_nearest_folder_that_obsidian_opened(tmp_path):
    (tmp_path / "v" / ".obsidian").mkdir(parents=True)
    (tmp_path / "v" / "a" / "b").mkdir(parents=True)
    assert find_vault(tmp_path / "v" / "a" / "b") == tmp_path / "v"
    assert find_vault(tmp_path / "v") == tmp_path / "v"
    assert find_vault(tmp_path) == tmp_path


def test_a_fingerprint_changes_with_its_line_only(write_vault):
    vault = write_vault({"n.md": "one\n[[x]] here\nthree\n", "b.canvas": '{"nodes": [{"text": "[[x]]"}]}'})
    before, card = fingerprint(vault, "n.md", 2, "[[x]]"), fingerprint(vault, "b.canvas", 0, "[[x]]")
    assert before
    assert card
    Path(vault / "n.md").write_bytes(b"ONE\n[[x]] here\r\nTHREE")
    assert fingerprint(vault, "n.md", 2, "[[x]]") == before
    Path(vault / "n.md").write_text("one\n[[x]] there\n")
    assert fingerprint(vault, "n.md", 2, "[[x]]") not in {before, None}
    assert fingerprint(vault, "n.md", 9, "[[x]]") is None
    assert fingerprint(vault, "gone.md", 1, "[[x]]") is None
    assert fingerprint(vault, "b.canvas", 0, "[[y]]") is None
