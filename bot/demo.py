"""`ringi demo` and `ringi emulate`: everything on this machine, nothing leaves it."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bot.ending import stopped_by_signals
from bot.logs import configure
from bot.manifest import read_manifest
from bot.settings import BotSettings
from bot.terminal.desk import Desk
from graph.approval import Language
from graph.errors import Both, SettingsError
from graph.settings import Settings, read

if TYPE_CHECKING:
    from bot.emulator.server import Emulator

MEMBERS = ("U0MEMBER1", "U0MEMBER2")
CHANNEL = "C0NOTES"  #: opened at first, since a card belongs in a channel that the app is in
_SAMPLE = Path(__file__).resolve().parent / "demo_vault"


async def demo(desk: Desk, *, port: int = 0, open_page: bool = False, drafter: str | None = None) -> int:
    """Run a local Slack, the real bot and a sample vault in this process until SIGINT or SIGTERM.

    Args:
        desk: where the address is printed.
        port: of the page; 0 takes a free one.
        open_page: show the page in the browser.
        drafter: `claude` or `rules`; rules unless `RINGI_DRAFTER` says otherwise.
    """
    say = _DEMO[desk.screen.language]
    desk.screen.tell(say["starting"])
    _log(desk)
    place = lay_out(Path(tempfile.mkdtemp(prefix="ringi-demo-")))
    from bot.emulator.server import Emulator
    from bot.slack.app import serve
    from graph import open_engine

    emulator = Emulator(read_manifest())
    with stopped_by_signals() as stop:
        await _listen(emulator, port)
        try:
            variables = _variables(desk, place, emulator, drafter)
            settings, bot = read(Settings, variables), read(BotSettings, variables)
            _leave_env_file(place, variables)
            async with open_engine(settings, bot.policy()) as engine:
                await serve(
                    engine,
                    bot,
                    ready=lambda _: _tell(desk, emulator.page_url, place, open_page=open_page),
                    stop=stop,
                )
        finally:
            await emulator.close()
    desk.screen.tell(say["ended"].format(place=place))
    return 0


def lay_out(place: Path) -> Path:
    """Copy the sample vault into a fresh folder, with room for state and records beside it; return the folder."""
    place = place.resolve()
    shutil.copytree(_SAMPLE, place / "vault")
    (place / "vault" / ".obsidian").mkdir()
    (place / "vault" / ".obsidian" / "app.json").write_text("{}\n", encoding="utf-8")
    return place


def _variables(desk: Desk, place: Path, emulator: Emulator, drafter: str | None) -> dict[str, str]:
    """Return the demo's settings; of the person's own only those about Claude count."""
    own = {name: value for name, value in desk.variables.items() if name.startswith("RINGI_CLAUDE")}
    if key := desk.variables.get("ANTHROPIC_API_KEY"):
        own["ANTHROPIC_API_KEY"] = key
    return {
        **own,
        "RINGI_VAULT": str(place / "vault"),
        "RINGI_DATABASE": str(place / "state" / "ringi.sqlite"),
        "RINGI_RECORDS": str(place / "records"),
        "RINGI_DRAFTER": drafter or desk.environment.get("RINGI_DRAFTER") or "rules",
        "RINGI_STARTERS": ",".join(MEMBERS),
        "RINGI_APPROVERS": ",".join(MEMBERS),
        "RINGI_SELF_APPROVAL": "yes",
        "RINGI_CHANNEL": CHANNEL,  # so that a check can be begun on the Home tab, too
        "SLACK_BOT_TOKEN": emulator.bot_token,
        "SLACK_APP_TOKEN": emulator.app_token,
        "SLACK_API_URL": emulator.api_url,
    }


def _leave_env_file(place: Path, variables: Mapping[str, str]) -> None:
    """Write the settings that let a terminal look at the demo's runs; no token is among them."""
    shared = {name: value for name, value in variables.items() if name.startswith("RINGI_")}
    file = place / "demo.env"
    file.touch(mode=0o600)
    file.write_text("".join(f"{name}={value}\n" for name, value in shared.items()), encoding="utf-8")


def _tell(desk: Desk, page: str, place: Path, *, open_page: bool) -> None:
    say = _DEMO[desk.screen.language]
    bold, plain = ("\x1b[1m", "\x1b[0m") if desk.screen.colour else ("", "")
    desk.screen.say(
        say["ready"].format(
            page=f"{bold}{page}#{CHANNEL}{plain}",
            place=place,
            records=place / "records",
            runs=f"{command()} --env-file {shlex.quote(str(place / 'demo.env'))} runs",
        )
    )
    desk.screen.out.flush()
    if open_page:
        import webbrowser

        webbrowser.open(f"{page}#{CHANNEL}")


def command() -> str:
    """Return what a person types here for the program that runs: an environment's folder is seldom on PATH."""
    program = Path(sys.executable).with_name("ringi")
    if not program.exists():
        return f"{shlex.quote(sys.executable)} -m bot"
    if shutil.which("ringi") == str(program):
        return "ringi"
    here = Path.cwd()
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))


async def emulate(desk: Desk, *, port: int = 0, manifest: Path | None = None) -> int:
    """Run the local Slack alone until SIGINT or SIGTERM, and print what an app needs to reach it.

    Args:
        desk: where it is printed.
        port: 0 takes a free one.
        manifest: of the app that is to use it; ours by default.

    Raises:
        SettingsError: the manifest cannot be read, or the port is taken.
    """
    from bot.emulator.server import Emulator

    _log(desk)
    emulator = Emulator(read_manifest(manifest))
    with stopped_by_signals() as stop:
        await _listen(emulator, port)
        try:
            desk.screen.say(
                _EMULATE[desk.screen.language].format(
                    page=emulator.page_url,
                    url=emulator.api_url,
                    bot=emulator.bot_token,
                    app=emulator.app_token,
                    members=",".join(MEMBERS),
                )
            )
            desk.screen.out.flush()
            await stop.wait()
        finally:
            await emulator.close()
    return 0


async def _listen(emulator: Emulator, port: int) -> None:
    try:
        await emulator.start(port)
    except OSError as error:
        why = error.strerror
        sentence = Both(f"{port} cannot be used: {why}.", f"{port} は使えません：{why}")
        raise SettingsError([("--port", sentence)]) from error


def _log(desk: Desk) -> None:
    """Keep the log out of the way of the address, unless a level is asked for."""
    bot = read(
        BotSettings, {n: v for n, v in desk.variables.items() if n in {"RINGI_LOG_LEVEL", "RINGI_LOG_FORMAT"}}
    )
    configure(bot.log_level if "log_level" in bot.model_fields_set else "WARNING", bot.log_format)


_DEMO: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "starting": "Setting up a local Slack and a sample vault ...",
        "ready": """\

ringi demo is ready. Everything stays on this machine.

  Open     {page}
  Then     choose who you are, and in #notes-care type  /linkcheck notes
  Records  {records}
  Runs     {runs}
  End      Ctrl-C
""",
        "ended": "Ended. Vault, records and state are left for you to look at: {place}",
    },
    "ja": {
        "starting": "ローカルの Slack と見本の保管庫を用意しています...",
        "ready": """\

ringi のデモを始められます。すべてこのマシンの中で動きます。

  開く      {page}
  次に      自分を選び、#notes-care で  /linkcheck notes  と入力
  記録      {records}
  run 一覧  {runs}
  終了      Ctrl-C
""",
        "ended": "終了しました。保管庫・記録・状態はここに残してあります：{place}",
    },
}
_EMULATE: Mapping[Language, str] = {
    "en": """\
ready: a local Slack for one app. Its settings, good until it ends:

SLACK_API_URL={url}
SLACK_BOT_TOKEN={bot}
SLACK_APP_TOKEN={app}
RINGI_STARTERS={members}

Act as a member on  {page}
End with Ctrl-C.
""",
    "ja": """\
ready：アプリ1つのためのローカル Slack です。終了するまで有効な設定：

SLACK_API_URL={url}
SLACK_BOT_TOKEN={bot}
SLACK_APP_TOKEN={app}
RINGI_STARTERS={members}

メンバーとして操作する： {page}
終了は Ctrl-C。
""",
}
