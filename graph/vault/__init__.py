"""The vault: its notes, the links in them, the files they name, and what a lost link may have meant.

Importing this loads neither numpy nor RapidFuzz; a scan loads them when it has found something.
"""

from __future__ import annotations

from graph.vault.child import ScanFailed, scan_in_child
from graph.vault.finding import Finding, Nearby, NotRead, Scan, scan_from_json, to_json
from graph.vault.group import grouped
from graph.vault.prints import fingerprint
from graph.vault.scan import scan
from graph.vault.texts import likeness, why
from graph.vault.vault import find_vault, folder_inside, folder_on_disk, folders, near_folders, resolve_folder

Place = Finding
"""A finding is one place; people speak of places when they count them."""

__all__ = [
    "Finding",
    "Nearby",
    "NotRead",
    "Place",
    "Scan",
    "ScanFailed",
    "find_vault",
    "fingerprint",
    "folder_inside",
    "folder_on_disk",
    "folders",
    "grouped",
    "likeness",
    "near_folders",
    "resolve_folder",
    "scan",
    "scan_from_json",
    "scan_in_child",
    "to_json",
    "why",
]
