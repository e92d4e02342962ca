"""What people approved: kept once for each line, found again, forgotten by folder."""

from __future__ import annotations

from datetime import UTC, datetime

from graph.memory import Approved, Spot

AT = datetime(2026, 12, 1, 5, 2, tzinfo=UTC)


def spot(file: str, line: str = "a1", target: str = "projct plan", vault: str = "/Notes") -> Spot:
    return Spot(vault, file, "missing", target, "", line)


async def keep(store, people, *spots: Spot, verdict: str = "typo", run: str = "r1") -> None:
    async with store.write() as write:
        await write.keep_approved(run, [Approved(s, verdict, "Project plan", people.two, AT) for s in spots])


async def forget(store, folder: str, vault: str = "/Notes") -> int:
    async with store.write() as write:
        return await write.forget_approved(vault, folder)


async def test_only_the_same_link_on_the_same_line_of_the_same_note_is_known(store, people):
    known = spot("daily/a.md")
    await keep(store, people, known)
    others = [
        spot("daily/b.md"),
        spot("daily/a.md", line="a2"),
        spot("daily/a.md", target="other"),
        spot("daily/a.md", vault="/Other"),
    ]
    assert await store.judged_before([known, *others]) == {known}
    assert await store.judged_before([]) == set()


async def test_thousands_of_lines_are_kept_once_and_the_newest_word_counts(store, people):
    many = [spot(f"daily/{n}.md") for n in range(1200)]
    await keep(store, people, *many, *many[:3])
    await keep(store, people, *many[:600], verdict="ignore", run="r2")
    assert await store.judged_before(many) == set(many)
    assert await forget(store, ".") == 1200


async def test_a_folder_is_forgotten_with_all_below_it_and_nothing_else(store, people):
    inside = [spot("50%_a/x.md"), spot("50%_a/deep/y.md")]
    outside = [spot("50xya/x.md"), spot("50%_A/x.md"), spot("50%_a.md"), spot("50%_a/x.md", vault="/Other")]
    await keep(store, people, *inside, *outside)
    assert await forget(store, "50%_a") == 2
    assert await store.judged_before([*inside, *outside]) == set(outside)
    assert await forget(store, "50%_a") == 0


async def test_what_no_database_can_hold_is_kept_all_the_same(store, people):
    odd = spot("daily/a.md", target="a\0b\udc80")
    await keep(store, people, odd)
    assert await store.judged_before([odd]) == {odd}
