"""The switch that keeps new checks from beginning: anyone who may turns it, every process reads it."""

from __future__ import annotations

from graph.approval import Order, Person
from graph.errors import NotAllowed
from graph.policy import Policy
from graph.store import Store


class Switch:
    """Turns the switch; part of `Intake`."""

    store: Store
    policy: Policy

    async def hold(self, person: Person) -> tuple[Order, bool]:
        """Put new checks on hold: what has not begun waits, what is at work goes on, decisions are carried out.

        Returns:
            The hold that stands, and whether this call put it there.

        Raises:
            NotAllowed: this person may not.
        """
        if not self.policy.may_hold(person):
            raise NotAllowed
        async with self.store.write() as write:
            there = await write.hold()
            return (there, False) if there is not None else (await write.add_switch("hold", person), True)

    async def release(self, person: Person) -> Order | None:
        """Let new checks begin again; return the hold that this ended, None if there was none.

        Raises:
            NotAllowed: this person may not.
        """
        if not self.policy.may_hold(person):
            raise NotAllowed
        async with self.store.write() as write:
            there = await write.hold()
            if there is not None:
                await write.add_switch("release", person)
        return there
