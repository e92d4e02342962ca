"""Install the `claude` binary that the tests run against: one version, checked against its hash.

`python tests/claude/install.py` prints where it is. A second run finds it and is instant. Nothing is installed
into the project: the file (about 400 MB) lies in the user's cache.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.1.332"
PACKAGE = "@anthropic-ai/claude-code-linux-x64"
INTEGRITY = "sha512-f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw=="
CACHE = Path.home() / ".cache" / "ringi-tools" / "claude"
BINARY = CACHE / VERSION / "claude"


def installed() -> Path | None:
    """Return the pinned binary if it has been installed."""
    return BINARY if os.access(BINARY, os.X_OK) else None


def install() -> Path:
    """Fetch, check and unpack the pinned version."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise SystemExit(
            f"{PACKAGE} is for Linux on x86-64; install Claude Code here yourself and set RINGI_TEST_CLAUDE."
        )
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing (Debian: apt-get install npm).")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        packed = subprocess.run(
            [npm, "pack", f"{PACKAGE}@{VERSION}", "--json"], cwd=folder, check=True, stdout=subprocess.PIPE
        )
        archive = Path(folder) / json.loads(packed.stdout)[0]["filename"]
        check(archive)
        with tarfile.open(archive) as tar:
            source = tar.extractfile("package/claude")
            if source is None:
                raise SystemExit(f"{archive.name} holds no package/claude.")
            fresh = Path(folder) / "claude"
            with fresh.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        fresh.chmod(0o755)
        BINARY.parent.mkdir(exist_ok=True)
        fresh.replace(BINARY)  # in one step: a broken download never looks installed
    return BINARY


def check(archive: Path) -> None:
    """Compare an archive with the pinned hash."""
    with archive.open("rb") as packed:
        digest = hashlib.file_digest(packed, "sha512").digest()
    found = "sha512-" + base64.b64encode(digest).decode()
    if found != INTEGRITY:
        raise SystemExit(f"{archive.name} is not what was pinned: {found}")


if __name__ == "__main__":
    print(installed() or install())  # noqa: T201 - a program's answer
