"""`ringi links`: a list of what leads nowhere, for eyes, editors and scripts."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import unicodedata

import pytest


def test_it_lists_links_by_note_with_near_names_and_leaves_with_1(ringi):
    said = ringi("links", "daily")
    assert said.code == 1
    assert said.out.splitlines() == [
        "daily/2026-11-03.md",
        "  1  [[Projct plan]]  -> Project plan, one letter missing, in work/",
        "",
        "daily/2026-11-05.md",
        "  1  [[会議メも]]  -> 会議メモ, hiragana for katakana, in work/",
        "  2  [[Move to new office]]  (linked 2 times)",
        "",
        "daily/2026-11-09.md",
        "  1  [[Move to new office]]  (linked 2 times)",
        "",
        "daily: 3 links lead nowhere, in 4 places",
        "3 notes read, 4 links looked up",
    ]
    assert said.err == ""


def test_what_is_to_be_known_of_a_link_stands_beside_it(ringi, vault):
    note = '---\nup: "[[Gone]]"\n---\n%% [[Sketch]] %% [[<% tp.date.now() %>]] [[https://a.b]]\n'
    (vault / "quiet" / "Kinds.md").write_text(note, encoding="utf-8")
    (vault / "quiet" / "Board.canvas").write_text('{"nodes": [{"file": "no.png"}]}', encoding="utf-8")
    lines = ringi("links", "quiet").out.splitlines()
    assert lines[:8] == [
        "quiet/Board.canvas",
        "     no.png  (on a canvas)",
        "",
        "quiet/Kinds.md",
        "  2  [[Gone]]  (in a property)",
        "  4  [[Sketch]]  (in a comment)",
        "  4  [[<% tp.date.now() %>]]  (a placeholder)",
        "  4  [[https://a.b]]  (an address)",
    ]


def test_up_to_three_near_names_are_shown(ringi, vault):
    for letter in "abcd":
        (vault / "quiet" / f"chapter{letter}.md").write_text("", encoding="utf-8")
    (vault / "quiet" / "Index.md").write_text("[[chapters]]\n", encoding="utf-8")
    assert ringi("links", "quiet").out.splitlines()[1:4] == [
        "  1  [[chapters]]  -> chaptera, one letter different, in quiet/",
        "     or chapterb, one letter different, in quiet/",
        "     or chapterc, one letter different, in quiet/",
    ]


def test_by_link_it_lists_the_places_of_each(ringi):
    said = ringi("links", "daily", "--group")
    assert said.out.splitlines()[-6:-2] == [
        "[[Move to new office]]  (2 places)",
        "    daily/2026-11-05.md:2",
        "    daily/2026-11-09.md:1",
        "",
    ]


def test_by_link_json_has_places_instead_of_file_and_line(ringi):
    findings = ringi("links", "daily", "--group", "--format", "json").json["findings"]
    assert [f["target"] for f in findings] == ["Projct plan", "会議メも", "Move to new office"]
    assert findings[2]["places"] == [
        {"file": "daily/2026-11-05.md", "line": 2},
        {"file": "daily/2026-11-09.md", "line": 1},
    ]
    assert "file" not in findings[2]


def test_as_markdown_it_is_a_page_to_paste(ringi):
    assert ringi("links", "daily", "--format", "markdown").out.splitlines()[:8] == [
        "# `daily`: 3 links lead nowhere, in 4 places",
        "",
        "## `daily/2026-11-03.md`",
        "",
        "- line 1: `[[Projct plan]]` → `Project plan`, `one letter missing, in work/`",
        "",
        "## `daily/2026-11-05.md`",
        "",
    ]
    grouped = ringi("links", "daily", "--format", "markdown", "--group").out.splitlines()
    assert grouped[4:7] == [
        "- `[[会議メも]]` → `会議メモ`, `hiragana for katakana, in work/`",
        "  - `daily/2026-11-05.md:1`",
        "- `[[Move to new office]]`  (2 places)",
    ]


def test_as_markdown_foreign_text_stays_in_its_code_span(ringi, vault):
    (vault / "quiet" / "Odd `x`.md").write_text("[[a ``b`` <img src=x>]]\n", encoding="utf-8")
    page = ringi("links", "quiet", "--format", "markdown").out
    assert "## ``quiet/Odd `x`.md``" in page
    assert "``` [[a ``b`` <img src=x>]] ```" not in page  # no backtick at its ends, so no blanks
    assert "```[[a ``b`` <img src=x>]]```" in page


def test_annotations_of_a_ci_log_are_relative_to_where_it_runs(ringi, vault, monkeypatch):
    monkeypatch.chdir(vault.parent)
    said = ringi("links", str(vault / "daily"), "--format", "github", RINGI_VAULT="")
    assert said.out.splitlines()[0] == (
        "::error file=vault/daily/2026-11-03.md,line=1,title=Link leads nowhere::"
        "[[Projct plan]] -> Project plan, one letter missing, in work/"
    )
    assert said.out.splitlines()[-1] == (
        "daily: 3 links lead nowhere, in 4 places. 3 notes read, 4 links looked up."
    )


def test_annotations_cannot_be_ended_or_begun_by_a_note(ringi, vault):
    folder = vault / "::error::x, y"
    folder.mkdir()
    (folder / "50% a:b,c.md").write_text("[[100%::stop-commands::t\u2028x]]\n", encoding="utf-8")
    said = ringi("links", "::error::x, y", "--format", "github", "--fail-on", "none")
    assert said.code == 0
    assert said.out.splitlines() == [
        "::warning file=%3A%3Aerror%3A%3Ax%2C y/50%25 a%3Ab%2Cc.md,line=1,title=Link leads nowhere::[[100%25::stop-commands::t x]]",
        " ::error::x, y: 1 link leads nowhere. 1 note read, 1 link looked up.",
    ]


def test_headings_and_blocks_are_looked_at_when_asked_for(ringi, vault):
    (vault / "quiet" / "Deep.md").write_text(
        "# Deep\n\n[[Fine#Nothing]] [[#Depp]] [[Fine^b]] [[Fine#^b]]\n", encoding="utf-8"
    )
    assert ringi("links", "quiet").out.count("Deep.md") == 1  # `Fine^b` is a name like any other
    said = ringi("links", "quiet", "--anchors")
    assert said.out.splitlines()[:5] == [
        "quiet/Deep.md",
        "  3  [[Fine#Nothing]]  (no such heading)",
        "  3  [[#Depp]]  (no such heading)  -> #Deep, one letter different, in quiet/",
        "  3  [[Fine^b]]  -> Fine, 80 % alike, in quiet/",
        "  3  [[Fine#^b]]  (no such block)",
    ]
    kinds = [
        f["kind"] for f in ringi("links", "quiet", "--format", "json", RINGI_ANCHORS="yes").json["findings"]
    ]
    assert kinds == ["missing-heading", "missing-heading", "missing", "missing-block"]
    assert "no such" not in ringi("links", "quiet", "--no-anchors", RINGI_ANCHORS="yes").out


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        ("missing", 0),
        ("none", 0),
        ("missing-heading", 1),
        ("missing-block", 0),
        ("missing, missing-heading", 1),
    ],
)
def test_only_the_kinds_to_fail_on_make_it_leave_with_1(ringi, vault, fail_on, code):
    (vault / "quiet" / "Deep.md").write_text("[[Fine#Nothing]]\n", encoding="utf-8")
    said = ringi("links", "quiet", "--anchors", "--fail-on", fail_on)
    assert (said.code, said.out.count("no such heading")) == (code, 1)


@pytest.mark.parametrize(
    ("fail_on", "words"),
    [
        ("typos", "--fail-on takes missing, missing-block, missing-heading (several with commas) or none"),
        ("", "--fail-on takes missing"),
        ("missing,none", "--fail-on takes missing"),
        ("missing-block", "which only --anchors (or RINGI_ANCHORS=yes) looks for"),
    ],
)
def test_kinds_that_make_no_sense_are_a_usage_error(ringi, fail_on, words):
    said = ringi("links", "quiet", "--fail-on", fail_on)
    assert said.code == 2
    assert words in said.err


def test_on_a_terminal_it_is_coloured_and_shows_how_far_it_is(variables, elsewhere):
    """Through a pseudo-terminal, as a person has it."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "links", "daily"],
        env={**variables, "TERM": "xterm"},
        cwd=elsewhere,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    ) as process:
        os.close(slave)
        said = b""
        with contextlib.suppress(OSError):  # Linux ends a pseudo-terminal with an error
            while part := os.read(master, 65536):
                said += part
        process.wait(60)
    os.close(master)
    text = said.decode()
    assert "3/3 notes, 4 places with a link that leads nowhere" in text
    assert "\x1b[1mdaily/2026-11-03.md\x1b[0m" in text
    assert "\x1b[31m[[Projct plan]]\x1b[0m  -> \x1b[32mProject plan\x1b[0m, one letter missing" in text


def test_notes_that_obsidian_excludes_are_counted(ringi, vault):
    (vault / ".obsidian" / "app.json").write_text(
        '{"userIgnoreFilters": ["daily/2026-11-0"]}', encoding="utf-8"
    )
    said = ringi("links", ".")
    assert said.out.splitlines()[-1].endswith("3 notes left out, as Obsidian's setting “Excluded files” says")
    assert ringi("links", ".", "--format", "json").json["excluded"] == 3


def test_a_folder_without_broken_links_leaves_with_0(ringi):
    said = ringi("links", "quiet")
    assert said.code == 0
    assert said.out.splitlines() == ["quiet: every link leads somewhere", "1 note read, 1 link looked up"]


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


def test_both_settings_that_it_reads_are_named_when_both_are_wrong(ringi):
    said = ringi("links", "daily", RINGI_VAULT="/no/such/place", RINGI_ANCHORS="perhaps")
    assert said.code == 2
    assert "RINGI_VAULT is no folder" in said.err
    assert "RINGI_ANCHORS takes yes or no" in said.err


def test_an_unreadable_note_is_named_and_the_rest_is_read(ringi, vault):
    (vault / "quiet" / "Loop.md").symlink_to(vault / "quiet" / "Loop.md")
    said = ringi("links", "quiet")
    assert said.out.splitlines() == [
        "Not read: quiet/Loop.md (too many levels of symbolic links)",
        "quiet: every link leads somewhere",
        "1 note read, 1 link looked up, 1 could not be read",
    ]
    assert ringi("links", "quiet", "--format", "json").json["not_read"] == [
        {"path": "quiet/Loop.md", "why": "too many levels of symbolic links"}
    ]


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
    assert said.out.splitlines()[4] == "  1  [[会議メも]]  -> 会議メモ、かなの違いだけ、work/ にあり"
    assert said.out.splitlines()[-2:] == [
        "daily のリンク切れ 3件（4か所）",
        "ノート 3件を確認、リンク 4件を照合",
    ]


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
