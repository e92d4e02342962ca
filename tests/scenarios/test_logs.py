"""What a log holds after a bad day: ids and names of errors, never a token, a reason or a note."""

from __future__ import annotations

import io
import logging

import pytest

from bot import logs
from graph.approval import Failure

NOTES = "C0NOTES"


@pytest.fixture
def log():
    """Everything the program would write at DEBUG, as JSON."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    stream = io.StringIO()
    logs.configure("DEBUG", "json", stream)
    yield stream
    root.handlers[:] = before
    root.setLevel(level)
    logging.captureWarnings(capture=False)


async def test_failures_at_debug_leave_no_secret_in_the_log(town, reading, log):
    """Law 10: tokens, reasons, note text, words of a failure."""
    town.write({"daily/secret-note.md": "Marked note text [[Marked target]]\n"})
    town.claude.failure = Failure(kind="other", step="", words="marked words of a failure")
    async with town.bot(RINGI_DRAFTER="claude"):
        one, two = await town.member(1), await town.member(2)
        town.slack.lose_next_reply("chat.postMessage")
        assert (await one.command(NOTES, "/linkcheck daily")).ok
        failed = await one.sees(lambda: reading.find(one.messages(NOTES), "Stopped: links in daily"), 20)
        town.claude.failure = None
        await one.click(failed, "continue_now")
        card = await one.sees(lambda: reading.find(one.messages(NOTES), "lead nowhere"), 20)
        town.slack.faults.refuse_next("views.open", "invalid_blocks")
        await two.click(card, "approve")
        await two.sees(lambda: reading.find(two.ephemeral(NOTES), "E-"))
        await two.click(card, "reject")
        town.slack.faults.refuse_next("chat.update", "internal_error")
        assert (await two.submit(await two.modal("decide"), {"reason": "marked reason"})).ok
        await town.outcome()
        secrets = [
            town.slack.bot_token,
            town.slack.app_token,
            *(t.split("-", 2)[2] for t in (town.slack.bot_token, town.slack.app_token)),
        ]
    written = log.getvalue()
    assert '"reference": "E-' in written
    for secret in [*secrets, "marked reason", "Marked note text", "Marked target", "marked words"]:
        assert secret not in written
