"""Knows where everything in a JSON text stands: a strict parser that keeps positions.

RFC 8259 to the letter; of a name that stands there twice the last one counts, as in JavaScript; with ``comments`` also ``//``, ``/* */`` and trailing commas, as the
JSON-with-comments of editors has them. Errors name line and column, both from 1.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from muninn.errors import ConfigError

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_DEPTH = 200


@dataclass(slots=True)
class Child:
    """One member or item. ``start``: of the key, or of the value in an array. ``comma``: position of the comma after it."""

    start: int
    node: Node
    key: str | None = None
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """One value: ``text[start:end]``. ``children`` only for objects and arrays."""

    start: int
    end: int
    value: object
    children: list[Child] = field(default_factory=list)

    def child(self, step: str | int) -> Child | None:
        """The member of that name, or the item at that index."""
        if isinstance(self.value, dict):
            return next((child for child in reversed(self.children) if child.key == step), None)
        if isinstance(self.value, list) and isinstance(step, int):
            return self.children[step] if 0 <= step < len(self.children) else None
        return None


def parse(text: str, *, comments: bool = False) -> Node:
    """The document. Raises ConfigError that names line and column."""
    parser = _Parser(text, comments=comments)
    at = parser.space(1 if text.startswith("\ufeff") else 0)
    node = parser.value(at, 0)
    if parser.space(node.end) != len(text):
        raise parser.error(parser.space(node.end), "something follows the end of the document")
    return node


class _Parser:
    def __init__(self, text: str, *, comments: bool) -> None:
        self.text = text
        self.comments = comments

    def error(self, at: int, what: str) -> ConfigError:
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return ConfigError(f"line {line}, column {column}: {what}")

    def space(self, at: int) -> int:
        """The position after blanks and comments."""
        while True:
            at = _match_end(_SPACE, self.text, at)
            if not self.text.startswith(("//", "/*"), at):
                return at
            if not self.comments:
                raise self.error(at, "a comment, which JSON does not have")
            closing, width = ("\n", 0) if self.text.startswith("//", at) else ("*/", 2)
            end = self.text.find(closing, at + 2)
            if end < 0 and width:
                raise self.error(at, "a comment that does not end")
            at = end + width if end >= 0 else len(self.text)

    def value(self, at: int, depth: int) -> Node:
        first = self.text[at : at + 1]
        if first in ("{", "[") and first:
            if depth >= _DEPTH:
                raise self.error(at, "nested too deeply")
            return self.container(at, depth, named=first == "{")
        if first == '"':
            return self.string(at)
        for word, value in _WORDS.items():
            if self.text.startswith(word, at):
                return Node(at, at + len(word), value)
        number = _NUMBER.match(self.text, at)
        if number:
            return Node(at, number.end(), json.loads(number.group()))
        raise self.error(at, f"expected a value, found {self.found(at)}")

    def string(self, at: int) -> Node:
        match = _STRING.match(self.text, at)
        try:
            if match:
                return Node(at, match.end(), json.loads(match.group()))
        except ValueError:
            pass
        raise self.error(at, "a string that does not end on its line or holds a wrong escape")

    def container(self, at: int, depth: int, *, named: bool) -> Node:
        node = Node(at, at, {} if named else [])
        closing = "}" if named else "]"
        at = self.space(at + 1)
        while not self.text.startswith(closing, at):
            if node.children and node.children[-1].comma is None:
                raise self.error(at, f"expected ',' or '{closing}', found {self.found(at)}")
            child = self.member(at, depth) if named else Child(at, self.value(at, depth + 1))
            node.children.append(child)
            at = self.space(child.node.end)
            if self.text.startswith(",", at):
                child.comma = at
                at = self.space(at + 1)
        if node.children and (comma := node.children[-1].comma) is not None and not self.comments:
            raise self.error(comma, f"a comma before '{closing}'")
        node.end = at + 1
        values = [child.node.value for child in node.children]
        node.value = dict(zip((child.key for child in node.children), values, strict=True)) if named else values
        return node

    def member(self, at: int, depth: int) -> Child:
        if not self.text.startswith('"', at):
            raise self.error(at, f"expected a name in double quotes, found {self.found(at)}")
        name = self.string(at)
        colon = self.space(name.end)
        if not self.text.startswith(":", colon):
            raise self.error(colon, f"expected ':', found {self.found(colon)}")
        return Child(at, self.value(self.space(colon + 1), depth + 1), key=str(name.value))

    def found(self, at: int) -> str:
        return repr(self.text[at]) if at < len(self.text) else "the end of the file"


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
