"""`ringi show RUN --prompts`: what was sent to the model, word by word, with the receipt of each call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.terminal.desk import Desk
from bot.terminal.report import LOUD, line, quiet
from bot.terminal.screen import safe_lines
from bot.terminal.texts import short
from graph.approval import Language, Run
from graph.policy import Policy
from graph.runtime import sent_prompts
from graph.settings import Settings
from graph.workflow import Sent


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentences about prompts."""

    none: str
    call: str
    answered: str
    unanswered: str
    unknown: str


TEXTS: Mapping[Language, Texts] = {
    "en": Texts(
        none="Run {run} has asked no model anything.",
        call="Call {call}, {time}",
        answered="answered",
        unanswered="no usable answer",
        unknown="This version of ringi cannot write it again; the hash above is that of what was sent.",
    ),
    "ja": Texts(
        none="run {run} はモデルに何も尋ねていません。",
        call="呼び出し {call}（{time}）",
        answered="回答あり",
        unanswered="使える回答なし",
        unknown="この版の ringi では再現できません。上のハッシュが送ったものの値です。",
    ),
}


async def print_prompts(desk: Desk, settings: Settings, run: Run, *, as_json: bool) -> int:
    """Print every prompt a run has sent; as text, what could steer a terminal is made visible."""
    every = await sent_prompts(settings, run)
    if as_json:
        desk.screen.json([_to_json(one) for one in every])
    elif not every:
        desk.screen.say(TEXTS[desk.screen.language].none.format(run=short(run.id)))
    else:
        for one in every:
            _print(desk, one)
    return 0


def _print(desk: Desk, one: Sent) -> None:
    say, reader, call = TEXTS[desk.screen.language], desk.reader(Policy()), one.call
    parts = (say.answered if call.answered else say.unanswered, one.version or "?", f"SHA-256 {call.prompt}")
    head = line(say.call.format(call=call.id, time=reader.time(call.at)), LOUD)
    desk.screen.show(head, quiet(reader.texts.comma.join(parts)))
    for row in safe_lines(one.text) if one.text is not None else (say.unknown,):
        desk.screen.say(row)
    desk.screen.say()


def _to_json(one: Sent) -> dict[str, Any]:
    """Return a prompt and its receipt; `text` is exactly what was given."""
    call = one.call
    return {
        "call": call.id,
        "at": call.at.isoformat(),
        "answered": call.answered,
        "version": one.version,
        "sha256": call.prompt,
        "text": one.text,
    }
