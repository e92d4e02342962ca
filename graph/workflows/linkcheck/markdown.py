"""Foreign text in Markdown that nothing runs: code spans and front matter.

Obsidian does more with a note than show it: it follows links and embeds, Dataview runs code spans that begin
with `=` or `$`, Templater runs `<% … %>` anywhere in a new file, templates fill `{{…}}`, Meta Bind builds inputs
from `INPUT[…]`. So whatever is not ours is one line in a code span, and what such a plugin would take for its own
gets a backslash, which shows.

Source: <https://spec.commonmark.org/0.31.2/#code-spans>,
<https://blacksmithgu.github.io/obsidian-dataview/queries/dql-js-inline/>,
<https://silentvoid13.github.io/Templater/settings.html>.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import yaml

_UNSEEN = {"Cc", "Cf", "Zl", "Zp"}
_RUN_BY_PREFIX = re.compile(r"[=$]|(?:INPUT|VIEW|BUTTON)\[")
_FENCE = re.compile("`+")


def plain(text: str) -> str:
    """Return the text on one line: line ends, control, bidirectional and zero-width characters become blanks."""
    if text.isprintable():
        return text.strip()
    line = "".join(" " if unicodedata.category(c) in _UNSEEN else c for c in text)
    return line.encode(errors="replace").decode().strip()


def harmless(text: str) -> str:
    """Return the text on one line, with a backslash in what Templater or a template would run."""
    return re.sub(r"\{(?=\{)", r"{\\", re.sub(r"<(?=%)", r"<\\", plain(text)))


def code(text: str, *, path: bool = False) -> str:
    """Return the text as one code span; a dash when there is nothing to show.

    Args:
        text: anything.
        path: a path that Dataview would take for a query gets `./` in front, other text a backslash.
    """
    line = harmless(text)
    if not line:
        return "–"
    if _RUN_BY_PREFIX.match(line):
        line = ("./" if path else "\\") + line
    fence = "`" * (1 + max((len(run) for run in _FENCE.findall(line)), default=0))
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def lines(text: str) -> list[str]:
    """Return each line of a longer text as a code span, without the empty ones."""
    return [code(line) for line in text.splitlines() if plain(line)]


class Foreign(str):
    """A string that is not ours: always quoted, so that no reader takes it for a number, a date or a list."""

    __slots__ = ()

    @classmethod
    def of(cls, text: str) -> Foreign:
        """Make text harmless: a property that is one wikilink would be a link."""
        return cls(re.sub(r"\[(?=\[)", "[ ", harmless(text)))


class _Dumper(yaml.SafeDumper):
    """YAML as Obsidian's properties want it: flat, one line a key, lists in brackets."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


_Dumper.add_representer(
    Foreign, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
)
_Dumper.add_representer(
    datetime,
    lambda dumper, at: dumper.represent_scalar(
        "tag:yaml.org,2002:timestamp", at.isoformat(timespec="seconds")
    ),
)
_Dumper.add_representer(
    list, lambda dumper, items: dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=True)
)


def front_matter(values: Mapping[str, Any]) -> str:
    """Return the front matter block, keys in this order."""
    body = yaml.dump(
        dict(values),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=sys.maxsize,
    )
    return f"---\n{body}---\n"


def read_front_matter(text: str) -> dict[str, Any]:
    """Return the front matter of a note; empty when it has none that can be read."""
    if not text.startswith("---\n"):
        return {}
    block, end, _ = text[4:].partition("\n---\n")
    if not end:
        return {}
    try:
        values = yaml.safe_load(block)
    except yaml.YAMLError:
        return {}
    return values if isinstance(values, dict) else {}
