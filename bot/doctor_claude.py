"""`ringi doctor --contract` and `--live`: what is asked of Claude Code only on request."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from bot.terminal.answers import FAILED
from bot.terminal.desk import Desk
from bot.terminal.screen import safe
from graph.approval import Language
from graph.claude import call_live
from graph.claude.contract import ROWS, Tried, check_contract
from graph.settings import Settings


@dataclass(frozen=True, slots=True)
class Texts:
    """Sentences; the rows themselves are technical words."""

    begin: str
    differs: str
    all_hold: str
    some_differ: str
    missing: str
    live: str


TEXTS: Mapping[Language, Texts] = {
    "en": Texts(
        begin="Trying {n} things that ringi relies on in {path}, without network and login. This takes some minutes.",
        differs="expected: {expects}; found: {found}",
        all_hold="All {n} hold.",
        some_differ="{n} of {all} differ. Use a version of Claude Code for which they hold, or RINGI_DRAFTER=rules.",
        missing="Claude Code is not installed as “{path}”. Install it, or set RINGI_CLAUDE to where it is.",
        live="Making one small real call to Claude, with the login it has; it counts towards the plan …",
    ),
    "ja": Texts(
        begin="{path} について、ringi が前提とする {n}項目を試します（ネットワークもログインも使いません）。数分かかります。",
        differs="期待：{expects}、結果：{found}",
        all_hold="{n}項目すべて前提どおりです。",
        some_differ="{all}項目中 {n}項目が違います。前提どおりの版の Claude Code か、RINGI_DRAFTER=rules を使ってください。",
        missing="「{path}」という Claude Code が見つかりません。インストールするか、RINGI_CLAUDE に場所を指定してください。",
        live="いまのログインで Claude を 1回だけ実際に呼び出します（プランの利用量に入ります）…",
    ),
}


async def examine_contract(desk: Desk, settings: Settings, *, as_json: bool) -> int:
    """Try every row on the installed version and print what differs; 0 if nothing does."""
    # Every failure is provoked on purpose; the log would tell them as if they were real.
    logging.getLogger("graph.claude").setLevel(logging.CRITICAL)
    say, command = TEXTS[desk.screen.language], safe(settings.claude)
    desk.screen.tell(say.begin.format(n=len(ROWS), path=command))

    def told(row: Tried) -> None:
        if not as_json:
            rest = row.found if row.ok else say.differs.format(expects=row.expects, found=row.found)
            desk.screen.say(f"{'ok   ' if row.ok else 'fail '} {row.name}: {safe(rest)}")
            desk.screen.out.flush()

    rows = await check_contract(settings, environment=desk.environment, told=told)
    if rows is None:
        desk.screen.tell(say.missing.format(path=command))
        return FAILED
    differ = sum(not row.ok for row in rows)
    if as_json:
        desk.screen.json({"ok": not differ, "rows": [row._asdict() | {"ok": row.ok} for row in rows]})
    else:
        desk.screen.say()
        told_sum = say.some_differ if differ else say.all_hold
        desk.screen.say(told_sum.format(n=differ or len(rows), all=len(rows)))
    return FAILED if differ else 0


async def examine_live(desk: Desk, settings: Settings, *, as_json: bool) -> int:
    """Say that a real call is made, make it, print what came of it; 0 if Claude answered."""
    desk.screen.tell(TEXTS[desk.screen.language].live)
    ok, sentence = await call_live(settings, language=desk.screen.language, environment=desk.environment)
    if as_json:
        desk.screen.json({"ok": ok, "found": sentence})
    else:
        desk.screen.say(f"{'ok   ' if ok else 'fail '} Claude: {safe(sentence)}")
    return 0 if ok else FAILED
