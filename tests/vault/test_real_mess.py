"""Vaults as they really are: broken bytes, odd names, unreadable and vanishing files. Nothing stops the scan."""

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path
from unicodedata import normalize

import pytest

from graph.vault import Finding, fingerprint, scan, scan_from_json, to_json
from graph.vault.names import shown


def test_broken_bytes_and_marks_and_nulls_keep_their_lines(look):
    files = {
        "a.md": b"\xff\xfe broken \x80\n[[x\xff]] [[y]]\n\n[[z]]\n",
        "b.md": b"\xef\xbb\xbf[[bom]]\n",
        "c.md": b"one\0two\n[[nul]] [[n\0l]]\n",
        "d.md": b"",
    }
    found = look(files).findings
    assert [(f.file, f.line, f.target) for f in found] == [
        ("a.md", 2, "x\ufffd"),
        ("a.md", 2, "y"),
        ("a.md", 4, "z"),
        ("b.md", 1, "bom"),
        ("c.md", 2, "nul"),
        ("c.md", 2, "n\0l"),
    ]


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"nodes": 3}', "null", '"x"', "\\x", '{"nodes": ' + "[" * 100_000],
    ids=lambda c: repr(c)[:24],
)
def test_a_broken_canvas_is_not_read_and_said_so(look, content):
    scan = look({"b.canvas": content, "n.md": "[[x]]"})
    assert [(n.path, n.why) for n in scan.not_read] == [("b.canvas", "no valid canvas")]
    assert [f.target for f in scan.findings] == ["x"]


@pytest.mark.parametrize(
    "content", ["", " \n", "\ufeff", "{}", '{"nodes": []}', '{"nodes": [3, {"type": "text"}, {}]}']
)
def test_an_empty_canvas_is_fine(look, content):
    scan = look({"b.canvas": content})
    assert (scan.findings, scan.not_read, scan.notes) == ((), (), 0)


def test_a_canvas_with_lone_surrogates_can_be_stored(look):
    (finding,) = look({"b.canvas": '{"nodes": [{"text": "[[x\\ud800]]"}]}'}).findings
    json.dumps(to_json(finding), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "properties",
    [
        "a: [",
        'a: "[[x]]"\n  b: 1\n c',
        'a: &a [*a, "[[y"]',
        "\t- [[x]]",
        "a: " + "[" * 5000 + '"[[x]]"',
        "%",
        "a: !!x '[[",
        '? [[x]]: "[[y]]": 1',
    ],
    ids=lambda c: repr(c)[:24],
)
def test_broken_properties_hold_no_links_and_hide_no_text(look, properties):
    found = look({"n.md": f"---\n{properties}\n---\n[[body]]\n"}).findings
    assert [f.target for f in found] == ["body"]


def test_an_anchor_in_properties_is_one_link(look):
    found = look({"n.md": '---\na: &x "[[p]]"\nb: *x\nc: &l [*x, "[[q]]"]\n---\n'}).findings
    assert [(f.line, f.target) for f in found] == [(2, "p"), (4, "q")]


def test_what_may_not_be_read_is_listed():
    with tempfile.TemporaryDirectory() as place:
        vault = Path(place)
        vault.chmod(0o755)
        (vault / "n.md").write_text("[[d/n]]")
        (vault / "secret.md").write_text("[[x]]")
        (vault / "d").mkdir()
        (vault / "secret.md").chmod(0)
        (vault / "d").chmod(0)
        with _nobody():
            result = scan(vault, ".")
    assert [(n.path, n.why) for n in result.not_read] == [
        ("d", "permission denied"),
        ("secret.md", "permission denied"),
    ]


@contextlib.contextmanager
def _nobody():
    """Give up root's right to read everything for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_files_that_vanish_are_listed(write_vault):
    vault = write_vault({f"{n}.md": "[[x]]" for n in range(40)})

    def vanish(read, _notes, _found):
        if read < 40:
            for note in vault.iterdir():
                note.unlink()

    seen = scan(vault, ".", report=vanish)
    assert {n.why for n in seen.not_read} == {"no such file or directory"}
    assert len(seen.findings) + len(seen.not_read) == 40
    assert seen.not_read


def test_a_fifo_and_a_device_are_no_notes(look, write_vault):
    vault = write_vault({"n.md": "[[pipe]]"})
    os.mkfifo(vault / "pipe.md")
    (vault / "null.md").symlink_to("/dev/null")
    assert [f.target for f in look({}).findings] == ["pipe"]


def test_links_that_go_round_or_nowhere_are_listed(look, write_vault):
    vault = write_vault({"n.md": "[[x]]"})
    (vault / "a").symlink_to("b")
    (vault / "b").symlink_to("a")
    (vault / "gone.md").symlink_to("nothing.md")
    scan = look({})
    assert [n.path for n in scan.not_read] == ["a", "b", "gone.md"]
    assert [f.target for f in scan.findings] == ["x"]


@pytest.mark.skipif(sys.platform == "darwin", reason="this disk takes UTF-8 names only")
def test_a_name_that_is_no_utf8_is_shown_with_its_bytes(look, write_vault):
    vault = write_vault({"n.md": "[[x]]"})
    Path(os.fsdecode(os.fsencode(vault) + b"/bad\xff.md")).write_text("[[y]]\n")
    bad, good = look({}).findings
    assert (bad.file, good.file) == ("bad\\xff.md", "n.md")
    assert fingerprint(vault, bad.file, bad.line, bad.raw) == bad.fingerprint


def test_names_with_line_breaks_and_overrides_survive(look, write_vault):
    vault = write_vault({"a\nb.md": "[[x]]", "r\u202egnp.md": "[[a\nb]] [[r\u202egnp]] [[y\u202e]]"})
    found = look({}).findings
    assert [(f.file, f.target) for f in found] == [("a\nb.md", "x"), ("r\u202egnp.md", "y\u202e")]
    assert [fingerprint(vault, f.file, f.line, f.raw) == f.fingerprint for f in found] == [True, True]


@pytest.mark.skipif(sys.platform == "darwin", reason="this disk does not tell capitals apart")
def test_two_names_that_differ_in_case_are_two_notes(look):
    scan = look({"A.md": "[[x]]", "a.md": "[[y]] [[A]] [[a]]"})
    assert [(f.file, f.target) for f in scan.findings] == [("A.md", "x"), ("a.md", "y")]


def test_a_decomposed_disk_is_spoken_of_in_composed_names(write_vault):
    folder, note = "ガイド", "ブログ"
    vault = write_vault({f"{normalize('NFD', folder)}/{normalize('NFD', note)}.md": "[[x]]\n"})
    (finding,) = scan(vault, folder).findings
    assert finding.file == f"{folder}/{note}.md"
    assert fingerprint(vault, finding.file, 1, "[[x]]") == finding.fingerprint


def test_deep_folders_and_long_lines_are_fine(look):
    deep = "/".join(["d"] * 60)
    (finding,) = look({f"{deep}/n.md": "word " * 100_000 + "[[" + "x" * 1000 + "]]\n"}).findings
    assert (len(finding.raw), len(finding.text), len(finding.target)) == (300, 300, 1000)


def test_a_scan_survives_json(look):
    scan = look({"n.md": "[[nn]] [[m#h]]\n", "b.canvas": "{"})
    assert scan_from_json(json.loads(json.dumps(to_json(scan)))) == scan
    assert isinstance(scan.findings[0], Finding)


def test_nothing_is_written_into_the_vault(write_vault):
    vault = write_vault({"n.md": "[[x]]", "d/m.md": "[[n]]", ".obsidian/app.json": "{}", "b.canvas": "{"})
    before = _state(vault)
    scan(vault, ".", anchors=True)
    scan(vault, "d", plain=True)
    fingerprint(vault, "n.md", 1, "[[x]]")
    assert _state(vault) == before


def _state(vault: Path) -> dict[str, tuple[int, bytes | None]]:
    paths = [vault, *vault.rglob("*")]
    return {str(p): (p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else None) for p in paths}


@pytest.mark.slow
def test_a_note_of_fifty_megabytes_is_read(write_vault):
    text = "Some words and a [[link]] to something.\n" * 1_300_000
    (*_, last) = scan(write_vault({"n.md": text + "[[x]]\n", "link.md": ""}), ".").findings
    assert (last.line, last.target) == (1_300_001, "x")


def test_what_is_shown_is_composed_and_clean():
    assert shown("plain") == "plain"
    assert shown("e\u0301") == "é"
    assert shown(os.fsdecode(b"\xff\xe3\x81\x82")) == "\\xffあ"
