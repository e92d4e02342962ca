"""What a run leaves, as files in its card's thread: once each, or not at all without harm."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

NOTES = "C0NOTES"


@pytest.fixture
def approved(town, asked, reading):
    """Start a check, approve it, and return the card once it says how it was recorded."""

    async def approve(one, two):
        card = await asked(one)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"), {"reason": "Fine."})).ok
        await town.outcome()
        return await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded"), 20)

    return approve


def applies(patch: Path, vault: Path) -> None:
    subprocess.run(["git", "apply", "--check", str(patch)], cwd=vault, check=True)


async def noted(town, key: str) -> None:
    """Wait until the row of a file knows that it is there."""
    for _ in range(600):
        if (await town.engine.store.message(key)).ts is not None:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(key)


def files(member, card) -> list[dict]:
    return [file for message in member.thread(card["ts"], NOTES) for file in message.get("files", [])]


def names(member, card) -> list[str]:
    return [file["name"].partition("linkcheck-")[2].replace("daily-", "") for file in files(member, card)]


async def test_record_and_patch_come_into_the_thread_and_the_patch_applies(town, approved, reading, tmp_path):
    """R26: what follows a card stays in its thread."""
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await approved(one, two)
        assert "Recorded · 1 fix in a patch file in the thread" in reading.words(card)
        run = await town.outcome()
        await one.sees(lambda: len(files(one, card)) == 2 or None, 20)

        thread = one.thread(card["ts"], NOTES)
        assert [m["text"] for m in thread[1:]] == [
            "The record",
            f"1 typo fix. To apply it, in the vault:\ngit apply {run.result.patch}\nringi itself changes no note.",
        ]
        record, patch = files(one, card)
        assert (record["name"], patch["name"]) == (run.result.record, run.result.patch)
        assert one.file(record).decode() == town.record()
        (tmp_path / "the.patch").write_bytes(one.file(patch))
        applies(tmp_path / "the.patch", town.vault)
        assert b"+See [[Project plan]]." in one.file(patch)


async def test_a_lost_answer_after_the_upload_leaves_each_file_once(town, approved):
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        town.slack.faults.lose_reply("files.completeUploadExternal", times=2)
        card = await approved(one, two)
        run = await town.outcome()

        for what in ("record", "patch"):
            await noted(town, f"file:{run.id}:{what}")
        assert names(one, card) == [f"{run.id[:8]}.md", f"{run.id[:8]}.patch"]


async def test_without_the_scope_the_run_ends_as_ever_and_the_card_names_the_record(town, asked, reading):
    async with town.bot():
        town.slack.faults.refuse("missing_scope", "files.getUploadURLExternal")
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        await two.click(card, "approve")
        assert (await two.submit(await two.modal("decide"))).ok
        run = await town.outcome()
        done = await one.sees(
            lambda: reading.find(one.messages(NOTES), f"Recorded · {run.result.record}"), 20
        )
        assert files(one, done) == []
        assert "not shown" not in await town.ringi("runs")


async def test_a_long_report_comes_as_a_file_right_after_its_card(town, asked, reading):
    town.write({"daily/many.md": "".join(f"- [[Nobody wrote {n:02} `x` <b>]]\n\n" for n in range(60))})
    async with town.bot():
        one = await town.member(1)
        card = await asked(one)
        assert "The whole report is a file in the thread." in reading.words(card)
        await one.sees(lambda: files(one, card) or None, 20)
        [message] = one.thread(card["ts"], NOTES)
        assert message["text"] == "The whole report, 62 links"
        [file] = message["files"]
        assert file["name"].endswith("-report.md")
        text = one.file(file).decode()
        assert text.startswith("# 62 links in `daily` lead nowhere\n")
        assert text.count("\n- **") == 62
        assert "``[[Nobody wrote 59 `x` <b>]]``" in text


@pytest.mark.parametrize("within", [True, False], ids=["in the vault", "elsewhere"])
async def test_a_record_in_the_vault_can_be_opened_as_a_note_and_no_path_of_the_machine_is_shown(
    town, approved, reading, within
):
    if within:
        town.records = town.vault / "Decision records"
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        card = await approved(one, two)
        run = await town.outcome()
        done = await one.sees(lambda: reading.find(one.messages(NOTES), "Recorded · "), 20)
        address = f"obsidian://open?vault=vault&amp;file=Decision%20records%2F{run.result.record}"
        assert (f" · <{address}|Open in Obsidian>" in reading.words(done)) is within
        assert ("obsidian:" in str(done)) is within
        await one.sees(lambda: len(files(one, card)) == 2 or None, 20)
        everything = [*one.messages(NOTES), *one.thread(card["ts"], NOTES)]
        assert not any(str(town.vault.parent) in str(message) for message in everything)
