"""The first step: candidates with their places, near names, and the folder of the records."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from graph.errors import SettingsError, UnknownFolder
from graph.memory import NoMemory
from graph.vault import fingerprint
from graph.workflows.linkcheck.collect import collect, records_folder
from graph.workflows.linkcheck.state import Candidate, Scope


@dataclass
class Room:
    """What a node is handed, as far as `collect` looks."""

    records: Path
    told: list = field(default_factory=list)

    @property
    def runtime(self):
        settings = SimpleNamespace(records=self.records)
        context = SimpleNamespace(report=self.told.append, settings=settings, memory=NoMemory())
        return SimpleNamespace(context=context)


@pytest.fixture
def vault(tmp_path):
    vault = tmp_path / "vault"
    for name, text in {
        "daily/a.md": "[[Projct plan]] and [[gone#h]]\n",
        "daily/b.md": '---\nup: "[[projct plan]]"\n---\n![[gone]] [x](./here.md)\n',
        "daily/c/d.md": "[x](./here.md)\n",
        "work/Project plan.md": "[[not looked at]]\n",
        "records/old.md": "[[from a record]]\n",
    }.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(text)
    return vault


async def test_the_same_link_is_one_candidate_with_all_its_places(vault, tmp_path):
    room = Room(tmp_path / "elsewhere")
    given = await collect({"vault": str(vault), "folder": "daily"}, room.runtime)
    first, *others = [Candidate.model_validate(c) for c in given["candidates"]]
    assert (first.id, first.target, first.label, first.linked) == ("c1", "Projct plan", "[[Projct plan]]", 2)
    assert [(p.file, p.line, p.place) for p in first.places] == [
        ("daily/a.md", 1, "body"),
        ("daily/b.md", 2, "property"),
    ]
    assert [(n.target, n.path, n.reason, n.detail) for n in first.nearby] == [
        ("Project plan", "work/Project plan.md", "alike", "letter-missing")
    ]
    assert [(c.id, c.target, c.subpath, len(c.places)) for c in others] == [
        ("c2", "gone", "h", 1),
        ("c3", "gone", None, 1),
        ("c4", "./here.md", None, 1),
        ("c5", "./here.md", None, 1),
    ]
    assert all(fingerprint(vault, p.file, p.line, p.raw) == p.fingerprint for p in first.places)
    assert Scope.model_validate(given["scope"]) == Scope(notes=3, links=6)
    assert room.told[-1].step == "collect"
    assert room.told[-1].counts == {"read": 3, "notes": 3, "found": 6}


async def test_records_in_the_vault_are_no_source(vault):
    room = Room(vault / "records")
    given = await collect({"vault": str(vault), "folder": "work"}, room.runtime)
    assert [c["target"] for c in given["candidates"]] == ["not looked at"]
    assert records_folder(vault, "work", vault / "records") == "records"


@pytest.mark.parametrize(
    ("folder", "records"),
    [("daily", "daily"), ("daily", "daily/records"), (".", "records"), ("daily", "Daily/x")],
)
async def test_records_in_the_folder_under_check_are_refused(vault, folder, records):
    with pytest.raises(SettingsError, match=r"RINGI_RECORDS: lies in the folder under check"):
        await collect({"vault": str(vault), "folder": folder}, Room(vault / records).runtime)


def test_records_beside_the_folder_are_fine(vault, tmp_path):
    assert records_folder(vault, "daily", vault / "daily 2") == "daily 2"
    assert records_folder(vault, "daily", tmp_path / "records") is None


async def test_a_folder_that_became_a_link_before_the_run_began_is_not_read(vault, tmp_path):
    (vault / "daily").rename(tmp_path / "before")
    (vault / "daily").symlink_to(tmp_path / "before")
    with pytest.raises(UnknownFolder):
        await collect({"vault": str(vault), "folder": "daily"}, Room(tmp_path / "elsewhere").runtime)
