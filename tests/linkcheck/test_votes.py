"""What a record says where several people approved, or too few did in time."""

from datetime import UTC, datetime, timedelta

from langgraph.types import Command

from graph.approval import CLOCK, Answer, Person, Vote

AT = datetime(2026, 12, 1, 5, 2, tzinfo=UTC)
MEMBER_2 = Person(id="T0TEAM/U0MEMBER2", name="Member 2", surface="slack", verified=True)
LOGIN = Person(id="login", name="login", surface="terminal", verified=False)
FIRST = Vote(kind="approve", reason="Fine.\n[[Evil]]", person=MEMBER_2, at=AT - timedelta(minutes=10))


async def _answered(check, answer):
    await check.start()
    [asked] = (await check.state()).interrupts
    await check.go(Command(resume={asked.id: answer.model_dump(mode="json")}))
    return check.record


async def test_the_record_lists_each_approval_with_its_reason(link_check):
    check = link_check()
    last = Vote(kind="approve", reason="Checked.", person=LOGIN, at=AT)
    record = await _answered(
        check,
        Answer(kind="approve", reason="Checked.", person=LOGIN, at=AT, revision=1, votes=[FIRST, last]),
    )
    assert "> [!success] Approved by `Member 2` and `login` · 1 Dec 2026, 14:02" in record
    assert (
        "  - Approved by `Member 2` · 1 Dec 2026, 13:52 · in Slack\n"
        "    - Reason:\n"
        "      - `Fine.`\n"
        "      - `[[Evil]]`\n"
    ) in record
    assert "Reason: `Checked.`" in record
    assert check.front["decided_by"] == ["Member 2", "login"]
    assert check.front["decided_by_id"] == ["T0TEAM/U0MEMBER2"]
    assert check.front["verified"] is False


async def test_too_few_approvals_in_time_are_no_refusal_and_are_kept(link_check):
    check = link_check(language="ja")
    record = await _answered(check, Answer(kind="expired", person=CLOCK, at=AT, revision=1, votes=[FIRST]))
    assert check.front["outcome"] == "expired"
    assert check.front["decided_by"] == []
    assert "期限切れ：期限までの承認は1人で、必要な人数に届きませんでした（却下ではありません）" in record
    assert "  - 承認 · `Member 2` · 2026-12-01 13:52 · Slack" in record


async def test_nobody_answered(link_check):
    record = await _answered(link_check(), Answer(kind="expired", person=CLOCK, at=AT, revision=1))
    assert "> [!info] Expired: nobody answered in time. That is not a refusal\n" in record


async def test_two_approvals_that_agree_about_nothing_approve_nothing(link_check):
    """Each approved something, none of it the same: all is left out, by whoever left it out."""
    check = link_check()
    review = await check.start()
    names = list(review.choices)
    ours = {name: "leave" if n % 2 else "agree" for n, name in enumerate(names)}
    theirs = {name: "agree" if n % 2 else "leave" for n, name in enumerate(names)}
    votes = [
        Vote(kind="approve", person=MEMBER_2, at=AT, items=ours),
        Vote(kind="approve", person=LOGIN, at=AT, items=theirs),
    ]
    [asked] = (await check.state()).interrupts
    answer = Answer(
        kind="approve", person=LOGIN, at=AT, revision=1, votes=votes, items=dict.fromkeys(names, "leave")
    )
    await check.go(Command(resume={asked.id: answer.model_dump(mode="json")}))
    assert check.front["approved"] == 0
    assert check.front["left_out"] == len(names)
    assert (await check.result()).outcome == "approved-in-part"
    assert "**Left out** by `Member 2`" in check.record
    assert "**Left out** by `login`" in check.record
