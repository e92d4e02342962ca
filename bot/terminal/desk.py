"""What every command stands on: the environment as it was given, the settings in it, the person and the screen."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.envfile import EnvFile, read_env_file
from bot.terminal.screen import Screen, open_screen
from bot.terminal.sentences import Texts
from bot.terminal.texts import TEXTS
from graph.errors import Both, SettingsError

if TYPE_CHECKING:
    from bot.settings import BotSettings
    from bot.terminal.story import Reader
    from graph.approval import Language, Person
    from graph.policy import Policy
    from graph.settings import Settings

Lacks = Callable[["BotSettings"], Sequence[tuple[str, str]]]
"""What a command cannot do without: (variable, sentence)."""
_ZONEINFO = "zoneinfo/"


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a person sits.

    Attributes:
        environment: the process's own variables.
        env_file: the `.env` file that was looked at.
        screen: what they see; its language is theirs.
    """

    environment: Mapping[str, str]
    env_file: EnvFile
    screen: Screen

    @property
    def texts(self) -> Texts:
        """The sentences in the person's language."""
        return TEXTS[self.screen.language]

    @property
    def variables(self) -> Mapping[str, str]:
        """Settings as variables; the environment wins over the file."""
        return {**self.env_file.values, **self.environment}

    @property
    def person(self) -> Person:
        """Who sits here, as the operating system says; variables cannot say otherwise."""
        try:
            login = pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            login = f"uid-{os.getuid()}"
        from graph.approval import Person

        return Person(id=login, name=login, surface="terminal", verified=False)

    def settings(
        self, *, needs_vault: bool = False, lacks: Lacks | None = None, **over: object
    ) -> tuple[Settings, BotSettings]:
        """Read all settings; options that were given win.

        Args:
            needs_vault: a missing vault is a problem too.
            lacks: says what else is a problem to this command.
            over: field name → value, None = not given.

        Raises:
            SettingsError: with every problem of both parts.
        """
        from bot.settings import BotSettings
        from graph.settings import Settings, read

        problems: list[tuple[str, str]] = []
        ours: Settings | None = None
        theirs: BotSettings | None = None
        try:
            ours = read(Settings, self.variables, **over)
        except SettingsError as error:
            problems += error.problems
        if needs_vault and not (over.get("vault") or self._is_set("RINGI_VAULT")):
            problems.append(("RINGI_VAULT", _NO_VAULT))
        try:
            theirs = read(BotSettings, self.variables)
        except SettingsError as error:
            problems += error.problems
            if lacks is not None:  # of what is right so far; of the rest only that it is missing
                wrong = {name for name, _ in problems}
                rest = read(BotSettings, {n: v for n, v in self.variables.items() if n not in wrong})
                problems += [one for one in lacks(rest) if not self._is_set(one[0])]
        else:
            problems += lacks(theirs) if lacks is not None else []
        if problems or ours is None or theirs is None:
            raise SettingsError(problems)
        return ours, theirs

    def tell_ignored(self) -> None:
        """Say that `./.env` was left alone, and why."""
        why = Both.told(self.env_file.ignored or "", self.screen.language)
        self.screen.tell(self.texts.env_ignored.format(path=self.env_file.path, why=why))

    def _is_set(self, name: str) -> bool:
        return bool(self.variables.get(name, "").strip())

    def reader(self, policy: Policy) -> Reader:
        """Say who looks, for what is laid out."""
        from datetime import UTC, datetime

        from bot.terminal.story import Reader

        screen = self.screen
        return Reader(screen.language, self.texts, screen.zone, screen.width, datetime.now(UTC), policy)


_NO_VAULT = Both(
    "is not set. Give the folder that Obsidian opens as the vault: --vault FOLDER, or RINGI_VAULT in .env",
    "が未設定です。Obsidian で保管庫として開くフォルダを指定してください：--vault フォルダ、または .env の RINGI_VAULT",
)


_NOWHERE: Mapping[Language, tuple[str, str]] = {
    "en": ("The folder you are in", "is gone. Go to another one (cd), then try again."),
    "ja": (
        "いまいるフォルダ",
        "がなくなっています。ほかのフォルダに移って（cd）、もう一度実行してください。",
    ),
}


def open_desk(
    environment: Mapping[str, str], env_file: str | None = None, language: str | None = None
) -> Desk:
    """Look around: the `.env` file, the language, the time zone, the screen.

    Args:
        environment: the process's variables.
        env_file: what `--env-file` says; `RINGI_ENV_FILE` otherwise.
        language: what `--lang` says; `RINGI_LANGUAGE`, then the locale otherwise.

    Raises:
        SettingsError: a named file cannot be read, or the folder we are in is gone.
    """
    by = "--env-file" if env_file else "RINGI_ENV_FILE"
    try:
        here = Path.cwd()
    except OSError:
        ours = language_of(language or environment.get("RINGI_LANGUAGE"), environment)
        raise SettingsError([_NOWHERE[ours]]) from None
    file = read_env_file(env_file or environment.get("RINGI_ENV_FILE") or None, here=here, by=by)
    chosen = language or environment.get("RINGI_LANGUAGE") or file.values.get("RINGI_LANGUAGE")
    spoken = language_of(chosen, environment)
    return Desk(environment, file, open_screen(environment, spoken, machine_zone(environment)))


def language_of(chosen: str | None, environment: Mapping[str, str]) -> Language:
    """Return the language asked for, else the one of the terminal's locale, else English."""
    locale = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := environment.get(n))), "")
    return "ja" if (chosen or locale).strip().lower().startswith("ja") else "en"


def machine_zone(environment: Mapping[str, str]) -> str:
    """Return the IANA name of this machine's time zone, `UTC` if it cannot be told."""
    from zoneinfo import ZoneInfo

    for name in (environment.get("TZ", "").lstrip(":"), _linked_zone(), _written_zone()):
        with suppress(OSError, ValueError, LookupError):
            if name and not name.startswith("/"):
                return ZoneInfo(name).key
    return "UTC"


def _linked_zone() -> str:
    return os.path.realpath("/etc/localtime").rpartition(_ZONEINFO)[2]


def _written_zone() -> str:
    try:
        return Path("/etc/timezone").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def terminal_place(channel: str | None, policy: Policy, requester: Person) -> str | None:
    """Return where a run from the terminal gets its card: the channel, else the operator's messages, else nowhere.

    It gets one only if somebody in Slack may decide it.
    """
    return (channel or policy.operator) if policy.somebody(requester) else None
