"""The main job in the terminal: start, look, decide from another process, read the record."""

from __future__ import annotations

import json
import re

import pytest


@pytest.mark.slow
def test_a_run_started_in_one_process_is_decided_in_another_and_recorded_once(process, tmp_path):
    """S-row 000-1, 000-2, 000-12, 000-13: each line here is its own process."""
    started = process("linkcheck", "daily")
    assert started.code == 0
    assert "3 links in daily lead nowhere" in started.out
    assert "-> Project plan" in started.out
    assert started.err.splitlines()[0].startswith("Checking links in daily (run ")

    run = process("runs", "--format", "json").json[0]
    assert run["state"] == "waiting"
    name = run["run"][:6]
    assert f"ringi resume {run['run'][:8]} approve" in process("show", name).out

    approved = process("resume", name, "approve", "checked against the plan")
    assert approved.code == 0
    assert approved.err.splitlines()[0] == "Approved. This answer counts."
    (record,) = (tmp_path / "records").glob("*.md")
    assert f"Recorded: {record}" in approved.out
    assert "checked against the plan" in record.read_text(encoding="utf-8")

    again = process("resume", name, "reject", "too late")
    assert again.code == 3
    first, why, yours = again.err.splitlines()
    assert first.startswith("Already decided: approved by ")
    assert first.endswith("Nothing has changed.")
    assert (why, yours) == ("They wrote: “checked against the plan”", "Your words, not recorded: “too late”")
    assert list((tmp_path / "records").glob("*.md")) == [record]


def test_json_of_a_waiting_run_names_run_and_request(ringi):
    said = ringi("linkcheck", "daily", "--format", "json")
    answer = said.json
    assert said.code == 0
    assert set(answer) == {"run", "state", "request", "candidates", "record"}
    assert (answer["state"], answer["candidates"], answer["record"]) == ("waiting", 3, None)
    assert answer["request"] == ringi("show", answer["run"][:8], "--format", "json").json["request"]


def test_json_of_a_run_without_candidates_is_done_and_recorded(ringi, tmp_path):
    answer = ringi("linkcheck", "quiet", "--format", "json").json
    (record,) = (tmp_path / "records").glob("*.md")
    assert (answer["state"], answer["candidates"], answer["request"]) == ("done", 0, None)
    assert answer["record"] == str(record)


def test_nothing_to_decide_is_said_in_one_line(ringi):
    said = ringi("linkcheck", "quiet")
    assert said.code == 0
    assert "No broken links in quiet" in said.out
    assert "ringi resume" not in said.out


def test_what_could_not_be_read_is_not_called_fine(ringi, vault):
    (vault / "quiet" / "Loop.md").symlink_to("Loop.md")
    assert "1 note, 1 link, all lead somewhere. 1 file could not be read." in ringi("linkcheck", "quiet").out
    said = ringi("linkcheck", "quiet", "--lang", "ja").out
    assert "ノート 1件、リンク 1件を確認しました。読めなかったファイルが 1件あります。" in said


def test_sent_back_it_asks_again_as_revision_2_and_keeps_the_words(ringi):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    said = ringi("resume", run[:8], "send-back", "offices are in the handbook")
    assert said.code == 0
    assert "revision 2, waiting" in said.out
    assert "offices are in the handbook" in said.out
    assert f"ringi resume {run[:8]} approve" in said.out


def test_a_rejected_run_ends_with_a_record_of_the_reason(ringi, tmp_path):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    said = ringi("resume", run[:8], "reject", "wrong folder")
    (record,) = (tmp_path / "records").glob("*.md")
    assert said.code == 0
    assert "Rejected: 3 links in daily" in said.out
    assert "outcome: rejected" in record.read_text(encoding="utf-8")


@pytest.mark.parametrize("choice", ["reject", "send-back"])
@pytest.mark.parametrize("reason", [[], ["  "]])
def test_reject_and_send_back_need_a_reason(ringi, choice, reason):
    said = ringi("resume", "abcdef", choice, *reason)
    assert said.code == 2
    assert "need a reason" in said.err


def test_an_unknown_run_is_refused_and_nothing_is_recorded(ringi, tmp_path):
    said = ringi("resume", "abcdef12", "approve")
    assert said.code == 3
    assert said.err.startswith("There is no run “abcdef12”.")
    assert not (tmp_path / "records").exists()


def test_a_prefix_of_less_than_six_characters_is_too_short(ringi):
    said = ringi("show", "abcde")
    assert said.code == 3
    assert "at least six characters" in said.err


def test_a_prefix_of_several_runs_lists_them(ringi, monkeypatch):
    ids = iter(["aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002"])
    first, second = _two_runs_named(ids, ringi, monkeypatch)
    said = ringi("resume", "aaaaaa", "approve")
    assert said.code == 2
    assert first in said.err
    assert second in said.err


def _two_runs_named(ids, ringi, monkeypatch):
    import graph.intake.intake

    real = graph.intake.intake.uuid.uuid4
    made = []

    def named():
        made.append(next(ids))
        return made[-1]

    for _ in range(2):
        # only the run's own id comes from graph.intake; its source is made before
        monkeypatch.setattr("graph.intake.intake.uuid", type("uuid", (), {"uuid4": staticmethod(named)}))
        assert ringi("linkcheck", "daily", "--format", "json").code == 0
    monkeypatch.setattr("graph.intake.intake.uuid", type("uuid", (), {"uuid4": staticmethod(real)}))
    return made


def test_a_withdrawn_run_leaves_a_record_that_says_so(ringi, tmp_path):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    said = ringi("cancel", run[:8])
    (record,) = (tmp_path / "records").glob("*.md")
    assert said.code == 0
    assert "Withdrawn: 3 links in daily" in said.out
    assert "outcome: withdrawn" in record.read_text(encoding="utf-8")
    assert ringi("cancel", run[:8]).code == 3


def test_what_only_waits_cannot_be_stopped_or_retried(ringi):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    assert ringi("stop", run[:8]).code == 3
    said = ringi("retry", run[:8])
    assert said.code == 3
    assert "only a stopped run can go on" in said.err


def test_a_failed_run_says_what_failed_and_how_to_go_on(ringi, tmp_path):
    said = ringi("linkcheck", "daily", RINGI_DRAFTER="claude", RINGI_CLAUDE=str(tmp_path / "nothing"))
    assert said.code == 1
    assert "Stopped: links in daily" in said.out
    run = ringi("runs", "--format", "json").json[0]
    assert f"ringi retry {run['run'][:8]}" in said.out
    assert "ringi linkcheck FOLDER --drafter rules" in " ".join(said.out.split())
    assert "RINGI_DRAFTER" not in said.out  # a run keeps who judges, so no setting helps a retry
    assert "WARNING" not in said.err

    retried = ringi("retry", run["run"][:8])
    assert retried.code == 1  # still no Claude: what judges is part of the run
    newest = ringi("runs", "--format", "json").json[0]
    assert newest["continues"] == run["run"]
    assert f"Continued by run {newest['run'][:8]}" in ringi("show", run["run"][:8]).out
    assert ringi("retry", run["run"][:8]).code == 3
    for act in ("cancel", "stop"):
        refused = ringi(act, run["run"][:8])
        assert refused.code == 3
        assert f"goes on as run {newest['run'][:8]}. Nothing has changed." in refused.err
    assert f"stopped, goes on as {newest['run'][:8]}" in ringi("runs").out


def test_a_failed_run_that_was_ended_is_not_continued_and_says_so_everywhere(ringi, tmp_path):
    ringi("linkcheck", "daily", RINGI_DRAFTER="claude", RINGI_CLAUDE=str(tmp_path / "nothing"))
    run = ringi("runs", "--format", "json").json[0]["run"][:8]
    ended = ringi("cancel", run)
    assert ended.code == 0
    assert "Ended. It is not continued." in ended.out + ended.err
    assert "stopped, not continued" in ended.out
    assert "stopped, not continued" in ringi("show", run).out
    assert "stopped, not continued" in ringi("runs").out
    assert "停止、再開なし" in ringi("runs", "--lang", "ja").out
    shown = ringi("runs", "--format", "json").json[0]
    assert (shown["retry_offered"], shown["continued_by"]) == (False, None)
    refused = ringi("retry", run)
    assert refused.code == 3
    assert f"Run {run} was ended, so it is not continued." in refused.err
    assert "再開しません" in ringi("retry", run, "--lang", "ja").err
    assert "has ended (stopped, not continued)" in ringi("cancel", run).err


def test_an_unknown_folder_names_similar_ones(ringi):
    said = ringi("linkcheck", "dialy")
    assert said.code == 2
    assert said.err.splitlines() == ["There is no folder “dialy”. Did you mean one of these?", "  daily"]
    assert ringi("runs", "--format", "json").json == []


def test_an_unknown_folder_says_where_it_was_looked_for_and_a_note_which_folder_it_is_in(ringi, vault):
    nowhere = ringi("linkcheck", "zzzzzz").err.splitlines()
    assert nowhere[0] == "There is no folder “zzzzzz”, and none with a similar name."
    assert nowhere[1] == f"Looked in {vault}; a dot stands for all of it."
    for typed in ("daily/2026-11-03.md", "daily/2026-11-03"):
        note = ringi("linkcheck", typed)
        assert note.code == 2
        assert note.err.splitlines() == [
            f"“{typed}” is a note, not a folder. The folder it is in:",
            "  daily",
        ]
    (vault / ".obsidian/a.md").touch()
    (vault.parent / "out.md").touch()
    for hidden in (".obsidian/a.md", "../out.md", str(vault.parent / "out.md")):
        assert ringi("linkcheck", hidden).err.startswith("There is no folder")


def test_a_folder_outside_the_vault_is_an_unknown_folder(ringi):
    assert ringi("linkcheck", "/etc").err.startswith("There is no folder “/etc”")
    assert ringi("linkcheck", "..").err.startswith("There is no folder “..”")
    assert ringi("linkcheck", ".obsidian").err.startswith("There is no folder “.obsidian”")


def test_without_a_vault_linkcheck_says_which_setting_is_missing(ringi):
    said = ringi("linkcheck", "daily", RINGI_VAULT="")
    assert said.code == 2
    assert said.err.startswith("RINGI_VAULT is not set.")


def test_every_wrong_setting_is_named_at_once(ringi):
    said = ringi("runs", RINGI_BATCH="0", RINGI_STARTERS="bob", RINGI_APPROVALS="0")
    assert said.code == 2
    for name in ("RINGI_BATCH", "RINGI_STARTERS", "RINGI_APPROVALS"):
        assert name in said.err


def test_it_all_speaks_japanese(ringi):
    run = ringi("linkcheck", "daily", "--lang", "ja", "--format", "json").json["run"]
    shown = ringi("show", run[:8], LANG="ja_JP.UTF-8").out
    assert "daily のリンク切れ 3件" in shown
    assert "第1版、判断待ち" in shown
    assert "かなの違いだけ、work/ にあり" in shown
    assert ringi("resume", run[:8], "reject", LANG="ja_JP.UTF-8").err.startswith(
        "却下と差し戻しには理由が必要です"
    )
    said = ringi("resume", run[:8], "approve", RINGI_LANGUAGE="ja")
    assert "承認：daily のリンク切れ 3件" in said.out


def test_an_operator_who_started_a_run_may_not_approve_it_where_others_must(ringi):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    others = {"RINGI_OPERATOR": "U0MEMBER1", "RINGI_APPROVERS": "U0MEMBER1,U0MEMBER2"}
    said = ringi("resume", run[:8], "approve", **others)
    assert said.code == 3
    assert "U0MEMBER2 can" in said.err
    assert ringi("resume", run[:8], "approve", RINGI_SELF_APPROVAL="yes", **others).code == 0


def test_a_database_inside_the_vault_is_refused(ringi, vault):
    said = ringi("runs", RINGI_DATABASE=str(vault / "ringi.sqlite"))
    assert said.code == 2
    assert "RINGI_DATABASE" in said.err
    assert not (vault / "ringi.sqlite").exists()


def test_the_notes_are_not_touched(ringi, vault):
    before = {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in vault.rglob("*.md")}
    run = ringi("linkcheck", ".", "--format", "json").json["run"]
    ringi("resume", run[:8], "approve")
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in vault.rglob("*.md")} == before


def test_show_as_json_holds_review_items_and_decisions(ringi):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"]
    ringi("resume", run[:8], "approve", "fine")
    shown = ringi("show", run[:8], "--format", "json").json
    assert (shown["state"], shown["outcome"]) == ("done", "approved")
    assert [item["label"] for item in shown["items"]][:2] == ["[[Projct plan]]", "[[会議メも]]"]
    assert shown["decisions"][0]["reason"] == "fine"
    assert shown["decisions"][0]["person"]["verified"] is False
    assert json.dumps(shown["review"])


def test_items_are_left_out_and_changed_by_their_numbers(ringi, tmp_path):
    run = ringi("linkcheck", "daily", "--format", "json").json["run"][:8]
    items = ringi("show", run, "--format", "json").json["items"]
    typo = next(item["number"] for item in items if item["to"] == "Project plan")
    other = next(item["number"] for item in items if item["number"] != typo)
    for wrong in (
        ("--leave", "99"),
        ("--as", f"{typo}=nonsense"),
        ("--as", f"{typo}=ignore", "--leave", str(typo)),
    ):
        refused = ringi("resume", run, "approve", *wrong)
        assert refused.code == 2
        assert "does not fit. Nothing has changed." in refused.err
    refused = ringi("resume", run, "reject", "no", "--leave", "1")
    assert (refused.code, "does not go with it" in refused.err) == (2, True)
    said = ringi("resume", run, "approve", "--leave", str(other), "--as", f"{typo}=Ignore")
    assert said.code == 0
    (record,) = (tmp_path / "records").glob("*.md")
    text = record.read_text(encoding="utf-8")
    assert "outcome: approved-in-part" in text
    assert "approved: 2\nchanged: 1\nleft_out: 1" in text
    assert "typo: 1\nmissing_note: 1\nignore: 1\n" in text
    shown = ringi("show", run).out
    assert shown.startswith("Approved 2 of 3: links in daily")
    assert "\n1 typo, 1 missing note, 1 to ignore\n" in shown
    assert "\n1 changed, 1 left out\n" in shown
    assert re.search(r"\[\[Projct plan\]\] +changed to ignore ", shown)
    assert len(re.findall(r"\]\] +left out ", shown)) == 1
    japanese = ringi("show", run, "--lang", "ja").out
    assert japanese.startswith("3件中2件を承認：")
    assert "\n変更 1件、除外 1件\n" in japanese
    assert "対応不要に変更" in japanese
    items = ringi("show", run, "--format", "json").json["items"]
    assert {item["number"]: item["said"] for item in items if item["said"]} == {
        typo: "changed",
        other: "left-out",
    }
