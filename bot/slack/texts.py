"""Every sentence of the Slack surface that no workflow owns, in English and Japanese.

`{x}` is a value. In markup a value is a mention, a date, a number or `fit.safe` text. A bold word stands first and a
blank follows it: Slack bolds `*…*` only between blanks, line ends and ASCII punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graph.approval import Kind, Language


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of one language, by place: buttons, progress, card, modal, thread, private answers, status."""

    approve: str
    reject: str
    send_back: str
    show_record: str
    cancel: str
    withdraw: str
    continue_at: str
    continue_now: str
    end: str
    go_to_card: str
    say_approve: str
    say_reject: str
    say_send_back: str

    quote: str
    separator: str
    accepted: str
    progress_note: str
    progress_meta: str
    ready: str
    ready_again: str
    asked_for: str
    ready_note: str
    cancelled_title: str
    cancelled: str
    cancelled_note: str

    asked_by: str
    asked_by_alone: str
    or_: str
    and_others: str
    asked: str
    asked_note: str
    more: str
    same: str
    all_of_them: str
    was: str
    revision: str
    revision_stale: str
    since_revision: str
    nobody: str

    title: Mapping[Kind, str]
    title_applying: str
    title_part: str
    title_replaced: str
    title_failed: str
    note: Mapping[Kind, str]
    note_applying: str
    note_retrying: str
    note_failed: str
    note_recorded: str
    by: str
    by_requester: str
    in_slack: str
    in_terminal: str
    expired: str
    writing: str
    retrying: str
    recorded: str
    recorded_part: str
    redraft: str
    replaced: str
    replaced_stale: str
    nothing_state: str
    cut_reason: str
    decided_after: str
    decision_number: str
    failure_line: str
    resets: str
    continues: str
    said: str
    reference: str
    continued_as: str
    ended_offer: str

    thread: Mapping[Kind, str]
    thread_failed: str
    thread_nothing: str
    thread_cancelled: str
    thread_late: str

    modal_submit: Mapping[Kind, str]
    modal_back: str
    modal_revision: str
    modal_label: Mapping[Kind, str]
    modal_hint: str
    modal_hint_send_back: str
    late_title: str
    late: Mapping[Kind, str]
    late_label: str
    late_submit: str
    late_close: str
    blank: Mapping[Kind, str]
    too_long: str
    notice_title: str
    close: str
    record_title: str
    record_cut: str

    refused: str
    not_starter: str
    cannot_decide: str
    cannot_decide_here: str
    cannot_steer: str
    late_click: str
    did: Mapping[Kind, str]
    replaced_click: str
    trigger: str
    unknown: str
    error: str
    voted: str
    run_ended: str
    not_retryable: str
    goes_on_as: str
    list_gone: str
    no_record: str
    done_cancel: str
    done_withdraw: str
    done_continue: str
    done_continue_at: str
    done_end: str
    done_late: str

    given: str
    help_start: str
    help_status: str
    help_help: str
    help_record: str
    unknown_input: str
    unknown_none: str
    started: str
    comes_to: str
    comes_to_you: str
    invite_here: str
    invite_there: str
    cannot_post_here: str
    cannot_post: str
    nobody_could: str

    status_wait: str
    status_mine: str
    status_run: str
    status_fail: str
    status_done: str
    status_more: str
    status_empty: str
    row_since: str
    row_waits: str
    row_writing: str
    row_starting: str
    row_outcome: Mapping[str, str]
    row_not_shown: str
    row_go: str


EN = Texts(
    approve="Approve",
    reject="Reject",
    send_back="Send back",
    show_record="Show record",
    cancel="Cancel run",
    withdraw="Withdraw",
    continue_at="Continue at {time}",
    continue_now="Continue now",
    end="End run",
    go_to_card="Go to card",
    say_approve="Approve {job}, {size}",
    say_reject="Reject {job}, {size}",
    say_send_back="Send {job} back",
    quote="“{words}”",
    separator=" · ",
    accepted="*Accepted* · starts in a moment",
    progress_note="{doing}: {head}",
    progress_meta="{who} · {elapsed} so far · ends by asking for a decision",
    ready="*Ready to decide* · {ready} in {elapsed}\nThe card with the question is the next message.",
    ready_again="*Ready to decide again* · revision {revision}, {ready}\nThe newest card below has the question.",
    asked_for="*Asked* · {ready} in {elapsed}\nThe card below says what was decided.",
    ready_note="{did}: {ready}, the card is next",
    cancelled_title="Cancelled: {matter}",
    cancelled="By {who} · {time}\n{stopped} Nobody was asked, nothing was recorded.",
    cancelled_note="Cancelled by {who}: {job}",
    asked_by="Asked by {who} · for {deciders}",
    asked_by_alone="Asked by {who}, who alone may decide",
    or_=" or ",
    and_others="{listed} or {n} others",
    asked="asked by {who}",
    asked_note="{ask} (asked by {who})",
    more="{n} more, not shown: {counts}",
    same="{n} as before, not shown: {counts}",
    all_of_them="All of them, in a terminal: ringi show {run}",
    was="{verdict} (was {was})",
    revision="*Revision {revision}* · sent back by {who} · {time}",
    revision_stale="*Revision {revision}* · only what changed after the approval by {who} · {time}",
    since_revision="Since revision {revision}: {changes}",
    nobody="*Nobody can decide this.* None of those listed in RINGI_APPROVERS may. Change it and start ringi again.",
    title={
        "approve": "Approved: {what}",
        "reject": "Rejected: {what}",
        "send_back": "Sent back: {what}",
        "expired": "Expired: {what}",
        "withdrawn": "Withdrawn: {what}",
    },
    title_applying="Approving: {what}",
    title_part="Approved in part: {matter}",
    title_replaced="Replaced by revision {revision}: {subject}",
    title_failed="Stopped: {matter}",
    note={
        "approve": "Approved by {who}: {what}.",
        "reject": "Rejected by {who}: {what}.",
        "send_back": "Sent back by {who}: {what}. Judging again.",
        "expired": "Expired unanswered: {what}.",
        "withdrawn": "Withdrawn by {who}: {what}.",
    },
    note_applying="Approved by {who}, writing the record: {what}",
    note_retrying="Decided by {who}, record not written yet, trying again: {what}",
    note_failed="Stopped: {job} – {head}",
    note_recorded="{note} Recorded.",
    by="By {who} · {time} · {where}",
    by_requester="By {who}, who had asked · {time} · {where}",
    in_slack="in Slack",
    in_terminal="in the terminal",
    expired="Nobody answered by {time}. That is not a refusal.",
    writing="Writing the record…",
    retrying="The decision is safe. Writing the record failed; trying again at {time}.",
    recorded="Recorded · {record}",
    recorded_part="Recorded, approved in part: what was approved before stays · {record}",
    redraft="Judging again as revision {revision}; a new card will ask",
    replaced="Sent back by {who} · {time}. Decide on the newer card.",
    replaced_stale="Approved by {who} · {time}. What changed since is asked again on the newer card.",
    nothing_state="Recorded · nobody had to decide · {record}",
    cut_reason="… {n} more characters in the record",
    decided_after="decided after {span}",
    decision_number="decision {n} of this run",
    failure_line="*{head}* · {what}",
    resets="It can go on from {time}.",
    continues="*Continues at {time}* · set by {who}",
    said="It said: “{words}”",
    reference="Reference {reference}, also in the log.",
    continued_as="It goes on as run {run}.",
    ended_offer="Ended. It is not continued.",
    thread={
        "approve": "{requester} *approved* by {who}",
        "reject": "{requester} *rejected* by {who}",
        "send_back": "{requester} *sent back* by {who}; it is judged again with these words:",
        "expired": "{requester} *expired* – nobody decided in time",
        "withdrawn": "{requester} *withdrawn* by {who}",
    },
    thread_failed="{requester} *stopped* · {head}",
    thread_nothing="{requester} *nothing to decide*",
    thread_cancelled="{requester} *cancelled* by {who}",
    thread_late="*Not counted* · {who} had written:",
    modal_submit={"approve": "Approve all {n}", "reject": "Reject", "send_back": "Send back"},
    modal_back="Back",
    modal_revision="revision {revision}",
    modal_label={"approve": "Reason", "reject": "Why reject it?", "send_back": "What should change?"},
    modal_hint="Goes on the card and into the record, under your name.",
    modal_hint_send_back="Exactly these words are passed on. They also stay on the card.",
    late_title="Already decided",
    late={
        "approve": "*{who} approved this* · {time}\nYour decision was not counted.",
        "reject": "*{who} rejected this* · {time}\nYour decision was not counted.",
        "send_back": "*{who} sent this back* · {time}\nYour decision was not counted.",
        "expired": "*This expired* · {time}\nYour decision was not counted.",
        "withdrawn": "*{who} withdrew this* · {time}\nYour decision was not counted.",
    },
    late_label="Your words, not sent",
    late_submit="Post in thread",
    late_close="Discard",
    blank={
        "reject": "Say why in a few words. They go to {who}.",
        "send_back": "Say what should change. Only these words are passed on.",
    },
    too_long="{n} characters too long (limit {most}).",
    notice_title="Not recorded",
    close="Close",
    record_title="Record",
    record_cut="… {n} more characters in the file",
    refused="Only the people named in its settings can use this here. Nothing has changed.",
    not_starter="*You can decide, but not start.* Only those listed in RINGI_STARTERS can. Nothing was started.",
    cannot_decide="*You can't decide this one.* {deciders} can. Nothing has changed.",
    cannot_decide_here="*You can't decide this one.* Nothing has changed.",
    cannot_steer="*Only the person who asked can do this.* Nothing has changed.",
    late_click="*Already decided.* {did} Your click changed nothing.",
    did={
        "approve": "{who} approved it at {time}.",
        "reject": "{who} rejected it at {time}.",
        "send_back": "{who} sent it back at {time}.",
        "expired": "It expired at {time}.",
        "withdrawn": "{who} withdrew it at {time}.",
    },
    replaced_click="*This card was replaced.* Revision {revision} is the one to decide.",
    trigger="*That took too long to open.* Press the button again; nothing has changed.",
    unknown="*This request no longer exists.* Nothing was run.",
    error="*Something went wrong here.* Nothing was recorded. Reference {reference}.",
    voted="*You have decided this already.* Nothing has changed.",
    run_ended="*This run has ended already.* Nothing has changed.",
    not_retryable="*There is nothing to continue.* Nothing has changed.",
    goes_on_as="*This goes on already*, as run {run}. Nothing has changed.",
    list_gone="*That list is no longer kept.* Type the command again; nothing was started.",
    no_record="*The record is not where it was written.* Its name is {record}.",
    done_cancel="*Cancelled.* The message shows it in a moment.",
    done_withdraw="*Withdrawn.* The card shows it in a moment.",
    done_continue="*It goes on.* The message shows it in a moment.",
    done_continue_at="*Continues at {time}.*",
    done_end="*Ended.* It is not continued.",
    done_late="*Posted.* Your words are in the card's thread.",
    given="FOLDER",
    help_start="*/{name} {given}* starts the {job} and asks for a decision",
    help_status="*/{name} status* shows what runs and waits",
    help_help="*/{name} help* shows this",
    help_record="Each run ends in one Markdown record.",
    unknown_input="There is no folder “{given}”. Did you mean one of these?",
    unknown_none="There is no folder “{given}”, and none with a similar name.",
    started="Started: {matter}.",
    comes_to="The card comes to {place}.",
    comes_to_you="The card comes to our direct messages.",
    invite_here="*I'm not in this channel.* Type /invite @{bot} here, then the command again. Nothing was started.",
    invite_there="*I'm not in the channel the card belongs to.* Someone there has to type /invite @{bot}; then type the command again. Nothing was started.",
    cannot_post_here="*I can't post here.* Type the command in a channel and invite me with /invite @{bot}. Nothing was started.",
    cannot_post="*The card could not be posted* ({problem}), so the run has ended. Type /invite @{bot} where it belongs, then the command again.",
    nobody_could="*Nobody could decide this.* RINGI_APPROVERS names nobody but you, and you may not decide your own run. Nothing was started.",
    status_wait="Waiting for you: {n}",
    status_mine="You asked: {n}",
    status_run="Running: {n}",
    status_fail="Stopped: {n}",
    status_done="Decided lately",
    status_more="{n} more, in a terminal: ringi runs",
    status_empty="*Nothing waits for you*\nWhen someone asks for your decision, it appears here.",
    row_since="since {time} · from {who}",
    row_waits="waits for {deciders}",
    row_writing="decided, the record is being written",
    row_starting="starting",
    row_outcome={
        "approved": "Approved by {who} · {time}",
        "approved-in-part": "Approved in part by {who} · {time}",
        "rejected": "Rejected by {who} · {time}",
        "expired": "Expired · {time}",
        "withdrawn": "Withdrawn · {time}",
        "no-candidates": "Nothing to decide · {time}",
        "failed": "Stopped · {time}",
        "cancelled": "Cancelled · {time}",
    },
    row_not_shown="Not shown in Slack: {problem}",
    row_go="Open",
)

JA = Texts(
    approve="承認",
    reject="却下",
    send_back="差し戻し",
    show_record="記録を見る",
    cancel="中止する",
    withdraw="取り下げ",
    continue_at="{time} に再開",
    continue_now="今すぐ再開",
    end="終了する",
    go_to_card="カードを開く",
    say_approve="{job} {size}を承認",
    say_reject="{job} {size}を却下",
    say_send_back="{job}を差し戻す",
    quote="「{words}」",
    separator=" · ",
    accepted="*受け付けました* まもなく始まります",
    progress_note="{doing}（{head}）",
    progress_meta="{who} · 経過 {elapsed} · このあと判断をお願いします",
    ready="*判定が終わりました* {ready} · {elapsed}\n次のメッセージで判断してください。",
    ready_again="*判定し直しました* 第{revision}版 · {ready}\n下の新しいカードで判断してください。",
    asked_for="*判断をお願いしました* {ready} · {elapsed}\n結果は下のカードにあります。",
    ready_note="{did}（{ready}、次のカードへ）",
    cancelled_title="中止：{matter}",
    cancelled="{who} · {time}\n{stopped}判断の依頼も記録もしていません。",
    cancelled_note="{job}は中止（{who}）",
    asked_by="依頼 {who} · 判断 {deciders}",
    asked_by_alone="依頼 {who}（判断できるのは本人だけです）",
    or_=" か ",
    and_others="{listed} ほか{n}人",
    asked="依頼 {who}",
    asked_note="{ask}（依頼 {who}）",
    more="ほか {n}件（省略）：{counts}",
    same="ほか {n}件は前と同じ（省略）：{counts}",
    all_of_them="全件はターミナルで：ringi show {run}",
    was="{verdict}（前は{was}）",
    revision="*第{revision}版* {who} が差し戻し · {time}",
    revision_stale="*第{revision}版* {who} の承認後に変わった分だけ · {time}",
    since_revision="第{revision}版から：{changes}",
    nobody="*判断できる人がいません。* RINGI_APPROVERS に判断できる人がいません。設定を直して ringi を起動し直してください。",
    title={
        "approve": "承認：{what}",
        "reject": "却下：{what}",
        "send_back": "差し戻し：{what}",
        "expired": "期限切れ：{what}",
        "withdrawn": "取り下げ：{what}",
    },
    title_applying="承認処理中：{what}",
    title_part="一部承認：{matter}",
    title_replaced="第{revision}版に差し替え：{subject}",
    title_failed="停止：{matter}",
    note={
        "approve": "{who} が承認：{what}",
        "reject": "{who} が却下：{what}",
        "send_back": "{who} が差し戻し：{what}（再判定中）",
        "expired": "期限切れ（判断なし）：{what}",
        "withdrawn": "{who} が取り下げ：{what}",
    },
    note_applying="{who} が承認、記録中：{what}",
    note_retrying="{who} が判断、記録は再試行待ち：{what}",
    note_failed="停止：{job}、{head}",
    note_recorded="{note}（記録済み）",
    by="{who} · {time} · {where}",
    by_requester="依頼者 {who} · {time} · {where}",
    in_slack="Slack",
    in_terminal="ターミナル",
    expired="{time} までに判断がありませんでした（却下ではありません）。",
    writing="記録を書き込んでいます…",
    retrying="判断は保存済みです。記録の書き込みに失敗したため、{time} に再試行します。",
    recorded="記録済み · {record}",
    recorded_part="記録済み・一部承認（先に承認した分はそのままです） · {record}",
    redraft="第{revision}版を判定中。終わったら新しいカードでお願いします",
    replaced="{who} が差し戻し · {time}。新しいカードで判断してください。",
    replaced_stale="{who} が承認 · {time}。その後に変わった分は、新しいカードで改めてお願いします。",
    nothing_state="記録済み · 判断は不要でした · {record}",
    cut_reason="…続き{n}文字は記録にあります",
    decided_after="判断まで {span}",
    decision_number="この実行で{n}回目の判断",
    failure_line="*{head}* {what}",
    resets="{time} から再開できます。",
    continues="*{time} に再開します* 設定 {who}",
    said="応答：「{words}」",
    reference="参照番号 {reference}（ログにもあります）",
    continued_as="実行 {run} が引き継ぎました。",
    ended_offer="終了しました。再開はしません。",
    thread={
        "approve": "*承認されました* 依頼 {requester} · 判断 {who}",
        "reject": "*却下されました* 依頼 {requester} · 判断 {who}",
        "send_back": "*差し戻されました* 依頼 {requester} · 判断 {who}\n次の指示で判定し直しています。",
        "expired": "*期限切れになりました* 依頼 {requester}\n期限までに判断がありませんでした。",
        "withdrawn": "*取り下げられました* 依頼 {requester} · 取り下げ {who}",
    },
    thread_failed="*停止しました* 依頼 {requester} · {head}",
    thread_nothing="*判断は不要でした* 依頼 {requester}",
    thread_cancelled="*中止されました* 依頼 {requester} · 中止 {who}",
    thread_late="*反映されなかった文面* {who} から：",
    modal_submit={"approve": "{n}件を承認", "reject": "却下する", "send_back": "差し戻す"},
    modal_back="戻る",
    modal_revision="第{revision}版",
    modal_label={"approve": "理由", "reject": "却下の理由", "send_back": "直してほしい点"},
    modal_hint="あなたの名前とともに、カードと記録に残ります。",
    modal_hint_send_back="この文面がそのまま渡り、カードにも残ります。",
    late_title="判断済みです",
    late={
        "approve": "*{who} が承認済みです* {time}\nあなたの判断は反映されていません。",
        "reject": "*{who} が却下済みです* {time}\nあなたの判断は反映されていません。",
        "send_back": "*{who} が差し戻し済みです* {time}\nあなたの判断は反映されていません。",
        "expired": "*期限切れです* {time}\nあなたの判断は反映されていません。",
        "withdrawn": "*{who} が取り下げ済みです* {time}\nあなたの判断は反映されていません。",
    },
    late_label="入力した文面（未送信）",
    late_submit="スレッドに投稿",
    late_close="破棄",
    blank={
        "reject": "理由をひとこと書いてください。{who} さんに届きます。",
        "send_back": "直してほしい点を書いてください。次の判定に渡るのはこの文面だけです。",
    },
    too_long="{n}文字オーバーです（上限 {most}文字）。",
    notice_title="記録されていません",
    close="閉じる",
    record_title="記録",
    record_cut="…続き{n}文字はファイルにあります",
    refused="この操作は、設定で許可された人だけが使えます。何も変わっていません。",
    not_starter="*判断はできますが、開始はできません。* 開始できるのは RINGI_STARTERS にある人だけです。何も始めていません。",
    cannot_decide="*このカードを判断できるのは {deciders} です。* 何も変わっていません。",
    cannot_decide_here="*このカードは判断できません。* 何も変わっていません。",
    cannot_steer="*この操作は依頼した人だけができます。* 何も変わっていません。",
    late_click="*判断済みです。* {did}今の操作は反映されていません。",
    did={
        "approve": "{time} に {who} が承認しました。",
        "reject": "{time} に {who} が却下しました。",
        "send_back": "{time} に {who} が差し戻しました。",
        "expired": "{time} に期限切れになりました。",
        "withdrawn": "{time} に {who} が取り下げました。",
    },
    replaced_click="*差し替え済みのカードです。* 第{revision}版で判断してください。",
    trigger="*画面を開けませんでした。* もう一度押してください。何も変わっていません。",
    unknown="*この依頼はもうありません。* 何も実行していません。",
    error="*問題が起きました。* 何も記録されていません。参照番号 {reference}",
    voted="*あなたはすでに判断しています。* 何も変わっていません。",
    run_ended="*この実行はすでに終わっています。* 何も変わっていません。",
    not_retryable="*再開できるものがありません。* 何も変わっていません。",
    goes_on_as="*すでに再開されています。* 実行 {run} が引き継ぎました。何も変わっていません。",
    list_gone="*この一覧はもうありません。* もう一度コマンドを入力してください。何も始めていません。",
    no_record="*記録が元の場所にありません。* 名前は {record} です。",
    done_cancel="*中止しました。* まもなくメッセージに反映されます。",
    done_withdraw="*取り下げました。* まもなくカードに反映されます。",
    done_continue="*再開します。* まもなくメッセージに反映されます。",
    done_continue_at="*{time} に再開します。*",
    done_end="*終了しました。* 再開はしません。",
    done_late="*投稿しました。* カードのスレッドにあります。",
    given="フォルダ",
    help_start="*/{name} {given}* {job}を行い、判断をお願いします",
    help_status="*/{name} status* 実行中と判断待ちの一覧",
    help_help="*/{name} help* この説明",
    help_record="1回の実行につき、Markdown の記録が1つ残ります。",
    unknown_input="「{given}」というフォルダはありません。もしかして：",
    unknown_none="「{given}」というフォルダも、似た名前のフォルダもありません。",
    started="開始しました：{matter}",
    comes_to="カードは {place} に届きます。",
    comes_to_you="カードはダイレクトメッセージに届きます。",
    invite_here="*このチャンネルに参加していません。* ここで /invite @{bot} と入力してから、もう一度コマンドを入力してください。何も始めていません。",
    invite_there="*カードを送るチャンネルに参加していません。* そのチャンネルで /invite @{bot} と入力してもらってから、もう一度コマンドを入力してください。何も始めていません。",
    cannot_post_here="*ここには投稿できません。* チャンネルで /invite @{bot} と入力してから、そこでコマンドを入力してください。何も始めていません。",
    cannot_post="*カードを投稿できなかったため、終了しました。* （{problem}）カードを送る場所で /invite @{bot} と入力してから、もう一度コマンドを入力してください。",
    nobody_could="*判断できる人がいません。* RINGI_APPROVERS にはあなたしかおらず、自分の依頼は判断できません。何も始めていません。",
    status_wait="あなたの判断待ち {n}件",
    status_mine="あなたの依頼 {n}件",
    status_run="実行中 {n}件",
    status_fail="停止 {n}件",
    status_done="最近の判断",
    status_more="ほか {n}件はターミナルで：ringi runs",
    status_empty="*判断待ちはありません*\n依頼が届くと、ここに並びます。",
    row_since="{time} から · 依頼 {who}",
    row_waits="判断待ち（{deciders}）",
    row_writing="判断済み、記録を書き込んでいます",
    row_starting="開始待ち",
    row_outcome={
        "approved": "承認 {who} · {time}",
        "approved-in-part": "一部承認 {who} · {time}",
        "rejected": "却下 {who} · {time}",
        "expired": "期限切れ · {time}",
        "withdrawn": "取り下げ · {time}",
        "no-candidates": "判断不要 · {time}",
        "failed": "停止 · {time}",
        "cancelled": "中止 · {time}",
    },
    row_not_shown="Slack に表示されていません：{problem}",
    row_go="開く",
)

TEXTS: Mapping[Language, Texts] = {"en": EN, "ja": JA}
