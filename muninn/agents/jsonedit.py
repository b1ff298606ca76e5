"""Knows how to put one value into a JSON text, and take it out again, without touching any other byte.

``remove`` after ``insert`` gives the text back as it was, also when somebody changed other places in between. Indentation,
line ends and one-line style follow what is there; comments stay where they stand. ``comments`` admits JSON with comments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from muninn.agents.jsonsyntax import Child, Node, parse
from muninn.errors import ConfigError

Path = Sequence[str | int]

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


def read(text: str, path: Path = (), *, comments: bool = False) -> object:
    """The value at ``path``; None when there is none. Raises ConfigError with line and column when it is not JSON."""
    node, rest = _descend(parse(text, comments=comments), path)
    return None if rest else node.value


def missing(text: str, path: Path, *, comments: bool = False) -> int:
    """How many steps at the end of ``path`` do not exist yet: what ``insert`` would make and ``prune`` may take away."""
    return len(_descend(parse(text, comments=comments), path)[1])


def insert(text: str, path: Path, value: object, *, comments: bool = False) -> str:
    """``text`` with ``value`` at ``path``: replaced in place, or added as the last member (item: index = length).

    Objects on the way are made. Raises ConfigError when the text is not JSON, or something on the way is no container.
    """
    node, rest = _descend(parse(text, comments=comments), path)
    if not rest:
        if node.value == value and json.dumps(node.value) == json.dumps(value):
            return text
        return text[: node.start] + _render(text, value, _indent_at(text, node.start)) + text[node.end :]
    step, *deeper = rest
    for name in reversed(deeper):
        value = {name: value}
    if isinstance(node.value, dict) and isinstance(step, str):
        return _append(text, node, json.dumps(step, ensure_ascii=False) + ": ", value, comments=comments)
    if isinstance(node.value, list) and step == len(node.value):
        return _append(text, node, "", value, comments=comments)
    at = " → ".join(map(str, path[: len(path) - len(rest)])) or "the document"
    raise ConfigError(f"{at} holds {_kind(node.value)} where {step!r} should go")


def remove(text: str, path: Path, *, prune: int = 0, comments: bool = False) -> str:
    """``text`` without what is at ``path``, and without up to ``prune`` containers around it that this leaves empty.

    Unchanged when there is nothing at ``path``.
    """
    document = parse(text, comments=comments)
    if _descend(document, path)[1] or not path:
        return text
    steps = list(path)
    while prune > 0 and len(steps) > 1:
        parent, _ = _descend(document, steps[:-1])
        if len(parent.children) > 1:
            break
        steps.pop()
        prune -= 1
    parent, _ = _descend(document, steps[:-1])
    child = parent.child(steps[-1])
    return _cut(text, parent, child) if child else text


def _descend(node: Node, path: Path) -> tuple[Node, list[str | int]]:
    """The deepest node that exists on ``path``, and the steps that are left."""
    for depth, step in enumerate(path):
        child = node.child(step)
        if child is None:
            return node, list(path[depth:])
        node = child.node
    return node, []


def _append(text: str, parent: Node, name: str, value: object, *, comments: bool) -> str:
    closing = parent.end - 1
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_at(text, parent.start)
    if not parent.children:
        inner = outer + _unit(text)
        gap = text[parent.start + 1 : closing]
        member = f"{newline}{inner}{name}{_render(text, value, inner)}{newline}{outer}"
        return text[: parent.start + 1] + gap + member + text[closing:]
    last = parent.children[-1]
    many_lines = "\n" in text[parent.start : last.start]
    inner = _indent_at(text, parent.children[0].start) if many_lines else ""
    lead = f"{newline}{inner}" if many_lines else " "
    member = name + (_render(text, value, inner) if many_lines else json.dumps(value, ensure_ascii=False))
    place = _content_end(text, last, closing, comments=comments)
    if last.comma is not None:
        return text[:place] + lead + member + "," + text[place:]
    return text[: last.node.end] + "," + text[last.node.end : place] + lead + member + text[place:]


def _content_end(text: str, last: Child, closing: int, *, comments: bool) -> int:
    """After the last member, its comma, and the comments behind it."""
    place = last.node.end if last.comma is None else last.comma + 1
    return max(place, _solid_end(text, place, closing)) if comments else place


def _solid_end(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip(" \t\r\n"))


def _cut(text: str, parent: Node, child: Child) -> str:
    index = parent.children.index(child)
    if len(parent.children) == 1:
        return _cut_only(text, parent, child)
    comma = parent.children[index - 1].comma if index else None
    start = _solid_end(text, parent.start + 1 if comma is None else comma + 1, child.start)
    if child.comma is not None or comma is None:
        return text[:start] + text[(child.node.end if child.comma is None else child.comma + 1) :]
    return text[:comma] + text[comma + 1 : start] + text[child.node.end :]


def _cut_only(text: str, parent: Node, child: Child) -> str:
    """Take the only member away with the line break in front of and behind it, no more: what was there before stays."""
    closing = parent.end - 1
    end = child.node.end if child.comma is None else child.comma + 1
    head = re.sub(r"(?:\r?\n)?[ \t]*\Z", "", text[parent.start + 1 : child.start])
    tail = re.sub(r"\A[ \t]*(?:\r?\n)?[ \t]*", "", text[end:closing])
    return text[: parent.start + 1] + head + tail + text[closing:]


def _render(text: str, value: object, indent: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline + indent).join(lines)


def _unit(text: str) -> str:
    """One step of indentation as this text has it; two spaces where it has none."""
    match = _INDENT.search(text)
    return match.group(1) if match else "  "


def _indent_at(text: str, position: int) -> str:
    """The blanks at the start of the line that holds ``position``."""
    start = text.rfind("\n", 0, position) + 1
    line = text[start:position].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _kind(value: object) -> str:
    return {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )
