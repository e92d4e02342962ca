"""When people are reminded of what waits for them: once, and only while they are awake."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bot.slack.desk import Desk
from bot.slack.scene import Scene
from graph.approval import Whole
from graph.intake.reminding import put_off, remind

MORNING, EVENING = 8, 21
AT_ONCE = 20
_LATER = timedelta(hours=1)


class Reminders:
    """Turns reminders that are due into messages; how these are sent is the relay's matter.

    Args:
        desk: what it shares with the listeners.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk, self._store = desk, desk.store

    async def look(self) -> None:
        """Make one pass: an index is read, and the runs whose reminder is due."""
        due = await self._store.to_remind(AT_ONCE)
        if not due:
            return
        now = self._store.now()
        found = await self._store.whole(set(due.values()))
        for request_id, run_id in due.items():
            at = self.not_before(found[run_id], request_id)
            users = self._whom(found[run_id], request_id)
            if at > now or not users:
                await put_off(self._store, request_id, max(at, now + _LATER) if not users else at)
            else:
                await remind(self._store, request_id, self._data(found[run_id], request_id, users))

    def not_before(self, whole: Whole, request_id: str) -> datetime:
        """Return the first moment from now on at which the first of those who may decide is awake."""
        users = (*self._whom(whole, request_id),)
        zones = (who.zone for user in users if (who := self._desk.people.known(user)))
        return awake(self._store.now(), next(zones, whole.run.zone))

    def _whom(self, whole: Whole, request_id: str) -> tuple[str, ...]:
        scene = self._scene(whole)
        request = next(one for one in whole.requests if one.id == request_id)
        return scene.able(request)

    def _scene(self, whole: Whole) -> Scene:
        return self._desk.whole_scene(whole, whole.run.language)

    def _data(self, whole: Whole, request_id: str, users: tuple[str, ...]) -> dict[str, Any]:
        request = next(one for one in whole.requests if one.id == request_id)
        known = {user: self._desk.people.known(user) for user in users}
        minutes = int((self._store.now() - request.created).total_seconds() // 60)
        return {
            "whom": " ".join(self._scene(whole).mentions(request)[0]),
            "names": " ".join(f"@{who.name}" for who in known.values() if who),
            "minutes": minutes,
        }


def awake(now: datetime, zone: str) -> datetime:
    """Return the first moment from now on between eight in the morning and nine in the evening in a zone."""
    here = now.astimezone(ZoneInfo(zone))
    if MORNING <= here.hour < EVENING:
        return now
    day = here.date() + timedelta(days=here.hour >= EVENING)
    return datetime.combine(day, time(MORNING), ZoneInfo(zone)).astimezone(now.tzinfo)
