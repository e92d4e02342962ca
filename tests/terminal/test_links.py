"""`ringi links`: a list of what leads nowhere, for eyes, editors and scripts."""

from __future__ import annotations

import os
import unicodedata


def test_it_lists_each_place_with_near_names_and_leaves_with_1(ringi):
    said = ringi("links", "daily")
    assert said.code == 1
    assert said.out.splitlines() == [
        "daily: 4 links lead nowhere",
        "3 notes, 4 links read.",
        "",
        "daily/2026-11-03.md:1: [[Projct plan]]",
        "    -> Project plan, one letter missing, in work/",
        "",
        "daily/2026-11-05.md:1: [[会議メも]]",
        "    -> 会議メモ, hiragana for katakana, in work/",
        "",
        "daily/2026-11-05.md:2: [[Move to new office]]  (linked 2 times)",
        "",
        "daily/2026-11-09.md:1: [[Move to new office]]  (linked 2 times)",
    ]
    assert said.err == ""


def test_a_folder_without_broken_links_leaves_with_0(ringi):
    said = ringi("links", "quiet")
    assert said.code == 0
    assert said.out.splitlines()[0] == "quiet: every link leads somewhere"


def test_its_json_has_exactly_the_promised_keys(ringi, vault):
    said = ringi("links", "daily", "--format", "json")
    answer = said.json
    assert said.code == 1
    assert answer["vault"] == str(vault)
    assert (answer["folder"], answer["notes"], answer["links"]) == ("daily", 3, 4)
    assert answer["findings"][0] == {
        "file": "daily/2026-11-03.md",
        "line": 1,
        "target": "Projct plan",
        "subpath": None,
        "kind": "missing",
        "place": "body",
        "embed": False,
        "tags": [],
        "raw": "[[Projct plan]]",
        "nearby": [
            {
                "target": "Project plan",
                "path": "work/Project plan.md",
                "why": "one letter missing, in work/",
            }
        ],
    }


def test_target_is_decoded_and_subpath_is_what_follows_the_first_hash(ringi, vault):
    (vault / "quiet" / "Odd.md").write_text("[x](Missing%20page.md#A#B)\n", encoding="utf-8")
    finding = ringi("links", "quiet", "--format", "json").json["findings"][0]
    assert (finding["target"], finding["subpath"]) == ("Missing page.md", "A#B")


def test_paths_are_nfc_whatever_the_disk_says(ringi, vault):
    name = unicodedata.normalize("NFD", "ガラス.md")
    (vault / "quiet" / name).write_text("[[Nowhere at all]]\n", encoding="utf-8")
    finding = ringi("links", "quiet", "--format", "json").json["findings"][0]
    assert finding["file"] == "quiet/ガラス.md"


def test_without_a_vault_setting_the_folder_is_a_path_and_the_vault_is_around_it(ringi, vault):
    said = ringi("links", str(vault / "daily"), "--format", "json", RINGI_VAULT="")
    assert said.code == 1
    assert (said.json["vault"], said.json["folder"]) == (str(vault), "daily")


def test_without_a_vault_at_all_the_folder_is_the_vault(ringi, tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.md").write_text("[[b]] [[a]]\n", encoding="utf-8")
    answer = ringi("links", "../plain", "--format", "json", RINGI_VAULT="").json
    assert (answer["vault"], answer["folder"]) == (str(tmp_path / "plain"), ".")
    assert [f["target"] for f in answer["findings"]] == ["b"]


def test_a_folder_that_is_not_there_is_a_usage_error(ringi):
    assert ringi("links", "nowhere", RINGI_VAULT="").code == 2
    assert ringi("links", "dialy").err.splitlines()[1] == "  daily"


def test_a_vault_that_is_no_folder_names_the_setting(ringi):
    said = ringi("links", "daily", "--vault", "/no/such/place")
    assert said.code == 2
    assert said.err.startswith("RINGI_VAULT is no folder")


def test_an_unreadable_note_is_named_and_the_rest_is_read(ringi, vault):
    (vault / "quiet" / "Loop.md").symlink_to(vault / "quiet" / "Loop.md")
    said = ringi("links", "quiet")
    assert "every link leads somewhere" in said.out


def test_hostile_names_cannot_steer_the_terminal(ringi, vault):
    escape = "\x1b]0;owned\x07\x1b[2J\u202egnp.\u200b\x9b31m"
    (vault / "quiet" / "Hostile.md").write_text(f"[[evil{escape}name]]\n", encoding="utf-8")
    for arguments in (["links", "quiet"], ["links", "quiet", "--format", "json"], ["linkcheck", "quiet"]):
        said = ringi(*arguments)
        assert said.code in {0, 1}
        assert "evil" in said.out
        shown = said.out.replace("\n", "")
        assert not {c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs"}}


def test_json_survives_what_it_escapes(ringi, vault):
    (vault / "quiet" / "Hostile.md").write_text("[[a\u202eb\U000e0041c]]\n", encoding="utf-8")
    said = ringi("links", "quiet", "--format", "json")
    assert "\\u202e" in said.out
    assert said.json["findings"][0]["target"] == "a\u202eb\U000e0041c"


def test_it_speaks_japanese(ringi):
    said = ringi("links", "daily", "--lang", "ja")
    assert said.out.splitlines()[0] == "daily のリンク切れ 4件"
    assert "    -> 会議メモ、かなの違いだけ、work/ にあり" in said.out


def test_names_beyond_the_locales_letters_are_still_printed(process):
    said = process("links", "daily", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert said.code == 1
    assert "\\u4f1a" in said.out


def test_a_note_whose_name_is_no_utf8_does_not_end_it(ringi, vault):
    path = os.fsencode(vault / "quiet") + b"/\xff.md"
    with open(path, "wb") as file:  # noqa: PTH123 - pathlib cannot name it portably
        file.write(b"[[nowhere]]")
    said = ringi("links", "quiet")
    assert said.code in {0, 1}
    assert said.err == ""
