"""What people say and do that decides nothing, and is kept all the same."""

from __future__ import annotations

from graph.approval import Person
from graph.errors import NotAllowed, UnknownRequest
from graph.policy import Policy
from graph.store import Store
from graph.store.rows import storable


class Beside:
    """Keeps words that came second, and clicks that were refused; part of `Intake`."""

    store: Store
    policy: Policy

    async def late_words(self, request_id: str, person: Person, words: str) -> None:
        """Post the words of one who came second in the card's thread. Once; a second time changes nothing.

        Raises:
            UnknownRequest: there is no such request.
            NotAllowed: this person could not have decided it.
        """
        async with self.store.write() as write:
            found = await write.standing(request_id)
            if found is None:
                raise UnknownRequest
            run = found[0]
            if not self.policy.may_decide(person, run.requester):
                raise NotAllowed(self.policy.deciders(run.requester))
            data = {"words": storable(words), "person": person.model_dump(mode="json")}
            thread = f"card:{request_id}"
            if await write.add_message(f"late:{request_id}:{person.id}", run, thread=thread, data=data):
                await write.event(run.id, person, "late-words")

    async def refused_click(self, about: str, person: Person, what: str) -> None:
        """Keep in the history that someone was refused.

        Args:
            about: id of a request or of a run; an unknown one leaves nothing.
            person: who.
            what: what they wanted (`approve`, `cancel` …).
        """
        async with self.store.write() as write:
            found = await write.standing(about)
            run = found[0] if found else await write.run(about)
            if run is not None:
                await write.event(run.id, person, "refused-click", wanted=what)
