"""Clicks and submissions about something that is not there, or not theirs: answered in words, and nothing runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing

NOTES = "C0NOTES"
NOBODY = "00000000-0000-4000-8000-000000000000"
UNKNOWN = "This request no longer exists. Nothing was run."
OTHER = (
    "*Another version of ringi began this* (linkcheck 2), and only that one can go on with it."
    " Nothing has changed."
)


def begun_by(town, version: int) -> None:
    """Let every run be one that this version of the workflow began."""
    with closing(sqlite3.connect(town.database, isolation_level=None)) as connection:
        connection.execute("UPDATE runs SET version = ?", (version,))


def press(town, card, action: str, value: str) -> None:
    """Give a card one button, as no program of ours would draw it."""
    button = {
        "type": "button",
        "action_id": action,
        "text": {"type": "plain_text", "text": "Press", "emoji": False},
        "value": value,
    }
    message = town.slack.workspace.message(NOTES, card["ts"], person="U0MEMBER1")
    message.blocks = [{"type": "actions", "block_id": "forged", "elements": [button]}]


async def test_every_wrong_id_is_answered_in_words_and_runs_nothing(town, asked, told, reading):
    """L1, L8, L32: unknown, garbage, another revision, another version; then the right one still counts."""
    people = "U0MEMBER1,U0MEMBER2"
    async with town.bot(RINGI_APPROVERS=people, RINGI_SELF_APPROVAL="yes"):
        one, two = await town.member(1), await town.member(2)
        card = await asked(one)
        [run] = await town.engine.store.runs()
        [request] = await town.engine.store.requests(run.id)
        right = f"{request.id}:1"
        history = await town.engine.store.events(run.id)

        async def answered(action: str, value: str) -> str:
            before = len(one.ephemeral(NOTES))
            press(town, card, action, value)
            assert (await one.click(one.message(card["ts"]), action)).ok
            said = await one.sees(lambda: one.ephemeral(NOTES)[before:])
            return reading.words(said[0]).replace("*", "")

        async def opened():
            press(town, card, "approve", right)
            assert (await two.click(two.message(card["ts"]), "approve")).ok
            return await two.modal("decide")

        for value in (NOBODY, f"{NOBODY}:1", request.id, f"{request.id}:x", f"{request.id}:-1", ":", "🙂"):
            assert await answered("approve", value) == UNKNOWN
        for act in ("home_decide", "items", "everything"):
            assert await answered(act, f"{NOBODY}:1") == UNKNOWN
        assert "revision 1" in (await answered("approve", f"{request.id}:7")).lower()
        for steering in (
            "cancel",
            "continue_now",
            "continue_at",
            "end",
            "show_record",
            "home_retry",
            "no-act",
        ):
            assert await answered(steering, NOBODY) == UNKNOWN
        assert one.views == []

        for wrong in ("", NOBODY, f"{NOBODY}:1", f"{request.id}:7"):
            modal = await opened()
            town.slack.workspace.view(modal["id"]).body["private_metadata"] = wrong
            answer = await two.submit(modal, {"reason": "Fine."})
            assert answer.view["callback_id"] == "notice"
            await two.close(answer.view)

        modal = await opened()
        begun_by(town, 2)
        assert await answered("approve", right) == OTHER.replace("*", "")
        assert await answered("cancel", run.id) == OTHER.replace("*", "")
        assert "linkcheck 2" in reading.words(await told(one, "/linkcheck status"))
        answer = await two.submit(modal, {"reason": "Fine."})
        assert answer.view["callback_id"] == "notice"
        assert "linkcheck 2" in reading.words(answer.view)
        await two.close(answer.view)

        assert [run.state for run in await town.engine.store.runs()] == ["waiting"]
        assert await town.engine.store.events(run.id) == history
        assert await town.engine.store.decisions(run.id) == []
        assert not list(town.records.glob("*.md"))

        begun_by(town, 1)
        assert (await two.submit(await opened(), {"reason": "Now it counts."})).ok
        await town.outcome()
        assert "Now it counts." in town.record()
