"""A local Slack on loopback: Web API, Socket Mode and a page on which people act.

It is as strict as Slack where an app could rely on less, so that what works here works there. It knows
nothing of this project's bot: any app built with a Slack SDK can be pointed at it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.emulator.answer import Answer
    from bot.emulator.people import Person
    from bot.emulator.server import Emulator

__all__ = ["Answer", "Emulator", "Person"]

_WHERE = {
    "Answer": "bot.emulator.answer",
    "Emulator": "bot.emulator.server",
    "Person": "bot.emulator.people",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
