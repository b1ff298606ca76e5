"""The block between two ``---`` lines on top of a note: the part of YAML that people write there, read without trust.

Understood: scalars, quotes, comments, lists (``[a, b]`` and ``- a``), nested maps, ``|`` and ``>`` blocks. No anchors, no
tags, no types beyond true/false/null and numbers; dates stay text. What is not understood is kept as text.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_KEY = re.compile(
    r"""(?P<indent> *)(?P<quote>["']?)(?P<key>[^\s"'#:\[\]{}-][^"':\n]*?|[^"'\n]*?)(?P=quote)\s*:(?:\s+(?P<value>.*))?$"""
)
_ITEM = re.compile(r"(?P<indent> *)-(?:\s+(?P<value>.*))?$")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$")
_FLOW_PART = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]*?)\s*(?:,|$)""")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CONSTANTS: dict[str, object] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "false": False,
    "yes": True,
    "no": False,
}
_DEPTH = 6
_LINES = 2000


class FrontMatter(NamedTuple):
    """``values`` by key in lower case; ``body``: the text below; ``line``: where the body starts, from 1."""

    values: dict[str, Any]
    body: str
    line: int


def split(text: str) -> FrontMatter:
    """The front matter of a note and the rest. A block that is never closed is ordinary text."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return FrontMatter({}, text, 1)
    for end, line in enumerate(lines[1 : _LINES + 1], start=1):
        if line.rstrip() in ("---", "..."):
            values = parse([one.rstrip("\r").expandtabs(2) for one in lines[1:end]])
            return FrontMatter(values, "\n".join(lines[end + 1 :]), end + 2)
    return FrontMatter({}, text, 1)


def parse(lines: list[str]) -> dict[str, Any]:
    """A map from lines of YAML; lines that are no ``key: value`` are passed over."""
    values = _map([line for line in lines if line.strip() and not line.lstrip().startswith("#")], _DEPTH)
    return {key.casefold(): value for key, value in values.items()}


def _map(lines: list[str], depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    at = 0
    while at < len(lines):
        match = _KEY.match(lines[at])
        at += 1
        if match is None:
            continue
        inner = _inner(lines, at, len(match["indent"]))
        at += len(inner)
        values[match["key"].strip()] = _value(match["value"] or "", inner, depth)
    return values


def _inner(lines: list[str], at: int, indent: int) -> list[str]:
    """The lines that belong to a key: deeper ones, and list items at its own depth."""
    end = at
    while end < len(lines):
        depth = len(lines[end]) - len(lines[end].lstrip(" "))
        if depth < indent or (depth == indent and not _ITEM.match(lines[end])):
            break
        end += 1
    return lines[at:end]


def _value(text: str, inner: list[str], depth: int) -> Any:
    text = text.strip()
    if text[:1] in ("|", ">") and len(text) <= 3:
        parts = [line.strip() for line in inner]
        return ("\n" if text[0] == "|" else " ").join(parts)
    if not inner:
        return scalar(text)
    if text and not text.startswith("#"):
        return scalar(" ".join([text, *(line.strip() for line in inner)]))
    if depth == 0:
        return "\n".join(inner)
    if _ITEM.match(inner[0]):
        return [scalar(item["value"] or "") for line in inner if (item := _ITEM.match(line))]
    return _map(inner, depth - 1) or scalar(" ".join(line.strip() for line in inner))


def scalar(text: str) -> Any:
    """One value: quoted text, a flow list, a constant, a number, or plain text without its comment."""
    text = text.strip()
    if text[:1] == '"' and (end := re.match(r'"((?:[^"\\]|\\.)*)"', text)):
        return _ESCAPE.sub(_unescaped, end[1])
    if text[:1] == "'" and (end := re.match(r"'((?:[^']|'')*)'", text)):
        return end[1].replace("''", "'")
    text = re.split(r"(?:^|\s)#(?=\s|$)", text, maxsplit=1)[0].strip()
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [scalar(part) for part in _FLOW_PART.findall(text[1:-1]) if part]
    if text.casefold() in _CONSTANTS:
        return _CONSTANTS[text.casefold()]
    if _NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPES.get(match[3], match[3])
