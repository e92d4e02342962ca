"""`ringi doctor`: what is as it should be, what isn't, and the way out. Looks, and changes nothing."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bot.doctor_postgres import examine_postgres
from bot.doctor_slack import examine_slack
from bot.doctor_texts import TEXTS, Texts
from bot.settings import BotSettings
from bot.terminal.answers import FAILED, USAGE, to_any
from bot.terminal.desk import Desk
from bot.terminal.screen import safe
from bot.terminal.texts import clock, short
from graph.approval import Run
from graph.claude import check_claude
from graph.claude.leftovers import folder, orphans
from graph.errors import Both, SettingsError, StoreError
from graph.runtime import open_store, server_running
from graph.settings import Settings, can_be_made, read, without_password
from graph.store import Store
from graph.store.census import census
from graph.store.idle import idle
from graph.vault import find_vault
from graph.workflows import begins, can_go_on

Mark = Literal["ok", "warn", "fail"]
_MARKS: dict[Mark, str] = {"ok": "32", "warn": "33", "fail": "31"}  # green, yellow, red


@dataclass(frozen=True, slots=True)
class Line:
    """One thing looked at.

    Attributes:
        about: what, in one or two words.
        found: a sentence; may hold foreign text.
        way: the way out, empty if there is nothing to do.
        usage: it is the settings themselves that are wrong.
    """

    mark: Mark
    about: str
    found: str
    way: str = ""
    usage: bool = False


async def examine(
    desk: Desk, vault: str | None, *, as_json: bool = False, contract: bool = False, live: bool = False
) -> int:
    """Look at everything and print a line for each; 0 if nothing fails, 2 if settings are wrong, else 1.

    With `contract` or `live`, do only that.
    """
    if contract or live:
        from bot.doctor_claude import examine_contract, examine_live

        asked = examine_contract if contract else examine_live
        return await asked(desk, read(Settings, desk.variables), as_json=as_json)
    lines: list[Line] = []
    async for line in _look(desk, vault):
        lines.append(line)
        if not as_json:
            _print(desk, line)
    failed = [line for line in lines if line.mark == "fail"]
    if as_json:
        shown = [{k: v for k, v in asdict(line).items() if k != "usage"} for line in lines]
        desk.screen.json({"ok": not failed, "lines": shown})
    else:
        _print_sum(desk, lines)
    if not failed:
        return 0
    return USAGE if any(line.usage for line in failed) else FAILED


async def _look(desk: Desk, vault: str | None) -> AsyncIterator[Line]:
    say = TEXTS[desk.screen.language]
    for line in _settings_file(desk, say):
        yield line
    settings, wrong = _read_settings(desk, vault)
    bot, also_wrong = _read_bot_settings(desk)
    for name, said in wrong + also_wrong:
        yield Line("fail", say.settings, f"{name} {Both.told(said, desk.screen.language)}", usage=True)
    for line in _unknown_names(desk, say):
        yield line
    if settings is not None:
        yield _vault(settings, say)
        for line in await _database(desk, settings, say):
            yield line
        yield _records(settings, say)
    if bot is not None:
        async for mark, about, found, way in examine_slack(bot, desk.screen.language):
            yield Line(mark, about, found, way)
    if settings is not None:
        for line in await _drafter(desk, settings, say):
            yield line


def _read_settings(desk: Desk, vault: str | None) -> tuple[Settings | None, list[tuple[str, str]]]:
    try:
        return read(Settings, desk.variables, vault=vault), []
    except SettingsError as error:
        return None, error.problems


def _read_bot_settings(desk: Desk) -> tuple[BotSettings | None, list[tuple[str, str]]]:
    try:
        return read(BotSettings, desk.variables), []
    except SettingsError as error:
        return None, error.problems


def _settings_file(desk: Desk, say: Texts) -> Sequence[Line]:
    file = desk.env_file
    if file.path is None:
        return [Line("ok", say.settings, say.no_file)]
    if file.ignored:
        why = Both.told(file.ignored, desk.screen.language)
        return [Line("warn", say.settings, say.ignored.format(path=file.path), why)]
    database = file.values.get("RINGI_DATABASE", "")
    secrets = [n for n in file.values if n.endswith(("TOKEN", "API_KEY"))]
    secrets += ["RINGI_DATABASE"] if without_password(database) != database else []
    if file.open_to_others and secrets:
        way = say.chmod.format(path=file.path)
        return [Line("warn", say.settings, say.readable.format(path=file.path), way)]
    return [Line("ok", say.settings, say.file.format(path=file.path))]


def _unknown_names(desk: Desk, say: Texts) -> Sequence[Line]:
    """Name variables that look like settings and are none: a slip there goes unnoticed otherwise."""
    from difflib import get_close_matches

    known = {field.alias for model in (Settings, BotSettings) for field in model.model_fields.values()}
    names = [str(alias) for alias in known if alias] + ["RINGI_ENV_FILE"]
    lines = []
    for name in sorted(desk.variables):
        if name.startswith("RINGI_") and name not in names:
            near = get_close_matches(name, names, n=1)
            way = say.did_you_mean.format(name=near[0]) if near else say.see_example
            lines.append(Line("warn", say.settings, say.no_setting.format(name=name), way))
    return lines


def _vault(settings: Settings, say: Texts) -> Line:
    vault = settings.vault
    if vault is None:
        return Line("fail", say.vault, say.no_vault, say.set_vault)
    if not os.access(vault, os.R_OK | os.X_OK):
        return Line("fail", say.vault, say.unreadable.format(path=vault), say.permit)
    if not (vault / ".obsidian").is_dir():
        around = find_vault(vault)
        way = say.inside.format(path=around) if around != vault else say.right_vault
        return Line("warn", say.vault, say.no_obsidian.format(path=vault), way)
    return Line("ok", say.vault, str(vault))


async def _database(desk: Desk, settings: Settings, say: Texts) -> list[Line]:
    path = Path(settings.database)
    version = 0
    try:
        if settings.on_postgres:
            version, found = await examine_postgres(settings, say)
            if found is not None:
                return [Line(found[0], say.database, *found[1:])]
        elif not os.access(path, os.F_OK):
            return [_new_database(path, settings, say)]
        async with open_store(settings) as store:
            under_way = await census(store, ["queued", "running", "waiting", "resuming"])
            count = sum(under_way.values())
            switch = await _switch(store, desk, say)
            running = server_running(settings)
            # What a server on a file has in hand cannot be seen from here; it compares by itself.
            left = await idle(store, lambda _: running and not settings.on_postgres)
    except (StoreError, OSError) as error:
        sentence, *way = to_any(error, desk.screen.language, desk.screen.zone).lines
        return [Line("fail", say.database, sentence, " ".join(way))]
    if settings.on_postgres:
        served = say.processes if running else say.no_process
        looked = say.postgres.format(path=settings.database_shown, version=version, served=served, n=count)
    else:
        looked = say.open.format(
            path=settings.database, served=say.served if running else say.not_served, n=count
        )
    return [Line("ok", say.database, looked), *_others(under_way, say), *_left(settings, left, say), switch]


def _left(settings: Settings, idle_runs: Sequence[Run], say: Texts) -> list[Line]:
    """Say what the rows call under way while nobody works on it, and what works on for nobody."""
    runs = [short(run.id) for run in idle_runs if can_go_on(run)]
    lines = [Line("warn", say.at_work, say.idle.format(run=run), say.go_on.format(run=run)) for run in runs]
    if children := orphans(folder(settings)):
        lines.append(Line("warn", say.at_work, say.orphans.format(n=children), say.end_orphans))
    return lines


def _others(under_way: Mapping[tuple[str, int], int], say: Texts) -> list[Line]:
    """Say which versions began what this one cannot carry on."""
    return [
        Line("warn", say.versions, say.begun_by.format(n=n, version=f"{name} {version}"), say.install_version)
        for (name, version), n in under_way.items()
        if not begins(name, version)
    ]


async def _switch(store: Store, desk: Desk, say: Texts) -> Line:
    """Say whether new checks begin at once, for who wonders why nothing happens looks here."""
    hold = await store.hold()
    if hold is None:
        return Line("ok", say.checks, say.on)
    time = clock(hold.due, desk.screen.language, desk.screen.zone, now=store.now())
    found = say.on_hold.format(time=time, who=safe(hold.person.name), n=len(await store.on_hold()))
    return Line("warn", say.checks, found, say.release)


def _new_database(path: Path, settings: Settings, say: Texts) -> Line:
    """Look at the place of a database that is not there yet, without making it."""
    from graph.store.sqlite import refuse_misplaced

    with suppress(FileNotFoundError):
        path.lstat()  # a name may be too long
    refuse_misplaced(path, settings.vault)
    if not can_be_made(path.parent):
        return Line("fail", say.database, say.unwritable.format(path=path), say.set_database)
    return Line("ok", say.database, say.will_be_made.format(path=path))


def _records(settings: Settings, say: Texts) -> Line:
    folder = settings.records
    if not can_be_made(folder):
        return Line("fail", say.records, say.unwritable.format(path=folder), say.set_records)
    if settings.vault is not None and folder.resolve().is_relative_to(settings.vault):
        return Line("ok", say.records, say.in_vault.format(path=folder))
    return Line("ok", say.records, str(folder))


async def _drafter(desk: Desk, settings: Settings, say: Texts) -> list[Line]:
    if settings.drafter == "rules":
        return [Line("ok", say.drafter, say.rules)]
    found = await check_claude(settings, language=desk.screen.language, environment=desk.environment)
    lines = [Line("ok" if check.ok else "fail", "Claude", check.sentence) for check in found]
    if not all(check.ok for check in found):
        lines.append(Line("warn", say.drafter, say.without_claude, say.use_rules))
    return lines


def _print(desk: Desk, line: Line) -> None:
    mark = f"{line.mark:<5}"
    if desk.screen.colour:
        mark = f"\x1b[{_MARKS[line.mark]}m{mark}\x1b[0m"
    found = [safe(part) for part in line.found.splitlines()] or [""]
    desk.screen.say(f"{mark} {line.about}{TEXTS[desk.screen.language].colon}{found[0]}")
    for part in [*found[1:], *([safe(line.way)] if line.way else [])]:
        desk.screen.say(f"      {part}")
    desk.screen.out.flush()


def _print_sum(desk: Desk, lines: Sequence[Line]) -> None:
    say = TEXTS[desk.screen.language]
    fails, warns = (sum(line.mark == mark for line in lines) for mark in ("fail", "warn"))
    desk.screen.say()
    if not fails and not warns:
        desk.screen.say(say.all_well)
    else:
        desk.screen.say(say.sum.format(fails=fails, warns=warns))
