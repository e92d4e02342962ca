"""Which file a link names. Each test cites the rule of `docs/links.md` it holds."""

from unicodedata import normalize

import pytest

from graph.vault.names import Names


@pytest.mark.parametrize("link", ["[[log]]", "[[LOG]]", "[[Log.MD]]", "[x](lOG.md)", "[[dir/LOG]]"])
def test_names_are_compared_without_case(missing, link):
    """Rule 30."""
    assert missing({"n.md": link, "Dir/Log.md": ""}) == []


def test_case_is_lowered_not_folded(missing):
    """Rule 30: `ß` and `ss` are different names."""
    assert missing({"n.md": "[[strasse]] [[STRAßE]]", "straße.md": ""}) == [("n.md", 1, "strasse")]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("disk", ["NFC", "NFD"])
def test_composed_and_decomposed_names_are_the_same(look, form, disk):
    """Rule 31."""
    name = "ガイド é"
    files = {normalize(disk, f"{name}.md"): f"[[{normalize(form, name)}]] [[{normalize(form, name + ' x')}]]"}
    found = look(files).findings
    assert [(f.file, f.target) for f in found] == [
        (normalize("NFC", f"{name}.md"), normalize("NFC", name + " x"))
    ]


def test_a_no_break_space_is_a_space(missing):
    """Rule 31."""
    assert (
        missing({"n.md": "[[a\u00a0b]] [[c d]] [[e\u202ff]]", "a b.md": "", "c\u00a0d.md": "", "e f.md": ""})
        == []
    )


def test_only_md_is_added_and_before_the_name_as_written(missing):
    """Rule 32."""
    files = {
        "n.md": "[[board]] [[photo.png]] [[view]]",
        "board.canvas": "{}",
        "photo.png.canvas": "{}",
        "view.base": "",
    }
    assert missing(files) == [("n.md", 1, "board"), ("n.md", 1, "photo.png"), ("n.md", 1, "view")]
    assert Names({"": ["x.png.md", "x.png"]}).find("x.png") == "x.png.md"


def test_a_dot_is_part_of_the_name(missing):
    """Rule 33."""
    assert missing({"n.md": "[[note.v1]] [[note.v2]]", "note.v1.md": "", "note.v2": ""}) == []


def test_a_bare_name_finds_the_file_anywhere(missing):
    """Rule 34."""
    assert missing({"a/n.md": "[[x]] ![[i.png]]", "b/c/x.md": "", "d/i.png": ""}) == []


def test_a_path_finds_the_end_of_a_path_at_a_slash(missing):
    """Rule 35."""
    assert missing({"n.md": "[[b/Note]] [[/b/Note]] [[ab/Note]]", "a/b/Note.md": "", "xab/Note.md": ""}) == [
        ("n.md", 1, "/b/Note"),
        ("n.md", 1, "ab/Note"),
    ]


@pytest.mark.parametrize(
    ("target", "folder", "path"),
    [
        ("Note", "zzzz", "Note.md"),  # the exact path of the vault
        ("Other", "zzzz", "zzzz/Other.md"),  # the note's own folder
        ("Other", "zzzz/deep", "b/a/Other.md"),  # not the folders above it; then the shortest path
        ("Other", "", "b/a/Other.md"),
        ("a/Other", "zzzz", "b/a/Other.md"),
    ],
)
def test_of_several_files_the_nearest_is_meant(target, folder, path):
    """Rule 36."""
    names = Names({"zzzz": ["Note.md", "Other.md"], "": ["Note.md"], "b/a": ["Other.md"]})
    assert names.find(target, folder) == path


@pytest.mark.parametrize("shape", ["[[{}]]", "[x]({})"])
def test_dots_are_relative_and_exact(missing, shape):
    """Rule 37."""
    links = " ".join(
        shape.format(t) for t in ["./here", "../up", "./up", "../../out", "../d/here", "./e/below"]
    )
    found = missing({"d/n.md": links, "d/here.md": "", "up.md": "", "d/e/below.md": "", "x/e/below.md": ""})
    assert [target for _, _, target in found] == ["./up", "../../out"]


def test_the_same_dots_mean_another_file_in_another_folder(missing):
    """Rule 37: what was found from one folder is not taken as known in another."""
    assert missing({"a/n.md": "[[./x]]", "a/x.md": "", "b/n.md": "[[./x]] [y](.%2Fx.md)"}) == [
        ("b/n.md", 1, "./x"),
        ("b/n.md", 1, "./x.md"),
    ]


def test_a_slash_is_the_root(missing):
    """Rule 38."""
    assert missing({"d/n.md": "[[/x]] [[/d/y]] [[/y]]", "x.md": "", "d/y.md": ""}) == [("d/n.md", 1, "/y")]


def test_a_path_that_matches_nothing_does_not_fall_back_to_its_name(missing):
    """Rule 39."""
    assert missing({"n.md": "[[old/x]]", "new/x.md": ""}) == [("n.md", 1, "old/x")]


def test_markdown_links_are_decoded_and_found_anywhere(missing):
    """Rule 40."""
    text = "[a](My%20Note.md) [b](Sub/My%20Note) [c](%E3%83%A1%E3%83%A2.md) [d](Gone%20Note.md#x)"
    assert missing({"n.md": text, "Sub/My Note.md": "", "Sub/メモ.md": ""}) == [("n.md", 1, "Gone Note.md")]


def test_wikilinks_are_not_decoded(missing):
    """Rule 41."""
    assert missing({"n.md": "[[a%20b]] [[c%20d]]", "a b.md": "", "c%20d.md": ""}) == [("n.md", 1, "a%20b")]


def test_a_hash_in_a_name_is_out_of_reach(missing):
    """Rule 42."""
    assert missing({"n.md": "[[C# notes]] [x](C%23%20notes.md)", "C# notes.md": ""}) == [
        ("n.md", 1, "C"),
        ("n.md", 1, "C"),
    ]


def test_an_alias_does_not_resolve(missing):
    """Rule 43."""
    assert missing({"n.md": "[[Nick]] [[Name|Nick]]", "Name.md": "---\naliases: [Nick]\n---\n"}) == [
        ("n.md", 1, "Nick")
    ]


def test_a_folder_is_no_target(missing):
    """Rule 44."""
    assert missing({"n.md": "[[d]] [x](d/) [[d/README]]", "d/README.md": ""}) == [
        ("n.md", 1, "d"),
        ("n.md", 1, "d/"),
    ]


def test_what_begins_with_a_dot_is_not_in_the_vault(missing):
    """Rule 45."""
    files = {
        "n.md": "[[t]] [[h]] [x](.trash/t.md)",
        ".trash/t.md": "[[a]]",
        "d/.h.md": "[[b]]",
        ".obsidian/x.md": "[[c]]",
    }
    assert [target for _, _, target in missing(files)] == ["t", "h", ".trash/t.md"]


def test_excluded_notes_are_targets_and_no_sources(look):
    """Rule 46."""
    app = '{"userIgnoreFilters": ["Archive/", "/^x.*old/", "/(/"]}'
    files = {
        ".obsidian/app.json": app,
        "n.md": "[[a]]",
        "Archive/a.md": "[[x]]",
        "xy-old.md": "[[y]]",
        "d/o.md": "[[z]]",
    }
    whole = look(files)
    assert ([f.target for f in whole.findings], whole.excluded, whole.notes) == (["z"], 2, 2)
    assert [f.target for f in look(files, "Archive").findings] == ["x"]


def test_a_template_folder_is_a_folder(missing):
    """Rule 47."""
    files = {".obsidian/templates.json": '{"folder": "T"}', "n.md": "[[t]]", "T/t.md": "[[x]]"}
    assert missing(files) == [("T/t.md", 1, "x")]


def test_linked_folders_are_followed_unless_they_lead_back(look, write_vault, tmp_path):
    """Rule 48."""
    vault = write_vault({"n.md": "[[far]] [[near]]", "d/near.md": ""})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "far.md").write_text("[[x]]")
    (vault / "out").symlink_to(tmp_path / "elsewhere")
    (vault / "back").symlink_to(vault / "d")
    (vault / "d" / "up").symlink_to(tmp_path)
    (tmp_path / "elsewhere" / "round").symlink_to(tmp_path / "elsewhere")
    scan = look({})
    assert [(f.file, f.target) for f in scan.findings] == [("out/far.md", "x")]
    assert scan.notes == 3


def test_brackets_and_carets_may_stand_in_a_name(missing):
    """Rule 49."""
    assert missing({"n.md": "[[a^b]] [x](<c[d].md>)", "a^b.md": "", "c[d].md": ""}) == []


@pytest.mark.parametrize("name", ["ＡＰＩ", "ﾒﾓ", "めも", "a  b", "❤️"])
def test_width_kana_spaces_and_variants_are_different_names(missing, name):
    """Rule 31: NFC, not NFKC."""
    assert len(missing({"n.md": f"[[{name}]]", "API.md": "", "メモ.md": "", "a b.md": "", "❤.md": ""})) == 1


def test_spaces_around_a_target_do_not_count(missing):
    assert missing({"n.md": "[[ n ]] [[n |x]] [[ n#h ]]"}) == []
