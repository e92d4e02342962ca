"""Settings of the run: what the engine, the vault, the drafter and the record need.

Settings come from the environment (and a `.env` file that the command line reads into it); `read` turns them
into one frozen model or says everything that is wrong with them at once. Nothing here reads `os.environ` by itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from platformdirs import user_data_path
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)

from graph.errors import Both, SettingsError


def data_dir() -> Path:
    """Return the folder where state and records live unless a setting says otherwise; not created here."""
    return user_data_path("ringi", appauthor=False)


def expanded(path: Path) -> Path:
    """Replace a leading `~` or `~name`.

    Raises:
        ValueError: this machine has no such user; a shell would have left the word as it is, too.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        user = path.parts[0]
        en, ja = (
            f"begins with {user}, and there is no such user here",
            f"の {user} にあたるユーザーがいません",
        )
        raise ValueError(Both(en, ja)) from None


def can_be_made(folder: Path) -> bool:
    """Tell whether a folder may be written, or made where it is missing."""
    there = next((p for p in (folder, *folder.parents) if os.access(p, os.F_OK)), Path("/"))
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _yes(value: object) -> object:
    """Read `yes`, `no` and their kin; pydantic judges what is left."""
    return value.strip().lower() if isinstance(value, str) else value


YesNo = Annotated[bool, BeforeValidator(_yes)]


class FromEnvironment(BaseModel):
    """A frozen model whose fields are named after their variables in the environment."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)


S = TypeVar("S", bound=FromEnvironment)


def read(model: type[S], environment: Mapping[str, str], /, **over: object) -> S:
    """Read settings from the environment; options given on the command line win.

    Args:
        model: which settings.
        environment: variables; empty ones count as unset.
        over: field name → value, None = not given.

    Raises:
        SettingsError: with every problem, each under its variable's name.
    """
    variables = {name: field.alias or name for name, field in model.model_fields.items()}
    given: dict[str, Any] = {v: environment[v] for v in variables.values() if environment.get(v, "").strip()}
    given |= {variables[name]: value for name, value in over.items() if value is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise SettingsError([_problem(e) for e in error.errors(include_url=False)]) from None


def _problem(error: Any) -> tuple[str, str]:
    """Say one validation error in a sentence, without the value of a secret."""
    name = str(error["loc"][0]) if error["loc"] else "settings"
    if error["type"] == "missing":
        return name, Both("is not set.", "が未設定です。")
    said = error.get("ctx", {}).get("error")
    if isinstance(said, ValueError):
        en, ja = str(said), Both.told(said.args[0], "ja")
    else:
        known = error.get("ctx", {})
        ours = _IN_OUR_WORDS.get(error["type"], (error["msg"].replace("{", "{{"),) * 2)
        en, ja = (sentence.format(**known) for sentence in ours)
        ja = ja.replace(" or ", "、")
    value = repr(_shortened(without_password(str(error["input"]))))
    if isinstance(error["input"], dict) or "TOKEN" in name or value in en:
        return name, Both(en, ja)
    return name, Both(f"{en} (it is {value})", f"{ja}（いまは {value}）")


def _shortened(value: str) -> str:
    return value if len(value) <= _SHOWN else value[:_SHOWN] + "…"


_SHOWN = 200  # characters of a value that is wrong
_IN_OUR_WORDS = {
    "int_parsing": ("takes a whole number", "には整数を指定してください"),
    "int_parsing_size": ("takes a smaller number", "にはもっと小さい数を指定してください"),
    "int_from_float": ("takes a whole number", "には整数を指定してください"),
    "float_parsing": ("takes a number", "には数を指定してください"),
    "finite_number": ("takes a number", "には数を指定してください"),
    "bool_parsing": ("takes yes or no", "には yes か no を指定してください"),
    "literal_error": ("takes {expected}", "に指定できるのは {expected} です"),
    "greater_than": ("takes a number above {gt}", "には {gt} より大きい数を指定してください"),
    "greater_than_equal": ("takes {ge} or more", "には {ge} 以上を指定してください"),
    "less_than_equal": ("takes {le} or less", "には {le} 以下を指定してください"),
}
"""Pydantic's kinds of error → how a person is told; what it says itself is for programmers."""


def is_postgres(database: str) -> bool:
    """Tell whether a database is PostgreSQL's; otherwise it is the path of a SQLite file."""
    return database.startswith(("postgresql://", "postgres://"))


def without_password(database: str) -> str:
    """Return a database as it may be shown: an address without the password, wherever it stands in it."""
    scheme, there, rest = database.partition("://")
    if not there:
        return database
    who, at, where = rest.rpartition(
        "@"
    )  # the last one: what stands before it may be a badly written password
    user, colon, _ = who.partition(":")
    where = re.sub(r"(?i)([?&][^&=]*pass[^&=]*)=[^&]*", r"\1=***", where)
    return f"{scheme}://{user}{':***' if colon else ''}{at}{where}"


MOST_HOURS = 10 * 366 * 24


class Settings(FromEnvironment):
    """Settings of the run. Aliases are the environment's variables; `.env.example` explains each."""

    vault: Path | None = Field(None, alias="RINGI_VAULT")
    database: str = Field(
        default_factory=lambda: str(data_dir() / "ringi.sqlite"),
        alias="RINGI_DATABASE",
        repr=False,  # it may hold a password
    )
    records: Path = Field(default_factory=lambda: data_dir() / "records", alias="RINGI_RECORDS")
    drafter: Literal["claude", "rules"] = Field("claude", alias="RINGI_DRAFTER")
    claude: str = Field("claude", alias="RINGI_CLAUDE")
    claude_model: str | None = Field(None, alias="RINGI_CLAUDE_MODEL")
    claude_timeout: float = Field(
        600, alias="RINGI_CLAUDE_TIMEOUT_SECONDS", gt=0, le=86400, allow_inf_nan=False
    )
    claude_parallel: int = Field(1, alias="RINGI_CLAUDE_PARALLEL", ge=1, le=16)
    claude_billing: Literal["subscription", "api"] = Field("subscription", alias="RINGI_CLAUDE_BILLING")
    anthropic_api_key: SecretStr | None = Field(None, alias="ANTHROPIC_API_KEY")
    batch: int = Field(40, alias="RINGI_BATCH", ge=1, le=200)
    anchors: YesNo = Field(default=False, alias="RINGI_ANCHORS")
    runs_at_once: int = Field(4, alias="RINGI_RUNS_AT_ONCE", ge=1, le=64)
    deadline_hours: float = Field(0, alias="RINGI_DEADLINE_HOURS", ge=0, le=MOST_HOURS, allow_inf_nan=False)
    remind_hours: float = Field(24, alias="RINGI_REMIND_HOURS", ge=0, le=MOST_HOURS, allow_inf_nan=False)
    keep_days: int = Field(0, alias="RINGI_KEEP_DAYS", ge=0, le=36600)

    @field_validator("vault")
    @classmethod
    def _vault_is_a_folder(cls, vault: Path | None) -> Path | None:
        if vault is None:
            return None
        path = expanded(vault)
        if not os.path.isdir(path):  # noqa: PTH112 - Path's own raises for a name that is too long
            raise ValueError(
                Both(
                    "is no folder; give the folder that Obsidian opens as the vault",
                    "はフォルダではありません。Obsidian で保管庫として開くフォルダを指定してください",
                )
            )
        return path.resolve()

    @field_validator("records")
    @classmethod
    def _records_is_absolute(cls, records: Path) -> Path:
        return expanded(records).absolute()

    @field_validator("database")
    @classmethod
    def _database_is_a_path_or_postgres(cls, database: str) -> str:
        if "://" not in database:
            return str(expanded(Path(database)).absolute())
        if not is_postgres(database):
            raise ValueError(
                Both(
                    "takes the path of a SQLite file, or an address that begins with postgresql://",
                    "には SQLite のファイルのパスか、postgresql:// で始まるアドレスを指定してください",
                )
            )
        authority = re.split(r"[/?#]", database.partition("://")[2])[0]
        if database.count("@") > min(authority.count("@"), 1):
            raise ValueError(
                Both(
                    "is no address; in a password write @ as %40, / as %2F, ? as %3F and # as %23",
                    "はアドレスとして読めません。パスワードの @ は %40、/ は %2F、? は %3F、# は %23 と書いてください",
                )
            )
        return database

    @property
    def on_postgres(self) -> bool:
        """Whether the database is PostgreSQL's, which any number of processes may share."""
        return is_postgres(self.database)

    @property
    def database_shown(self) -> str:
        """The database as it may be shown and logged: without a password."""
        return without_password(self.database)
