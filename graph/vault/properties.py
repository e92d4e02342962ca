"""Links in a note's properties: quoted values that are one wikilink, alone or in lists.

Anything else is none: `key: [[x]]` without quotes is a list in a list for YAML, and text around a link hides it.

Source: <https://help.obsidian.md/properties>, `frontmatterLinks` of <https://docs.obsidian.md/Reference/TypeScript+API/CachedMetadata>.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from graph.vault.link import Link, split, tags

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without its C part
    from yaml import SafeLoader as _Loader  # type: ignore[assignment] # the same interface, slower

_ONE_LINK = re.compile(r"\[\[(?!\[)((?:(?!\[\[|\]\])[^\n\r])+)\]\]")
_MOST_BYTES = 1 << 20


def read_properties(block: bytes, offset: int = 0) -> list[Link]:
    """Return the links of a property block, `---` lines included; none if it is no valid YAML.

    Args:
        block: UTF-8; broken bytes count as U+FFFD.
        offset: of the block in its file.
    """
    root = compose(block)
    if root is None:
        return []
    text, head = _inner(block)
    inner = text[head:]
    starts = _line_starts(inner)
    links = []
    for node in _quoted(root):
        written = inner[_at(starts, node.start_mark) : _at(starts, node.end_mark)]
        if "[[" in written and (found := _ONE_LINK.fullmatch(node.value.strip())):
            target, subpath = split(found[1].partition("|")[0].removesuffix("\\"))
            byte = offset + len(text[: head + _at(starts, node.start_mark)].encode())
            links.append(
                Link(target, subpath, found[0], byte, "property", embed=False, tags=tags(target, wiki=True))
            )
    return sorted(links, key=lambda link: link.offset)


def compose(block: bytes) -> yaml.Node | None:
    """Read a property block, `---` lines included; None if it is no valid YAML, or beyond all measure."""
    text, head = _inner(block)
    if len(block) > _MOST_BYTES:
        return None
    try:
        root: yaml.Node | None = yaml.compose(text[head:], Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return root


def _inner(block: bytes) -> tuple[str, int]:
    """Return the block's text up to its last line, and where the YAML in it begins."""
    text = block.decode(errors="replace")
    return text[: text.rstrip().rindex("---")], text.index("\n") + 1


def _line_starts(text: str) -> list[int]:
    """Return where each line begins, as YAML counts lines."""
    return [0, *(m.end() for m in re.finditer(r"\r\n|[\n\r\x85\u2028\u2029]", text))]


def _at(starts: list[int], mark: yaml.Mark) -> int:
    return starts[mark.line] + mark.column


def _quoted(root: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    """Yield quoted scalars that are values; keys are none, and a node met again through an anchor is old."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            todo.extend(value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            todo.extend(node.value)
        elif isinstance(node, yaml.ScalarNode) and node.style in {'"', "'"}:
            yield node
