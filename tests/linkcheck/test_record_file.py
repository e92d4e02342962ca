"""The file: its name, its place, and that it is written once."""

from __future__ import annotations

import errno
import os
import stat
import time
from types import SimpleNamespace

import pytest

from graph.errors import RecordTaken, SettingsError, UnknownFolder
from graph.policy import Policy
from graph.runtime import open_engine
from graph.settings import Settings, read
from graph.workflows import find_workflow
from graph.workflows.linkcheck.files import slug, write_once

OTHER = "bbbbbbbb-6d0e-4c1b-9a77-2f60d1c3b9e4"


async def test_two_runs_of_the_same_minute_leave_two_records(link_check):
    for run_id in ("8f3c2a51-6d0e-4c1b-9a77-2f60d1c3b9e4", OTHER):
        check = link_check(run_id=run_id)
        await check.start()
        await check.answer("approve")
    assert [path.name for path in check.records] == [
        "2026-12-01-1331-linkcheck-daily-8f3c2a51.md",
        "2026-12-01-1331-linkcheck-daily-bbbbbbbb.md",
    ]


async def test_a_file_of_somebody_else_is_left_as_it_is(link_check):
    check = link_check()
    await check.start()
    taken = check.settings.records / "2026-12-01-1331-linkcheck-daily-8f3c2a51.md"
    taken.parent.mkdir()
    taken.write_text("mine\n")
    with pytest.raises(RecordTaken) as refused:
        await check.answer("approve")
    assert refused.value.path == taken
    assert [path.read_text() for path in check.records] == ["mine\n"]

    taken.rename(taken.parent / "moved away.txt")
    await check.go_on()
    assert (await check.result()).outcome == "approved"


def test_a_record_that_is_there_already_is_not_written_again(tmp_path):
    path = tmp_path / "records" / "a.md"
    write_once(path, "---\nrun: r1\n---\nfirst\n", "r1")
    write_once(path, "---\nrun: r1\n---\nsecond\n", "r1")
    assert path.read_text() == "---\nrun: r1\n---\nfirst\n"
    assert [p.name for p in path.parent.iterdir()] == ["a.md"]


def test_records_are_private(tmp_path):
    path = tmp_path / "records" / "a.md"
    write_once(path, "---\nrun: r1\n---\n", "r1")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_disk_without_hard_links_gets_its_record_all_the_same(tmp_path, monkeypatch):
    def refuse(*_args, **_more):
        raise OSError(errno.EPERM, "no hard links on exFAT")

    monkeypatch.setattr(os, "link", refuse)
    write_once(tmp_path / "a.md", "---\nrun: r1\n---\n", "r1")
    with pytest.raises(RecordTaken):
        write_once(tmp_path / "a.md", "---\nrun: r2\n---\n", "r2")
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_a_link_in_the_records_place_is_not_followed_into_another_file(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("keep")
    (tmp_path / "a.md").symlink_to(secret)
    with pytest.raises(RecordTaken):
        write_once(tmp_path / "a.md", "---\nrun: r1\n---\n", "r1")
    assert secret.read_text() == "keep"


def test_a_link_that_leads_nowhere_is_not_taken_for_a_record(tmp_path):
    (tmp_path / "a.md").symlink_to(tmp_path / "nowhere")
    with pytest.raises(RecordTaken):
        write_once(tmp_path / "a.md", "---\nrun: r1\n---\n", "r1")


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("daily", "daily"),
        (".", "vault"),
        ("日次/ノート 2026", "日次-ノート-2026"),
        ("../../etc", "etc"),
        ("a" * 60, "a" * 40),
        ("Cafe\u0301/x", "Café-x"),
        ("**", "vault"),
        ("con\n\u202eevil", "con-evil"),
    ],
)
def test_only_letters_and_digits_of_the_folder_enter_the_file_name(folder, name):
    assert slug(folder) == name


def test_records_in_the_folder_under_check_are_refused_before_anything_starts(link_check, tmp_path):
    with pytest.raises(SettingsError, match="RINGI_RECORDS"):
        link_check(records=tmp_path / "Notes" / "daily" / "records")
    with pytest.raises(SettingsError, match="RINGI_RECORDS"):
        link_check(records=tmp_path / "Notes" / "records", folder=".")


async def test_records_elsewhere_in_the_vault_are_fine_and_never_checked(link_check, tmp_path):
    check = link_check(records=tmp_path / "Notes" / "records")
    await check.start()
    await check.answer("approve")
    assert len(check.records) == 1


async def test_what_a_kill_left_half_written_is_gone_after_the_next_start(tmp_path):
    """Only our own files, and only what was written before."""
    records = tmp_path / "records"
    (records / ".ringi-folder.tmp").mkdir(parents=True)
    (records / ".ringi-link.tmp").symlink_to(tmp_path / "elsewhere")
    names = (".ringi-old.tmp", ".ringi-under-way.tmp", ".ringi-notes.md", "old.tmp", "2026-11-05-check.md")
    for name in names:
        (records / name).write_text("---\n")
    later = time.time() + 60
    os.utime(records / ".ringi-under-way.tmp", (later, later))
    settings = read(Settings, {}, database=str(tmp_path / "state" / "ringi.sqlite"), records=records)
    async with open_engine(settings, Policy(), claude=SimpleNamespace()):
        pass
    left = {path.name for path in records.iterdir()}
    assert left == {*names, ".ringi-folder.tmp", ".ringi-link.tmp"} - {".ringi-old.tmp"}


def test_the_words_for_the_whole_vault_can_be_typed(link_check):
    assert link_check(folder="the whole vault").run.input["folder"] == "."
    assert link_check(folder="保管庫全体").run.input["folder"] == "."


def test_an_unknown_folder_names_near_ones(link_check):
    with pytest.raises(UnknownFolder) as unknown:
        link_check(folder="dialy")
    assert unknown.value.near == ["daily"]


def test_importing_the_workflow_does_not_import_langgraph():
    import subprocess
    import sys

    code = (
        "import sys; from graph import find_workflow; find_workflow('linkcheck');"
        "print([m for m in ('langgraph', 'sqlalchemy', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert find_workflow("linkcheck").name == "linkcheck"
