"""The sample vault: what a first visitor finds in it."""

from __future__ import annotations

from bot.demo import lay_out
from graph.vault import scan


def test_notes_of_the_sample_go_wrong_in_twelve_ways(tmp_path):
    vault = lay_out(tmp_path / "demo") / "vault"
    found = scan(vault, "notes")
    assert found.notes == 20
    assert {finding.raw for finding in found.findings} == {
        "[[Projct plan]]",
        "[[会議メも]]",
        "[[Weekly  review]]",
        "[[予算2026]]",
        "[[Onboarding checklst]]",
        "[[プロジエクト計画]]",
        "[[Move to new office]]",
        "[[読書リスト 2027]]",
        "[[出張規程]]",
        "[[Retro November]]",
        "[[YYYY-MM-DD]]",
        "[[ノート名]]",
    }


def test_everything_else_in_the_sample_leads_somewhere(tmp_path):
    vault = lay_out(tmp_path / "demo") / "vault"
    assert scan(vault, "work").findings == ()
    assert scan(vault, "home").findings == ()
    assert not scan(vault, ".").not_read


def test_typos_of_the_sample_have_their_near_name_in_another_folder(tmp_path):
    vault = lay_out(tmp_path / "demo") / "vault"
    near = {f.target: f.nearby[0].path for f in scan(vault, "notes").findings if f.nearby}
    assert len(near) == 6
    assert {path.partition("/")[0] for path in near.values()} == {"work"}
