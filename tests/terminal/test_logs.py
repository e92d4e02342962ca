"""The log: one event a line, ids and no contents."""

from __future__ import annotations

import io
import json
import logging

import pytest

from bot.logs import configure

MARKED = "xoxb-SECRET-note-text"


@pytest.fixture
def log():
    """Configure logging onto a string and put everything back afterwards."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    names = ("slack_bolt", "slack_sdk", "aiohttp.access", "asyncio", "aiosqlite", "sqlalchemy", "alembic")
    names += ("procrastinate", "psycopg")
    levels = {name: logging.getLogger(name).level for name in names}
    stream = io.StringIO()

    def start(level="INFO", form="console"):
        configure(level, form, stream)
        return stream

    yield start
    root.handlers[:], root.level = before[0], before[1]
    logging.captureWarnings(capture=False)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_a_line_has_a_message_and_its_ids(log):
    out = log()
    logging.getLogger("graph.engine").info("run waits", extra={"run": "8f3c2a"})
    assert out.getvalue().rstrip().endswith("INFO    graph.engine: run waits run=8f3c2a")


def test_json_is_one_object_a_line(log):
    out = log(form="json")
    logging.getLogger("graph.engine").warning("not shown", extra={"run": "8f3c2a", "tries": 2})
    line = json.loads(out.getvalue())
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "graph.engine", "not shown")
    assert (line["run"], line["tries"]) == ("8f3c2a", 2)


def _fail():
    try:
        int(MARKED)
    except ValueError as error:
        raise PermissionError(13, MARKED, f"/vault/{MARKED}") from error


@pytest.mark.parametrize("form", ["console", "json"])
def test_an_exception_is_its_types_and_places_without_its_words(log, form):
    out = log(form=form)
    try:
        _fail()
    except OSError as error:
        logging.getLogger("x").exception("step failed", extra={"run": "8f3c2a"})
        logging.getLogger("x").warning("also: %s", error)
    said = out.getvalue()
    assert "builtins.PermissionError errno 13" in said
    assert "builtins.ValueError" in said
    assert "test_logs.py:" in said
    assert MARKED not in said


@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
def test_libraries_never_log_contents_below_info(log, level):
    out = log(level=level)
    for name in ("slack_bolt.AsyncApp", "slack_sdk.web.async_client", "aiohttp.access", "aiosqlite"):
        logging.getLogger(name).debug("request with %s", MARKED)
    assert out.getvalue() == ""


def test_statements_of_the_database_are_no_news(log):
    out = log(level="DEBUG")
    logging.getLogger("sqlalchemy.engine.Engine").info("SELECT %s", MARKED)
    logging.getLogger("alembic.runtime.migration").info("Context impl SQLiteImpl.")
    assert out.getvalue() == ""


def test_a_value_cannot_begin_a_line_of_its_own(log):
    out = log()
    logging.getLogger("x").info("folder", extra={"folder": "a\n12:00:00 INFO forged\x1b[2J"})
    assert len(out.getvalue().splitlines()) == 1
    assert "\x1b" not in out.getvalue()


def test_a_second_configuration_replaces_the_first(log):
    log()
    out = log()
    logging.getLogger("x").warning("once")
    assert out.getvalue().count("once") == 1
