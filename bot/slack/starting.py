"""Start a run from a form: open it, serve its menu, and take it in.

Only who may start ever sees a name in it. A run is started as by a command; what is in the way is said beside the input,
and the form stays.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck

from bot.slack import answers, form, views
from bot.slack.answers import Reader, say
from bot.slack.away import AWAY, error_name
from bot.slack.blocks import Content
from bot.slack.choices import Choices, with_form
from bot.slack.commands import Asked, Commands
from bot.slack.desk import Desk
from bot.slack.fit import unescape
from bot.slack.home_texts import HOME_TEXTS
from bot.slack.opening import open_modal
from bot.slack.people import identity
from bot.slack.submissions import Judged, Submissions
from graph import drafters
from graph.errors import NotAllowed, UnderWay

log = logging.getLogger(__name__)


class Starting:
    """The form that starts a run."""

    def __init__(self, desk: Desk, commands: Commands, submissions: Submissions) -> None:
        self._desk, self._commands, self._submissions = desk, commands, submissions
        self._choices = Choices(desk.engine.settings)

    async def open(self, body: Mapping[str, Any], reader: Reader, here: str = "") -> None:
        """Open the form: the first network call after one indexed read, which finds the person's last choices.

        Who judged a run that failed is not proposed again, nor anyone who could not work here.

        Raises:
            NotAllowed: this person may not start runs.
            TooLateToOpen: Slack did not open it.
        """
        if not reader.policy.may_start(reader.person):
            raise NotAllowed
        workflow, its_form = with_form()
        last = await self._desk.store.last_run_of(reader.person, workflow.name)
        settings, words = self._desk.engine.settings, its_form.words[reader.language]
        able = await asyncio.to_thread(drafters, settings)
        what, judge = None, str(settings.drafter)
        if last is not None:
            what, before = its_form.again(last.input, reader.language)
            judge = before if before in able and last.state != "failed" else judge
        if judge not in able:
            judge = next(iter(able))
        chosen = form.Choice(what, judge, last.language if last else reader.language)
        if last is not None and last.place and not here:
            here = last.place  # a form that belongs to no channel has its card where the last one went
        judges = {name: what_it_does for name, what_it_does in words.judges.items() if name in able}
        view = form.form(
            replace(words, judges=judges), reader.language, chosen, here, self._comes(reader, here)
        )
        await open_modal(self._desk, body, view)
        self._choices.begin(workflow, reader.language)

    def _comes(self, reader: Reader, here: str) -> str:
        """Say where the card will come, before anything is started, or that it could come nowhere."""
        place = self._desk.places.foreseen(reader.policy, reader.person, here)
        if place is None:
            return reader.texts.comes_nowhere.format(name=with_form()[0].name)
        return answers.comes(reader, place.id, private=place.private)

    async def typed(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Open the form for the bare command; the help for one who may not start. Never raises."""
        desk = self._desk
        reader = desk.reader_at_once(body)
        if not reader.policy.may_start(reader.person):
            await self._commands.typed(ack, body)
            return
        await ack()
        here = str(body.get("channel_id") or "")
        try:
            if desk.places.foreseen(reader.policy, reader.person, here) is None:
                reader = await desk.reader(body)
                await desk.tell(body, self._commands.no_place(reader, "only_channels"))
            else:
                await self.open(body, reader, here)
        except Exception as error:  # noqa: BLE001 - every command is answered
            await desk.tell(body, self.refusal(error, reader))

    async def pressed(self, ack: AsyncAck, body: Mapping[str, Any]) -> None:
        """Open the form for the app's shortcut, which has no channel to answer in. Never raises."""
        await ack()
        desk = self._desk
        reader = desk.reader_at_once(body)
        try:
            await self.open(body, reader)
        except Exception as error:  # noqa: BLE001 - every press gets an answer
            said = self.refusal(error, reader)
            try:
                view = views.notice(reader.texts, said)
                await desk.sends.views_open(trigger_id=str(body.get("trigger_id") or ""), view=view)
            except AWAY as away:
                log.info("notice not opened", extra={"error": error_name(away)})

    def refusal(self, error: Exception, reader: Reader) -> Content:
        """Say why the form did not open."""
        if isinstance(error, NotAllowed) and reader.policy.may_see(reader.person):
            return say(reader.texts.not_starter)
        return self._desk.words_for(error, reader)

    async def suggested(self, ack: AsyncAck, body: Mapping[str, Any]) -> None:
        """Serve the options for what was typed; none to one who may not start. Never raises."""
        reader, options = self._desk.reader_at_once(body), []
        try:
            if reader.policy.may_start(reader.person):
                listing = await self._choices.listing(with_form()[0], reader.language)
                if listing is not None:
                    found = await asyncio.to_thread(listing.search, str(body.get("value") or ""))
                    options = [form.option(name) for name in found]
        except Exception:  # a menu without options says so itself
            log.exception("no options")
        await ack(options=options)

    async def submitted(self, ack: AsyncAck, body: Mapping[str, Any]) -> None:
        """Start what the form says. Never raises; then let the receipt lead to the run's first message."""
        judged = await self._submissions.answer(ack, body, self._judged(body))
        if judged.run_id is not None:
            await self._lead(body, judged.run_id, judged.answer["view"])

    async def _judged(self, body: Mapping[str, Any]) -> Judged:
        """Commit a start, or say what is in the way. Never raises."""
        reader, view = self._desk.reader_at_once(body), body["view"]
        try:
            return await self._start(body, view, reader)
        except UnderWay as error:
            said = self._commands.under_way(reader, error.run)
            shown = views.notice(reader.texts, said, HOME_TEXTS[reader.language].not_started)
            return Judged({"response_action": "update", "view": shown}, error.run.id)
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            shown = views.notice(reader.texts, self.refusal(error, reader))
            return Judged({"response_action": "update", "view": shown})

    async def _start(self, body: Mapping[str, Any], view: Mapping[str, Any], reader: Reader) -> Judged:
        if not reader.policy.may_start(reader.person):
            raise NotAllowed
        chosen, judge, language, everything = form.read(view)
        workflow, its_form = with_form()
        h, words = HOME_TEXTS[reader.language], its_form.words[reader.language]
        listing = await self._choices.listing(workflow, reader.language)
        if listing is not None and chosen not in listing.by_digest:
            listing = await self._choices.listing(workflow, reader.language, fresh=True)
        if listing is None:
            return _beside(h.still_listing)
        text = listing.by_digest.get(chosen)
        if text is None or judge not in words.judges:
            return _beside(words.gone)
        source = f"slack:{identity(body)[1]}:{view['id']}"
        here = str(view.get("private_metadata") or "")
        asked = Asked(here, source, None, language=language, drafter=judge, everything=everything)
        answer = await self._commands.start(body, workflow, text, asked)
        if answer.said is None:
            return _beside(words.gone)
        if answer.run is None:
            return _beside(unescape(answer.said.text))
        shown = views.notice(reader.texts, answer.said, h.waiting if answer.waits else h.started)
        return Judged({"response_action": "update", "view": shown}, answer.run.id)

    async def _lead(self, body: Mapping[str, Any], run_id: str, view: views.View) -> None:
        """Put the way to a run's first message into the receipt, once there is one. Never raises."""
        desk, reader = self._desk, self._desk.reader_at_once(body)
        try:
            run = await desk.store.run(run_id)
            if not reader.may_see(run):
                return
            link = await self._commands.address(run_id)
            if link is not None:
                blocks = [*view["blocks"], self._commands.way_to(reader, run, link)]
                await desk.sends.views_update(view_id=str(body["view"]["id"]), view=view | {"blocks": blocks})
        except AWAY as error:
            log.info("receipt without a link", extra={"error": error_name(error)})
        except Exception:
            log.exception("receipt without a link")


def _beside(sentence: str) -> Judged:
    """Say what is wrong beside the menu; the form stays as it is."""
    return Judged({"response_action": "errors", "errors": {form.WHAT: sentence}})
