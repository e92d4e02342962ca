"""What importing the vault loads, and what a scan adds."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "rapidfuzz",
    "langgraph",
    "langchain_core",
    "sqlalchemy",
    "slack_bolt",
    "slack_sdk",
    "pydantic",
    "aiohttp",
}


def loaded(program: str) -> set[str]:
    """Run a program and return the top-level modules it has loaded."""
    program += (
        "\nimport sys, json; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_vault_loads_nothing_heavy():
    assert loaded("import graph.vault") & HEAVY == set()


@pytest.mark.parametrize(("note", "extra"), [("[[n]]", set()), ("[[gone]]", {"numpy", "rapidfuzz"})])
def test_near_names_are_loaded_when_something_was_found(write_vault, note, extra):
    vault = write_vault({"n.md": note})
    program = f"import pathlib, graph.vault; graph.vault.scan(pathlib.Path({str(vault)!r}), '.')"
    assert loaded(program) & HEAVY == extra
