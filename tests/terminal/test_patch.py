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


def test_silence_approves_nothing_and_a_gate_that_waits_for_the_patch_stays_shut(ringi):
    """R36: the deadline has passed; the exit code is not 0, and the next check asks again about the same links."""
    said = ringi("linkcheck", "daily", RINGI_DEADLINE_HOURS="0.0000001")
    run = re.search(r"run ([0-9a-f]{8})", said.err)[1]
    late = ringi("resume", run, "approve")
    assert late.code == 3
    assert "expired" in late.err.lower()
    assert ringi("patch", run).code == 1
    shown = ringi("show", run)
    assert "Expired" in shown.out
    assert "pprove" not in shown.out.split("\n\n")[0]
    again = ringi("linkcheck", "daily")
    assert "judged before" not in again.out
    assert "lead nowhere" in again.out
