"""The `.env` file: which one is read, and when it is left alone.

A settings file names a program to run and the server that tokens go to, so it is taken from one stated place only
and never from one where somebody else, or a synced vault, could have put it.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from graph.errors import Both, SettingsError

_LIMIT = 1 << 20  # bytes; a settings file that is larger is something else


@dataclass(frozen=True, slots=True)
class EnvFile:
    """What a `.env` file gave.

    Attributes:
        path: the file looked at; None if there was none.
        values: its variables; empty if it was left alone.
        ignored: why `./.env` was left alone, as a sentence's end; None if it was read.
        open_to_others: other users of this machine can read it.
    """

    path: Path | None
    values: dict[str, str]
    ignored: str | None = None
    open_to_others: bool = False


def read_env_file(named: str | None, *, here: Path, by: str = "RINGI_ENV_FILE") -> EnvFile:
    """Read the named file, else exactly `.env` in `here`; parents are never searched.

    Args:
        named: what `--env-file` or `RINGI_ENV_FILE` says.
        here: the working directory.
        by: what named it, for a problem with it.

    Raises:
        SettingsError: the named file is missing, unreadable, in a vault or somebody else's. An unnamed `.env` of
            that kind is left alone instead, and `ignored` says why.
    """
    path = Path(named or ".env")
    with suppress(RuntimeError):  # no such user: then it is a name like any other
        path = path.expanduser()
    path = here / path
    try:
        text, mode = _read(path)
    except FileNotFoundError:
        if named:
            sentence = Both(
                f"names {named}, and there is no such file.", f"の {named} というファイルはありません。"
            )
            raise SettingsError([(by, sentence)]) from None
        return EnvFile(None, {})
    except (OSError, UnicodeDecodeError, _LeftAlone) as error:
        why = error.args[0] if isinstance(error, _LeftAlone) else _cannot(error)
        if named:
            ja = f"の {named} は読み込みません：{Both.told(why, 'ja')}"
            raise SettingsError([(by, Both(f"names {named}, which is not read: {why}", ja))]) from None
        return EnvFile(path, {}, ignored=why)
    from dotenv import dotenv_values

    # interpolation would read os.environ and change tokens that hold a `$`
    values = dotenv_values(stream=io.StringIO(text), interpolate=False)
    others = bool(mode & (stat.S_IRGRP | stat.S_IROTH))
    return EnvFile(path, {name: value for name, value in values.items() if value}, open_to_others=others)


class _LeftAlone(Exception):
    """Its message says why the file is not read."""


def _read(path: Path) -> tuple[str, int]:
    """Return text and mode of a file that is safe to take settings from.

    The checks look at the opened file, so that nobody can exchange it in between.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _LeftAlone(Both("it is no ordinary file.", "通常のファイルではありません。"))
        if status.st_uid != os.getuid() or path.lstat().st_uid != os.getuid():
            sentence = Both(
                "it belongs to another user of this machine.", "このマシンのほかのユーザーのものです。"
            )
            raise _LeftAlone(sentence)
        if status.st_mode & stat.S_IWOTH:
            raise _LeftAlone(
                Both(
                    "every user of this machine can write it; chmod 600 it.",
                    "このマシンのどのユーザーも書き込めます。chmod 600 を実行してください。",
                )
            )
        vault = _vault_around(path) or _vault_around(path.resolve())
        if vault:
            raise _LeftAlone(
                Both(
                    f"it lies in a vault ({vault}); keep it outside.",
                    f"保管庫（{vault}）の中にあります。外に置いてください。",
                )
            )
        if status.st_size > _LIMIT:
            sentence = Both("it is too large for a settings file.", "設定ファイルにしては大きすぎます。")
            raise _LeftAlone(sentence)
        return file.read(_LIMIT).decode("utf-8-sig"), status.st_mode


def _vault_around(path: Path) -> Path | None:
    """Return the nearest folder with `.obsidian` above the file."""
    return next((folder for folder in path.parents if (folder / ".obsidian").is_dir()), None)


def _cannot(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return Both("it is not UTF-8 text.", "UTF-8 のテキストではありません。")
    return f"{error.strerror}."


def forget_slack() -> None:
    """Take Slack's variables out of the environment, now that they are read.

    Bolt would read them a second time by itself, and warn or turn to OAuth; every child process would inherit them.
    """
    for name in [name for name in os.environ if name.startswith("SLACK_")]:
        del os.environ[name]
