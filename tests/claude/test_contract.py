"""The contract as a program: what it prints for the version that is installed, and for one that behaves otherwise."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from graph.claude.contract import check_contract
from graph.claude.contract.rows import ROWS
from graph.settings import Settings, read

real = pytest.mark.claude
pytestmark = [pytest.mark.xdist_group("claude")]
RINGI = Path(sys.executable).with_name("ringi")
HERE = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}

# A version that takes every call, finds no fault with anything, and says nothing.
MUTE = "#!/bin/sh\ncat >/dev/null\n"


def some(*names):
    rows = [row for row in ROWS if row.name in names]
    assert len(rows) == len(names)
    return rows


def doctor(tmp_path, claude, *options):
    variables = {**HERE, "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    return subprocess.run(
        [RINGI, "doctor", *options],
        cwd=tmp_path,
        env=variables | {"RINGI_CLAUDE": str(claude)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@real
async def test_rows_hold_for_the_pinned_version(binary):
    names = ("answer in shape", "HTTP 401", "no login", "option that does not exist")
    rows = await check_contract(
        read(Settings, {"RINGI_CLAUDE": binary}), environment=os.environ, rows=some(*names)
    )
    assert [(row.name, row.found) for row in rows if not row.ok] == []


async def test_a_version_that_behaves_otherwise_is_told_row_by_row(tmp_path):
    mute = tmp_path / "mute"
    mute.write_text(MUTE)
    mute.chmod(0o755)
    told = []
    rows = await check_contract(
        read(Settings, {"RINGI_CLAUDE": str(mute)}),
        environment=os.environ,
        told=told.append,
        rows=some("answer in shape", "transcript", "executable missing"),
    )
    assert [(row.name, row.ok) for row in rows] == [
        ("answer in shape", False),
        ("transcript", False),
        ("executable missing", True),
    ]
    assert sorted(told) == sorted(rows)


def test_the_doctor_names_an_executable_that_is_missing_and_tries_nothing(tmp_path):
    done = doctor(tmp_path, tmp_path / "no-claude", "--contract")
    assert done.returncode == 1
    assert "is not installed as" in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("options", "sums_up"),
    [
        ((), r"(?:4|5)\d of 52 differ\. Use a version"),
        (("--lang", "ja"), r"52項目中 (?:4|5)\d項目が違います"),
    ],
)
def test_the_doctor_prints_what_differs(tmp_path, options, sums_up):
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho unlike >&2\nexit 3\n")
    other.chmod(0o755)
    done = doctor(tmp_path, other, "--contract", *options)
    assert done.returncode == 1
    assert re.search(sums_up, done.stdout)
    assert "HTTP 401: " in done.stdout
    assert "unlike" in done.stdout
    assert done.stderr.count("\n") == 1, "one line before it begins, no log"


def test_rows_have_names_of_their_own():
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names)) >= 45


@real
@pytest.mark.parametrize(
    ("scenario", "ends"), [("ok", (0, "answered in")), ("usage-limit", (1, "usage_limit"))]
)
def test_the_doctor_makes_one_real_call_after_saying_so(tmp_path, wrap, home, scenario, ends):
    wrapper, (code, said) = wrap(scenario), ends
    variables = {**HERE, "HOME": str(home.path), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [RINGI, "doctor", "--live"],
        cwd=tmp_path,
        env=variables | {"RINGI_CLAUDE": str(wrapper.path)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (done.returncode, said in done.stdout) == (code, True)
    assert done.stderr.startswith("Making one small real call")
    assert len(wrapper.calls()) == 1


@real
def test_a_real_call_is_told_to_scripts_too(tmp_path, wrap, home):
    variables = {**HERE, "HOME": str(home.path), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [RINGI, "doctor", "--live", "--format", "json"],
        cwd=tmp_path,
        env=variables | {"RINGI_CLAUDE": str(wrap("ok").path)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert json.loads(done.stdout)["ok"] is True
