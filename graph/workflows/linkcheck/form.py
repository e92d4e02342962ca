"""What a form asks before it starts a link check: which folder, and who judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph.approval import Language
from graph.form import Form, FormWords
from graph.settings import Settings
from graph.workflows.linkcheck.texts import EN, JA

_WORDS: Mapping[Language, FormWords] = {
    "en": FormWords(
        title="Check links",
        what="Folder",
        search="Type to search",
        judge="Who judges",
        judges={
            "claude": ("Claude", "Reads the notes, gives reasons"),
            "rules": ("Rules", "Name likeness only, no model, instant"),
        },
        everything=("Approved before", "Ask about it again"),
        note="Notes are only read, never changed.",
        gone="There is no such folder any more. Choose another one.",
        under_way="{subject} is being checked already, started by {who} at {time}.",
        under_way_for_others="{subject} is being checked already.",
    ),
    "ja": FormWords(
        title="リンクを確認",
        what="フォルダ",
        search="入力して検索",
        judge="判定",
        judges={
            "claude": ("Claude", "ノートを読み、理由も書きます"),
            "rules": ("ルール", "名前の近さだけ。モデルなし、すぐ終わります"),
        },
        everything=("承認済みのもの", "改めて尋ねる"),
        note="ノートは読むだけで、書き換えません。",
        gone="このフォルダはもうありません。別のフォルダを選んでください。",
        under_way="{subject} はすでに確認中です（{who}、{time} 開始）。",
        under_way_for_others="{subject} はすでに確認中です。",
    ),
}


def _listed(settings: Settings, language: Language) -> list[str]:
    """Return the whole vault and all its folders."""
    from graph.vault import folders

    if settings.vault is None:
        return []
    return [_typed(".", language), *folders(settings.vault)]


def _again(given: Mapping[str, Any], language: Language) -> tuple[str, str]:
    return _typed(str(given["folder"]), language), str(given["drafter"])


def _typed(folder: str, language: Language) -> str:
    """Return what a person reads and types for a folder; `read_input` understands it."""
    return (JA if language == "ja" else EN).say.whole_vault if folder == "." else folder


def _about(given: Mapping[str, Any]) -> str:
    return f"{given['vault']}/{given['folder']}"


FORM = Form(words=_WORDS, listed=_listed, again=_again, about=_about)
