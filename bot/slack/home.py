"""The Home tab: what waits for a person, what they asked for, what runs and stopped, the switch, the start.

Everything a card offers can be done from here too, so nothing is lost with a card that someone deleted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.slack import blocks as b
from bot.slack.answers import Reader, since_hold
from bot.slack.choices import with_form
from bot.slack.home_texts import HOME_TEXTS
from bot.slack.rows import Line, row, title
from graph.approval import Order
from graph.store.concerns import GROUPS, Group, Slice

PAGE = 10  #: rows of what waits for this person
MORE = 5  #: rows of each other group
Pages = Mapping[Group, int]


@dataclass(frozen=True, slots=True)
class Table:
    """What a Home tab is drawn from.

    Attributes:
        lines: the rows to show, of all groups.
        totals: group → how many there are.
        pages: group → which page is shown, from 1; 1 where it says nothing.
        hold: who put new checks on hold.
        held: how many runs wait for the release.
        said: what came of a click in this tab.
    """

    lines: Sequence[Line]
    totals: Mapping[Group, int]
    now: datetime
    pages: Pages = field(default_factory=dict)
    hold: Order | None = None
    held: int = 0
    said: Sequence[b.Block] = ()


def rows_of(group: Group) -> int:
    """Return how many rows of a group make a page."""
    return PAGE if group == "wait" else MORE


def wanted(pages: Pages) -> dict[Group, Slice]:
    """Return which rows these pages show."""
    return {group: Slice((_page(pages, group) - 1) * rows_of(group), rows_of(group)) for group in GROUPS}


def last_page(group: Group, total: int) -> int:
    """Return the number of the last page of a group."""
    return max(1, -(-total // rows_of(group)))


def read_pages(metadata: str) -> dict[Group, int]:
    """Read which pages a Home tab shows from its `private_metadata`; first pages if it says nothing sensible."""
    try:
        said = json.loads(metadata)
        return {group: int(said[group]) for group in GROUPS if int(said.get(group, 1)) > 1}
    except (ValueError, TypeError, AttributeError):
        return {}


def closed(reader: Reader) -> b.Block:
    """Draw the tab of one who is neither starter nor approver: one sentence, and nothing that names anything."""
    return {"type": "home", "blocks": [b.marked(reader.texts.refused)]}


def home(reader: Reader, table: Table) -> b.Block:
    """Draw the tab of one who may see runs."""
    h = HOME_TEXTS[reader.language]
    waits = table.totals.get("wait", 0)
    blocks: list[b.Block] = list(table.said)
    start = _start(reader, primary=not waits)
    if waits:
        blocks += _group(reader, table, "wait")
    else:
        blocks += [b.header(h.empty_title), b.marked(h.empty), *start]
    for group in GROUPS[1:]:
        drawn = _group(reader, table, group)
        blocks += [b.divider(), *drawn] if drawn else []
    blocks += [b.divider(), b.header(h.switch), _switch(reader, table)]
    if waits:
        blocks += start
    return {"type": "home", "blocks": blocks, "private_metadata": json.dumps(dict(table.pages))}


def _start(reader: Reader, *, primary: bool) -> list[b.Block]:
    """Return the button that opens the form, for one who may start."""
    _, form = with_form()
    if not reader.policy.may_start(reader.person):
        return []
    label = form.words[reader.language].title
    return [b.actions("home.start", b.button("start", label, "", style="primary" if primary else ""))]


def _page(pages: Pages, group: Group) -> int:
    return max(1, pages.get(group, 1))


def _group(reader: Reader, table: Table, group: Group) -> list[b.Block]:
    """Draw a group's headline, its rows and the way to its other pages; nothing if it has no rows."""
    t, h = reader.texts, HOME_TEXTS[reader.language]
    lines = [line for line in table.lines if line.group == group]
    if not lines:
        return []
    total = table.totals.get(group, len(lines))
    heads = {"wait": t.status_wait, "mine": t.status_mine, "run": t.status_run, "fail": t.status_fail}
    blocks = [b.header(heads.get(group, t.status_done).format(n=f"{total:,}"))]
    page, last = _page(table.pages, group), last_page(group, total)
    if last > 1:
        first = (page - 1) * rows_of(group) + 1
        where = {"a": f"{first:,}", "b": f"{first + len(lines) - 1:,}", "n": f"{total:,}"}
        blocks.append(b.quiet((h.page if group == "wait" else h.page_of_others).format(**where)))
    blocks += [row(reader, line, table.now, _button(reader, line)) for line in lines]
    turns = []
    if page > 1:
        turns.append(b.button("home_previous", h.earlier, f"{group}:{page - 1}"))
    if page < last:
        turns.append(b.button("home_next", h.later, f"{group}:{page + 1}"))
    return [*blocks, b.actions(f"home.page.{group}.{page}", *turns)] if turns else blocks


def _button(reader: Reader, line: Line) -> b.Block | None:
    """Return the one button of a row."""
    h, run, latest = HOME_TEXTS[reader.language], line.scene.run, line.scene.latest
    mine = reader.policy.may_steer(reader.person, run.requester)

    def act(action: str, label: str, value: str = run.id) -> b.Block:
        return b.button(action, label, value, spoken=f"{label} {title(line)}")

    if line.group == "wait" and latest:
        return act("home_decide", h.decide, f"{latest.id}:{latest.revision}")
    if line.group == "mine" and mine:
        return act("home_withdraw", h.withdraw)
    if line.group == "run" and mine and (run.state != "resuming" or line.scene.asked_again):
        return act("home_cancel", h.cancel)
    if line.group == "fail" and reader.policy.may_retry(reader.person, run.requester):
        return act("home_retry", h.go_on)
    if run.result and run.result.record:
        return act("show_record", h.record)
    return None


def _switch(reader: Reader, table: Table) -> b.Block:
    """Say whether new checks begin at once, with the button of one who may change it."""
    h, hold = HOME_TEXTS[reader.language], table.hold
    may = reader.policy.may_hold(reader.person)
    if hold is None:
        return b.marked(h.on, b.button("hold", h.hold, "") if may else None)
    sentence = h.off[table.held != 1].format(n=f"{table.held:,}", **since_hold(reader, hold, table.now))
    return b.marked(sentence, b.button("release", h.release, "") if may else None)
