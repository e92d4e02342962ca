"""Where a record can be opened as a note: only if it lies in the vault, and never by a path of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from graph.settings import Settings


@dataclass(frozen=True, slots=True)
class Notes:
    """The folder of the records as Obsidian knows it.

    Attributes:
        vault: what Obsidian calls it, the name of its folder.
        folder: of the records within it; None if they lie elsewhere.
    """

    vault: str = ""
    folder: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Notes:
        """Look where the records lie."""
        if settings.vault is None:
            return cls()
        vault, records = settings.vault.resolve(), settings.records.resolve()
        return cls(vault.name, records.relative_to(vault).as_posix()) if vault in records.parents else cls()

    def address(self, record: str) -> str | None:
        """Return what opens a record in Obsidian; None if it lies outside the vault.

        Source: https://help.obsidian.md/Extending+Obsidian/Obsidian+URI
        """
        if self.folder is None:
            return None
        file = f"{self.folder}/{Path(record).name}"
        vault, path = (quote(part, safe="", errors="replace") for part in (self.vault, file))
        return f"obsidian://open?vault={vault}&file={path}"
