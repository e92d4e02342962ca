"""`/linkcheck status`: what waits, runs, stopped and was decided lately, for one person, in one private message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.slack import blocks as b
from bot.slack.answers import Reader, say
from bot.slack.fit import brief, safe
from bot.slack.scene import Scene
from graph.approval import Message, Run

ROWS = 10
LATELY = 5
ROW = 140  #: columns of a row's line


@dataclass(frozen=True, slots=True)
class Line:
    """One run with what its row needs."""

    scene: Scene
    group: str
    problem: str | None
    link: str | None


def group_of(run: Run, reader: Reader) -> str | None:
    """Return the group a run belongs to for this person; None if it is none of their business."""
    policy, person = reader.policy, reader.person
    mine = policy.may_steer(person, run.requester)
    decides = policy.may_decide(person, run.requester)
    if not (mine or decides):
        return None
    if run.state == "waiting":
        return "wait" if decides else "mine"
    if run.state in {"queued", "running", "resuming"}:
        return "run"
    if run.state == "failed":
        return "fail" if run.retry_offered else "done"
    return "done"


def not_shown(messages: Sequence[Message]) -> str | None:
    """Return Slack's error for what should be shown and is not, of the message that matters most."""
    behind = [m for m in messages if m.problem and m.shown < m.wanted]
    cards = [m for m in behind if m.key.startswith("card:")]
    return (cards or behind)[-1].problem if behind else None


def status(
    reader: Reader, lines: Sequence[Line], totals: Mapping[str, int], hold: str | None = None
) -> b.Content:
    """Draw the list: groups in order, ten rows in all.

    Args:
        reader: for whom.
        lines: the rows to show.
        totals: group → how many there are.
        hold: that new checks are on hold, if they are; markup.
    """
    t = reader.texts
    heads = {"wait": t.status_wait, "mine": t.status_mine, "run": t.status_run, "fail": t.status_fail}
    blocks: list[b.Block] = []
    for group in ("wait", "mine", "run", "fail", "done"):
        rows = [line for line in lines if line.group == group]
        if not rows:
            continue
        if blocks:
            blocks.append(b.divider())
        blocks.append(b.header(heads.get(group, t.status_done).format(n=f"{totals.get(group, 0):,}")))
        blocks += [_row(reader, line) for line in rows]
    if not blocks:
        return say(f"{hold}\n\n{t.status_empty}" if hold else t.status_empty)
    hidden = sum(n for group, n in totals.items() if group != "done") - sum(
        line.group != "done" for line in lines
    )
    if hidden > 0:
        blocks.append(b.quiet(t.status_more.format(n=f"{hidden:,}")))
    text = " · ".join(safe(block["text"]["text"]) for block in blocks if block["type"] == "header")
    if hold:
        return b.Content(f"{hold.replace('*', '')} · {text}", [b.marked(hold), *blocks])
    return b.Content(text, blocks)


def _row(reader: Reader, line: Line) -> b.Block:
    t, scene = reader.texts, line.scene
    latest = scene.latest
    title = scene.subject
    if latest:
        title = t.separator.join((title, brief(scene.words.size(latest.review))))
        if latest.revision > 1:
            title = t.separator.join((title, t.modal_revision.format(revision=latest.revision)))
    rows = [title, brief(_second(reader, line), ROW)]
    if line.problem:
        rows.append(t.row_not_shown.format(problem=brief(line.problem)))
    return b.plain("\n".join(rows), _button(reader, line))


def _second(reader: Reader, line: Line) -> str:
    t, scene, run = reader.texts, line.scene, line.scene.run
    latest = scene.latest
    if line.group in {"wait", "mine"} and latest:
        since = b.clock(latest.created, reader.zone)
        if reader.policy.may_steer(reader.person, run.requester):
            return t.row_waits.format(time=since)
        return t.row_since.format(time=since, who=run.requester.name)
    if line.group == "run":
        return _under_way(scene)
    if line.group == "fail" and scene.failure:
        return scene.words.failure(scene.failure)[0]
    outcome = run.result.outcome if run.result else run.state
    decision = scene.decisions.get(latest.id) if latest else None
    who = decision.person.name if decision else run.requester.name
    return t.row_outcome[outcome].format(who=who, time=b.clock(run.ended or run.changed, reader.zone))


def _under_way(scene: Scene) -> str:
    t, run = scene.texts, scene.run
    if run.state == "resuming" and not scene.asked_again:
        return t.row_writing
    if scene.hold:
        return t.row_hold
    if run.progress is None or run.on_hold:
        return t.row_starting
    return ", ".join(part for part in scene.words.progress(run.progress) if part)


def _button(reader: Reader, line: Line) -> b.Block | None:
    """Return the one button of a row: open the card, else steer, else read the record."""
    t, run = reader.texts, line.scene.run
    mine = reader.policy.may_steer(reader.person, run.requester)
    if line.group == "wait" and line.link:
        return b.button("goto_card", t.row_go, run.id, url=line.link)
    if line.group in {"wait", "mine"} and mine:
        return b.button("cancel", t.withdraw, run.id)
    if line.group == "run" and mine and (run.state != "resuming" or line.scene.asked_again):
        return b.button("cancel", t.cancel, run.id)
    if line.group == "fail" and reader.policy.may_retry(reader.person, run.requester):
        return b.button("continue_now", t.continue_now, run.id)
    if run.result and run.result.record:
        return b.button("show_record", t.show_record, run.id)
    return None
