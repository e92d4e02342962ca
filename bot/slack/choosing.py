"""Looking closer: *Everything* and *Item by item*, from the button over their pages to the decision.

What someone chooses is committed before it is answered, page by page and select by select, so a tunnel, a closed
modal or a restart loses none of it. No note is read here; all that is shown stands in the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from slack_bolt.context.ack.async_ack import AsyncAck

from bot.slack import items, views
from bot.slack.answers import Reader
from bot.slack.desk import Desk
from bot.slack.everything import everything
from bot.slack.opening import open_modal, turn_modal
from bot.slack.people import identity
from bot.slack.scene import Scene
from bot.slack.sheet import PAGE, Sheet, page_of, standing
from bot.slack.submissions import Choice, Judged, Submissions, instead
from graph.approval import LEAVE, Request
from graph.errors import AlreadyDecided, AlreadyVoted, NotAllowed, UnknownRequest

_DONE = Judged({"response_action": "clear"})
_ITEM, _REASON, _REST = "item.", "reason.", "rest."


class Choosing:
    """What the buttons, menus and submissions of these modals do."""

    def __init__(self, desk: Desk, submissions: Submissions) -> None:
        self._desk, self._submissions = desk, submissions
        self.acts = {
            "items": self.open_items,
            "item": self.choose,
            **dict.fromkeys(("items_back", "items_skip", "items_jump"), self.turn),
            "everything": self.open_everything,
            **dict.fromkeys(("all_prev", "all_next", "all_jump"), self.turn_everything),
        }
        """Action id → what it does."""

    async def open_items(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Show the first page that the person has not been through; if there is none, what they chose."""
        scene, sheet = await self._sheet(body, value, reader)
        begin = sheet.begin
        view = items.summary(scene, sheet) if begin is None else items.page(scene, sheet, begin)
        await open_modal(self._desk, body, view)

    async def choose(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Keep what was chosen for one item; the page shows it already."""
        request_id, revision, _ = standing(value)
        action = body["actions"][0]
        name, _, _ = str(action.get("block_id")).removeprefix(_ITEM).rpartition(".")
        word = str((action.get("selected_option") or {}).get("value"))
        await self._desk.intake.choose(request_id, revision, reader.person, {name: word})

    async def turn(self, body: Mapping[str, Any], _: str, reader: Reader) -> None:
        """Keep what the page says and show another, or the end."""
        scene, sheet, number = await self._kept(body, reader)
        action = body["actions"][0]
        if action["action_id"] == "items_skip":
            await turn_modal(self._desk, str(body["view"]["id"]), items.summary(scene, sheet))
            return
        number -= 1
        if action["action_id"] == "items_jump":
            number = page_of(sheet.items, _selected(action), sheet.per_page)
        await turn_modal(self._desk, str(body["view"]["id"]), items.page(scene, sheet, number))

    async def paged(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Answer *Next*. Never raises."""
        await self._submissions.answer(ack, body, self._next(body))

    async def submitted(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        """Record a decision of the items. Never raises."""
        await self._submissions.answer(ack, body, self._decided(body))

    async def _next(self, body: Mapping[str, Any]) -> Judged:
        """Keep what the page says and show the next, after the last one what was chosen. Never raises."""
        reader = self._desk.reader_at_once(body)
        try:
            scene, sheet, number = await self._kept(body, reader)
            if number >= sheet.pages:
                return instead(items.summary(scene, sheet))
            return instead(items.page(scene, sheet, number + 1))
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            return instead(views.notice(reader.texts, self._desk.words_for(error, reader)))

    async def _decided(self, body: Mapping[str, Any]) -> Judged:
        """Commit a decision of the items, or say why it does not count. Never raises."""
        reader, view = self._desk.reader_at_once(body), body["view"]
        block, words = _reason(view)
        try:
            request_id, revision, digest = standing(str(view.get("private_metadata") or ""))
            try:
                scene, sheet = await self._sheet(body, f"{request_id}:{revision}", reader)
            except (AlreadyDecided, AlreadyVoted) as error:
                if await self._submissions.came_before(error, request_id, (_kind(block), words), reader):
                    return _DONE
                raise
            said = sheet.all(_rest(view))
            if sheet.digest != digest or said is None:
                return instead(items.summary(scene, replace(sheet, reason=words), altered=True))
            return await self._commit(sheet.request, said, (block, words), reader)
        except AlreadyDecided as error:
            return instead(await self._submissions.lost(error, request_id, words, reader))
        except Exception as error:  # noqa: BLE001 - every submission gets an answer
            return self._submissions.failed(error, block, reader)

    async def _commit(
        self, request: Request, said: dict[str, str], typed: tuple[str, str], reader: Reader
    ) -> Judged:
        block, words = typed
        kind: Choice = "reject" if set(said.values()) == {LEAVE} else "approve"
        if wrong := await self._submissions.wrong(kind, words, request.id, reader):
            return Judged({"response_action": "errors", "errors": {block: wrong}})
        await self._desk.groups.sure_of(reader.person)
        its = said if kind == "approve" else None
        run_id = await self._submissions.decide(request.id, request.revision, (kind, words), reader, its)
        return Judged(_DONE.answer, run_id)

    async def open_everything(self, body: Mapping[str, Any], value: str, reader: Reader) -> None:
        """Show the first page of everything."""
        await open_modal(self._desk, body, await self._everything(body, value, reader, 1))

    async def turn_everything(self, body: Mapping[str, Any], _: str, reader: Reader) -> None:
        """Show another page of everything, in the same view."""
        action, value = body["actions"][0], str(body["view"].get("private_metadata") or "")
        where = standing(value)[2]
        number = int(where) if where.isdecimal() else 1
        number += {"all_prev": -1, "all_next": 1}.get(action["action_id"], 0)
        verdict = _selected(action) if action["action_id"] == "all_jump" else None
        await turn_modal(
            self._desk, str(body["view"]["id"]), await self._everything(body, value, reader, number, verdict)
        )

    async def _everything(
        self, body: Mapping[str, Any], value: str, reader: Reader, number: int, verdict: str | None = None
    ) -> views.View:
        found = await self._desk.store.standing(standing(value)[0])
        if found is None:
            raise UnknownRequest
        run, request, _ = found
        policy, person = reader.policy, reader.person
        if not (policy.may_steer(person, run.requester) or policy.may_decide(person, run.requester)):
            raise NotAllowed(policy.deciders(run.requester))
        language = self._desk.people.language(identity(body)[0], run.language)
        request = await self._desk.in_full(request)
        scene = self._desk.scene(run, language, request)
        if verdict is not None:
            number = page_of(scene.words.items(request.review), verdict, PAGE)
        return everything(scene, request, number)

    async def _sheet(self, body: Mapping[str, Any], value: str, reader: Reader) -> tuple[Scene, Sheet]:
        """Read what is asked and what the person chose; raises why they may not decide it now."""
        request_id, revision, _ = standing(value)
        run, request, chosen = await self._desk.may_decide(request_id, revision, reader.person)
        if request.review.choices is None:
            raise UnknownRequest
        request = await self._desk.in_full(request)
        language = self._desk.people.language(identity(body)[0], run.language)
        scene = await self._desk.with_votes(self._desk.scene(run, language, request), request)
        return scene, Sheet(request, scene.words, chosen.items, chosen.reason)

    async def _kept(self, body: Mapping[str, Any], reader: Reader) -> tuple[Scene, Sheet, int]:
        """Keep what a page says; return all that is chosen now, and the page's number (past the last: the summary)."""
        view = body["view"]
        value = str(view.get("private_metadata") or "")
        request_id, revision, where = standing(value)
        scene, sheet = await self._sheet(body, value, reader)
        if view.get("callback_id") != "items_page":
            words = _reason(view)[1]
            if words != sheet.reason:
                await self._desk.intake.choose(request_id, revision, reader.person, {}, words)
            return scene, sheet, sheet.pages + 1
        said = _said(view)
        if any(sheet.chosen.get(name) != word for name, word in said.items()):
            await self._desk.intake.choose(request_id, revision, reader.person, said)
        return scene, sheet.saying(said), int(where) if where.isdecimal() else 1


def _values(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is in the view's inputs, block id → the one value."""
    values = (view.get("state") or {}).get("values") or {}
    return {block: value for block, inputs in values.items() for value in inputs.values()}


def _selected(value: Mapping[str, Any]) -> str:
    return str((value.get("selected_option") or {}).get("value") or "")


def _said(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what a page's selects say, item id → choice."""
    return {
        block.removeprefix(_ITEM).rpartition(".")[0]: _selected(value)
        for block, value in _values(view).items()
        if block.startswith(_ITEM)
    }


def _rest(view: Mapping[str, Any]) -> str | None:
    found = [_selected(value) for block, value in _values(view).items() if block.startswith(_REST)]
    return found[0] or None if found else None


def _reason(view: Mapping[str, Any]) -> tuple[str, str]:
    """Return the block id of the reason, and the words."""
    for block, value in _values(view).items():
        if block.startswith(_REASON):
            return block, str(value.get("value") or "")
    return "", ""


def _kind(block: str) -> Choice:
    """Return what a summary submits, by the block id of its reason."""
    return "reject" if block.startswith(f"{_REASON}reject.") else "approve"
