"""Logging: one event a line, for people or as JSON, with ids and never with contents.

A message is constant; what differs stands in `extra`. Exceptions are written as their types and places without
their messages, since those may quote a note, a reason or a token.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from datetime import UTC, datetime
from typing import Literal, TextIO

_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName", "color_message"}
_NEVER_BELOW = {
    # their DEBUG lines hold tokens, texts of messages or file names
    "slack_bolt": logging.INFO,
    "slack_sdk": logging.INFO,
    "aiohttp.access": logging.INFO,
    "asyncio": logging.INFO,
    # at INFO SQLAlchemy writes every statement, Alembic every start
    "aiosqlite": logging.WARNING,
    "sqlalchemy": logging.WARNING,
    "alembic": logging.WARNING,
    # every job, several times a second
    "procrastinate": logging.WARNING,
    "psycopg": logging.WARNING,
}


def configure(
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"],
    form: Literal["console", "json"],
    stream: TextIO | None = None,
) -> None:
    """Send every logger to one stream; a second call replaces the first.

    Args:
        level: of our own loggers; libraries that would write contents stay at INFO or above.
        form: `console` for people, `json` for one object a line.
        stream: where to; standard error by default.
    """
    out = logging.StreamHandler(stream or sys.stderr)
    out.setFormatter(_Json() if form == "json" else _Console())
    out.addFilter(_is_news)
    root = logging.getLogger()
    for old in _ours(root):
        root.removeHandler(old)
    root.addHandler(out)
    root.setLevel(level)
    for name, least in _NEVER_BELOW.items():
        logging.getLogger(name).setLevel(max(logging.getLevelNamesMapping()[level], least))
    logging.captureWarnings(capture=True)


def is_configured() -> bool:
    """Tell whether `configure` was called."""
    return bool(_ours(logging.getLogger()))


def _ours(root: logging.Logger) -> list[logging.Handler]:
    return [handler for handler in root.handlers if isinstance(handler.formatter, _Json | _Console)]


def _is_news(record: logging.LogRecord) -> bool:
    """Drop Bolt's remark at each start that our `authorize` stands in for its own; that is meant."""
    return not (record.name == "slack_bolt.AsyncApp" and "`authorize` has been used" in str(record.msg))


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in record.__dict__.items() if name not in _OWN}


def _trail(error: BaseException) -> list[str]:
    """Say what was raised where, outermost first, causes last; without messages and source lines."""
    lines: list[str] = []
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        kind = type(now)
        code = f" errno {now.errno}" if isinstance(now, OSError) and now.errno else ""
        lines.append(f"{kind.__module__}.{kind.__qualname__}{code}")
        lines += [f"  {f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(now.__traceback__)]
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    return lines


def _raised(record: logging.LogRecord) -> list[str]:
    error = record.exc_info[1] if record.exc_info else None
    return [] if error is None else _trail(error)


def _message(record: logging.LogRecord) -> str:
    """Return the message on one line, without the texts of exceptions given as arguments."""
    if record.args and isinstance(record.args, tuple):
        shown = tuple(type(a).__name__ if isinstance(a, BaseException) else a for a in record.args)
        return str(record.msg) % shown
    return record.getMessage()


def unforeseen(error: Exception, reference: str) -> None:
    """Log what nothing foresaw, under the reference that a person was told; also where nothing is configured yet."""
    if not is_configured():
        configure("ERROR", "json" if os.environ.get("RINGI_LOG_FORMAT", "") == "json" else "console")
    logging.getLogger("bot.cli").error("unforeseen error", extra={"reference": reference}, exc_info=error)


class _Console(logging.Formatter):
    """`12:04:31 INFO  graph.engine: run waits run=8f3c2a`."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        extra = "".join(f" {name}={value}" for name, value in _extra(record).items())
        line = f"{at} {record.levelname:<7} {record.name}: {_message(record)}{extra}"
        return "\n".join([_one_line(line), *("    " + _one_line(part) for part in _raised(record))])


class _Json(logging.Formatter):
    """One JSON object a line: `at, level, logger, message`, the extras, and `raised` for an exception."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
            **_extra(record),
        }
        if raised := _raised(record):
            line["raised"] = raised
        return json.dumps(line, default=str)


def _one_line(text: str) -> str:
    """Show control characters as blanks, so that no value can begin a line of its own or move the cursor."""
    return "".join(c if c.isprintable() else " " for c in text)
