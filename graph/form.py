"""What a surface needs to offer a form that starts a run of a workflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graph.approval import Language
from graph.settings import Settings


@dataclass(frozen=True, slots=True)
class FormWords:
    """How a form that starts a run speaks in one language. Examples are linkcheck's, in English.

    Attributes:
        title: also of the button that opens it, at most 24 characters: `Check links`.
        what: label of the input that is chosen from a list: `Folder`.
        search: stands in it while it is empty: `Type to search`.
        judge: label of who drafts: `Who judges`.
        judges: drafter of the settings → name and what it does.
        everything: label and only box of what was settled in earlier runs: `Approved before`, `Ask about it again`.
        note: a quiet line below: `Notes are only read, never changed.`.
        gone: what was chosen is not there any more.
        under_way: a run about the same is at work; values: subject, who, time.
        under_way_for_others: the same for one whom that run does not concern; value: subject.
    """

    title: str
    what: str
    search: str
    judge: str
    judges: Mapping[str, tuple[str, str]]
    everything: tuple[str, str]
    note: str
    gone: str
    under_way: str
    under_way_for_others: str


@dataclass(frozen=True, slots=True)
class Form:
    """How a workflow is started from a form.

    Attributes:
        words: by language.
        listed: everything that may be typed, as people of a language read it; looks at the disk, so it is never called
            on an event loop.
        again: what was typed for an input, as people of a language read it, and who drafted.
        about: what a run with this input works on; two at work on the same would do the same twice.
    """

    words: Mapping[Language, FormWords]
    listed: Callable[[Settings, Language], list[str]]
    again: Callable[[Mapping[str, Any], Language], tuple[str, str]]
    about: Callable[[Mapping[str, Any]], str]
