"""A patch of what was approved: `git apply` takes it, and a note then reads as before but for the names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.errors import RecordTaken
from graph.vault import scan
from graph.vault.links import read_note
from graph.workflows.linkcheck import WORKFLOW
from graph.workflows.linkcheck.collect import candidates
from graph.workflows.linkcheck.patch import fixes
from graph.workflows.linkcheck.state import Item, Outline
from graph.workflows.linkcheck.texts import EN

OLD = "Projct plan"


def decided(vault: Path, to: str, folder: str = "daily") -> dict:
    """Return the state of a run in which every link that leads nowhere was approved as a typo for this name."""
    found = candidates(scan(vault, folder).findings)
    items = [Item(id=c.id, number=n, verdict="typo", to=to, by="rules") for n, c in enumerate(found, 1)]
    return {
        "vault": str(vault),
        "folder": folder,
        "candidates": [c.model_dump(mode="json") for c in found],
        "report": Outline(revision=1, draft=1, items=items).model_dump(mode="json"),
        "approved": [item.id for item in items],
    }


@pytest.fixture
def vault(tmp_path):
    (tmp_path / "vault" / "daily").mkdir(parents=True)
    return tmp_path / "vault"


def write(vault: Path, name: str, text: str | bytes) -> Path:
    path = vault / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def git_apply(patch: str, folder: Path) -> None:
    """Apply as a person would, in the folder of the vault; a check comes first."""
    file = folder.parent / "the.patch"
    file.write_text(patch, encoding="utf-8", newline="\n")
    for check in (["--check"], []):
        done = subprocess.run(
            ["git", "apply", *check, str(file)], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{done.stderr}\n{patch}"


def mended(vault: Path, name: str, text: str | bytes, to: str = "Project plan") -> str:
    """Return a note's text after the patch was applied."""
    path = write(vault, name, text)
    made = fixes(decided(vault, to))
    git_apply(made.diff, vault)
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("See [[Projct plan]].\n", "See [[Project plan]].\n"),
        (
            "[[Projct plan#Costs|the plan]], ![[Projct plan]]",
            "[[Project plan#Costs|the plan]], ![[Project plan]]",
        ),
        ("a\r\n[[Projct plan]]\r\nb\r\n", "a\r\n[[Project plan]]\r\nb\r\n"),
        ("|a|b|\n|-|-|\n|[[Projct plan\\|p]]|b|\n", "|a|b|\n|-|-|\n|[[Project plan\\|p]]|b|\n"),
        ('[p](Projct%20plan.md#Costs "t")\n', '[p](Project%20plan.md#Costs "t")\n'),
        ("![p [x]](<Projct plan>)\n", "![p [x]](<Project plan>)\n"),
        ("[p][r]\n\n[r]: <Projct plan.md>\n", "[p][r]\n\n[r]: <Project plan.md>\n"),
        ('---\nup: "[[Projct plan|p]]"\n---\n', '---\nup: "[[Project plan|p]]"\n---\n'),
        ("`[[Projct plan]]` is [[Projct plan]]\n", "`[[Projct plan]]` is [[Project plan]]\n"),
        ("\ufeff[[Projct plan]]\n", "\ufeff[[Project plan]]\n"),
        ("%% [[Projct plan]] %%\n", "%% [[Project plan]] %%\n"),
    ],
)
def test_only_the_name_changes_however_the_link_is_written(vault, before, after):
    assert mended(vault, "daily/a.md", before) == after


@pytest.mark.parametrize(
    "name",
    ["My note.md", "日記 十二月.md", 'a "b" \\c.md', "tab\there.md", "line\nend.md", "é.md", "-x.md"],
)
def test_git_finds_the_note_whatever_it_is_called(vault, name):
    assert mended(vault, f"daily/二 つ/{name}", "[[Projct plan]]") == "[[Project plan]]"


def test_many_notes_far_lines_and_neighbours_are_one_patch(vault):
    lines = [f"line {n}" for n in range(40)]
    for n in (0, 5, 13, 14, 39):
        lines[n] = f"{n}: [[Projct plan]] and [[Projct plan]]"
    write(vault, "daily/b.md", "[[Projct plan]]\n")
    assert mended(vault, "daily/a.md", "\n".join(lines)) == "\n".join(lines).replace("Projct", "Project")
    assert (vault / "daily/b.md").read_text(encoding="utf-8") == "[[Project plan]]\n"


def test_a_vault_within_a_larger_repository_is_patched_too(vault):
    subprocess.run(["git", "init", "-q"], cwd=vault.parent, check=True)
    assert mended(vault, "daily/a note.md", "[[Projct plan]]\n") == "[[Project plan]]\n"


@pytest.mark.parametrize("to", ["a]] [[b", "a|b", "a#b", "a\nb", "a\u2028b", " ", "`", "a]"])
def test_a_name_that_would_break_out_of_the_link_gets_no_fix_and_is_counted(vault, to):
    write(vault, "daily/a.md", "[[Projct plan]] and `code`\n")
    made = fixes(decided(vault, to))
    assert (made.diff, made.fixed, made.unfixed) == ("", 0, 1)


def test_what_cannot_be_patched_is_counted_and_hinders_nothing(vault, tmp_path):
    write(vault, "daily/board.canvas", b'{"nodes":[{"type":"text","text":"[[Canvas only]]"}]}')
    write(vault, "daily/latin.md", b"caf\xe9 [[Latin only]]\n")
    write(vault, "daily/yaml.md", '---\nup: "[[Yaml\\u0020only]]"\n---\n')
    outside = write(tmp_path, "outside/o.md", "[[Linked only]]\n")
    (vault / "daily" / "linked").symlink_to(outside.parent)
    write(vault, "daily/a.md", "[[Projct plan]]\n")
    made = fixes(decided(vault, "Project plan"))
    assert (made.fixed, made.unfixed) == (1, 4)
    git_apply(made.diff, vault)


def test_a_line_that_has_changed_or_moved_since_is_left_alone_or_followed(vault):
    write(vault, "daily/a.md", "[[Projct plan]] one\n")
    write(vault, "daily/b.md", "[[Projct plan]] two\n")
    state = decided(vault, "Project plan")
    write(vault, "daily/a.md", "[[Projct plan]] one, changed\n")
    write(vault, "daily/b.md", "above\n[[Projct plan]] two\n")
    made = fixes(state)
    assert made.fixed == 1
    assert "b.md" in made.diff
    assert "a.md" not in made.diff
    git_apply(made.diff, vault)
    assert "Project" in (vault / "daily/b.md").read_text(encoding="utf-8")


async def test_an_approval_leaves_the_patch_beside_the_record_and_both_say_so(link_check):
    check = link_check()
    review = await check.start()
    assert EN.next("approve", review)[1] == (
        "the report is recorded as it stands, and 1 typo fix becomes a patch file. No note is changed."
    )
    await check.answer("approve")
    (patch,) = check.patches
    assert patch.name == "2026-12-01-linkcheck-8f3c2a51.patch"
    result = await check.result()
    assert (result.patch, result.counts["fixes"]) == (patch.name, 1)
    assert (
        "- Patch with 1 typo fix: `2026-12-01-linkcheck-8f3c2a51.patch` (not applied by ringi)"
        in check.record
    )
    assert "[[Projct plan]]" in (check.root / "Notes/daily/2026-11-03.md").read_text(encoding="utf-8")
    git_apply(patch.read_text(encoding="utf-8"), check.root / "Notes")
    assert "[[Project plan]]" in (check.root / "Notes/daily/2026-11-03.md").read_text(encoding="utf-8")


async def test_the_patch_holds_what_a_person_made_of_an_item_and_nothing_that_was_left_out(
    link_check, claude
):
    notes = {"daily/a.md": "[[Projct plan]]\n\n[[Projct]]\n"}
    notes |= dict.fromkeys(("work/Project plan.md", "home/Project plans.md", "work/Project.md"), "")
    claude.says |= {
        "Projct plan": ("typo", "One letter missing.", "Project plan"),
        "Projct": ("typo", "One letter missing.", "Project"),
    }
    check = link_check(notes)
    await check.start()
    await check.answer("approve", items={"c1": "typo:1", "c2": "leave"})
    (patch,) = check.patches
    assert "+[[Project plans]]" in patch.read_text(encoding="utf-8")
    assert "+[[Project]]" not in patch.read_text(encoding="utf-8")
    [settled] = WORKFLOW.approved((await check.state()).values)
    assert (settled.spot.target, settled.verdict, settled.goes_to) == ("projct plan", "typo", "Project plans")


async def test_without_an_approved_typo_there_is_no_patch(link_check, claude):
    rejected = link_check()
    await rejected.start()
    await rejected.answer("reject", "no")
    claude.says["Projct plan"] = ("ignore", "Fine.", None)
    ignored = link_check(run_id="11111111-6d0e-4c1b-9a77-2f60d1c3b9e4")
    ignored.config["configurable"]["thread_id"] = ignored.run.id
    await ignored.start()
    await ignored.answer("approve")
    assert rejected.patches == []
    assert (await ignored.result()).patch is None
    assert "atch" not in ignored.records[0].read_text(encoding="utf-8")


async def test_killed_between_patch_and_record_it_leaves_each_once(link_check, write_notes):
    """The record cannot be written at first; meanwhile the note changes, and the patch stays what was approved."""
    check = link_check()
    await check.start()
    taken = check.settings.records / "2026-12-01-1331-linkcheck-daily-8f3c2a51.md"
    taken.parent.mkdir()
    taken.write_text("mine\n")
    with pytest.raises(RecordTaken):
        await check.answer("approve")
    (patch,) = check.patches
    before = patch.read_bytes()
    taken.unlink()
    write_notes({"daily/2026-11-03.md": "Nothing is left of it.\n"})

    await check.go_on()

    assert [p.read_bytes() for p in check.patches] == [before]
    assert len(check.records) == 1
    assert "Patch with 1 typo fix" in check.record
    assert (await check.result()).counts["fixes"] == 1


async def test_a_patch_of_somebody_else_is_left_as_it_is(link_check):
    check = link_check()
    await check.start()
    taken = check.settings.records / "2026-12-01-linkcheck-8f3c2a51.patch"
    taken.parent.mkdir()
    taken.write_text("mine\n")
    with pytest.raises(RecordTaken):
        await check.answer("approve")
    assert taken.read_text() == "mine\n"


WRITTEN = [
    "See [[{}]] here",
    "- [[{}#Heading|alias]] and [[{}]], ![[{}|100]]",
    "| a | b |\n| --- | --- |\n| [[{}\\|a]] | [[{}]] |",
    "```\n[[{}]]\n```",
    "text, 文 `code` *and* [x](https://example.com)",
    "> [!note] [[{}]]",
    "",
]
NAMES = ["Project plan", "計画 (案)", "50% done", "A & B's", "v1.2", "work/Plan_b", "_x_ *y*"]
texts = st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts, st.sampled_from(NAMES), st.tuples(st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
)
def test_any_note_is_mended_as_if_by_hand(vault, blocks, to, shape):
    end, ends, properties = shape
    shutil.rmtree(vault / "daily")
    head = ["---\nup: \"[[{}]]\"\nmore: ['[[{}|x]]', 3]\n---"] if properties else []
    form = "\n\n".join([*head, *blocks]).replace("\n", end) + (end if ends else "")
    kept = re.sub(r"(```\s+)(\[\[)\{\}", rf"\1\2{OLD}", form)  # code is no link
    path = write(vault, "daily/日 記/a b.md", kept.replace("{}", OLD))
    made = fixes(decided(vault, to))
    assert bool(made.diff) == ("{}" in kept) == bool(made.fixed)
    if made.diff:
        git_apply(made.diff, vault)
    quoted = kept.replace("'[[{}", "'[[" + to.replace("'", "''"))
    assert path.read_bytes().decode() == quoted.replace("{}", to)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(min_size=1, max_size=12),
    st.sampled_from(["[[{}]]", "[t]({} 't')", "![](<{}>)", "[a]: {}\n\n[a]"]),
)
def test_no_name_whatever_it_holds_becomes_anything_but_a_name(vault, to, form):
    to = to.encode(errors="replace").decode()
    path = write(
        vault,
        "daily/a.md",
        f"before `x` {form.format('gone.md')} after [[b|c]]\n".replace("before `x` [a]:", "[a]:"),
    )
    links = read_note(path.read_bytes())
    state = decided(vault, to)
    made = fixes(state)
    if made.diff:
        git_apply(made.diff, vault)
        now = read_note(path.read_bytes())
        assert [(x.subpath, x.place, x.embed) for x in now] == [(x.subpath, x.place, x.embed) for x in links]
