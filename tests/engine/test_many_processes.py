"""PostgreSQL lets any number of processes move the same runs: a lock judges, a job carries, a sweep repairs.

Two engines here are two processes in all that matters: they share nothing but the database.
"""

import asyncio
from contextlib import suppress

import psycopg
import pytest

from graph.errors import StoreError

pytestmark = pytest.mark.parametrize("database", ["postgres"], indirect=True)


@pytest.fixture
async def sql(settings):
    """Ask the database directly."""
    connection = await psycopg.AsyncConnection.connect(settings.database, autocommit=True)

    async def asked(statement, *values):
        cursor = await connection.execute(statement, values or None)
        return await cursor.fetchall() if cursor.description else []

    yield asked
    await connection.close()


@pytest.fixture
async def two(engine_on):
    async with engine_on() as one, engine_on() as other:
        yield one, other


async def test_only_one_of_two_moves_a_run(two, chore, start, until):
    """L41: however long the other is silent, the lock is its own while its connection lives."""
    one, other = two
    chore.hold = asyncio.Event()
    run = await start(one)
    await until(lambda: chore.drafting)
    for engine in two:
        engine.wake(run.id)
    owner, beside = two if one.moves(run.id) else (other, one)
    assert await beside.advance(run.id) is False
    assert (owner.moves(run.id), beside.moves(run.id)) == (True, False)
    chore.hold.set()
    assert {(await engine.settled(run.id)).state for engine in two} == {"waiting"}
    assert chore.did == ["collect", "draft"]


async def test_who_loses_its_connection_in_the_middle_of_a_step_writes_nothing_more(
    *, engine_on, chore, start, until, sql, monkeypatch, caplog
):
    """L42: the lock and the checkpoints are on one connection; terminated, only the other process writes and ends the run."""
    monkeypatch.setattr("graph.engine.engine.WATCH_SECONDS", 0.05)
    chore.hold = asyncio.Event()
    async with engine_on(everyone=False) as one:
        run = await start(one)
        one.wake(run.id)
        await until(lambda: chore.drafting)
        [[pid]] = await sql(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
            " AND (classid::bigint << 32) | objid::bigint = hashtextextended(%s, 0)",
            run.id,
        )
        await sql("SELECT pg_terminate_backend(%s)", pid)
        held = chore.hold
        chore.hold = None  # the other one drafts at once
        async with engine_on() as other:
            assert (await other.settled(run.id)).state == "waiting"
            before = (await other.store.run(run.id), await sql("SELECT * FROM checkpoints ORDER BY 3"))
            held.set()  # and only now the first one's step ends
            with suppress(StoreError):
                await one.settled(run.id)
            await until(lambda: not one._moving)
            after = (await other.store.run(run.id), await sql("SELECT * FROM checkpoints ORDER BY 3"))
        assert before == after
    assert "run not moved" in caplog.messages
    assert chore.did == ["collect", "draft", "draft"]


async def test_a_slow_step_ends_when_its_connection_is_lost(
    *, engine_on, chore, start, until, sql, monkeypatch
):
    monkeypatch.setattr("graph.engine.engine.WATCH_SECONDS", 0.05)
    chore.hold = asyncio.Event()
    async with engine_on() as engine:
        watching = asyncio.create_task(engine.watch())
        run = await start(engine)
        await until(lambda: chore.drafting)
        await sql(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
        )
        await until(lambda: chore.did.count("draft") == 2)  # cut off, and begun anew
        chore.hold.set()
        assert (await engine.settled(run.id)).state == "waiting"
        watching.cancel()


async def test_rows_are_not_written_by_one_who_no_longer_holds_the_run(engine_on, start, sql):
    async with engine_on(everyone=False) as engine:
        run = await start(engine)
        async with engine._threads.own(run.id) as held:
            store = engine.store.under(held.fence)
            async with store.write() as write:
                await write.event(run.id, None, "still-held")
            await sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
            with pytest.raises(StoreError, match="lock on the run was lost"):
                async with store.write() as write:
                    await write.event(run.id, None, "not-any-more")
        assert [e.what for e in await engine.store.events(run.id)] == ["accepted", "still-held"]


async def test_a_job_is_left_in_the_very_transaction_of_the_decision(engine_on, chore, people, start, sql):
    jobs = "SELECT queue_name, args->>'run_id', queueing_lock, lock FROM procrastinate_jobs ORDER BY id"
    async with engine_on(everyone=False) as engine:
        run = await start(engine)
        assert await sql(jobs) == [("ringi-slow", run.id, f"ringi-slow:{run.id}", None)]
        await engine.settled(run.id)
        await sql("DELETE FROM procrastinate_jobs")
        [request] = await engine.store.requests(run.id)

        async def cut_off():
            async with engine.store.write() as write:
                await write.set_run(run.id, state="resuming")
                raise ConnectionAbortedError

        with pytest.raises(ConnectionAbortedError):
            await cut_off()
        assert await sql(jobs) == []
        await engine.intake.decide(request.id, 1, "approve", people.two)
        assert await sql(jobs) == [("ringi", run.id, f"ringi:{run.id}", None)]
        async with engine.store.write() as write:  # a second one while the first waits
            await write.set_run(run.id, state="resuming")
        assert len(await sql(jobs)) == 1
    async with engine_on() as other:  # nobody wakes it: the job does
        assert (await other.settled(run.id)).state == "done"


async def test_a_lost_job_is_left_again_by_the_sweep(engine_on, chore, start, until, sql):
    """L39."""
    async with engine_on(everyone=False) as engine:
        run = await start(engine)
    await sql("DELETE FROM procrastinate_jobs")
    async with engine_on() as other:
        await until(lambda: other.store.run(run.id))

        async def waits():
            return (await other.store.run(run.id)).state == "waiting"

        await until(waits)
        assert await sql("SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'") in ([(0,)], [(1,)])


async def test_jobs_of_a_process_that_is_gone_are_taken_away(engine_on, start, until, sql):
    """L39, L40: a worker died in a job, and another looks after what it left."""
    async with engine_on(everyone=False) as engine:
        run = await start(engine)
    await sql(
        "WITH gone AS (INSERT INTO procrastinate_workers (last_heartbeat)"
        " VALUES (now() - interval '5 minutes') RETURNING id)"
        " UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT id FROM gone)"
    )
    async with engine_on() as other:
        assert (await other.settled(run.id)).state == "waiting"  # the sweep saw to the run
        await other.jobs.clean()
        await until(lambda: _none(sql("SELECT 1 FROM procrastinate_jobs")))


async def _none(rows):
    return not await rows


async def test_a_cancel_reaches_the_process_that_drafts(*, two, chore, people, start, until, monkeypatch):
    """An order is a row: whoever owns the child reads it, on whatever machine."""
    monkeypatch.setattr("graph.engine.engine.WATCH_SECONDS", 0.05)
    one, other = two
    watching = [asyncio.create_task(engine.watch()) for engine in two]
    chore.hold = asyncio.Event()
    run = await start(one)
    await until(lambda: chore.drafting)
    beside = other if one.moves(run.id) else one
    await beside.intake.cancel(run.id, people.one)
    await until(lambda: not chore.drafting)
    assert (await beside.settled(run.id)).state == "cancelled"
    for task in watching:
        task.cancel()


async def test_a_hold_in_one_process_holds_the_others_and_any_of_them_may_release_it(
    two, chore, people, start, until
):
    one, other = two
    await one.intake.hold(people.one)
    run = await start(other)
    for engine in two:
        engine.wake(run.id)
        assert (await engine.settled(run.id)).on_hold
    assert chore.did == []
    await other.intake.release(people.two)
    other.wake()

    async def asks():
        return (await one.store.run(run.id)).state == "waiting"

    await until(asks)
    assert chore.did == ["collect", "draft"]


async def test_what_follows_a_decision_does_not_wait_for_slow_jobs_of_others(
    two, chore, people, start, until
):
    one, other = two
    waiting = await start(one)
    await one.settled(waiting.id)
    chore.hold = asyncio.Event()
    for n in range(6):  # more than both have places for
        await start(one, source=f"slack:T0TEAM:busy{n}")
    await until(lambda: chore.drafting == 4)
    [request] = await one.store.requests(waiting.id)
    await other.intake.decide(request.id, 1, "approve", people.two)

    async def done():
        return (await one.store.run(waiting.id)).state == "done"

    await until(done)
    assert chore.drafting == 4
    chore.hold.set()


async def test_two_people_who_decide_at_once_in_two_processes_leave_one_decision(two, chore, people, start):
    from graph.errors import AlreadyDecided

    one, other = two
    for n in range(20):
        run = await start(one, source=f"slack:T0TEAM:{n}")
        await one.settled(run.id)
        [request] = await one.store.requests(run.id)
        said = await asyncio.gather(
            one.intake.decide(request.id, 1, "approve", people.one),
            other.intake.decide(request.id, 1, "reject", people.two, "no"),
            return_exceptions=True,
        )
        [refused] = [s for s in said if isinstance(s, AlreadyDecided)]
        [stands] = [s for s in said if not isinstance(s, AlreadyDecided)]
        assert refused.decision == stands
        assert await other.store.decisions(run.id) == [stands]
        assert (await other.settled(run.id)).state == "done"
    kinds = [record["answers"][-1]["kind"] for record in chore.records()]
    assert len(kinds) == chore.did.count("effect") == 20


async def test_one_of_several_works_alone_and_another_takes_over(two, until, sql):
    """L40: whoever swept may die too."""
    working = []

    async def work(name):
        working.append(name)
        try:
            await asyncio.Event().wait()
        finally:
            working.remove(name)

    tasks = [asyncio.create_task(e.alone("relay", lambda n=n: work(n))) for n, e in enumerate(two)]
    await until(lambda: working)
    await asyncio.sleep(0.5)
    [first] = working
    await sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1")
    await until(lambda: not working)
    await until(lambda: working)
    assert len(working) == 1
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert first in (0, 1)


async def test_the_lock_lets_go_of_a_machine_that_vanished_within_half_a_minute(engine_on, start, sql):
    async with engine_on(everyone=False) as engine:
        run = await start(engine)
        async with engine._threads.own(run.id) as held:
            names = ("idle", "interval", "count")
            found = [
                await (await held.saver.conn.execute(f"SHOW tcp_keepalives_{name}")).fetchone()
                for name in names
            ]
        assert [int(next(iter(row.values()))) for row in found] == [10, 5, 3]


async def test_after_the_server_restarts_everything_goes_on(*, engine_on, chore, people, start, until, sql):
    """L43: a failover cuts every connection; nobody restarts the bot for it."""
    async with engine_on() as engine:
        run = await start(engine)
        await engine.settled(run.id)
        [request] = await engine.store.requests(run.id)
        with suppress(psycopg.OperationalError):
            await sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await engine.intake.decide(request.id, 1, "approve", people.two)

        async def done():
            return (await engine.store.run(run.id)).state == "done"

        await until(done)
