"""Findings that are one question: the same link standing in many notes."""

from __future__ import annotations

from collections.abc import Iterable

from graph.vault.finding import Finding
from graph.vault.names import key


def grouped(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Group findings by what they name, in the order of their first places.

    What a relative link, and one without a target, names depends on where it stands, so these are told apart by
    folder and by note.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        where = ""
        if not finding.target:
            where = finding.file
        elif finding.target.startswith(("./", "../")):
            where = finding.file.rpartition("/")[0]
        what = (finding.kind, key(finding.target), finding.subpath or "", where)
        groups.setdefault(what, []).append(finding)
    return list(groups.values())
