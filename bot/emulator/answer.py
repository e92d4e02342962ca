"""What people do in a form or a message, and what they see right after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person sees right after they did something.

    Attributes:
        ack: milliseconds from sending to the app's acknowledgement; None if nothing was sent or no ack came.
        error: Slack's sentence if it went wrong; None if it went well.
        errors: what is wrong with a form, input block id → sentence.
        view: the modal on top of this person's stack at that moment, if any.
        said: the private message that a command's ack carried, if any.
    """

    ack: float | None = None
    error: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    view: dict[str, Any] | None = None
    said: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether the person was told nothing bad."""
        return self.error is None and not self.errors


@dataclass(frozen=True, slots=True)
class Press:
    """A press of a button or a choice in a menu.

    Attributes:
        action_id: which element.
        block_id: in which block, if several have it.
        value: for menus, what is chosen now, as a state value (`{"selected_option": …}`).
        given: in a modal, what stands in all fields at that moment, as in `state.values`.
    """

    action_id: str
    block_id: str | None = None
    value: Any = None
    given: Mapping[str, Any] = field(default_factory=dict)
