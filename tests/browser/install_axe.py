"""Install axe-core, which looks for barriers on a page: one version, checked against its hash.

`python tests/browser/install_axe.py` prints where it is. A second run finds it and is instant. Nothing is installed
into the project: the file (half a megabyte, MPL-2.0) lies in the user's cache and is only used by tests.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.14.1"
INTEGRITY = "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
CACHE = Path.home() / ".cache" / "ringi-tools" / "axe"
SCRIPT = CACHE / VERSION / "axe.min.js"


def installed() -> Path | None:
    """Return the pinned script if it has been installed."""
    return SCRIPT if SCRIPT.is_file() else None


def install() -> Path:
    """Fetch, check and unpack the pinned version."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing (Debian: apt-get install npm).")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        packed = subprocess.run(
            [npm, "pack", f"axe-core@{VERSION}", "--json"], cwd=folder, check=True, stdout=subprocess.PIPE
        )
        archive = Path(folder) / json.loads(packed.stdout)[0]["filename"]
        digest = hashlib.sha512(archive.read_bytes()).digest()
        found = "sha512-" + base64.b64encode(digest).decode()
        if found != INTEGRITY:
            raise SystemExit(f"{archive.name} is not what was pinned: {found}")
        with tarfile.open(archive) as tar:
            source = tar.extractfile("package/axe.min.js")
            if source is None:
                raise SystemExit(f"{archive.name} holds no package/axe.min.js.")
            fresh = Path(folder) / "axe.min.js"
            fresh.write_bytes(source.read())
        SCRIPT.parent.mkdir(exist_ok=True)
        fresh.replace(SCRIPT)  # in one step: a broken download never looks installed
    return SCRIPT


if __name__ == "__main__":
    print(installed() or install())  # noqa: T201 - a program's answer
