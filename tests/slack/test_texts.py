"""The surface's sentences: complete in both languages, and bold where they mean to be."""

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from bot import limits
from bot.slack import home_texts, items_texts
from bot.slack.fit import columns
from bot.slack.home_texts import HomeTexts
from bot.slack.places import Refusal
from bot.slack.texts import EN, JA, Texts

ROOM = Path(__file__).parents[2] / "bot" / "slack"

BOLD = re.compile(r"\*[^*\n]+\*")
BEFORE, AFTER = re.compile(r"(^|[\s\n])$"), re.compile(r"^($|[\s\n]|[!-/:-@\[-`{-~])")


def sentences(texts: Texts | HomeTexts) -> dict[str, str]:
    found: dict[str, str] = {}
    for field in fields(texts):
        value = getattr(texts, field.name)
        if isinstance(value, Mapping):
            value = [text if isinstance(text, str) else "\n".join(text) for text in value.values()]
        if not isinstance(value, str):
            found |= {f"{field.name}.{number}": text for number, text in enumerate(value)}
        else:
            found[field.name] = value
    return found


@pytest.mark.parametrize(
    ("en", "ja"),
    [(EN, JA), (home_texts.EN, home_texts.JA), (items_texts.EN, items_texts.JA)],
    ids=["all", "home", "items"],
)
def test_both_languages_have_the_same_sentences_with_the_same_values(en, ja):
    en, ja = sentences(en), sentences(ja)
    assert en.keys() == ja.keys()

    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    different = {key: (en[key], ja[key]) for key in en if values(en[key]) != values(ja[key])}
    assert different == {}


@pytest.mark.parametrize(
    "texts",
    [EN, JA, home_texts.EN, home_texts.JA, items_texts.EN, items_texts.JA],
    ids=["en", "ja", "home en", "home ja", "items en", "items ja"],
)
def test_a_bold_word_has_a_blank_before_and_after_it(texts):
    """Slack bolds only between blanks, line ends and ASCII punctuation; in Japanese the stars would stay."""
    for key, text in sentences(texts).items():
        for found in BOLD.finditer(text):
            assert BEFORE.search(text[: found.start()]), (key, text)
            assert AFTER.search(text[found.end() :]), (key, text)


@pytest.mark.parametrize("texts", [EN, JA], ids=["en", "ja"])
def test_titles_and_buttons_are_short_enough_for_a_phone(texts):
    for title in (texts.late_title, texts.notice_title, texts.record_title):
        assert limits.length(title) <= limits.VIEW_TITLE
    buttons = [texts.approve, texts.reject, texts.send_back, texts.show_record, texts.continue_now, texts.end]
    for button in [*buttons, *texts.modal_submit.values(), texts.late_submit, texts.modal_back]:
        assert columns(button) <= 24


def test_every_sentence_is_said_somewhere():
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for path in ROOM.glob("*.py")
        if path.stem not in {"sentences", "texts", "texts_en", "texts_ja", "home_texts", "items_texts"}
    )
    places = set(get_args(Refusal))
    every = [*fields(Texts), *fields(HomeTexts), *fields(items_texts.ItemTexts)]
    unsaid = [f.name for f in every if f.name not in places and not re.search(rf"\.{f.name}\b", code)]
    assert unsaid == []
