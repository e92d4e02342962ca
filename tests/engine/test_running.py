"""Places, restarts, progress, versions, and what must not leave the machine."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from graph.approval import Progress
from graph.engine.places import Places
from graph.engine.reports import Reporter
from graph.errors import DatabaseInUse


async def test_only_so_many_runs_draft_at_once_and_the_rest_know_their_turn(
    *, engine, settings, chore, start, until
):
    chore.hold = asyncio.Event()
    runs = [await start(engine, source=f"slack:T0TEAM:{n}") for n in range(4)]
    for run in runs:
        engine.wake(run.id)

    # Where many processes take jobs, nobody counts who is ahead.
    in_turn = [] if settings.on_postgres else [0, 1]

    async def turns():
        rows = [await engine.store.run(run.id) for run in runs]
        ahead = [r.progress.counts["ahead"] for r in rows if r.progress and r.progress.step == "queue"]
        return sorted(r.state for r in rows) == ["queued"] * 2 + ["running"] * 2 and sorted(ahead) == in_turn

    await until(turns)
    await until(lambda: chore.drafting == 2)
    chore.hold.set()
    assert [(await engine.settled(run.id)).state for run in runs] == ["waiting"] * 4
    assert chore.most_drafting == 2


async def test_what_follows_a_decision_never_waits_for_a_place(engine, chore, people, start, until):
    done = [await start(engine, source=f"slack:T0TEAM:{n}") for n in range(2)]
    for run in done:
        await engine.settled(run.id)
    chore.hold = asyncio.Event()
    busy = [await start(engine, source=f"slack:T0TEAM:busy{n}") for n in range(3)]
    for run in busy:
        engine.wake(run.id)
    await until(lambda: chore.drafting == 2)

    for run, kind in zip(done, ("approve", "reject"), strict=True):
        [request] = await engine.store.requests(run.id)
        await engine.intake.decide(request.id, 1, kind, people.two, "now")
        assert (await engine.settled(run.id)).state == "done"
    chore.hold.set()


async def test_a_place_given_back_by_one_who_left_the_queue_is_not_lost():
    places = Places(1)
    order = []

    async def work(name, hold):
        async with places.one(lambda ahead: order.append((name, ahead))):
            order.append(name)
            await hold.wait()

    holds = {name: asyncio.Event() for name in "abc"}
    a, b, c = (asyncio.create_task(work(name, holds[name])) for name in "abc")
    await asyncio.sleep(0)
    b.cancel()
    await asyncio.gather(b, return_exceptions=True)
    holds["a"].set()
    holds["c"].set()
    await asyncio.gather(a, c)
    assert order == ["a", ("b", 0), ("c", 1), ("c", 0), "c"]


async def test_a_restart_goes_on_without_repeating_finished_steps(engine_on, chore, people, start, until):
    chore.hold = asyncio.Event()
    async with engine_on() as engine:
        run = await start(engine)
        engine.wake(run.id)
        await until(lambda: chore.drafting)
    assert chore.drafting == 0  # closing ended what was at work
    chore.hold = None
    async with engine_on() as engine:
        assert (await engine.store.run(run.id)).state == "running"
        assert (await engine.settled(run.id)).state == "waiting"
        assert chore.did == ["collect", "draft", "draft"]
        [request] = await engine.store.requests(run.id)
    async with engine_on() as engine:  # nobody touches what waits
        await engine.intake.decide(request.id, 1, "approve", people.two)
        assert (await engine.settled(run.id)).state == "done"


async def test_a_decision_taken_beside_the_server_is_carried_out_by_it(
    *, engine, store_on, settings, chore, people, start, policy, until
):
    from graph.intake import Intake

    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    if not settings.on_postgres:  # there someone always may have written
        await engine.store.changed()
        assert not await engine.store.changed()
    async with store_on() as beside:
        await Intake(beside, policy).decide(request.id, 1, "approve", people.operator)
    assert await engine.store.changed()
    engine.wake()

    async def done():
        return (await engine.store.run(run.id)).state == "done"

    await until(done)
    assert chore.did.count("effect") == 1


async def test_a_cancel_from_another_process_reaches_the_one_that_drafts(
    *, engine, store_on, chore, people, start, policy, until
):
    from graph.intake import Intake

    chore.hold = asyncio.Event()
    run = await start(engine)
    engine.wake(run.id)
    await until(lambda: chore.drafting)
    async with store_on() as beside:
        await Intake(beside, policy).cancel(run.id, people.operator)
    engine.wake()
    await until(lambda: not chore.drafting)
    assert (await engine.settled(run.id)).state == "cancelled"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
async def test_a_second_server_on_the_same_file_is_refused_with_a_sentence(engine, engine_on, settings):
    """L22."""
    with pytest.raises(DatabaseInUse) as refused:
        async with engine_on():
            pass
    assert str(refused.value).startswith("Another ringi process (pid ")
    assert settings.database in str(refused.value)


async def test_waking_too_often_changes_nothing(engine, chore, start):
    """L18: a thread that waits is looked at, never given input again."""
    run = await start(engine)
    await engine.settled(run.id)
    before = (await engine.store.run(run.id), await engine.store.messages(run.id))
    for _ in range(20):
        engine.wake(run.id)
        engine.wake()
    await asyncio.gather(*(engine.advance(run.id) for _ in range(5)))
    assert (await engine.store.run(run.id), await engine.store.messages(run.id)) == before
    assert chore.did == ["collect", "draft"]


async def test_an_unknown_run_cannot_harm_the_engine(engine, caplog):
    engine.wake("00000000-0000-0000-0000-000000000000")
    await engine.carry("00000000-0000-0000-0000-000000000000", slow=True)
    assert {r.error for r in caplog.records} == {"UnknownRun"}


async def test_progress_from_threads_is_written_at_most_once_a_pause(engine_on, start, until):
    async with engine_on(everyone=False) as engine:
        await _report_from_threads(engine, await start(engine, place="C0NOTES"), until)


async def _report_from_threads(engine, run, until):
    reporter = Reporter(engine.store, run.id, every=0.2)
    before = (await engine.store.message(f"progress:{run.id}")).wanted

    def many():
        for n in range(500):
            reporter(Progress(step="collect", counts={"read": n}))

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()

    async def all_read():
        progress = (await engine.store.run(run.id)).progress
        return progress is not None and progress.counts == {"read": 499}

    await until(all_read)
    for thread in threads:
        thread.join()
    await reporter.close()
    assert (await engine.store.message(f"progress:{run.id}")).wanted - before <= 3


async def test_what_is_no_review_fails_the_run_instead_of_asking(engine, chore, start, monkeypatch):
    from langgraph.types import interrupt

    chore.review = lambda state: interrupt({"not": "a review"})
    chore.review.__name__ = "review"
    run = await start(engine)
    failed = await engine.settled(run.id)
    assert (failed.state, failed.failure.kind, failed.failure.step) == ("failed", "exception", "review")
    assert await engine.store.requests(run.id) == []


@pytest.fixture
def listener():
    """A tracing service of this machine that counts what it is sent."""
    heard = []

    class Heard(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(self.path)
            self.send_response(202)
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the base class names it

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Heard)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    thread.join()
    server.server_close()


async def test_tracing_variables_in_the_shell_send_nothing_out(
    *, engine, chore, people, start, listener, monkeypatch
):
    """Nothing leaves by accident, whatever the shell was set up for."""
    address, heard = listener
    for name, value in {
        "LANGSMITH_TRACING": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_ENDPOINT": address,
        "LANGCHAIN_ENDPOINT": address,
        "LANGSMITH_API_KEY": "lsv2_test",
    }.items():
        monkeypatch.setenv(name, value)
    from langsmith import utils

    utils.get_env_var.cache_clear()
    run = await start(engine)
    await engine.settled(run.id)
    [request] = await engine.store.requests(run.id)
    await engine.intake.decide(request.id, 1, "send_back", people.two, "again")
    await engine.settled(run.id)
    await engine.intake.cancel(run.id, people.one)
    await engine.settled(run.id)
    await asyncio.sleep(1.5)  # a tracing client sends in batches, from a thread of its own
    monkeypatch.undo()
    utils.get_env_var.cache_clear()
    assert heard == []


async def test_the_settings_of_one_server_bound_its_places(engine_on, settings, chore, start, until):
    chore.hold = asyncio.Event()
    one = settings.model_copy(update={"runs_at_once": 1})
    async with engine_on(settings=one) as engine:
        for n in range(3):
            engine.wake((await start(engine, source=f"slack:T0TEAM:{n}")).id)
        await until(lambda: chore.drafting)
        chore.hold.set()
        for run in await engine.store.runs():
            await engine.settled(run.id)
    assert chore.most_drafting == 1
