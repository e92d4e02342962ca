"""`ringi migrate-database`: from one machine to several."""

from __future__ import annotations

from collections.abc import Mapping

from bot.terminal.desk import Desk
from bot.terminal.screen import safe
from graph.approval import Language
from graph.errors import SettingsError
from graph.runtime import move_database
from graph.settings import Settings, is_postgres, read, without_password


async def move(desk: Desk, settings: Settings, to: str, *, as_json: bool) -> int:
    """Copy everything from the file that the settings name; print how many rows of each kind arrived.

    Raises:
        SettingsError: the one is no SQLite file, or the other no PostgreSQL.
        StoreError: one of them cannot be used, or is in use.
    """
    say = _TEXTS[desk.screen.language]
    problems = [("RINGI_DATABASE", say["no_file"])] if settings.on_postgres else []
    if not is_postgres(to):
        problems.append(("--to", f"{say['no_address']} ({without_password(to)})"))
    if problems:
        raise SettingsError(problems)
    try:
        target = read(Settings, {**desk.variables, "RINGI_DATABASE": to})
    except SettingsError as error:
        raise SettingsError([("--to", sentence) for _, sentence in error.problems]) from None
    counts = await move_database(settings, target)
    if as_json:
        desk.screen.json({"from": settings.database, "to": target.database_shown, "rows": counts})
        return 0
    for table, number in counts.items():
        desk.screen.say(f"{number:>8}  {table}")
    shown = safe(target.database_shown)
    desk.screen.say(say["done"].format(path=safe(settings.database), to=shown))
    return 0


_TEXTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "no_file": "names PostgreSQL already; this command copies from a SQLite file.",
        "no_address": "takes an address that begins with postgresql://",
        "done": "Copied and compared. Now set RINGI_DATABASE={to} (with its password, if it has one) on every machine; {path} is left as it is and no longer read.",
    },
    "ja": {
        "no_file": "はすでに PostgreSQL です。このコマンドは SQLite のファイルからコピーします。",
        "no_address": "には postgresql:// で始まるアドレスを指定してください",
        "done": "コピーし、件数が一致することを確認しました。すべてのマシンで RINGI_DATABASE={to} を設定してください（パスワードがあれば補ってください）。{path} はそのまま残り、以後は読みません。",
    },
}
