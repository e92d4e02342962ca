"""The one place that turns what went wrong into a sentence, the way out, and an exit code."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from bot.terminal.screen import safe, safe_lines
from bot.terminal.sentences import Texts
from bot.terminal.texts import TEXTS, clock, short
from graph import errors
from graph.approval import ENDED, Decision, Language, Run
from graph.settings import is_postgres

FAILED = 1
USAGE = 2
REFUSED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person is told instead of a result.

    Attributes:
        code: 1 failed, 2 usage or settings, 3 refused.
        lines: the sentence first, then the way out; safe to print.
    """

    code: int
    lines: tuple[str, ...]


def to_error(error: errors.RingiError, language: Language, zone: str) -> Answer:
    """Say what an error of ours means for the person at the keyboard."""
    say = _japanese if language == "ja" else _english
    lines = say(error, zone)
    if isinstance(error, (errors.AmbiguousRun, errors.ReasonNeeded, errors.UnknownChoice)):
        return Answer(USAGE, lines)
    if isinstance(error, (errors.Refused, errors.DatabaseInUse, errors.DatabaseNotEmpty)):
        return Answer(REFUSED, lines)
    if isinstance(error, (errors.SettingsError, errors.UnknownFolder, errors.StoreError)):
        return Answer(USAGE, lines)
    return Answer(FAILED, lines)


def to_any(error: Exception, language: Language, zone: str) -> Answer:
    """Say what went wrong, whatever it is; what nothing foresaw is logged under a reference."""
    if isinstance(error, errors.RingiError):
        return to_error(error, language, zone)
    if isinstance(error, OSError) and error.strerror:
        return to_machine(error, language)
    answer, reference = to_unknown(language)
    from bot.logs import unforeseen

    unforeseen(error, reference)
    return answer


def to_machine(error: OSError, language: Language) -> Answer:
    """Say which file or folder this machine does not let us use, and why."""
    what = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    if language == "ja":
        head = f"{safe(what)} を使えません：" if what else "このマシンで続けられません："
    else:
        head = f"{safe(what)} cannot be used: " if what else "This machine does not let it go on: "
    return Answer(USAGE, (f"{head}{error.strerror}",))


def to_unknown(language: Language) -> tuple[Answer, str]:
    """Say that something unforeseen happened, with a reference that goes into the log too."""
    reference = secrets.token_hex(4)
    if language == "ja":
        lines = (f"予期しない問題が起きました。参照番号 {reference}（ログにも残っています）",)
    else:
        lines = (f"Something went wrong here. Reference {reference}; the log says where.",)
    return Answer(FAILED, lines), reference


def _english(  # noqa: C901, PLR0911, PLR0912 - one table of sentences
    error: errors.RingiError, zone: str
) -> tuple[str, ...]:
    match error:
        case errors.SettingsError(problems=problems):
            return _problems(problems, "These settings need a look:")
        case errors.UnknownFolder(folder=folder, is_note=True, near=[]):
            return (f"“{safe(folder)}” is a note, not a folder; a dot stands for the whole vault.",)
        case errors.UnknownFolder(folder=folder, is_note=True, near=near):
            return (f"“{safe(folder)}” is a note, not a folder. The folder it is in:", *_listed(near))
        case errors.UnknownFolder(folder=folder, near=[], vault=vault):
            where = (f"Looked in {safe(vault)}; a dot stands for all of it.",) if vault else ()
            return (f"There is no folder “{safe(folder)}”, and none with a similar name.", *where)
        case errors.UnknownFolder(folder=folder, near=near):
            return (f"There is no folder “{safe(folder)}”. Did you mean one of these?", *_listed(near))
        case errors.UnknownRun(prefix=prefix) if len(prefix) < 6:  # noqa: PLR2004 - the rule of run prefixes
            return (f"“{safe(prefix)}” is too short; give at least six characters of the run: ringi runs",)
        case errors.UnknownRun(prefix=prefix):
            return (f"There is no run “{safe(prefix)}”. These exist: ringi runs",)
        case errors.AmbiguousRun(prefix=prefix, matches=matches):
            return (f"Several runs begin with “{safe(prefix)}”. Give more of it:", *_listed(matches))
        case errors.UnknownRequest():
            return ("This run has not asked anything yet, so there is nothing to decide.", "See: ringi runs")
        case errors.NotAllowed(allowed=()):
            return ("You may not do this. Nothing has changed.",)
        case errors.NotAllowed(allowed=allowed):
            return (
                f"You can't decide this one; {' or '.join(map(safe, allowed))} can. Nothing has changed.",
                "RINGI_SELF_APPROVAL=yes lets you decide runs that you started.",
            )
        case errors.UnknownChoice(typed=""):
            return (
                "That leaves nothing to approve, or does not go with it. Nothing has changed.",
                'To approve nothing: ringi resume RUN reject "why"',
            )
        case errors.UnknownChoice(typed=typed):
            return (
                f"{safe(typed)} does not fit. Nothing has changed.",
                "Items have the numbers that ringi show RUN gives them. --leave 3,5 leaves two out; --as 4=ignore, 4=missing-note or 4=NAME (a near name) gives one another verdict.",
            )
        case errors.ReasonNeeded():
            return (
                "Reject and send-back need a reason; it is recorded, and if Claude judges again it gets exactly these words.",
                'For example: ringi resume RUN reject "wrong folder"',
            )
        case errors.AlreadyDecided(decision=decision, words=words):
            head = f"Already decided: {_who_decided(decision, 'en', zone)}. Nothing has changed."
            return _lost(head, decision, words, ("They wrote", "Your words, not recorded"), TEXTS["en"])
        case errors.AlreadyVoted():
            return ("You have approved this already. Someone else has to be the next.",)
        case errors.Replaced(revision=revision):
            return (f"Revision {revision} is the one to decide. Look at it first: ringi show RUN",)
        case errors.RunEnded(run=run, continued_by=other):
            return _ended(run, other, "en")
        case errors.NotRunning(run=run):
            return (f"Run {short(run.id)} has no work under way that could be stopped.", _look(run, "en"))
        case errors.OtherVersion(run=run):
            return (
                f"Run {short(run.id)} was begun by another version of ringi ({safe(run.workflow)} {run.version}). Nothing has changed.",
                "Only that version can go on with it; install it again.",
            )
        case errors.NotRetryable(continued_by=str(other)):
            return (f"Run {short(other)} carries it on already.", f"Look: ringi show {short(other)}")
        case errors.NotRetryable(run=run) if run.let_go:
            return (
                f"Run {short(run.id)} was ended, so it is not continued. Nothing has changed.",
                f"A new one: ringi {safe(run.workflow)} FOLDER",
            )
        case errors.NotRetryable(run=run):
            return (
                f"Run {short(run.id)} is {TEXTS['en'].states[run.state]}; only a stopped run can go on.",
                _look(run, "en"),
            )
        case _:
            return tuple(safe(line) for line in str(error).splitlines()) or ("Something went wrong.",)


def _japanese(  # noqa: C901, PLR0911, PLR0912 - one table of sentences
    error: errors.RingiError, zone: str
) -> tuple[str, ...]:
    match error:
        case errors.SettingsError(problems=problems):
            known = [(name, errors.Both.told(sentence, "ja")) for name, sentence in problems]
            return _problems(known, "設定を確認してください：")
        case errors.UnknownFolder(folder=folder, is_note=True, near=[]):
            return (f"「{safe(folder)}」はフォルダではなくノートです（「.」で保管庫全体を指定できます）。",)
        case errors.UnknownFolder(folder=folder, is_note=True, near=near):
            return (
                f"「{safe(folder)}」はフォルダではなくノートです。入っているフォルダ：",
                *_listed(near),
            )
        case errors.UnknownFolder(folder=folder, near=[], vault=vault):
            where = (f"探した場所：{safe(vault)}（「.」で全体を指定できます）",) if vault else ()
            return (f"「{safe(folder)}」というフォルダも、似た名前のフォルダもありません。", *where)
        case errors.UnknownFolder(folder=folder, near=near):
            return (f"「{safe(folder)}」というフォルダはありません。もしかして：", *_listed(near))
        case errors.UnknownRun(prefix=prefix) if len(prefix) < 6:  # noqa: PLR2004 - the rule of run prefixes
            return (f"「{safe(prefix)}」は短すぎます。run は6文字以上で指定してください：ringi runs",)
        case errors.UnknownRun(prefix=prefix):
            return (f"「{safe(prefix)}」で始まる run はありません。一覧：ringi runs",)
        case errors.AmbiguousRun(prefix=prefix, matches=matches):
            return (
                f"「{safe(prefix)}」で始まる run が複数あります。もう少し長く指定してください：",
                *_listed(matches),
            )
        case errors.UnknownRequest():
            return ("この run はまだ判断を求めていません。", "一覧：ringi runs")
        case errors.NotAllowed(allowed=()):
            return ("この操作はできません。何も変わっていません。",)
        case errors.NotAllowed(allowed=allowed):
            return (
                f"この run を判断できるのは {'か '.join(map(safe, allowed))} です。何も変わっていません。",
                "自分で始めた run も判断するには RINGI_SELF_APPROVAL=yes を設定してください。",
            )
        case errors.UnknownChoice(typed=""):
            return (
                "承認する項目が残らないか、承認以外では使えない指定です。何も変わっていません。",
                'すべて承認しないとき: ringi resume RUN reject "理由"',
            )
        case errors.UnknownChoice(typed=typed):
            return (
                f"{safe(typed)} は当てはまりません。何も変わっていません。",
                "番号は ringi show RUN のとおりです。--leave 3,5 で除外、--as 4=ignore、4=missing-note、4=NAME（似た名前）で判定を変えます。",
            )
        case errors.ReasonNeeded():
            return (
                "却下と差し戻しには理由が必要です。記録に残り、Claude が判定し直すときはこの文面がそのまま渡ります。",
                '例：ringi resume RUN reject "対象のフォルダが違います"',
            )
        case errors.AlreadyDecided(decision=decision, words=words):
            head = f"判断済みです：{_who_decided(decision, 'ja', zone)}。何も変わっていません。"
            return _lost(head, decision, words, ("理由", "記録されなかったあなたの文面"), TEXTS["ja"])
        case errors.AlreadyVoted():
            return ("あなたは承認済みです。次は別の人にお願いします。",)
        case errors.Replaced(revision=revision):
            return (f"判断するのは第{revision}版です。まず確認してください：ringi show RUN",)
        case errors.RunEnded(run=run, continued_by=other):
            return _ended(run, other, "ja")
        case errors.NotRunning(run=run):
            return (f"run {short(run.id)} には止められる作業がありません。", _look(run, "ja"))
        case errors.OtherVersion(run=run):
            return (
                f"run {short(run.id)} は別の版の ringi（{safe(run.workflow)} {run.version}）が始めたものです。何も変わっていません。",
                "続けられるのはその版だけです。その版をインストールし直してください。",
            )
        case errors.NotRetryable(continued_by=str(other)):
            return (f"続きは run {short(other)} が実行しています。", f"確認：ringi show {short(other)}")
        case errors.NotRetryable(run=run) if run.let_go:
            return (
                f"run {short(run.id)} は終わりにしたため、再開しません。何も変わっていません。",
                f"新しく始めるには：ringi {safe(run.workflow)} フォルダ",
            )
        case errors.NotRetryable(run=run):
            return (
                f"run {short(run.id)} は「{TEXTS['ja'].states[run.state]}」です。続けられるのは停止した run だけです。",
                _look(run, "ja"),
            )
        case errors.DatabaseInUse(where=where):
            return (
                f"このデータベース（{safe(where)}）では別の ringi が動いています。",
                "先に終了するか、そちらに任せてください。",
            )
        case errors.DatabaseUnusable(where=where) if is_postgres(where):
            return (
                f"PostgreSQL を使えないため、何も保存していません：{safe(where)}",
                "サーバーが動いているか、アドレス、ユーザー、権限を確認してから、もう一度実行してください。",
                *(safe(line) for line in str(error).splitlines()),
            )
        case errors.DatabaseUnfit(where=where, why=why):
            return (f"{_UNFIT[why]}：{safe(where)}", _UNFIT_WAY[why])
        case errors.DatabaseNotEmpty(where=where):
            return (
                f"コピー先のデータベースには、すでに run があります：{safe(where)}",
                "空のデータベースを指定してください。",
            )
        case errors.DatabaseUnusable(where=where):
            return (
                f"データベースを使えないため、何も保存していません：{safe(where)}",
                "空き容量、書き込みの権限、ファイルの有無を確認してから、もう一度実行してください。",
            )
        case errors.DatabaseMisplaced(where=where):
            return (
                f"データベースを保管庫や同期フォルダの中には置けません（コピーで壊れます）：{safe(where)}",
                "RINGI_DATABASE に別の場所を設定するか、未設定にしてください。",
            )
        case _:
            said = errors.Both.told(error.args[0], "ja")
            return tuple(safe(line) for line in said.splitlines()) or ("問題が起きました。",)


_UNFIT = {
    "old": "この PostgreSQL は古すぎます（14 以上が必要です）",
    "pooler": "PostgreSQL の手前に、トランザクションごとに接続を使い回すプーラーがあり、ロックが保てません",
    "driver": "PostgreSQL を使うためのパッケージがありません",
}
_UNFIT_WAY = {
    "old": "新しい PostgreSQL を使うか、RINGI_DATABASE を SQLite のファイルにしてください。",
    "pooler": "RINGI_DATABASE にサーバー自身のアドレスを設定するか、プーラーをセッションモードにしてください。",
    "driver": "インストール：pip install 'ringi[postgres]'",
}


def _lost(
    head: str, decision: Decision, words: str, labels: tuple[str, str], texts: Texts
) -> tuple[str, ...]:
    """Say who was first and why, and give one who came second their words back."""
    said = zip(labels, (decision.reason, words), strict=True)
    quoted = (
        f"{label}{texts.colon}{texts.quoted.format(words=' '.join(safe_lines(text.strip())))}"
        for label, text in said
        if text.strip()
    )
    return (head, *quoted)


def _problems(problems: Sequence[tuple[str, str]], head: str) -> tuple[str, ...]:
    lines = [f"{safe(name)} {safe(sentence)}" for name, sentence in problems]
    return tuple(lines) if len(lines) == 1 else (head, *(f"  {line}" for line in lines))


def _listed(names: Sequence[str]) -> list[str]:
    return [f"  {safe(name)}" for name in names]


def _look(run: Run, language: Language) -> str:
    return f"確認：ringi show {short(run.id)}" if language == "ja" else f"Look: ringi show {short(run.id)}"


def _who_decided(decision: Decision, language: Language, zone: str) -> str:
    from datetime import UTC, datetime

    texts = TEXTS[language]
    act = texts.acts[decision.kind]
    time = clock(decision.at, language, zone, now=datetime.now(UTC))
    if decision.person.surface == "clock":
        return f"{act}{texts.comma}{time}"
    name = safe(decision.person.name)
    return f"{name} が{act}（{time}）" if language == "ja" else f"{act.lower()} by {name}, {time}"


def _ended(run: Run, other: str | None, language: Language) -> tuple[str, ...]:
    name, state = short(run.id), TEXTS[language].states[run.state]
    if other is not None:
        look = f"ringi show {short(other)}"
        return (
            (f"run {name} の続きは run {short(other)} です。何も変わっていません。", f"確認：{look}")
            if language == "ja"
            else (f"Run {name} goes on as run {short(other)}. Nothing has changed.", f"Look: {look}")
        )
    if run.let_go:
        state += f"{TEXTS[language].comma}{TEXTS[language].not_continued}"
    if run.state not in ENDED:
        return (
            (f"run {name} には、終わらせる判断がすでにあります。", _look(run, language))
            if language == "ja"
            else (f"A decision that ends run {name} stands already.", _look(run, language))
        )
    return (
        (f"run {name} は終わっています（{state}）。何も変わっていません。", _look(run, language))
        if language == "ja"
        else (f"Run {name} has ended ({state}). Nothing has changed.", _look(run, language))
    )
