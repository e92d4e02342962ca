"""The sentences of the Home tab and of the form that starts a run; values as in `sentences.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph.approval import Language

Form = tuple[str, str]  #: singular, plural


@dataclass(frozen=True, slots=True)
class HomeTexts:
    """One language."""

    page: str
    page_of_others: str
    earlier: str
    later: str
    empty_title: str
    empty: str
    row_by: str
    decide: str
    withdraw: str
    cancel: str
    go_on: str
    record: str
    switch: str
    on: str
    off: Form
    hold: str
    release: str
    open_home: str

    decide_title: str
    decide_submit: str
    choice: str
    reason: str
    hint: str

    form_submit: str
    language: str
    languages: Mapping[Language, str]
    still_listing: str
    started: str
    waiting: str
    not_started: str


EN = HomeTexts(
    page="{a}–{b} of {n} · nearest deadline first",
    page_of_others="{a}–{b} of {n}",
    earlier="Previous",
    later="Next",
    empty_title="Nothing waits for you",
    empty="When someone asks for your decision, it appears here.",
    row_by="by {time} · from {who}",
    decide="Decide",
    withdraw="Withdraw",
    cancel="Cancel",
    go_on="Continue",
    record="Record",
    switch="New checks",
    on="*On* · they start at once",
    off=("*On hold* since {time}, by {who} · {n} waits", "*On hold* since {time}, by {who} · {n} wait"),
    hold="Hold",
    release="Release",
    open_home="Open Home",
    decide_title="Decide",
    decide_submit="Decide",
    choice="Decision",
    reason="Reason",
    hint="Needed to reject or send back. Goes on the card and into the record.",
    form_submit="Start",
    language="Language of card and record",
    languages={"en": "English", "ja": "日本語"},
    still_listing="The list is still being made. Try again in a moment.",
    started="Started",
    waiting="Recorded",
    not_started="Not started",
)

JA = HomeTexts(
    page="{n}件中 {a}〜{b}件 · 期限が近い順",
    page_of_others="{n}件中 {a}〜{b}件",
    earlier="前へ",
    later="次へ",
    empty_title="判断待ちはありません",
    empty="依頼が届くと、ここに並びます。",
    row_by="期限 {time} · 依頼 {who}",
    decide="判断",
    withdraw="取り下げ",
    cancel="中止",
    go_on="再開",
    record="記録",
    switch="新しいチェック",
    on="*受付中* すぐに始まります",
    off=("*保留中* {time} から（{who}） 待機 {n}件", "*保留中* {time} から（{who}） 待機 {n}件"),
    hold="保留する",
    release="再開する",
    open_home="ホームを開く",
    decide_title="判断",
    decide_submit="決定する",
    choice="判断",
    reason="理由",
    hint="却下と差し戻しでは必須。カードと記録に残ります。",
    form_submit="開始",
    language="カードと記録の言語",
    languages={"en": "English", "ja": "日本語"},
    still_listing="一覧を作成中です。少し待ってからやり直してください。",
    started="開始しました",
    waiting="受け付けました",
    not_started="開始していません",
)

HOME_TEXTS: Mapping[Language, HomeTexts] = {"en": EN, "ja": JA}
