"""What `ringi links` says, in English and Japanese. A pair is (one, more); Japanese says it twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.approval import Language


Pair = tuple[str, str]


def plural(pair: Pair, n: int) -> str:
    """Fill the form that fits `n`."""
    return pair[0 if n == 1 else 1].format(n=f"{n:,}")


@dataclass(frozen=True, slots=True)
class LinksTexts:
    """Sentences. `remarks` holds one for each kind, kind of place and tag that is worth a word."""

    reading: str
    whole: str
    none: str
    found: Pair
    folder: str
    in_places: str
    notes: Pair
    looked_up: Pair
    excluded: Pair
    not_read: str
    unread: Pair
    remarks: Mapping[str, str]
    linked: str
    line: str
    other: str
    places: Pair
    kinds: Mapping[str, str]
    comma: str
    brackets: str
    # beside Obsidian
    same: str
    only_there: Pair
    only_here: Pair
    absent: str
    slow: str
    failed: str
    unclear: str
    elsewhere: str


EN = LinksTexts(
    reading="{notes} notes, {found} places with a link that leads nowhere",
    whole="the whole vault",
    none="{folder}: every link leads somewhere",
    found=("{n} link leads nowhere", "{n} links lead nowhere"),
    folder="{folder}: {found}",
    in_places="{found}, in {places}",
    notes=("{n} note read", "{n} notes read"),
    looked_up=("{n} link looked up", "{n} links looked up"),
    excluded=(
        "{n} note left out, as Obsidian's setting “Excluded files” says",
        "{n} notes left out, as Obsidian's setting “Excluded files” says",
    ),
    not_read="Not read: {path} ({why})",
    unread=("{n} could not be read", "{n} could not be read"),
    remarks={
        "missing-heading": "no such heading",
        "missing-block": "no such block",
        "property": "in a property",
        "comment": "in a comment",
        "canvas": "on a canvas",
        "url": "an address",
        "template": "a placeholder",
    },
    linked="linked {n} times",
    line="line {n}",
    other="or {name}",
    places=("{n} place", "{n} places"),
    kinds={
        "missing": "Link leads nowhere",
        "missing-heading": "No such heading",
        "missing-block": "No such block",
    },
    comma=", ",
    brackets="({})",
    same="Obsidian lists the same links.",
    only_there=("Only Obsidian lists this link:", "Only Obsidian lists these {n} links:"),
    only_here=("Only ringi lists this link:", "Only ringi lists these {n} links:"),
    absent="Not compared: there is no `obsidian` command here. It comes with Obsidian 1.12 and later; switch it on under Settings, General, “Command line interface”.",
    slow="Not compared: Obsidian gave no answer within {n} seconds. It has to be running, with this vault open.",
    failed="Not compared: `obsidian unresolved` ended with code {code}. It said: {said}",
    unclear="Not compared: Obsidian's answer is no list of links. It said: {said}",
    elsewhere="Not compared: Obsidian answered for another vault. Open this one in it and try again.",
)

JA = LinksTexts(
    reading="ノート {notes}件、リンク切れ {found}か所",
    whole="保管庫全体",
    none="{folder} にリンク切れはありません",
    found=("リンク切れ {n}件", "リンク切れ {n}件"),
    folder="{folder} の{found}",
    in_places="{found}（{places}）",
    notes=("ノート {n}件を確認", "ノート {n}件を確認"),
    looked_up=("リンク {n}件を照合", "リンク {n}件を照合"),
    excluded=(
        "Obsidian の「除外するファイル」の設定により、ノート {n}件を対象から外しました",
        "Obsidian の「除外するファイル」の設定により、ノート {n}件を対象から外しました",
    ),
    not_read="読めなかったファイル：{path}（{why}）",
    unread=("{n}件は読めませんでした", "{n}件は読めませんでした"),
    remarks={
        "missing-heading": "見出しがない",
        "missing-block": "ブロックがない",
        "property": "プロパティの中",
        "comment": "コメントの中",
        "canvas": "キャンバス上",
        "url": "URL",
        "template": "仮の名前",
    },
    linked="{n}か所からリンク",
    line="{n}行目",
    other="または {name}",
    places=("{n}か所", "{n}か所"),
    kinds={
        "missing": "リンク先がありません",
        "missing-heading": "見出しがありません",
        "missing-block": "ブロックがありません",
    },
    comma="、",
    brackets="（{}）",
    same="Obsidian の一覧と一致しました。",
    only_there=("Obsidian の一覧だけにあるリンク：", "Obsidian の一覧だけにあるリンク {n}件："),
    only_here=("ringi の一覧だけにあるリンク：", "ringi の一覧だけにあるリンク {n}件："),
    absent="比較していません：`obsidian` コマンドが見つかりません。Obsidian 1.12 以降の設定「一般」にある「コマンドラインインターフェース」を有効にしてください。",
    slow="比較していません：Obsidian から{n}秒以内に返事がありませんでした。この保管庫を開いた状態で Obsidian を起動しておいてください。",
    failed="比較していません：`obsidian unresolved` が終了コード {code} で終わりました。出力：{said}",
    unclear="比較していません：Obsidian の返事がリンクの一覧ではありませんでした。出力：{said}",
    elsewhere="比較していません：Obsidian が別の保管庫について答えました。この保管庫を Obsidian で開いてから、もう一度お試しください。",
)

TEXTS: Mapping[Language, LinksTexts] = {"en": EN, "ja": JA}
