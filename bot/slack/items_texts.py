"""The sentences of *Item by item* and *Everything*, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph.approval import Language


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """By place: buttons of the card, pages, summary, everything, what became of it. As in `sentences.Texts`."""

    items: str
    everything: str
    say_items: str
    say_everything: str

    title: str
    page: str
    elsewhere: str
    agree: str
    leave: str
    next: str
    back: str
    skip: str
    kept: str
    start_with: str

    summary_title: str
    summary: str
    changed: str
    out: str
    became: str
    more: str
    rest: str
    rest_agree: str
    rest_leave: str
    rest_hint: str
    submit: str
    submit_rest: str
    altered: str
    beside: str

    all_title: str
    all_page: str
    all_jump: str
    all_previous: str
    all_next: str
    all_paths: str

    title_some: str
    title_applying: str
    note_some: str
    note_applying: str
    thread_some: str


EN = ItemTexts(
    items="Item by item",
    everything="Everything",
    say_items="Item by item: decide {size}",
    say_everything="Everything: {size} with evidence",
    title="Item by item",
    page="*Page {p} of {pages}* · {a}–{b} of {n}",
    elsewhere="{n} changed on other pages",
    agree="Agree: {verdict}",
    leave="Leave out",
    next="Next",
    back="Previous page",
    skip="Skip to the end",
    kept="Kept as you go. You can close this and come back.",
    start_with="Start with",
    summary_title="Your decision",
    summary="*You approve {a} of {n}*",
    changed="{n} changed",
    out="{n} left out",
    became="{item} → {what}",
    more="… and {n} more",
    rest="{n} you have not opened",
    rest_agree="Agree with all {n}",
    rest_leave="Leave all {n} out",
    rest_hint="Nothing is agreed without you saying so.",
    submit="Approve {a} of {n}",
    submit_rest="Approve",
    altered="*Your choices have changed meanwhile.* This is how they are now.",
    beside="*Note* What you changed or left out in Item by item ({n}) is not part of this.",
    all_title="Everything",
    all_page="*{a}–{b} of {n}* · page {p} of {pages}",
    all_jump="Jump to",
    all_previous="Previous",
    all_next="Next",
    all_paths="… and {n} more",
    title_some="Approved {a} of {n}: {matter}",
    title_applying="Approving {a} of {n}: {matter}",
    note_some="Approved {a} of {n} by {who}: {matter}.",
    note_applying="Approved {a} of {n} by {who}, writing the record: {matter}",
    thread_some="{requester} *{a} of {n} approved* by {who}",
)

JA = ItemTexts(
    items="1件ずつ",
    everything="すべて見る",
    say_items="1件ずつ：{size}を判断",
    say_everything="すべて見る：{size}を根拠つきで",
    title="1件ずつ判断",
    page="*{p}/{pages}ページ* {n}件中 {a}〜{b}件目",
    elsewhere="ほかのページで変更 {n}件",
    agree="このまま：{verdict}",
    leave="今回は除く",
    next="次へ",
    back="前のページ",
    skip="最後へ進む",
    kept="選ぶたびに保存されます。途中で閉じても続きから再開できます。",
    start_with="どこから見ますか",
    summary_title="判断の確認",
    summary="*{n}件中 {a}件を承認*",
    changed="変更 {n}件",
    out="除外 {n}件",
    became="{item} → {what}",
    more="… ほか{n}件",
    rest="まだ見ていない {n}件",
    rest_agree="{n}件ともこのまま承認",
    rest_leave="{n}件とも今回は除く",
    rest_hint="選ばない限り、承認したことにはなりません。",
    submit="{n}件中{a}件を承認",
    submit_rest="承認",
    altered="*選択が別の画面で変わりました。* いまの内容はこのとおりです。",
    beside="*注意* 「1件ずつ」で選んだ{n}件は含まれません。",
    all_title="すべて",
    all_page="*{n}件中 {a}〜{b}件目* {p}/{pages}ページ",
    all_jump="移動先",
    all_previous="前へ",
    all_next="次へ",
    all_paths="… ほか{n}件",
    title_some="{n}件中{a}件を承認：{matter}",
    title_applying="{n}件中{a}件を承認処理中：{matter}",
    note_some="{who} が{n}件中{a}件を承認：{matter}",
    note_applying="{who} が{n}件中{a}件を承認、記録を書き込み中：{matter}",
    thread_some="*{n}件中{a}件が承認されました* 依頼 {requester} · 判断 {who}",
)

ITEMS: Mapping[Language, ItemTexts] = {"en": EN, "ja": JA}


def counted(t: ItemTexts, changed: int, out: int) -> list[str]:
    """Count what was changed and left out, zeros left out."""
    return [text.format(n=f"{n:,}") for text, n in ((t.changed, changed), (t.out, out)) if n]
