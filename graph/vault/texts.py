"""Why a name is near, in the words people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from graph.vault.finding import NearbyLike


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of one language. `reasons` and `details` hold one for each word of the closed sets."""

    reasons: Mapping[str, str]
    details: Mapping[str, str]
    in_folder: str
    in_root: str


EN = Texts(
    reasons={
        "moved": "same name",
        "case": "other capitals",
        "spacing": "other spacing",
        "separator": "other separator",
        "width": "full-width for half-width",
        "kana": "hiragana for katakana",
        "date": "same day, written another way",
        "alias": "an alias of it",
        "heading": "a heading in it",
        "alike": "{percent} % alike",
        "digits": "other number, {percent} % alike",
    },
    details={
        "letter-missing": "one letter missing",
        "letter-extra": "one letter too many",
        "letter-other": "one letter different",
        "letters-swapped": "two letters swapped",
        "space-missing": "a space missing",
        "space-extra": "a space too many",
        "spaces-doubled": "two spaces instead of one",
        "hyphen-for-space": "hyphen for a space",
        "space-for-hyphen": "space for a hyphen",
        "underscore-for-space": "underscore for a space",
        "space-for-underscore": "space for an underscore",
    },
    in_folder="{why}, in {folder}/",
    in_root="{why}, at the top of the vault",
)
JA = Texts(
    reasons={
        "moved": "同じ名前",
        "case": "大文字と小文字の違いだけ",
        "spacing": "空白の違いだけ",
        "separator": "区切り文字の違いだけ",
        "width": "全角と半角の違いだけ",
        "kana": "かなの違いだけ",
        "date": "日付の書き方の違いだけ",
        "alias": "別名が同じ",
        "heading": "見出しが同じ",
        "alike": "{percent}%一致",
        "digits": "数字だけ違う、{percent}%一致",
    },
    details={
        "letter-missing": "1文字抜けている",
        "letter-extra": "1文字多い",
        "letter-other": "1文字違う",
        "letters-swapped": "2文字が入れ替わっている",
        "space-missing": "空白が抜けている",
        "space-extra": "空白が多い",
        "spaces-doubled": "空白が2つ続いている",
        "hyphen-for-space": "空白の代わりにハイフン",
        "space-for-hyphen": "ハイフンの代わりに空白",
        "underscore-for-space": "空白の代わりに下線",
        "space-for-underscore": "下線の代わりに空白",
    },
    in_folder="{why}、{folder}/ にあり",
    in_root="{why}、保管庫の直下にあり",
)


def why(nearby: NearbyLike, language: Literal["en", "ja"]) -> str:
    """Say why a name is near and where it is: `one letter missing, in work/`.

    The folder's name is foreign text; who shows it escapes it.
    """
    texts = {"en": EN, "ja": JA}[language]
    words = likeness(nearby, language)
    folder, _, _ = nearby.path.rpartition("/")
    if folder:
        return texts.in_folder.format(why=words, folder=folder)
    return texts.in_root.format(why=words) if nearby.reason == "moved" else words


def likeness(nearby: NearbyLike, language: Literal["en", "ja"]) -> str:
    """Say why a name is near, for where its path is told as well: `one letter missing`."""
    texts = {"en": EN, "ja": JA}[language]
    return texts.details.get(nearby.detail) or texts.reasons[nearby.reason].format(percent=nearby.percent)
