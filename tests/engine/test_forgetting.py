"""Ended runs are forgotten when they are old enough; what may still be wanted stays, and so do the records."""

import uuid
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from graph.errors import UnknownRun
from graph.store.forget import OF_A_REQUEST, OF_A_RUN
from graph.store.tables import metadata, requests, runs

THREAD = {"sqlite": ("checkpoints", "writes"), "postgresql": ("checkpoints", "checkpoint_writes")}
RUN = sa.column("thread_id")


@pytest.fixture
def decided(engine, start, people):
    """Start a run and let it be approved, or rejected …; `None` leaves it waiting."""
    count = 0

    async def go(kind="approve"):
        nonlocal count
        count += 1
        run = await engine.settled((await start(engine, source=f"slack:T0TEAM:{count}")).id)
        (request,) = await engine.store.requests(run.id)
        if kind:
            await engine.intake.decide(request.id, 1, kind, people.two, "because")
        return await engine.settled(run.id)

    return go


@pytest.fixture
def threads(engine):
    """Count what LangGraph keeps of a run."""

    async def count(run):
        database = engine.store._database
        found = 0
        async with database.connect() as connection:
            for table in THREAD[database.dialect.name]:
                statement = sa.select(sa.func.count()).select_from(sa.table(table)).where(run.id == RUN)
                found += (await connection.execute(statement)).scalar_one()
        return found

    return count


@pytest.fixture
def later(engine):
    """Return the time by which everything up to now has ended."""
    return lambda: engine.store.now() + timedelta(seconds=1)


def size(path):
    return Path(path).stat().st_size


async def all_rows(engine, run):
    asked = sa.select(requests.c.id).where(requests.c.run_id == run.id)
    found = {}
    async with engine.store._database.connect() as connection:
        for table in (*OF_A_RUN, *OF_A_REQUEST, runs):
            which = {
                "run_id": lambda t: t.c.run_id == run.id,
                "request_id": lambda t: t.c.request_id.in_(asked),
                "id": lambda t: t.c.id == run.id,
            }
            key = "id" if table is runs else next(k for k in ("run_id", "request_id") if k in table.c)
            statement = sa.select(sa.func.count()).select_from(table).where(which[key](table))
            found[table.name] = (await connection.execute(statement)).scalar_one()
    return found


async def test_an_ended_run_goes_with_all_that_belongs_to_it_and_its_record_stays(
    engine, chore, decided, threads, later
):
    run = await decided()
    assert await threads(run) > 0
    assert all(n for name, n in (await all_rows(engine, run)).items() if name not in {"orders", "choices"})

    assert await engine.forget(later()) == 1
    with pytest.raises(UnknownRun):
        await engine.store.run(run.id)
    assert await threads(run) == 0
    assert not any((await all_rows(engine, run)).values())
    assert [path.stem for path in chore.folder.iterdir()] == [run.id]


async def test_what_waits_or_may_be_retried_stays_however_old(engine, chore, decided, start, later):
    """L26."""
    waiting = await decided(None)
    chore.usage_limit = True
    offered = await engine.settled((await start(engine, source="slack:T0TEAM:offered")).id)
    assert await engine.forget(later()) == 0
    assert [run.id for run in await engine.store.runs()] == [offered.id, waiting.id]


async def test_a_run_that_another_carries_on_stays_until_that_has_taken_over(
    engine, chore, start, threads, later
):
    chore.usage_limit = True
    old = await engine.settled((await start(engine)).id)
    await engine.intake.hold(old.requester)
    new = await engine.settled((await engine.intake.retry(old.id, old.requester)).id)
    assert new.on_hold
    assert await engine.forget(later()) == 0
    assert await threads(old) > 0
    chore.usage_limit = False
    await engine.intake.release(old.requester)
    assert (await engine.settled(new.id)).state == "waiting"
    assert chore.did.count("collect") == 1


async def test_a_chain_of_runs_goes_when_its_last_one_may(engine, chore, people, start, later):
    chore.usage_limit = True
    first = await engine.settled((await start(engine)).id)
    second = await engine.settled((await engine.intake.retry(first.id, people.one)).id)
    assert await engine.forget(later()) == 0
    await engine.intake.end(second.id, people.one)
    assert await engine.forget(later()) == 2
    assert await engine.store.runs() == []


async def test_a_run_younger_than_that_stays(engine, decided):
    old = await decided()
    young = await decided("reject")
    between = old.ended + (young.ended - old.ended) / 2
    assert await engine.forget(between) == 1
    assert [run.id for run in await engine.store.runs()] == [young.id]


async def test_a_card_in_slack_that_says_too_little_keeps_its_run(engine, decided, later):
    run = await decided()
    (card,) = [m for m in await engine.store.messages(run.id) if m.key.startswith("card:")]
    await engine.store.shown(card.key, card.wanted - 1, "digest", "C0NOTES", "1.2")
    assert await engine.forget(later()) == 0
    await engine.store.shown(card.key, card.wanted, "digest", "C0NOTES", "1.2")
    assert await engine.forget(later()) == 1


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
async def test_the_file_gets_smaller(engine, chore, decided, later, settings):
    """L26."""
    chore.found = [f"note {n} " + "x" * 200 for n in range(20_000)]
    await decided()
    await engine.store.shrink()
    before = size(settings.database)
    await engine.forget(later())
    assert size(settings.database) < before / 2


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
async def test_a_thousand_ended_runs_go_and_the_one_that_waits_is_asked_as_before(
    engine, decided, later, people, settings
):
    """L26: the copies are rows and checkpoints of a run that ended."""
    ended, waiting = await decided(), await decided(None)
    async with engine.store.write() as write:
        for _ in range(999):
            new = str(uuid.uuid4())
            for table, key in (("runs", "id"), ("checkpoints", "thread_id"), ("writes", "thread_id")):
                await copy(write._connection, table, key, (ended.id, new))
    before = size(settings.database)
    assert await engine.forget(later()) == 1000
    assert [run.id for run in await engine.store.runs()] == [waiting.id]
    async with engine.store._database.connect() as connection:
        left = await connection.execute(sa.text("SELECT DISTINCT thread_id FROM checkpoints"))
        assert left.scalars().all() == [waiting.id]
    assert size(settings.database) < before / 2
    (request,) = await engine.store.requests(waiting.id)
    await engine.intake.decide(request.id, 1, "approve", people.two)
    assert (await engine.settled(waiting.id)).state == "done"


async def copy(connection, table, key, ids):
    """Copy a run's rows of a table under a new id."""
    columns = [row[1] for row in await connection.execute(sa.text(f"PRAGMA table_info({table})"))]
    taken = ", ".join(":new" if name in {key, "source"} else f'"{name}"' for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    statement = f"INSERT INTO {table} ({names}) SELECT {taken} FROM {table} WHERE {key} = :old"  # noqa: S608 - our own names
    await connection.execute(sa.text(statement), dict(zip(("old", "new"), ids, strict=True)))


async def test_the_server_forgets_by_itself_what_is_old_enough(engine_on, settings, start, people, until):
    chosen = settings.model_copy(update={"keep_days": 2})
    async with engine_on() as engine:
        old, young = [
            await engine.settled((await start(engine, source=f"slack:T0TEAM:{n}")).id) for n in (1, 2)
        ]
        for run in (old, young):
            (request,) = await engine.store.requests(run.id)
            await engine.intake.decide(request.id, 1, "reject", people.two, "no")
            await engine.settled(run.id)
        async with engine.store.write() as write:
            await write.set_run(old.id, ended=write.at - timedelta(days=3))
            await write.set_run(young.id, ended=write.at - timedelta(days=1))
    async with engine_on(settings=chosen) as engine:

        async def only_the_young_one():
            return [run.id for run in await engine.store.runs()] == [young.id]

        await until(only_the_young_one)


def test_every_table_that_refers_to_a_run_is_emptied_with_it():
    def refers(table, to):
        return any(key.column.table is to for key in table.foreign_keys)

    assert {t for t in metadata.sorted_tables if refers(t, requests)} == set(OF_A_REQUEST)
    assert {t for t in metadata.sorted_tables if refers(t, runs)} - {runs} == set(OF_A_RUN)
