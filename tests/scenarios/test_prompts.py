"""Which words a draft was made with, and what became of a person's, as Slack shows it."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from string import Template

import pytest

from graph.workflow import Call, Reply
from graph.workflows.linkcheck import question

NOTES = "C0NOTES"


@pytest.fixture
def receipts(town):
    """Let the scripted model leave receipts, as the real one does."""
    ask = town.claude.ask

    async def with_receipt(prompt, schema, **more):
        reply = await ask(prompt, schema, **more)
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        call = Call(f"ca11{len(town.claude.prompts):04}-0000", digest, datetime.now(UTC), answered=True)
        return Reply(reply.output, reply.facts, model=reply.model, calls=(call,))

    town.claude.ask = with_receipt


@pytest.fixture
def update(monkeypatch):
    """Install a newer prompt, as an update of the program would."""

    def install():
        current = question.prompt(question.installed())
        newer = question.Prompt(
            "linkcheck/99", Template("New words. " + current.first.template), current.again
        )
        kept = question.prompt
        monkeypatch.setattr(question, "prompt", lambda v: newer if v == newer.version else kept(v))
        for module in ("question", "quiet"):
            monkeypatch.setattr(f"graph.workflows.linkcheck.{module}.installed", lambda: newer.version)

    return install


async def test_a_card_that_waits_says_after_an_update_that_its_prompt_is_older(
    town, asked, reading, update, receipts
):
    async with town.bot(RINGI_DRAFTER="claude"):
        card = await asked(await town.member(1))
        assert "installed now" not in reading.words(card)
    update()
    async with town.bot():
        one, two = await town.member(1), await town.member(2)
        older = await one.sees(lambda: reading.find(one.messages(NOTES), "linkcheck/99 is installed now"))
        assert older["ts"] == card["ts"]
        await two.click(older, "send_back")
        assert (await two.submit(await two.modal("decide"), {"reason": "Ignore offices."})).ok
        newer = await one.sees(lambda: reading.find(one.messages(NOTES), "the revision before with"))
        assert "Judged with prompt linkcheck/99" in reading.words(newer)
        told = r"The words sent back with revision 1 reached Claude on .+ \d\d:\d\d: call ca110002"
        assert re.search(told, reading.words(newer))
        assert town.claude.prompts[1].startswith("New words.")
