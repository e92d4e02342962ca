"""What people do, come what may: they repeat what was not answered, and remember what they were told.

One is U0MEMBER1, who starts the run and may decide; two is U0MEMBER2, who may decide.
"""

import asyncio
import json

from bot.slack.texts import TEXTS

NOTES = "C0NOTES"
NOT_YET = {texts.slow_title for texts in TEXTS.values()}
RECORDED = {texts.slow_done_title for texts in TEXTS.values()}
NOT_SAVED = [texts.no_database for texts in TEXTS.values()]


class Wrong(Exception):
    """Something that need not be waited for any longer."""


class People:
    """The two people around a town's bot."""

    def __init__(self, town):
        self.town, self.slack, self.may_fail = town, town.slack, False

    async def meet(self):
        self.one, self.two = [await self.slack.person(f"U0MEMBER{number}") for number in (1, 2)]

    async def until_answered(self, act):
        """Act until the bot has acknowledged it; return what the person saw."""
        while True:
            await self.town.up()
            answer = await act()
            if answer.ok:
                return answer

    async def start(self):
        """Type the command; Slack delivers it again if it was not acknowledged."""
        await self.town.up()
        answer = await self.one.command(NOTES, "/linkcheck daily")
        while not answer.ok or _not_saved(answer.said):
            await self.town.up()
            if answer.ok:
                answer = await self.one.command(NOTES, "/linkcheck daily")
            elif await self.slack.sockets.redeliver() is not None:
                return

    def messages(self, button):
        """Return the messages that have this button, oldest first."""
        return [message for message in self.one.messages(NOTES) if _has(message, button)]

    def asks(self, revision):
        """Return the card that asks in a revision, if one does; without one, the newest revision that is asked."""
        cards = {int(_value(m, "approve").rpartition(":")[2]): m for m in self.messages("approve")}
        return max(cards, default=0) if revision is None else cards.get(revision)

    async def card(self, revision):
        """Wait for the card that asks in this revision."""

        def asking():
            if self.messages("continue_now") and not self.may_fail:
                raise Wrong("lost: the run has failed")
            if self.asks(None) > revision:
                raise Wrong(f"untrue: revision {revision} was answered, though nobody had")
            return self.asks(revision)

        return await self.one.sees(asking, timeout=self.town.patience)

    async def press(self, person, button, revision):
        """Press a card's button until its modal is open; what an impatient press left open is closed before."""
        for view in person.views[::-1]:
            await person.close(view)
        while not person.views:
            card, before = await self.card(revision), len(person.ephemeral(NOTES))

            def answered(before=before):  # with a modal, or in words: it came too late to open one
                return person.views or len(person.ephemeral(NOTES)) > before

            await self.until(answered, person.click, card, button)

    async def steer(self, button, done):
        """Press a button that steers the run until Slack says that the click arrived; then it counts, come what may.

        `done` tells that Slack shows what the button is for: a click may have counted that nobody acknowledged.
        """
        message = await self.message(button)
        while message:
            await self.town.up()
            if (await self.one.click(message, button)).ok:
                return
            await self.one.sees(lambda: self.messages(button) or done(), timeout=self.town.patience)
            message = (self.messages(button) or [None])[-1]

    def says(self, words):
        """Tell whether a message says this."""
        return any(words in json.dumps(message) for message in self.one.messages(NOTES))

    async def switch(self, way):
        """Type `hold` or `release` until Slack says that it arrived; then it counts, come what may."""
        await self.until_answered(lambda: self.one.command(NOTES, f"/linkcheck {way}"))

    async def until(self, seen, press, *what):
        """Press something once and wait until one has seen what it does, or it cannot do it any more."""
        await self.town.up()
        life = self.town.life
        if (await press(*what)).ok:
            await self.one.sees(lambda: seen() or self.town.life != life, timeout=self.town.patience)

    async def message(self, button):
        def shown():
            found = self.messages(button)
            return found[-1] if found else None

        return await self.one.sees(shown, timeout=self.town.patience)

    async def say(self, person, kind, revision):
        """Submit the open modal until that is answered, and remember what the answer said.

        A busy bot says that it has not recorded it *yet*; one that dies then leaves it at that, and people begin anew.
        """
        words = f"{kind} {revision} by {person.id}"
        while True:
            await self.submit(person, words)
            if await self.told(person) and not _not_saved(person.views[-1:]):
                if _asks(person):  # opened by an impatient press, in place of the one that was answered
                    continue
                break
            await person.close(person.views[-1])
            if not self.asks(revision):
                return
            await self.press(person, kind, revision)
        stands = not person.views or _title(person) in RECORDED
        seen = None if stands else person.views[-1]["callback_id"]
        self.town.told.append([person.id, kind, words, revision, stands, seen])
        if stands and person.views:
            await person.close(person.views[-1])

    async def submit(self, person, words):
        """Submit the open modal until that is answered, be it late and by turning the modal into the answer."""
        while _asks(person):
            await self.town.up()
            if (await person.submit(person.views[-1], {"reason": words})).ok:
                return

    async def told(self, person):
        """Wait until the bot has said what became of it; tell whether it lived to do so."""
        life = self.town.life
        await person.sees(
            lambda: _title(person) not in NOT_YET or self.town.life != life, timeout=self.town.patience
        )
        return _title(person) not in NOT_YET

    async def send_back(self):
        """Both send it back, one after the other; the second one posts their words all the same."""
        for person in (self.two, self.one):
            await self.press(person, "send_back", 1)
        await self.say(self.two, "send_back", 1)
        await self.say(self.one, "send_back", 1)
        if self.one.views:
            await self.until_answered(lambda: self.one.submit(self.one.views[-1]))

    async def race(self, revision):
        """One approves, one rejects, in the same moment."""
        rivals = ((self.two, "approve"), (self.one, "reject"))
        for person, button in rivals:
            await self.press(person, button, revision)
        await asyncio.gather(*(self.say(person, kind, revision) for person, kind in rivals))


def _not_saved(shown):
    return any(words[:20] in json.dumps(shown, ensure_ascii=False) for words in NOT_SAVED)


def _elements(message):
    for block in message["blocks"]:
        yield from block.get("elements", [])
        if "accessory" in block:
            yield block["accessory"]


def _asks(person):
    """Tell whether a modal for a decision is open."""
    return bool(person.views) and person.views[-1]["callback_id"] == "decide"


def _title(person):
    return person.views[-1]["title"]["text"] if person.views else None


def _has(message, button):
    return any(element.get("action_id") == button for element in _elements(message))


def _value(message, button):
    return next(e.get("value", "") for e in _elements(message) if e.get("action_id") == button)


async def send_back_and_approve(people):
    await people.start()
    await people.send_back()
    await people.race(2)


async def failure_and_continue(people):
    limit = people.town.home / "limit"
    limit.touch()
    people.may_fail = True
    await people.start()
    await people.message("continue_now")
    limit.unlink()
    await people.steer("continue_now", lambda: people.asks(1))
    await people.race(1)


async def withdraw_while_redrafting(people):
    await people.start()
    await people.card(1)
    hold = people.town.home / "hold"
    hold.touch()
    await people.press(people.two, "send_back", 1)
    await people.say(people.two, "send_back", 1)
    await people.steer("cancel", lambda: people.says("Withdrawn"))
    hold.unlink()


async def exception_and_retry(people):
    trouble = people.town.home / "trouble"
    trouble.touch()
    people.may_fail = True
    await people.start()
    await people.message("continue_now")
    trouble.unlink()
    await people.steer("continue_now", lambda: people.asks(1))
    await people.race(1)


async def cancel_while_drafting(people):
    hold = people.town.home / "hold"
    hold.touch()
    await people.start()
    await people.steer("cancel", lambda: people.says("Cancelled"))
    hold.unlink()


async def hold_and_release(people):
    held = people.town.home / "held"
    await people.switch("hold")
    held.touch()
    await people.start()
    await people.message("cancel")
    held.unlink()
    await people.switch("release")
    await people.race(1)


SCENARIOS = {
    "approve": send_back_and_approve,
    "cancel": cancel_while_drafting,
    "hold": hold_and_release,
    "retry": exception_and_retry,
    "failure": failure_and_continue,
    "withdraw": withdraw_while_redrafting,
}
