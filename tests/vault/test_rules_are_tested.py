"""The rules of `docs/links.md` and the tests that hold them agree."""

import re
from pathlib import Path

RULES = Path(__file__).parents[2] / "docs" / "links.md"


def test_every_rule_names_its_test_and_every_test_a_rule():
    rules = {int(n) for n in re.findall(r"^\| (\d+) \|", RULES.read_text(encoding="utf-8"), re.MULTILINE)}
    cited = {
        int(number)
        for path in Path(__file__).parent.glob("test_*.py")
        for line in re.findall(r'"""Rules? ([\d and,]+)', path.read_text(encoding="utf-8"))
        for number in re.findall(r"\d+", line)
    }
    assert cited == rules == {*range(1, 25), *range(30, 50), *range(60, 67)}
