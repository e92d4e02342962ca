"""Failure is a state: it says what was missing, and a retry goes on without doing anything twice."""

import asyncio
import errno
from datetime import timedelta
from pathlib import Path

import pytest

from graph.errors import NotRetryable, RecordTaken, SettingsError, UnknownFolder


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no-space"),
        (PermissionError(errno.EACCES, "Permission denied"), "no-permission"),
        (OSError(errno.EROFS, "Read-only file system"), "no-permission"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "not-there"),
        (UnknownFolder("daily"), "not-there"),
        (RecordTaken(Path("records/x.md")), "record-taken"),
        (SettingsError([("RINGI_RECORDS", "lies in the folder")]), "setting"),
        (OSError(errno.EIO, "Input/output error"), "exception"),
        (KeyError("x"), "exception"),
    ],
)
async def test_a_failed_step_says_what_was_missing(engine, chore, start, error, kind):
    chore.wrong["draft"] = error
    failed = await engine.settled((await start(engine)).id)
    failure = failed.failure
    assert (failed.state, failed.retry_offered, failure.step, failure.kind) == ("failed", True, "draft", kind)
    assert str(error) in failure.words
    assert (failure.reference is None) == (kind != "exception")


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "exception"])
async def test_five_retries_at_once_go_on_once_and_no_run_has_two_records(
    engine, chore, people, start, recorded
):
    chore.usage_limit = recorded
    chore.wrong = {} if recorded else {"draft": OSError(errno.EIO, "Input/output error")}
    run = await start(engine)
    await engine.settled(run.id)
    chore.usage_limit, chore.wrong = False, {}
    answers = await asyncio.gather(
        *(engine.intake.retry(run.id, person) for person in [people.one] * 4 + [people.operator]),
        return_exceptions=True,
    )
    refused = [answer for answer in answers if isinstance(answer, NotRetryable)]
    (going_on,) = [answer for answer in answers if not isinstance(answer, NotRetryable)]
    assert len(refused) == 4
    assert {one.continued_by for one in refused} == {going_on.id if recorded else None}

    await engine.settled(going_on.id)
    (request,) = await engine.store.requests(going_on.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    assert (await engine.settled(going_on.id)).state == "done"
    records = sorted(path.stem for path in chore.folder.iterdir())
    assert records == sorted({run.id, going_on.id})
    assert chore.did.count("collect") == 1


async def test_a_run_that_continues_and_fails_again_is_continued_in_its_turn(engine, chore, people, start):
    chore.usage_limit = True
    first = await engine.settled((await start(engine)).id)
    second = await engine.settled((await engine.intake.retry(first.id, people.one)).id)
    assert (second.state, second.continues, second.retry_offered) == ("failed", first.id, True)
    chore.usage_limit = False
    third = await engine.settled((await engine.intake.retry(second.id, people.one)).id)
    assert (third.state, third.continues) == ("waiting", second.id)
    assert chore.did.count("collect") == 1
    assert await engine.store.continued_by(first.id) == second.id


@pytest.mark.parametrize(
    "case",
    [(recorded, seconds) for recorded in (True, False) for seconds in (0.2, 1.5)],
    ids=lambda case: f"{'recorded' if case[0] else 'exception'}, due {case[1]} s later",
)
async def test_a_timer_outlives_a_restart(engine_on, chore, start, until, case):
    """0.2 s: it came due while nobody ran; 1.5 s: it comes due after the restart."""
    recorded, seconds = case
    chore.usage_limit = recorded
    chore.wrong = {} if recorded else {"draft": OSError(errno.EIO, "Input/output error")}
    async with engine_on() as engine:
        run = await engine.settled((await start(engine)).id)
        at = engine.store.now() + timedelta(seconds=seconds)
        await engine.intake.retry(run.id, run.requester, at=at)
        engine.wake()
    chore.usage_limit, chore.wrong = False, {}
    await asyncio.sleep(0.3)
    async with engine_on() as engine:

        async def asks():
            runs = await engine.store.runs(["waiting"])
            return runs[0] if runs else None

        going_on = await until(asks)
        assert engine.store.now() >= at
        assert (going_on.continues, going_on.id == run.id) == ((run.id, False) if recorded else (None, True))
        assert await engine.store.orders() == []
