"""Small vaults, written from what stands in the test."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from graph.vault import Scan, scan

WriteVault = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def write_vault(tmp_path: Path) -> WriteVault:
    """Write files, by path; a path that ends in `/` is an empty folder."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        vault = tmp_path / "vault"
        vault.mkdir(exist_ok=True)
        for name, content in files.items():
            path = vault / name
            if name.endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return vault

    return write


@pytest.fixture
def look(write_vault: WriteVault) -> Callable[..., Scan]:
    """Write a vault and scan it, with both readers; what they find must be the same."""

    def look(files: Mapping[str, str | bytes], folder: str = ".", **options: bool) -> Scan:
        vault = write_vault(files)
        quick, plain = scan(vault, folder, **options), scan(vault, folder, plain=True, **options)
        assert quick.findings == plain.findings
        assert quick.not_read == plain.not_read
        return quick

    return look


@pytest.fixture
def missing(look: Callable[..., Scan]) -> Callable[[Mapping[str, str | bytes]], list[tuple[str, int, str]]]:
    """Write a vault and return what is missing in it, as (file, line, target)."""

    def missing(files: Mapping[str, str | bytes]) -> list[tuple[str, int, str]]:
        return [(f.file, f.line, f.target) for f in look(files).findings]

    return missing
