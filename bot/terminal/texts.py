"""What the terminal says, in English and Japanese. `{x}` is a value; foreign values are made safe by the caller."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.terminal.sentences import Texts

if TYPE_CHECKING:
    from graph.approval import Decision, Language


EN = Texts(
    comma=", ",
    either=" or ",
    colon=": ",
    quoted="“{words}”",
    states={
        "queued": "queued",
        "running": "running",
        "waiting": "waiting",
        "resuming": "going on",
        "done": "done",
        "failed": "stopped",
        "cancelled": "cancelled",
    },
    outcomes={
        "approved": "approved",
        "approved-in-part": "approved in part",
        "rejected": "rejected",
        "expired": "expired",
        "withdrawn": "withdrawn",
        "no-candidates": "nothing to decide",
        "failed": "stopped",
    },
    acts={
        "approve": "Approved",
        "reject": "Rejected",
        "send_back": "Sent back",
        "expired": "Expired",
        "withdrawn": "Withdrawn",
    },
    where={"slack": "in Slack", "terminal": "in the terminal", "clock": ""},
    tag="run {run}, {state}",
    tag_revision="run {run}, revision {revision}, {state}",
    asked_by="Asked by {who}, {time}",
    waits_here="waits for your decision",
    waits_for="waits for {who}",
    revision_by="Revision {revision}: {act} by {who}, {time}",
    since="Since revision {revision}: {parts}",
    was="was {verdict}",
    changed_to="changed to {verdict}",
    left_out="left out",
    n_changed="{n} changed",
    n_left_out="{n} left out",
    by="By {who}, {time}, {where}",
    by_clock="{time}",
    headline="{act}: {what}",
    headline_some="Approved {a} of {n}: {matter}",
    stopped="Stopped: {what}",
    cancelled="Cancelled: {what}",
    said="It said: “{words}”",
    recorded="Recorded: {path}",
    record_later="The decision is safe. The record is not written yet.",
    nothing_recorded="Nobody was asked, nothing was recorded.",
    continues="Continues run {run}",
    continued_by="Continued by run {run}",
    not_continued="not continued",
    goes_on_as="goes on as {run}",
    fate={
        "queued": "Not delivered yet",
        "delivered": "Delivered",
        "along": "Not delivered here; run {run} takes it along",
        "superseded": "Never delivered: the run ended before",
    },
    resets="It can go on from {time}.",
    timer="Continues at {time}, set by {who}",
    retry_at="The decision is safe. Writing the record failed; trying again at {time}.",
    approval="Approval {k} by {who}, {time}, {where}",
    expires="Decide by {time}, then it expires",
    remaining="Approvals needed: {n} more. One reject ends it.",
    reference="Reference {reference}; the log has it too.",
    number="#",
    link="Link",
    verdict="Verdict",
    place="Where, why",
    run="Run",
    state="State",
    what="What",
    asked="Asked",
    no_runs="No runs yet. Start one: ringi linkcheck FOLDER",
    no_such_runs="No runs like that. All of them: ringi runs --all",
    older="{n} older: ringi runs{options} --all",
    decide="Decide here:",
    decide_card="Decide here, or on the card in Slack. The first answer counts.",
    approve="approve it",
    reject="reject it, with a reason",
    send_back="have it judged again",
    why='"why"',
    change='"what should change"',
    go_on="go on where it stopped",
    end="end it for good",
    look="look at it",
    other_version="To go on with it, install the version of ringi that began it.",
    elapsed="{time}",
    starting="{doing} (run {run})",
    step_queue="waiting for its turn",
    going_on="Going on",
    server_has_it="A server works on this database; it does the work, this only watches.",
    taken_over="The server is gone; going on here.",
    server_goes_on="The server goes on with it. Look again: ringi show {run}",
    idle="No process works on it now. Go on with: ringi retry {run}",
    not_shown="Not shown in Slack: {problem}. It is tried again; decisions count here as there.",
    not_shown_mark="not shown",
    left="Left here; nothing is lost. Go on with: ringi retry {run}",
    hold_waiting="New checks are on hold since {time}, by {who}; {n} waiting. Let them begin: ringi release",
    waits="Recorded; waiting: new checks are on hold since {time}, by {who}.",
    waits_more="It goes on after: ringi release",
    held="New checks are on hold. What runs goes on; what is started or sent back now is recorded and waits. Let it begin: ringi release",
    held_already="New checks are on hold already since {time}, by {who}. Nothing has changed.",
    released="Released. New checks start at once again. Waited until now: {n}.",
    released_here="No server works on this database. Go on with what waited:",
    not_held="New checks are not on hold. Nothing has changed.",
    patch="Patch: {path}",
    no_patch="Run {run} has no patch: no typo that can be mended was approved in it.",
    patch_gone="The patch {path} is not there any more.",
    forgotten="Forgotten what was approved, in places: {n}. The next check asks about these links again.",
    nothing_forgotten="Nothing is known to be approved in {folder}, so there is nothing to forget.",
    left_server="The server goes on without this window. Look again: ringi show {run}",
    decided={
        "approve": "Approved. This answer counts.",
        "reject": "Rejected. This answer counts.",
        "send_back": "Sent back with your words. It is judged again.",
        "expired": "Expired.",
        "withdrawn": "Withdrawn.",
    },
    voted="Your approval is recorded. {n} more needed.",
    retrying="Going on with {job} (run {run})",
    cancelling="Told to end; the server does it in a moment. Look: ringi show {run}",
    stopping="Told to stop its work; run {run} can go on later: ringi retry {run}",
    ended="Ended. It is not continued.",
    linked="linked {n} times",
    env_ignored="{path} is left alone: {why}",
)

JA = Texts(
    comma="、",
    either="か ",
    colon="：",
    quoted="「{words}」",
    states={
        "queued": "順番待ち",
        "running": "実行中",
        "waiting": "判断待ち",
        "resuming": "処理中",
        "done": "完了",
        "failed": "停止",
        "cancelled": "中止",
    },
    outcomes={
        "approved": "承認",
        "approved-in-part": "一部承認",
        "rejected": "却下",
        "expired": "期限切れ",
        "withdrawn": "取り下げ",
        "no-candidates": "判断不要",
        "failed": "停止",
    },
    acts={
        "approve": "承認",
        "reject": "却下",
        "send_back": "差し戻し",
        "expired": "期限切れ",
        "withdrawn": "取り下げ",
    },
    where={"slack": "Slack", "terminal": "ターミナル", "clock": ""},
    tag="run {run}、{state}",
    tag_revision="run {run}、第{revision}版、{state}",
    asked_by="依頼 {who}（{time}）",
    waits_here="あなたの判断を待っています",
    waits_for="判断 {who}",
    revision_by="第{revision}版：{who} が{act}（{time}）",
    since="第{revision}版から：{parts}",
    was="前は{verdict}",
    changed_to="{verdict}に変更",
    left_out="除外",
    n_changed="変更 {n}件",
    n_left_out="除外 {n}件",
    by="{who}、{time}、{where}",
    by_clock="{time}",
    headline="{act}：{what}",
    headline_some="{n}件中{a}件を承認：{matter}",
    stopped="停止：{what}",
    cancelled="中止：{what}",
    said="応答：「{words}」",
    recorded="記録：{path}",
    record_later="判断は保存済みです。記録はまだ書き込まれていません。",
    nothing_recorded="判断の依頼も記録もしていません。",
    continues="run {run} の続きです",
    continued_by="続きは run {run} です",
    not_continued="再開なし",
    goes_on_as="続きは {run}",
    fate={
        "queued": "まだ届いていません",
        "delivered": "届きました",
        "along": "ここでは届いていません。run {run} が引き継ぎます",
        "superseded": "届く前に run が終わりました",
    },
    resets="{time} から再開できます。",
    timer="{time} に再開します（設定 {who}）",
    retry_at="判断は保存済みです。記録の書き込みに失敗したため、{time} に再試行します。",
    approval="承認 {k}人目：{who}、{time}、{where}",
    expires="期限 {time}、過ぎると期限切れです",
    remaining="あと{n}人の承認が必要です。却下は1人で成立します。",
    reference="参照番号 {reference}（ログにも残っています）",
    number="#",
    link="リンク",
    verdict="判定",
    place="場所と理由",
    run="run",
    state="状態",
    what="内容",
    asked="依頼",
    no_runs="run はまだありません。始めるには：ringi linkcheck フォルダ",
    no_such_runs="該当する run はありません。一覧：ringi runs --all",
    older="ほか {n}件：ringi runs{options} --all",
    decide="ここで判断できます。",
    decide_card="ここでも Slack のカードでも判断できます。先に届いたほうが有効です。",
    approve="承認する",
    reject="理由をつけて却下する",
    send_back="判定し直してもらう",
    why='"理由"',
    change='"直してほしい点"',
    go_on="止まったところから続ける",
    end="ここで終わりにする",
    look="内容を見る",
    other_version="続けるには、これを始めた版の ringi をインストールしてください。",
    elapsed="{time}",
    starting="{doing}（run {run}）",
    step_queue="順番待ち",
    going_on="続きを実行しています",
    server_has_it="このデータベースではサーバーが動いています。作業はサーバーが行い、ここでは経過を表示します。",
    taken_over="サーバーが終了したため、ここで続けます。",
    server_goes_on="続きはサーバーが行います。確認するには：ringi show {run}",
    idle="いま動いているプロセスはありません。続けるには：ringi retry {run}",
    not_shown="Slack に表示されていません：{problem}。表示は自動でやり直します。判断はここでもできます。",
    not_shown_mark="未表示",
    left="ここで離れます。失われたものはありません。続けるには：ringi retry {run}",
    hold_waiting="新しいチェックは {time} から保留中です（{who}）。待機 {n}件。再開するには：ringi release",
    waits="受け付けました。新しいチェックは {time} から保留中のため、待機しています（{who}）。",
    waits_more="再開すると動きます：ringi release",
    held="新しいチェックを保留にしました。実行中のものはそのまま続きます。これから開始・差し戻しされるものは受け付けて待機させます。再開するには：ringi release",
    held_already="新しいチェックはすでに {time} から保留中です（{who}）。何も変わっていません。",
    released="再開しました。新しいチェックはすぐに始まります。待機していたもの {n}件。",
    released_here="このデータベースで動いているサーバーはありません。待機していたものを続けるには：",
    not_held="新しいチェックは保留中ではありません。何も変わっていません。",
    patch="パッチ：{path}",
    no_patch="run {run} にパッチはありません。承認された誤記に、直せるものがなかったためです。",
    patch_gone="パッチ {path} が見つかりません。",
    forgotten="承認済みの判定を忘れました（{n}か所）。次のチェックで改めてお願いします。",
    nothing_forgotten="{folder} に承認済みの判定はありません。忘れるものはありませんでした。",
    left_server="サーバーがこのまま続けます。確認するには：ringi show {run}",
    decided={
        "approve": "承認しました。この判断が有効です。",
        "reject": "却下しました。この判断が有効です。",
        "send_back": "差し戻しました。文面は記録に残り、判定し直します。",
        "expired": "期限切れになりました。",
        "withdrawn": "取り下げました。",
    },
    voted="承認を記録しました。あと{n}人の承認が必要です。",
    retrying="{job}を続けます（run {run}）",
    cancelling="終了を伝えました。まもなくサーバーが終わらせます。確認するには：ringi show {run}",
    stopping="作業を止めるよう伝えました。run {run} はあとで続けられます：ringi retry {run}",
    ended="終わりにしました。再開はしません。",
    linked="{n}か所からリンク",
    env_ignored="{path} は読み込みません：{why}",
)

TEXTS: Mapping[Language, Texts] = {"en": EN, "ja": JA}

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def short(run_id: str) -> str:
    """Return what people call a run: the first eight characters of its id, as in the record's name."""
    return run_id[:8]


def clock(at: datetime, language: Language, zone: str, *, now: datetime) -> str:
    """Say a time in the reader's zone: `1 Dec 13:31`, `12/1 13:31`; with the year if it is not this one."""
    here = at.astimezone(ZoneInfo(zone))
    year = here.year != now.astimezone(ZoneInfo(zone)).year
    hm = f"{here.hour}:{here.minute:02}" if language == "ja" else f"{here.hour:02}:{here.minute:02}"
    if language == "ja":
        return f"{f'{here.year}/' if year else ''}{here.month}/{here.day} {hm}"
    return f"{here.day} {_MONTHS[here.month - 1]}{f' {here.year}' if year else ''} {hm}"


def took(seconds: float) -> str:
    """Say a duration: `0:07`, `1:40`, `1:02:09`."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def ascii_signs(text: str, texts: Texts) -> str:
    """Replace signs that are two cells wide in many Japanese terminals by ones that never are.

    Only for our own sentences; names and reasons stay as they are.
    """
    return text.replace(" · ", texts.comma).replace("→", "->").replace("…", "...").replace(" – ", texts.comma)


def by_whom(decision: Decision, texts: Texts, time: str, who: str) -> str:
    """Say who decided, when and where."""
    if decision.person.surface == "clock":
        return texts.by_clock.format(time=time)
    return texts.by.format(who=who, time=time, where=texts.where[decision.person.surface])
