"""`ringi serve`: refuse what could never work, then be the Slack bot until told to end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bot.ending import stopped_by_signals
from bot.settings import BotSettings
from bot.terminal.desk import Desk
from bot.terminal.holding import since
from bot.terminal.screen import safe
from bot.terminal.voting import TOO_FEW
from graph.approval import Language, Person
from graph.errors import Both, SettingsError
from graph.policy import Policy
from graph.settings import Settings

if TYPE_CHECKING:
    from graph.engine import Engine


async def serve(desk: Desk, settings: Settings, bot: BotSettings, *, worker: bool = False) -> int:
    """Connect, say so, and answer until SIGINT or SIGTERM.

    Args:
        desk: where a person sits.
        settings: of the run.
        bot: of the surfaces, lacking nothing (`what_lacks`).
        worker: move runs only, without Slack; several processes can share a database on PostgreSQL.

    Raises:
        SettingsError: a worker would be alone on SQLite.
        DatabaseInUse: another server works on this database.
    """
    language = desk.screen.language
    if worker and not settings.on_postgres:
        raise SettingsError([("RINGI_DATABASE", _LACKS["RINGI_DATABASE"])])
    desk.screen.tell(_STARTING[language])
    from graph import open_engine

    with stopped_by_signals() as stop:
        async with open_engine(settings, bot.policy()) as engine:
            if (hold := await engine.store.hold()) is not None:
                waiting = len(await engine.store.on_hold())
                reader = desk.reader(bot.policy())
                desk.screen.tell(since(desk.texts.hold_waiting, hold, reader, n=f"{waiting:,}"))
            if worker:
                await _work(engine, stop, desk)
            else:
                from bot.slack.app import serve as answer

                await answer(engine, bot, ready=lambda who: _ready(desk, _READY, who), stop=stop)
    desk.screen.tell(_ENDED[language])
    return 0


async def _work(engine: Engine, stop: asyncio.Event, desk: Desk) -> None:
    """Move runs until told to end."""
    watching = asyncio.create_task(engine.watch(), name="watch")
    _ready(desk, _WORKING, engine.settings.database_shown)
    try:
        await stop.wait()
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def what_lacks(bot: BotSettings, *, slack: bool = True) -> list[tuple[str, Both]]:
    """Return what `serve` cannot do without, as (variable, sentence); a worker needs no tokens."""
    problems = [
        (name, _LACKS[name])
        for name, there in (
            ("SLACK_BOT_TOKEN", bot.slack_bot_token or not slack),
            ("SLACK_APP_TOKEN", bot.slack_app_token or not slack),
            ("RINGI_STARTERS", bot.starters),
        )
        if not there
    ]
    if alone := undecidable(bot):
        problems.append(("RINGI_APPROVERS", _LACKS["RINGI_APPROVERS"].fill(who=", ".join(alone))))
    if short := too_few(bot):
        user, there = short
        sentence = TOO_FEW.fill(needed=bot.approvals, there=there, who=user)
        problems.append(("RINGI_APPROVALS", sentence))
    return problems


def undecidable(bot: BotSettings) -> list[str]:
    """Return the starters whose runs nobody could decide."""
    return [user for user, there in _deciders(bot) if not there]


def too_few(bot: BotSettings) -> tuple[str, int] | None:
    """Return the starter whose runs the fewest people could approve, and how many, if that is not enough."""
    short = [(there, user) for user, there in _deciders(bot) if 0 < there < bot.approvals]
    return (min(short)[1], min(short)[0]) if short else None


def _deciders(bot: BotSettings) -> list[tuple[str, int]]:
    """Count who could decide the runs of each starter. Who is in a user group only Slack knows: none is counted."""
    if bot.approving_groups:
        return []
    policy: Policy = bot.policy()
    starters = [
        (u, Person(id=f"T/{u}", name="", surface="slack", verified=True)) for u in sorted(bot.starters)
    ]
    return [(user, len(policy.deciders(person))) for user, person in starters]


def _ready(desk: Desk, sentence: Mapping[Language, str], who: str) -> None:
    """Say that it is ready; what stands in memory by now stays, so that no collection looks through it while people wait."""
    gc.collect()
    gc.freeze()
    desk.screen.say(sentence[desk.screen.language].format(who=safe(who)))
    desk.screen.out.flush()


_STARTING: Mapping[Language, str] = {"en": "Starting ...", "ja": "起動しています..."}
_READY: Mapping[Language, str] = {
    "en": "ready: connected as {who}. In Slack: /linkcheck help. Ctrl-C ends it.",
    "ja": "ready：{who} として接続しました。Slack で /linkcheck help。終了は Ctrl-C。",
}
_WORKING: Mapping[Language, str] = {
    "en": "ready: moves runs of {who}, without Slack. Ctrl-C ends it.",
    "ja": "ready：{who} の run を進めます（Slack には接続しません）。終了は Ctrl-C。",
}
_ENDED: Mapping[Language, str] = {
    "en": "Ended. Nothing is lost; what waits goes on waiting.",
    "ja": "終了しました。失われたものはありません。判断待ちの run はそのままです。",
}
_LACKS: Mapping[str, Both] = {
    "SLACK_BOT_TOKEN": Both(
        "is not set. Take it (xoxb-…) from the app's page, “Install App”.",
        "が未設定です。アプリのページの “Install App” にあるトークン（xoxb-…）を設定してください。",
    ),
    "SLACK_APP_TOKEN": Both(
        "is not set. Make one (xapp-…) with connections:write under “Basic Information”, “App-Level Tokens”.",
        "が未設定です。“Basic Information” の “App-Level Tokens” で connections:write つきのトークン（xapp-…）を作ってください。",
    ),
    "RINGI_STARTERS": Both(
        "is not set: nobody could start a run. In Slack open your profile, ⋮, “Copy member ID” (U…).",
        "が未設定のため、誰も run を始められません。Slack のプロフィールの ⋮ から「メンバー ID をコピー」（U…）。",
    ),
    "RINGI_DATABASE": Both(
        "names a SQLite file, on which one server does everything; --worker needs postgresql://… (docs/scaling.md).",
        "が SQLite のファイルなので、1台のサーバーがすべてを行います。--worker には postgresql://… が必要です（docs/scaling.md）。",
    ),
    "RINGI_APPROVERS": Both(
        "leaves nobody to decide what {who} starts. List someone else, or set RINGI_SELF_APPROVAL=yes.",
        "では {who} が始めた run を判断できる人がいません。ほかの人を加えるか、RINGI_SELF_APPROVAL=yes を設定してください。",
    ),
}
