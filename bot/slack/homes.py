"""Keep the Home tabs fresh that people look at: on opening, after their own clicks, and when rows change.

A tab is read and published by one at a time, so an older reading never replaces a newer one; of several processes
the one that comes second meets the view's hash and reads again. Nothing here is ever waited for by an acknowledgement.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.errors import SlackApiError

from bot.slack import blocks as b
from bot.slack import home, overview
from bot.slack.answers import Reader
from bot.slack.away import AWAY, error_name
from bot.slack.budget import Budget
from bot.slack.desk import Desk
from bot.slack.people import identity
from graph.store.concerns import Group

log = logging.getLogger(__name__)

SAID_SECONDS = 30.0  #: that the answer to a click stays on top, at least
LATELY_SECONDS = 3600  #: a tab that was opened or used within this time is kept fresh
MOST = 50  #: tabs kept fresh; of more, those used last
BREATH_SECONDS = 0.2  #: from news to the look: what changes together is shown together
EVERY_SECONDS = 3.0  #: at most one look
ELSEWHERE_SECONDS = 10.0  #: and while only other processes write
PER_MINUTE = 60  #: publications that nobody asked for; Slack takes about a hundred


@dataclass(slots=True)
class _Open:
    """A tab that somebody looks at."""

    person: Mapping[str, str]  #: whose it is, as a payload says it
    pages: dict[Group, int] = field(default_factory=dict)
    said: Sequence[b.Block] = ()
    until: float = 0.0  #: when what was said goes
    hash: str = ""
    shown: str = ""  #: what was published last
    used: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Homes:
    """The Home tabs of a workspace.

    Args:
        desk: what it shares with the listeners.
        clock: seconds, monotonic.
    """

    def __init__(self, desk: Desk, clock: Callable[[], float] = time.monotonic) -> None:
        self._desk, self._clock = desk, clock
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._budget = Budget(PER_MINUTE, clock=clock)
        self._news = asyncio.Event()
        self._looked = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    async def opened(self, body: Mapping[str, Any]) -> None:
        """Publish the tab that somebody opens. Never raises."""
        event = body.get("event") or {}
        if event.get("tab", "home") != "home":
            return
        view = event.get("view") or {}
        await self.show(
            {"user_id": str(event["user"]), "team_id": str(body.get("team_id") or "")},
            home.read_pages(str(view.get("private_metadata") or "")),
            hash_=str(view.get("hash") or ""),
        )

    async def clicked(
        self, body: Mapping[str, Any], said: Sequence[b.Block] = (), turn: Mapping[Group, int] | None = None
    ) -> None:
        """Publish the tab after a click in it, with what came of that, or turned to another page. Never raises."""
        view = body.get("view") or {}
        pages = home.read_pages(str(view.get("private_metadata") or ""))
        await self.show(body, {**pages, **(turn or {})}, said=said, hash_=str(view.get("hash") or ""))

    async def show(
        self,
        body: Mapping[str, Any],
        pages: dict[Group, int],
        *,
        said: Sequence[b.Block] = (),
        hash_: str = "",
    ) -> None:
        """Publish the tab of the person behind a payload, at these pages. Never raises."""
        user, team, name = identity(body)
        person = {"user_id": user, "team_id": team, "user_name": name}
        one = self._open.setdefault(user, _Open(person))
        one.pages, one.used = pages, self._clock()
        one.said, one.until = said, self._clock() + SAID_SECONDS
        one.hash = hash_ or one.hash
        self._open.move_to_end(user)
        while len(self._open) > MOST:
            self._open.popitem(last=False)
        await self._publish(user, one, asked=True)

    def poke(self) -> None:
        """Tell that rows have changed. Never blocks."""
        if self._open:
            self._news.set()

    def glance(self) -> None:
        """Tell that another process may have changed rows; looked at less often. Never blocks."""
        if self._open and self._timer is None:
            wait = max(0.0, self._looked + ELSEWHERE_SECONDS - self._clock())
            self._timer = asyncio.get_running_loop().call_later(wait, self._glanced)

    def _glanced(self) -> None:
        self._timer = None
        self.poke()

    async def run(self) -> None:
        """Keep the tabs fresh, for ever."""
        while True:
            await self._news.wait()
            await asyncio.sleep(BREATH_SECONDS)
            self._news.clear()
            self._looked = self._clock()
            for user, one in list(self._open.items()):
                if self._clock() - one.used >= LATELY_SECONDS:
                    self._open.pop(user, None)
                else:
                    await self._publish(user, one)
            await asyncio.sleep(EVERY_SECONDS)

    async def _publish(self, user: str, one: _Open, *, asked: bool = False) -> None:
        """Read and publish a tab, if it says something else than before or somebody asked for it. Never raises."""
        try:
            async with one.lock:
                if not await self._send(user, one, one.hash, asked=asked):
                    await self._send(user, one, "", asked=asked)
        except AWAY as error:
            log.info("Home not published", extra={"user": user, "error": error_name(error)})
        except Exception:
            log.exception("Home not published", extra={"user": user})

    async def _send(self, user: str, one: _Open, known: str, *, asked: bool) -> bool:
        """Read a tab and publish it over the view with this hash; False if another process was faster."""
        said = one.said if self._clock() < one.until else ()
        view = await build(self._desk, await self._desk.reader(one.person), one.pages, said)
        digest = json.dumps(view, sort_keys=True)
        if not asked and digest == one.shown:
            return True
        if not asked and not self._budget.take(user, progress=False):
            asyncio.get_running_loop().call_later(EVERY_SECONDS, self.poke)
            return True
        try:
            reply = await self._desk.reads.views_publish(user_id=user, view=view, hash=known or None)
        except SlackApiError as error:
            if known and error_name(error) == "hash_conflict":
                return False
            raise
        shown: Any = reply.get("view") or {}
        one.hash, one.shown = str(shown.get("hash") or ""), digest
        return True


async def build(
    desk: Desk, reader: Reader, pages: Mapping[Group, int], said: Sequence[b.Block] = ()
) -> b.Block:
    """Read and draw a Home tab; a page that is no more gives way to the last there is."""
    if not reader.policy.may_see(reader.person):
        return home.closed(reader)
    found = await desk.store.concerning(reader.policy, reader.person, home.wanted(pages))
    there = {g: min(page, home.last_page(g, found[g].total)) for g, page in pages.items() if g in found}
    if there != dict(pages):
        found = await desk.store.concerning(reader.policy, reader.person, home.wanted(there))
    hold = await desk.store.hold()
    return home.home(
        reader,
        home.Table(
            lines=await overview.lines(desk, reader, found),
            totals={group: its.total for group, its in found.items()},
            now=desk.store.now(),
            pages=there,
            hold=hold,
            held=len(await desk.store.on_hold()) if hold else 0,
            said=said,
        ),
    )
