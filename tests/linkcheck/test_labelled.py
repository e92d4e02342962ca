"""How right verdicts are is told by one command, from a set that anyone can read."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def verdicts(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.verdicts", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_the_figures_of_the_rules_are_those_that_the_documentation_tells():
    said = verdicts()
    assert said.returncode == 0, said.stderr
    told = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    for line in said.stdout.splitlines():
        assert line in told, f"docs/benchmarks.md lacks: {line}"
    right, of = map(int, re.search(r"The set: (\d+) of (\d+) right", said.stdout).groups())
    assert of >= 150
    assert right > 0.9 * of


def test_claude_is_not_asked_before_it_is_said_how_often_and_agreed_to():
    said = verdicts("--claude")
    assert re.search(r"This makes \d+ calls to Claude on your login", said.stderr)
    assert "--yes" in said.stderr
    assert "right" not in said.stdout
