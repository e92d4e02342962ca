"""The rules of `docs/links.md` and the tests that hold them agree."""

import re
from pathlib import Path

RULES = Path(__file__).parents[2] / "docs" / "links.md"
_ROW = re.compile(r"^\| (\d+) \| .* \| [osl?, ]+ \| (.*) \|$", re.MULTILINE)
_TEST = re.compile(r'def (test_\w+)\([^)]*\)[^:]*:\n    """Rules? ([\d and,]+)')


def test_every_rule_names_its_tests_and_every_test_its_rules():
    named = {
        int(number): set(re.findall(r"`(test_\w+)`", tests))
        for number, tests in _ROW.findall(RULES.read_text(encoding="utf-8"))
    }
    cited: dict[int, set[str]] = {}
    for path in Path(__file__).parent.glob("test_*.py"):
        for test, numbers in _TEST.findall(path.read_text(encoding="utf-8")):
            for number in re.findall(r"\d+", numbers):
                cited.setdefault(int(number), set()).add(test)
    assert named == cited
    assert set(named) == {*range(1, 25), *range(30, 50), *range(60, 67)}
