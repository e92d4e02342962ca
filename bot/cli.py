"""The command line: where a process begins, and the only place that reads the environment.

Commands import what they need when they run, so that `ringi runs` starts without LangGraph and `ringi --help`
without anything.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from io import TextIOWrapper as _TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from bot.options import (
    Again,
    Anchors,
    Choice,
    Commands,
    Compare,
    Contract,
    FailOn,
    Folder,
    Form,
    Format,
    Group,
    Instead,
    Judge,
    Lang,
    Leave,
    LinksForm,
    LinksFormat,
    Live,
    Prompts,
    RunId,
    States,
    Tongue,
    Vault,
)
from bot.terminal import guide

if TYPE_CHECKING:
    from bot.settings import BotSettings
    from bot.terminal.acts import Acts
    from bot.terminal.desk import Desk
    from graph.approval import RunState
    from graph.settings import Settings

app = typer.Typer(
    name="ringi",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


_env_file: str | None = None
_language: str | None = None


def _print_version(asked: bool) -> None:  # noqa: FBT001 - Typer's way of a callback
    if asked:
        from importlib.metadata import version as installed

        typer.echo(f"ringi {installed('ringi')}")
        raise typer.Exit


@app.callback(help=guide.RINGI)
def _ringi(
    env_file: Annotated[
        str | None,
        typer.Option("--env-file", metavar="FILE", help="Settings; else RINGI_ENV_FILE, else ./.env."),
    ] = None,
    version: Annotated[  # noqa: ARG001, FBT002 - a flag; its callback does it all
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Remember what stands before the command."""
    global _env_file  # noqa: PLW0603 - options before the command belong to the process
    _env_file = env_file


@app.command(help=guide.LINKCHECK, short_help=guide.short(guide.LINKCHECK))
def linkcheck(  # noqa: PLR0913, PLR0917 - one for each option
    folder: Folder,
    vault: Vault = None,
    drafter: Judge = None,
    anchors: Anchors = None,
    again: Again = False,  # noqa: FBT002 - a flag
    lang: Lang = None,
    form: Format = Form.text,
) -> None:
    """Check a folder's links and ask for a decision."""
    acts = _acts(lang, form, needs_vault=True, vault=vault, drafter=drafter, anchors=anchors)
    _leave(lambda: acts.do(acts.start("linkcheck", folder, everything=again)))


@app.command(help=guide.RUNS, short_help=guide.short(guide.RUNS))
def runs(
    every: Annotated[bool, typer.Option("--all", help="Also older ones.")] = False,  # noqa: FBT002 - a flag
    state: States = None,
    lang: Lang = None,
    form: Format = Form.text,
) -> None:
    """List what runs, waits and ended, newest first."""
    desk, settings, bot = _ready(lang)
    from bot.terminal.look import runs as listed

    states: list[RunState] = [one.value for one in state or ()]
    _leave(lambda: _run(listed(desk, settings, bot, every=every, as_json=form == Form.json, states=states)))


@app.command(help=guide.SHOW, short_help=guide.short(guide.SHOW))
def show(run: RunId, prompts: Prompts = False, lang: Lang = None, form: Format = Form.text) -> None:  # noqa: FBT002 - a flag
    """Show one run: the question, or who decided, when and why."""
    desk, settings, bot = _ready(lang)
    from bot.terminal.look import show as shown

    _leave(lambda: _run(shown(desk, settings, bot, run, prompts=prompts, as_json=form == Form.json)))


@app.command(help=guide.RESUME, short_help=guide.short(guide.RESUME))
def resume(  # noqa: PLR0913, PLR0917 - one for each option
    run: RunId,
    choice: Annotated[Choice, typer.Argument(metavar="approve|reject|send-back", help="The decision.")],
    reason: Annotated[
        str, typer.Argument(metavar="REASON", show_default=False, help="Needed to reject or send back.")
    ] = "",
    leave: Leave = None,
    instead: Instead = None,
    lang: Lang = None,
    form: Format = Form.text,
) -> None:
    """Decide a run that waits."""
    acts = _acts(lang, form)
    said = {Choice.approve: "approve", Choice.reject: "reject", Choice.send_back: "send_back"}
    _leave(lambda: acts.do(acts.resume(run, said[choice], reason, leave or (), instead or ())))  # type: ignore[arg-type] # the three kinds people choose


@app.command(help=guide.RETRY, short_help=guide.short(guide.RETRY))
def retry(run: RunId, lang: Lang = None, form: Format = Form.text) -> None:
    """Go on with a run that stopped; what was judged is kept."""
    acts = _acts(lang, form)
    _leave(lambda: acts.do(acts.retry(run)))


@app.command(help=guide.CANCEL, short_help=guide.short(guide.CANCEL))
def cancel(run: RunId, lang: Lang = None, form: Format = Form.text) -> None:
    """End a run for good."""
    acts = _acts(lang, form)
    _leave(lambda: acts.do(acts.cancel(run)))


@app.command(help=guide.STOP, short_help=guide.short(guide.STOP))
def stop(run: RunId, lang: Lang = None, form: Format = Form.text) -> None:
    """End only the work a run is doing; it can go on later with `ringi retry`."""
    acts = _acts(lang, form)
    _leave(lambda: acts.do(acts.stop(run)))


@app.command(help=guide.HOLD, short_help=guide.short(guide.HOLD))
def hold(lang: Lang = None, form: Format = Form.text) -> None:
    """Keep new checks from beginning."""
    desk, settings, bot = _ready(lang)
    from bot.terminal.switch import hold as held

    _leave(lambda: _run(held(desk, settings, bot, as_json=form == Form.json)))


@app.command(help=guide.RELEASE, short_help=guide.short(guide.RELEASE))
def release(lang: Lang = None, form: Format = Form.text) -> None:
    """Let new checks begin again."""
    desk, settings, bot = _ready(lang)
    from bot.terminal.switch import release as released

    _leave(lambda: _run(released(desk, settings, bot, as_json=form == Form.json)))


@app.command(help=guide.PATCH, short_help=guide.short(guide.PATCH))
def patch(run: RunId, lang: Lang = None) -> None:
    """Print the fixes that were approved."""
    desk, settings, _ = _ready(lang)
    from bot.terminal.patch import patch as printed

    _leave(lambda: _run(printed(desk, settings, run)))


@app.command(help=guide.FORGET, short_help=guide.short(guide.FORGET))
def forget(folder: Folder, vault: Vault = None, lang: Lang = None, form: Format = Form.text) -> None:
    """Let what was approved in a folder be asked again."""
    desk, settings, _ = _ready(lang, needs_vault=True, vault=vault)
    from bot.terminal.forget import forget as forgotten

    _leave(lambda: _run(forgotten(desk, settings, folder, as_json=form == Form.json)))


@app.command(help=guide.LINKS, short_help=guide.short(guide.LINKS))
def links(  # noqa: PLR0913, PLR0917 - one for each option
    folder: Folder,
    vault: Vault = None,
    group: Group = False,  # noqa: FBT002 - a flag
    anchors: Anchors = None,
    fail_on: FailOn = "missing",
    compare: Compare = False,  # noqa: FBT002 - a flag
    lang: Lang = None,
    form: LinksFormat = LinksForm.text,
) -> None:
    """List a folder's links that lead nowhere, with near names."""
    desk = _desk(lang)
    from bot.terminal.links import Wanted
    from bot.terminal.links import links as listed

    wanted = Wanted(form.value, group, fail_on, anchors, compare)
    _leave(lambda: listed(desk, folder, vault, wanted))


@app.command(help=guide.DOCTOR, short_help=guide.short(guide.DOCTOR))
def doctor(
    vault: Vault = None,
    contract: Contract = False,  # noqa: FBT002 - a flag
    live: Live = False,  # noqa: FBT002 - a flag
    lang: Lang = None,
    form: Format = Form.text,
) -> None:
    """Check settings, vault, database, records, Slack and Claude; each problem with its way out."""
    desk = _desk(lang)
    from bot.doctor import examine

    more = {"contract": contract, "live": live}
    _leave(lambda: _run(examine(desk, vault, as_json=form == Form.json, **more)))


@app.command(help=guide.SERVE, short_help=guide.short(guide.SERVE))
def serve(
    vault: Vault = None,
    drafter: Judge = None,
    worker: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--worker", help="Only move runs, without Slack; on PostgreSQL.")
    ] = False,
) -> None:
    """Be the Slack bot: connect over Socket Mode and answer until Ctrl-C or SIGTERM."""
    desk = _desk(None)
    from bot.envfile import forget_slack
    from bot.serving import serve as served
    from bot.serving import what_lacks

    lacks = partial(what_lacks, slack=not worker)
    settings, bot = desk.settings(needs_vault=True, lacks=lacks, vault=vault, drafter=drafter)

    _log(bot)
    forget_slack()
    _leave(lambda: _run(served(desk, settings, bot, worker=worker)))


@app.command(
    name="migrate-database", help=guide.MIGRATE_DATABASE, short_help=guide.short(guide.MIGRATE_DATABASE)
)
def migrate_database(
    to: Annotated[str, typer.Option("--to", metavar="ADDRESS", help="postgresql://user@host/name")],
    lang: Lang = None,
    form: Format = Form.text,
) -> None:
    """Copy everything from SQLite to PostgreSQL."""
    desk, settings, _ = _ready(lang)
    from bot.terminal.moving import move

    _leave(lambda: _run(move(desk, settings, to, as_json=form == Form.json)))


@app.command(help=guide.DEMO, short_help=guide.short(guide.DEMO))
def demo(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 = any free one.")] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,  # noqa: FBT002 - a flag
    drafter: Judge = None,
    lang: Lang = None,
) -> None:
    """Try everything on this machine: a local Slack, the bot, a sample vault."""
    desk = _desk(lang)
    from bot.demo import demo as tried
    from bot.envfile import forget_slack

    forget_slack()
    _leave(lambda: _run(tried(desk, port=port, open_page=open_page, drafter=drafter)))


@app.command(help=guide.EMULATE, short_help=guide.short(guide.EMULATE))
def emulate(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 = any free one.")] = 0,
    manifest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Manifest of your app; else ringi's.")
    ] = None,
    lang: Lang = None,
) -> None:
    """Be a local Slack for any Bolt app: Web API, Socket Mode and a page, on loopback only."""
    desk = _desk(lang)
    from bot.demo import emulate as emulated

    _leave(lambda: _run(emulated(desk, port=port, manifest=manifest)))


def main() -> None:
    """Run a command and leave with its exit code; the only place where errors become words."""
    # names of notes may hold what the locale's encoding lacks
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, _TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:  # a pager was closed
        _drop_output()
        raise SystemExit(1) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, people get a sentence and the log gets the place
        raise SystemExit(_answer(error)) from None


def _answer(error: Exception) -> int:
    """Print what an error means and return its exit code."""
    from bot.terminal.answers import to_any
    from bot.terminal.desk import language_of, machine_zone

    language = language_of(_language or os.environ.get("RINGI_LANGUAGE"), os.environ)
    answer = to_any(error, language, machine_zone(os.environ))
    with contextlib.suppress(OSError):
        typer.echo("\n".join(answer.lines), err=True)
    try:
        sys.stdout.flush()
    except OSError:  # a full disk: what could not be written is lost
        _drop_output()
    return answer.code


def _drop_output() -> None:
    """Write no more: Python would try, and complain, once more while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _desk(lang: Tongue | None) -> Desk:
    """Look around; later errors are told in the language found here."""
    global _language  # noqa: PLW0603 - the language of the process
    from bot.terminal.desk import open_desk

    _language = lang
    desk = open_desk(os.environ, _env_file, lang)
    _language = desk.screen.language
    if desk.env_file.ignored:
        desk.tell_ignored()
    return desk


def _ready(
    lang: Tongue | None, *, needs_vault: bool = False, **over: Any
) -> tuple[Desk, Settings, BotSettings]:
    """Look around and read all settings."""
    desk = _desk(lang)
    settings, bot = desk.settings(needs_vault=needs_vault, **over)
    return desk, settings, bot


def _acts(lang: Tongue | None, form: Form, *, needs_vault: bool = False, **over: Any) -> Acts:
    desk, settings, bot = _ready(lang, needs_vault=needs_vault, **over)
    from bot.terminal.acts import Acts

    _log(bot, quiet=True)
    return Acts(desk, settings, bot, as_json=form == Form.json)


def _log(bot: BotSettings, *, quiet: bool = False) -> None:
    """Log to standard error; beside a command's answer only what is wrong, unless a level is asked for."""
    from bot.logs import configure

    level = "WARNING" if quiet and "log_level" not in bot.model_fields_set else bot.log_level
    configure(level, bot.log_format)


def _run(work: Coroutine[Any, Any, int]) -> int:
    """Run what needs an event loop; commands that need none start without asyncio."""
    import asyncio

    return asyncio.run(work)


def _leave(work: Callable[[], int]) -> NoReturn:
    """Do the work of a command and leave with its exit code."""
    try:
        code = work()
    except KeyboardInterrupt:
        code = 130  # what shells call it
    sys.stdout.flush()
    raise typer.Exit(code)
