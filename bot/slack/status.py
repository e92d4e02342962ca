"""`/linkcheck status`: what waits, runs, stopped and was decided lately, for one person, in one private message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.slack import blocks as b
from bot.slack.answers import Reader, say
from bot.slack.fit import safe
from bot.slack.home_texts import HOME_TEXTS
from bot.slack.rows import Line, row

ROWS = 10
LATELY = 5


def status(  # noqa: PLR0913 - what the list is drawn from
    reader: Reader,
    lines: Sequence[Line],
    totals: Mapping[str, int],
    hold: str | None = None,
    *,
    now: datetime | None = None,
    home: str | None = None,
) -> b.Content:
    """Draw the list: groups in order, ten rows in all.

    Args:
        reader: for whom.
        lines: the rows to show.
        totals: group → how many there are.
        hold: that new checks are on hold, if they are; markup.
        now: what a time is written against; None = times of the same day.
        home: the address of the Home tab, which has the rest.
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
        blocks += [row(reader, line, now, _button(reader, line)) for line in rows]
    go = [b.actions("status.home", _to_home(reader, home))] if home else []
    if not blocks:
        nothing = say(f"{hold}\n\n{t.status_empty}" if hold else t.status_empty)
        return b.Content(nothing.text, [*nothing.blocks, *go])
    hidden = sum(n for group, n in totals.items() if group != "done") - sum(
        line.group != "done" for line in lines
    )
    if hidden > 0:
        blocks.append(b.quiet(t.status_more.format(n=f"{hidden:,}")))
    text = " · ".join(safe(block["text"]["text"]) for block in blocks if block["type"] == "header")
    if hold:
        return b.Content(f"{hold.replace('*', '')} · {text}", [b.marked(hold), *blocks, *go])
    return b.Content(text, [*blocks, *go])


def _to_home(reader: Reader, address: str) -> b.Block:
    return b.button("open_home", HOME_TEXTS[reader.language].open_home, "home", url=address)


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
