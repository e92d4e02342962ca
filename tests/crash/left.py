"""What is left when everybody has gone home, and what is wrong with it.

Each sentence about it begins with what kind of wrong it is: `lost`, `doubled`, or `untrue`, which is shown, recorded or
told though it does not stand.
"""

import json
from collections import Counter

import yaml

from bot.slack.blocks import Content
from bot.slack.drawing import digest
from graph.approval import ENDED
from graph.runtime import open_store

ENDINGS = {
    "approve": [("done", {"approved", "rejected"})],
    "cancel": [("cancelled", {None})],
    "hold": [("done", {"approved", "rejected"})],
    "retry": [("done", {"approved", "rejected"})],
    "failure": [("failed", {"failed"}), ("done", {"approved", "rejected"})],
    "withdraw": [("done", {"withdrawn"})],
}
SAID = {"approve": "approved", "reject": "rejected"}


async def settled(store):
    """Tell whether every run has ended and Slack shows it."""
    runs = await store.runs()
    behind = [m for run in runs for m in await store.messages(run.id) if m.shown < m.wanted]
    return bool(runs) and all(run.state in ENDED for run in runs) and not behind


async def wrong_with(town, scenario):
    """Say what is wrong with what is left; an empty list is what one wants."""
    async with open_store(town.settings) as store:
        runs = list(reversed(await store.runs()))
        wrong = Wrong()
        ended = [(run.state, run.result and run.result.outcome) for run in runs]
        fits = len(ended) == len(ENDINGS[scenario]) and all(
            state == expected and outcome in outcomes
            for (state, outcome), (expected, outcomes) in zip(ended, ENDINGS[scenario], strict=True)
        )
        wrong.unless(fits, f"lost: the runs ended as {ended}")
        decisions, rows = [], []
        for run in runs:
            stand = await store.decisions(run.id)
            decisions += stand
            rows += await store.messages(run.id)
            requests = await store.requests(run.id)
            events = Counter(event.what for event in await store.events(run.id))
            wrong.unless(
                events["accepted"] == events["ended"] + events["cancelled"] == 1,
                f"doubled: the history is {dict(events)}",
            )
            asked = [request.revision for request in requests]
            wrong.unless(asked == list(range(1, len(asked) + 1)), f"untrue: asked in revisions {asked}")
            wrong.unless(all(r.state != "open" for r in requests), f"lost: open are {requests}")
            wrong.unless(
                len(stand) == sum(r.state == "decided" for r in requests),
                f"lost: of {requests} decided are {stand}",
            )
            if run.result is not None:
                _record(wrong, town, run, stand)
        wrong.unless(not await store.orders(), "lost: an order")
        records = [path.name for path in town.records.glob("*.md")]
        recorded = sum(run.result is not None for run in runs)
        wrong.unless(len(records) >= recorded, f"lost: the records are {records}")
        wrong.unless(len(records) <= recorded, f"doubled: the records are {records}")
        files = {
            name: f"file:{run.id}:{what}"
            for run in runs
            if run.result
            for what, name in (("record", run.result.record), ("patch", run.result.patch))
        }
        _messages(wrong, town, rows, files)
        _told(wrong, town, decisions)
        _asked(wrong, town)
        return wrong.sentences


class Wrong:
    """Collects sentences."""

    def __init__(self):
        self.sentences = []

    def unless(self, condition, sentence):
        if not condition:
            self.sentences.append(sentence[:600])


def _record(wrong, town, run, stand):
    """One record, equal to the decisions that stand."""
    name = run.result.record or ""
    path = town.records / (name or "none")
    if not path.exists():
        wrong.unless(False, f"lost: the record of {run.id}")
        return
    text = path.read_text()
    said = yaml.safe_load(text.split("---\n")[1])
    last = stand[-1] if stand else None
    outcome = run.result.outcome
    if last is not None and outcome in SAID.values():
        wrong.unless(SAID.get(last.kind) == outcome, f"untrue: {last.kind} stands, the run is {outcome}")
        wrong.unless(said["decided_by_id"] == [last.person.id], f"untrue: recorded {said}, {last} stands")
    wrong.unless(said["run"] == run.id and said["outcome"] == outcome, f"untrue: recorded {said}")
    for _, _, words, _, _, _ in town.told:
        stands = any(d.reason == words for d in stand)
        wrong.unless((words in text) == stands, f"untrue: {words!r} in the record, though {stands=}")


def _messages(wrong, town, rows, files):
    """Every row is one message in Slack, every message one row, and each shows what its row says.

    A file is known by its name: `files` says which row that is.
    """
    posted = {}
    for channel in town.slack.workspace.channels.values():
        for message in town.slack.workspace.messages.get(channel.id, []):
            if message.user == "U0BOT" and message.only_for is None:
                key = ((message.metadata or {}).get("event_payload") or {}).get("key")
                for one in message.files:
                    key = files.get(town.slack.workspace.files[one].name, "no file of ours")
                posted.setdefault(key, []).append(message)
    twice = [key for key, messages in posted.items() if len(messages) > 1]
    wrong.unless(not twice, f"doubled: {twice}")
    known = {row.key: row for row in rows}
    wrong.unless(set(posted) <= set(known), f"orphaned: {set(posted) - set(known)}")
    wrong.unless(set(known) <= set(posted), f"lost: {set(known) - set(posted)}")
    for key, row in known.items():
        if key.startswith("file:"):
            wrong.unless(row.ts and row.shown == row.wanted, f"untrue: {key} does not know of its file {row}")
            continue
        for message in posted.get(key, [])[:1]:
            shown = digest(Content(message.text, message.blocks))
            fits = (row.ts, row.shown, row.digest) == (message.ts, row.wanted, shown)
            wrong.unless(fits, f"untrue: {key} does not show its row {row}")


def _told(wrong, town, decisions):
    """Nobody was told of an answer that does not stand."""
    reasons = {decision.reason: decision for decision in decisions}
    for person, _, words, _, stands, seen in town.told:
        stood = reasons.get(words)
        wrong.unless(
            stands == (stood is not None), f"untrue: {person} was told {stands} of {words!r}, {stood} stands"
        )
        wrong.unless(
            stood is None or stood.person.id.endswith(person), f"untrue: {words!r} stands for {stood}"
        )
        wrong.unless(stands or seen == "late_words", f"untrue: {person} saw {seen}")
    texts = json.dumps(
        [m.blocks for c in town.slack.workspace.messages.values() for m in c if not m.only_for]
    )
    for _, _, words, _, stands, _ in town.told:
        late = "send_back 1 by U0MEMBER1"  # posted by its author as words that came late
        wrong.unless(stands or words == late or words not in texts, f"untrue: Slack shows {words!r}")


def _asked(wrong, town):
    """No life of the bot asked the same thing twice, which two executions of one run would, nor while it was held."""
    held = (town.home / "asked_while_held").exists()
    wrong.unless(not held, "untrue: Claude was asked while new checks were on hold")
    file = town.home / "asked.txt"
    asked = Counter(file.read_text().splitlines() if file.exists() else ())
    twice = [line for line, times in asked.items() if times > 1]
    # What cannot be saved is lost, and a step that asked Claude asks again.
    wrong.unless(not twice or town.harm == "full", f"doubled: asked twice in one life, {twice}")
