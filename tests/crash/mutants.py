"""Programs that break a promise, each in one place, so that the harness can show that it would notice."""

import asyncio

import sqlalchemy as sa
from langgraph.types import Command

import graph.workflows.linkcheck.record as recording
from bot.slack import sending
from bot.slack.actions import Actions
from bot.slack.submissions import Submissions, split
from graph.approval import Decision, Vote
from graph.engine import Engine
from graph.engine.course import Course, Next
from graph.engine.thread import Look, Thread, answer_of
from graph.intake import Intake
from graph.intake.voting import let_stand
from graph.store.tables import decisions, votes


def instead(owner, name, mutant):
    """Put a mutant in the place of what it mutates, which has to be there: else nothing would be broken."""
    assert name in vars(owner), (owner, name)
    setattr(owner, name, mutant)


def ack_before_commit():
    submitted = Submissions.submitted

    async def answer_first(self, ack, body):
        async def said(**_):
            return None

        found = await self._desk.store.standing(split(body["view"]["private_metadata"])[0])
        if found is None or found[2] is not None:
            await submitted(self, ack, body)
            return
        await ack()
        await asyncio.sleep(0.5)
        await submitted(self, said, body)

    instead(Submissions, "submitted", answer_first)


def ack_order_before_commit():
    clicked = Actions.clicked

    async def answer_first(self, ack, body):
        async def said(**_):
            return None

        await ack()
        await asyncio.sleep(0.5)
        await clicked(self, said, body)

    instead(Actions, "clicked", answer_first)


def read_then_write():
    async def decide(self, request_id, revision, kind, person, reason="", *, items=None):  # noqa: PLR0917 - as the one it replaces
        found = await self.store.standing(request_id)
        self._judge(found, revision, person)
        await asyncio.sleep(0.5)
        async with self.store.write() as write:
            for table in (votes, decisions):
                await write._connection.execute(sa.delete(table).where(table.c.request_id == request_id))
            said = Decision(request_id, kind, reason, person, write.at, items)
            vote = Vote(kind=kind, reason=reason, person=person, at=write.at, items=items)
            await write.add_vote(request_id, self.policy.voter(person), vote)
            await let_stand(write, found, said)
            await write.set_run(found[0].id, state="resuming", interventions=found[0].interventions + 1)
        return said

    instead(Intake, "decide", decide)


def empty_next_is_finished():
    async def look(self):
        snapshot = await self._graph.aget_state(self._config)
        return Look(
            begun=snapshot.created_at is not None,
            values=snapshot.values,
            asked={one.id: one.value for one in snapshot.interrupts},
            steps=snapshot.next,
            failed=None,
            mark=None,
        )

    instead(Thread, "look", look)


def record_not_once():
    write_once = recording.write_once

    def write_again(path, text, run_id):
        while path.exists():
            path = path.with_name(f"{path.stem} again.md")
        write_once(path, text, run_id)

    instead(recording, "write_once", write_again)


def no_lock():
    async def advance(self, run_id):
        await Course(run_id, self._parts, self._workflow, self._threads._held, slow=True).go()

    def wake(self, run_id=None):
        if run_id is None:
            self._beside(self.sweep())
        elif not self._closing.is_set():
            for _ in range(2):
                self._beside(self.advance(run_id))

    instead(Engine, "advance", advance)
    instead(Engine, "wake", wake)


def bare_resume():
    what_next = Course._what_next

    async def resume_the_newest(self, run, workflow, thread):
        first, self.acted = not hasattr(self, "acted"), True
        look, decided = await thread.look(), await self._store.decided_interrupts(run.id)
        if first and run.state == "resuming" and look.asked and decided:
            answer = answer_of(*list(decided.values())[-1]).model_dump(mode="json")
            return Next(lambda context: thread._invoke(Command(resume=answer), context))
        return await what_next(self, run, workflow, thread)

    instead(Course, "_what_next", resume_the_newest)


def post_without_key():
    async def nothing(*_, **__):
        return None

    instead(sending, "arrived", nothing)


MUTANTS = {
    mutant.__name__: mutant
    for mutant in (
        ack_before_commit,
        ack_order_before_commit,
        read_then_write,
        empty_next_is_finished,
        record_not_once,
        no_lock,
        bare_resume,
        post_without_key,
    )
}
