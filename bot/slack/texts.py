"""Every sentence of the Slack surface that no workflow owns, by language."""

from collections.abc import Mapping

from bot.slack.sentences import Texts
from bot.slack.texts_en import EN
from bot.slack.texts_ja import JA
from graph.approval import Language

__all__ = ["EN", "JA", "TEXTS", "Texts"]

TEXTS: Mapping[Language, Texts] = {"en": EN, "ja": JA}
