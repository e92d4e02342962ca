"""The form that starts a run: drawn with a person's last choices, and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bot import limits
from bot.slack import blocks as b
from bot.slack.choices import digest
from bot.slack.fit import ELLIPSIS, brief, clean
from bot.slack.home_texts import HOME_TEXTS
from bot.slack.texts import TEXTS
from graph.approval import Language
from graph.errors import UnknownRequest
from graph.form import FormWords

WHAT, JUDGE, LANGUAGE, EVERYTHING = "what", "judge", "language", "everything"
"""Block and action ids of the inputs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What stands in a form: what to work on (as typed; None = nothing yet), who drafts, in which language."""

    what: str | None
    judge: str
    language: Language


def form(words: FormWords, reading: Language, chosen: Choice, here: str, comes: str = "") -> b.Block:
    """Draw the form.

    Args:
        words: of the workflow.
        reading: the language of the person who fills it in.
        chosen: what stands in it at first.
        here: the channel it was asked for in, or where the person's last card went.
        comes: where the card comes, as markup of our own.
    """
    h, t = HOME_TEXTS[reading], TEXTS[reading]
    what: b.Block = {
        "type": "external_select",
        "action_id": WHAT,
        "min_query_length": 0,
        "placeholder": b.plain_text(brief(words.search), limits.PLACEHOLDER),
    }
    if chosen.what is not None:
        what["initial_option"] = option(chosen.what)
    judges = [
        {
            "text": b.plain_text(brief(name), limits.OPTION_TEXT),
            "value": judge,
            "description": b.plain_text(brief(does), limits.OPTION_TEXT),
        }
        for judge, (name, does) in words.judges.items()
    ]
    languages = [
        {"text": b.plain_text(name, limits.OPTION_TEXT), "value": language}
        for language, name in h.languages.items()
    ]
    label, box = words.everything
    everything = {
        "type": "checkboxes",
        "action_id": EVERYTHING,
        "options": [{"text": b.plain_text(brief(box), limits.OPTION_TEXT), "value": EVERYTHING}],
    }
    judge = {"type": "radio_buttons", "options": judges} | _first(judges, chosen.judge)
    language = {"type": "static_select", "options": languages} | _first(languages, chosen.language)
    return ({"private_metadata": here} if here else {}) | {
        "type": "modal",
        "callback_id": "start",
        "title": b.plain_text(brief(words.title, limits.VIEW_TITLE), limits.VIEW_TITLE),
        "submit": b.plain_text(h.form_submit, limits.VIEW_SUBMIT),
        "close": b.plain_text(t.close, limits.VIEW_CLOSE),
        "blocks": [
            _input(WHAT, words.what, what),
            _input(JUDGE, words.judge, judge | {"action_id": JUDGE}),
            _input(LANGUAGE, h.language, language | {"action_id": LANGUAGE}),
            _input(EVERYTHING, label, everything) | {"optional": True},
            *([b.quiet(comes)] if comes else []),
            b.quiet_plain(brief(words.note)),
        ],
    }


def option(name: str) -> b.Block:
    """Return the option that stands for a name; of a long one the end is read."""
    shown = clean(name[-4 * limits.OPTION_TEXT :])
    if len(shown) < len(name) or limits.length(shown) > limits.OPTION_TEXT:
        shown = ELLIPSIS + shown[-limits.OPTION_TEXT :]
    while limits.length(shown) > limits.OPTION_TEXT:
        shown = ELLIPSIS + shown[2:]
    return {"text": b.plain_text(shown, limits.OPTION_TEXT), "value": digest(name)}


def read(view: Mapping[str, Any]) -> tuple[str, str, Language, bool]:
    """Read a submitted form: the digest of what was chosen, who drafts, in which language, and whether all is asked.

    Raises:
        UnknownRequest: it is no form of ours.
    """
    said = (view.get("state") or {}).get("values") or {}
    chosen = [_chosen(said, name) for name in (WHAT, JUDGE, LANGUAGE)]
    if not all(chosen) or chosen[2] not in TEXTS:
        raise UnknownRequest
    everything = bool(((said.get(EVERYTHING) or {}).get(EVERYTHING) or {}).get("selected_options"))
    return chosen[0], chosen[1], cast("Language", chosen[2]), everything


def _chosen(said: Mapping[str, Any], name: str) -> str:
    return str((((said.get(name) or {}).get(name) or {}).get("selected_option") or {}).get("value") or "")


def _first(options: list[dict[str, Any]], value: str) -> b.Block:
    return next(({"initial_option": one} for one in options if one["value"] == value), {})


def _input(name: str, label: str, element: b.Block) -> b.Block:
    return {
        "type": "input",
        "block_id": name,
        "label": b.plain_text(brief(label), limits.INPUT_LABEL),
        "element": element,
        "optional": False,
    }
