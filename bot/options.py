"""Arguments and options that the commands of `bot/cli.py` take, with their help."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class Commands(TyperGroup):
    """The commands, and what is said of a word that none of them takes."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what checks its words for us speaks to programmers otherwise."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            said = error.message.removeprefix("Value error, ")
            error.message = said.replace("Input should be", "it has to be").partition(", unable to parse")[0]
            raise


class Form(StrEnum):
    """How answers are printed."""

    text = "text"
    json = "json"


class LinksForm(StrEnum):
    """How `ringi links` prints."""

    text = "text"
    json = "json"
    markdown = "markdown"
    github = "github"


class Tongue(StrEnum):
    """Languages."""

    en = "en"
    ja = "ja"


class Drafter(StrEnum):
    """Who judges."""

    claude = "claude"
    rules = "rules"


class State(StrEnum):
    """Where a run can stand; the words of the column in the database."""

    queued = "queued"
    running = "running"
    waiting = "waiting"
    resuming = "resuming"
    done = "done"
    failed = "failed"
    cancelled = "cancelled"


class Choice(StrEnum):
    """What a person may say about a run."""

    approve = "approve"
    reject = "reject"
    send_back = "send-back"


Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="Folder of the vault; `.` is all of it.")]
RunId = Annotated[
    str, typer.Argument(metavar="RUN", help="Beginning of the run's id, six characters or more.")
]
Lang = Annotated[
    Tongue | None, typer.Option("--lang", help="Language; else RINGI_LANGUAGE, else the locale.")
]
States = Annotated[
    list[State] | None, typer.Option("--state", help="Only those; may be given more than once.")
]
Format = Annotated[Form, typer.Option("--format", help="json is for scripts.")]
Vault = Annotated[str | None, typer.Option("--vault", metavar="FOLDER", help="The vault; else RINGI_VAULT.")]
Judge = Annotated[Drafter | None, typer.Option("--drafter", help="Who judges; else RINGI_DRAFTER.")]
Again = Annotated[bool, typer.Option("--all", help="Also what was approved before.")]
Prompts = Annotated[bool, typer.Option("--prompts", help="What the model was sent, word by word.")]
Contract = Annotated[
    bool,
    typer.Option(
        "--contract", help="Try on Claude Code, without network and login, all that ringi relies on."
    ),
]
Live = Annotated[bool, typer.Option("--live", help="Make one small real call to Claude.")]
LinksFormat = Annotated[
    LinksForm, typer.Option("--format", help="json for scripts, github for annotations in a CI log.")
]
Group = Annotated[bool, typer.Option("--group", help="By link, with its places.")]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="KINDS",
        help="Leave with 1 if any is found: missing, missing-heading, missing-block (with commas), or none.",
    ),
]
Anchors = Annotated[
    bool | None,
    typer.Option("--anchors/--no-anchors", help="Headings and blocks too; else RINGI_ANCHORS."),
]
Compare = Annotated[
    bool, typer.Option("--compare-with-obsidian", help="Ask your running Obsidian too, and list differences.")
]
Leave = Annotated[
    list[str] | None, typer.Option("--leave", metavar="N,N", help="Approve, but for these items.")
]
Instead = Annotated[
    list[str] | None,
    typer.Option("--as", metavar="N=VERDICT", help="Approve, with this verdict for an item."),
]
