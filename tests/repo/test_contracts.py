"""What the repository promises about itself."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def tracked(*patterns: str) -> list[Path]:
    out = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [ROOT / name for name in out.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_imports_go_from_bot_to_graph_and_never_back():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_lock_pins_by_hash_and_names_no_address():
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    pins = re.findall(r"^[a-z0-9][\w.-]*(?:\[[\w,-]+\])?==", lock, re.MULTILINE)
    blocks = re.split(r"\n(?=[a-z0-9])", lock.strip())
    assert len(pins) == len(blocks)
    assert all("--hash=sha256:" in block for block in blocks)


def test_every_core_dependency_is_in_the_lock():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lock = (ROOT / "requirements.lock").read_text().lower()
    for dependency in project["dependencies"]:
        name = re.match(r"[\w-]+", dependency)[0].lower()
        assert re.search(rf"^{name}==", lock, re.MULTILINE), f"{name} is missing: make lock"


def test_no_file_is_longer_than_one_sitting():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked("bot/*.py", "graph/*.py")
        if (lines := len(path.read_text().splitlines())) > 400
    }
    assert not long


def test_every_exception_from_a_rule_says_why():
    marks = re.compile(r"# (?:noqa|type: ignore|pragma: no cover)(?P<rest>.*)")
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked("*.py")
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (mark := marks.search(line)) and not re.search(r"(?:^|[\w\])]) *(?:-|#|–) +\w", mark["rest"])
    ]
    assert not bare


def test_the_tests_can_be_collected_without_xdist_as_a_second_try_does():
    """`.ci/run` tries what failed once more, alone; a mark that only xdist knows would end it before that."""
    assert "-p no:xdist" in (ROOT / ".ci/run").read_text()
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    known = {mark.partition(":")[0] for mark in known.get("ini_options", known)["markers"]}
    theirs = {"asyncio", "filterwarnings", "parametrize", "skipif", "timeout", "usefixtures", "xfail"}
    used = {
        mark
        for path in tracked("tests/**/*.py", "tests/*.py")
        for mark in re.findall(r"pytest\.mark\.(\w+)", path.read_text())
    }
    assert used <= known | theirs
