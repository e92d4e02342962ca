"""A record as people read it, whole."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph.approval import Failure
from graph.workflows.linkcheck.texts import EN, JA


def body(record: str) -> str:
    return record.split("\n---\n", 1)[1]


async def test_a_japanese_record_of_a_sent_back_and_approved_check(link_check):
    check = link_check(language="ja")
    await check.start()
    await check.answer("send_back", "規程は対応不要に。\n二行目。")
    await check.answer("approve", "計画と照らして確認しました")
    text = body(check.record)
    for line in (
        "# `daily` のリンクチェック 2026-12-01",
        "> [!success] 承認 · `Member 2` · 2026-12-01 14:02 · Slack\n> 理由：`計画と照らして確認しました`",
        "`daily` のリンク切れ 3件：誤記 1、ノートなし 1、対応不要 1。ノート 4件を読み、どれも書き換えていません。",
        "## 誤記（1）\n\n- **1** `[[Projct plan]]` → `Project plan`\n",
        "  - 似た名前 `work/Project plan.md`（`1文字抜けている、work/ にあり`、2026/11/12 更新）\n",
        "  - `daily/2026-11-06.md` 1行目：`- [[Move to new office]] again`\n",
        "- 判定 Claude（呼び出し2回、再試行0回）\n",
        "- 第1版を差し戻し · `Member 2` · 2026-12-01 14:02 · Slack\n  - 理由：\n    - `規程は対応不要に。`\n    - `二行目。`\n",
        "- 人の判断 2回\n",
    ):
        assert line in text


async def test_an_english_record_of_a_failure(link_check, claude):
    claude.fails_at[2] = Failure(
        kind="usage_limit",
        step="",
        words="You've hit your limit\n· resets 8:34pm",
        resets_at=datetime(2026, 12, 1, 20, 34, tzinfo=UTC),
    )
    check = link_check(batch=1)
    await check.start()
    assert body(check.record) == (
        "# Link check of `daily`, 2026-12-01\n\n"
        "> [!danger] Stopped before it could be decided\n"
        "> Usage limit reached, judging\n"
        "> No decision is asked for yet, and nothing is billed beyond the plan. Continue when the limit has reset.\n"
        "> It can go on from 2 Dec 2026, 05:34.\n"
        "> Claude said:\n"
        "> - `You've hit your limit`\n"
        "> - `· resets 8:34pm`\n\n"
        "3 links in `daily` lead nowhere; judged before it stopped: 1. "
        "This check read 4 notes and changed none.\n\n"
        "## How it went\n\n"
        "- Asked by `Member 1` · 1 Dec 2026, 13:31 · in Slack\n"
        "- Judged by Claude in 2 calls, 0 retries\n"
        "- 4 turns, 200 tokens read, 20 written, $0.50 at list price, an estimate; the plan covers it\n"
        "- Model `scripted-model`, prompt `linkcheck/2`\n"
        "- Claude saw this folder only; near names come from the whole vault\n"
        "- Nobody was asked to decide\n"
    )


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_record_says_of_every_failure_what_to_do(link_check, claude, tmp_path, language):
    words = EN if language == "en" else JA
    said = set()
    for number, kind in enumerate(words.say.failed_means):
        if kind in {"cannot-post", "stopped"}:  # these leave no record
            continue
        run_id = f"{number:08}-6d0e-4c1b-9a77-2f60d1c3b9e4"
        check = link_check(run_id=run_id, records=tmp_path / kind, language=language)
        claude.fails_at[len(claude.prompts) + 1] = Failure(kind=kind, step="", words="Words.")
        await check.start()
        title, *rest = [line for line in body(check.record).splitlines() if line.startswith("> ")][1:]
        assert title.startswith(f"> {words.say.failed_head[kind]}")
        assert f"> {words.say.failed_means[kind]}" in rest
        said.add(title)
    assert len(said) >= 15, "each has its own sentence"


async def test_the_keys_of_the_front_matter_are_the_same_whatever_happened(link_check, claude, tmp_path):
    keys = []
    for number, kind in enumerate(("approve", "reject", "withdrawn")):
        check = link_check(run_id=f"{number}f3c2a51-6d0e-4c1b-9a77-2f60d1c3b9e4", records=tmp_path / kind)
        await check.start()
        await check.answer(kind, "Why.")
        keys.append(list(check.front))
    failed = link_check(run_id="9f3c2a51-6d0e-4c1b-9a77-2f60d1c3b9e4", records=tmp_path / "failed")
    claude.fails_at[len(claude.prompts) + 1] = Failure(kind="auth", step="", words="Not logged in")
    await failed.start()
    keys.append(list(failed.front))
    assert keys[0] == keys[1] == keys[2] == keys[3]
    assert " ".join(keys[0]) == (
        "title record workflow run continues outcome failure folder vault requested requested_by requested_by_id "
        "decided decided_by decided_by_id decided_in verified links approved changed left_out typo missing_note "
        "ignore not_judged judged_before revision interventions retries dropped refused_reads judged_by model "
        "prompt billing calls turns input_tokens output_tokens list_price_usd language"
    )


async def test_a_check_of_the_whole_vault_is_called_so(link_check):
    check = link_check(folder=".")
    await check.start()
    await check.answer("approve")
    assert check.records[0].name == "2026-12-01-1331-linkcheck-vault-8f3c2a51.md"
    assert "# Link check of the whole vault, 2026-12-01" in check.record
    assert check.front["folder"] == "."


async def test_what_was_approved_is_listed_when_judging_the_changed_lines_again_fails(
    link_check, claude, write_notes
):
    check = link_check()
    await check.start()
    write_notes({"daily/2026-11-03.md": "Other words, [[Projct plan]].\n"})
    await check.answer("approve")
    claude.fails_at[2] = Failure(kind="overloaded", step="", words="Overloaded")
    assert await check.answer("send_back", "Look again.") is None
    assert (check.front["outcome"], check.front["approved"]) == ("failed", 2)
    assert "- **2** `[[Move to new office]]`\n" in check.record
    assert "- **1** `[[Projct plan]]` → `Project plan` · **Not approved**" in check.record
