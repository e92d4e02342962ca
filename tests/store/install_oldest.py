"""Install the oldest driver of SQLite that pyproject.toml allows, checked against its hash.

`python tests/store/install_oldest.py` prints where it is. A second run finds it and is instant. Nothing is installed
into the project: it lies in the user's cache, and one test puts it before the newest, which the lock holds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "0.22.0"
INTEGRITY = "sha256:96007fac2ce70eda3ca1bba7a3008c435258a592b8fbf2ee3eeaa36d33971a09"
FOLDER = Path.home() / ".cache" / "ringi-tools" / "aiosqlite" / VERSION


def installed() -> Path | None:
    """Return the folder to import it from if it has been installed."""
    return FOLDER if FOLDER.is_dir() else None


def install() -> Path:
    """Fetch and check the pinned version."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as folder:
        wanted = Path(folder) / "wanted"
        wanted.write_text(f"aiosqlite=={VERSION} --hash={INTEGRITY}\n")
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        fresh = Path(folder) / "fresh"
        subprocess.run(
            [*pip, "--no-deps", "--require-hashes", "--target", str(fresh), "-r", str(wanted)], check=True
        )
        fresh.rename(FOLDER)  # in one step: a broken download never looks installed
    return FOLDER


if __name__ == "__main__":
    print(installed() or install())  # noqa: T201 - a program's answer
