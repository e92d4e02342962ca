"""`ringi patch`: what was approved, for `git apply`."""

from __future__ import annotations

import re
import subprocess


def decided(ringi, *words: str) -> str:
    run = re.search(r"run ([0-9a-f]{8})", ringi("linkcheck", "daily").err)[1]
    ringi("resume", run, *words)
    return run


def test_what_is_printed_applies_in_the_vault(ringi, process, vault, tmp_path):
    run = decided(ringi, "approve")
    printed = process("patch", run)
    assert printed.code == 0
    (tmp_path / "the.patch").write_text(printed.out, encoding="utf-8")
    subprocess.run(["git", "apply", "--check", str(tmp_path / "the.patch")], cwd=vault, check=True)
    assert "+Ask for the numbers in [[Project plan]] before Friday." in printed.out
    assert "+- 10:00 要点は [[会議メモ]] に書いた" in printed.out
    (file,) = (tmp_path / "records").glob("*.patch")
    assert f"Patch: {file}" in ringi("show", run).out


def test_without_one_it_leaves_with_1_and_says_why(ringi):
    run = decided(ringi, "reject", "no")
    none = ringi("patch", run)
    assert (none.code, none.out) == (1, "")
    assert none.err == f"Run {run} has no patch: no typo that can be mended was approved in it.\n"
    assert "パッチはありません" in ringi("patch", run, "--lang", "ja").err
    assert ringi("patch", "ffffff").code == 3


def test_a_patch_that_was_removed_is_said_to_be_gone(ringi, tmp_path):
    run = decided(ringi, "approve")
    for file in (tmp_path / "records").glob("*.patch"):
        file.unlink()
    gone = ringi("patch", run)
    assert (gone.code, "is not there any more" in gone.err) == (1, True)
