"""What `ringi doctor` says about Claude."""

from __future__ import annotations

from dataclasses import dataclass

from graph.approval import Language


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentences; `{…}` is filled with foreign words, already on one line."""

    missing: str
    version: str
    no_version: str
    restricted: str
    no_restricted: str
    subscription: str
    api: str
    not_logged_in: str
    wrong_login: str
    wrong_login_api: str
    no_key: str
    unknown_login: str
    live: str
    live_failed: str


EN = Texts(
    missing="Claude Code is not installed as “{command}”. Install it, or set RINGI_CLAUDE to where it is; RINGI_DRAFTER=rules works without it.",
    version="Claude Code {version}, {path}",
    no_version="{path} did not say its version: {words}",
    restricted="It can be confined to the folder under check (--restricted).",
    no_restricted="It cannot be confined to the folder under check (--restricted is unknown). Update Claude Code.",
    subscription="Logged in with a Claude subscription ({plan}); nothing is billed by use.",
    api="Calls are billed by use, on the key in ANTHROPIC_API_KEY, as RINGI_CLAUDE_BILLING=api says.",
    not_logged_in="Claude Code is not logged in. Run “claude” once, type /login and choose your subscription.",
    wrong_login="Claude Code is logged in by {login}, which may be billed by use. Run “claude”, type /login and choose your subscription; or set RINGI_CLAUDE_BILLING=api and ANTHROPIC_API_KEY if that is meant.",
    wrong_login_api="Claude Code is logged in by {login}, not by ANTHROPIC_API_KEY as RINGI_CLAUDE_BILLING=api demands.",
    no_key="RINGI_CLAUDE_BILLING is api, but ANTHROPIC_API_KEY is not set.",
    unknown_login="Claude Code did not say how it is logged in: {words}",
    live="{model} answered in {seconds} s (${price} at list price, an estimate).",
    live_failed="No answer ({kind}): {words}",
)

JA = Texts(
    missing="「{command}」という Claude Code が見つかりません。インストールするか、RINGI_CLAUDE に場所を指定してください（RINGI_DRAFTER=rules なら不要です）。",
    version="Claude Code {version}（{path}）",
    no_version="{path} のバージョンを確認できません：{words}",
    restricted="読み取りを対象フォルダの中に限れます（--restricted）。",
    no_restricted="読み取りを対象フォルダの中に限れません（--restricted がありません）。Claude Code を更新してください。",
    subscription="Claude のサブスクリプション（{plan}）でログインしています。従量課金はありません。",
    api="RINGI_CLAUDE_BILLING=api の指定どおり、ANTHROPIC_API_KEY のキーで従量課金されます。",
    not_logged_in="Claude Code がログインしていません。「claude」を起動して /login と入力し、サブスクリプションを選んでください。",
    wrong_login="Claude Code のログインは {login} で、従量課金になるおそれがあります。「claude」で /login と入力し、サブスクリプションを選んでください。従量課金でよければ RINGI_CLAUDE_BILLING=api と ANTHROPIC_API_KEY を設定します。",
    wrong_login_api="Claude Code のログインは {login} です。RINGI_CLAUDE_BILLING=api では ANTHROPIC_API_KEY のキーが必要です。",
    no_key="RINGI_CLAUDE_BILLING が api ですが、ANTHROPIC_API_KEY がありません。",
    unknown_login="Claude Code のログインを確認できません：{words}",
    live="{model} が {seconds} 秒で答えました（定価換算 {price} ドル、概算）。",
    live_failed="答えがありませんでした（{kind}）：{words}",
)

TEXTS: dict[Language, Texts] = {"en": EN, "ja": JA}
