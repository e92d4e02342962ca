"""From a message's row to its content: which drawing belongs to which key, its digest, and a lean form of it."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot import limits
from bot.slack import cards, progress, threads
from bot.slack.blocks import Content
from bot.slack.scene import Scene
from graph.approval import Message, Person, Request

log = logging.getLogger(__name__)


def draw(scene: Scene, message: Message, now: datetime) -> Content | None:
    """Draw a message as its rows are now; None if there is nothing to show.

    What Slack would refuse is made lean: a refused update would leave live buttons on a decided request.
    """
    content = _drawn(scene, message, now)
    if content is None:
        return None
    wrong = limits.check_message({"text": content.text, "blocks": content.blocks})
    if wrong or limits.characters(content.blocks) > limits.MESSAGE_BUDGET:
        log.error("message does not fit", extra={"key": message.key, "where": [p.where for p in wrong]})
        return lean(content)
    return content


def _drawn(scene: Scene, message: Message, now: datetime) -> Content | None:  # noqa: PLR0911 - one line a kind
    kind, _, rest = message.key.partition(":")
    about = _request(scene, rest)
    if kind == "progress":
        return progress.progress(scene, message.wanted, now)
    if kind == "card" and about:
        return cards.card(scene, about, message.wanted)
    if kind == "outcome" and about and about.id in scene.decisions:
        return threads.decided(scene, about, scene.decisions[about.id])
    if kind == "outcome" and rest == scene.run.id:
        return threads.ended(scene)
    if kind == "unshown" and about and message.data:
        return threads.unshown(scene, about, str(message.data["place"]), str(message.data["problem"]))
    if kind == "remind" and about and message.data:
        return threads.remind(scene, about, message.data)
    if kind == "late" and message.data:
        return threads.late(scene, Person.model_validate(message.data["person"]), str(message.data["words"]))
    return None


def _request(scene: Scene, key: str) -> Request | None:
    return next((r for r in scene.requests if r.id == key.partition(":")[0]), None)


def digest(content: Content) -> str:
    """Return a digest of what people see; block ids differ at each edit and do not count."""
    seen = json.dumps([content.text, [_without_id(block) for block in content.blocks]], sort_keys=True)
    return hashlib.sha256(seen.encode()).hexdigest()


def _without_id(block: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "block_id"}


def lean(content: Content) -> Content:
    """Return the headline and the buttons alone, for when the whole is refused."""
    kept = [b for b in content.blocks if b["type"] in {"header", "actions"}]
    return Content(content.text[:1000] or " ", kept or content.blocks[:1])
