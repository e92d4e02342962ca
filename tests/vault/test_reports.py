"""Public reports about other link checkers, as small vaults (`reports.yml`): each must come out right here."""

from pathlib import Path
from unicodedata import is_normalized

import pytest
import yaml

REPORTS = yaml.safe_load(Path(__file__).with_name("reports.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("report", REPORTS, ids=[report["id"] for report in REPORTS])
def test_a_reported_vault_comes_out_right(report, look):
    """R01 to R36."""
    findings = look(report["vault"], anchors=True).findings
    broken = [[f.file, f.line, f.target] for f in findings if f.kind == "missing"]
    anchors = [[f.file, f.line, f"{f.target}#{f.subpath}"] for f in findings if f.kind != "missing"]
    assert sorted(broken) == sorted(report["broken"])
    assert sorted(anchors) == sorted(report["broken_anchors"])


@pytest.mark.parametrize("report", REPORTS, ids=[report["id"] for report in REPORTS])
def test_missing_headings_are_not_reported_unless_asked_for(report, look):
    """R01 to R36, by the quick reader."""
    findings = look(report["vault"]).findings
    assert sorted([f.file, f.line, f.target] for f in findings) == sorted(report["broken"])


def test_all_reports_are_here_and_the_decomposed_one_still_is():
    assert [report["id"] for report in REPORTS] == [f"R{n:02}" for n in range(1, 37)]
    r14 = REPORTS[13]["vault"]
    assert any(is_normalized("NFC", text) != is_normalized("NFD", text) for text in r14.values())
