"""Knows how to put one table at the end of a TOML text, between marks, and take it out again.

TOML is only appended to, never rewritten. The opening mark says how the block was joined to what stood before it, so that
removal gives the text back as it was.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence

from muninn.errors import ConfigError

_OPEN = "# >>> muninn"
_OPEN_JOINED = "# >>> muninn (the line before had no end)"
_CLOSE = "# <<< muninn"
_BLOCK = re.compile(
    rf"(?P<joint>(?:\r?\n)?)^(?P<open>{re.escape(_OPEN_JOINED)}|{re.escape(_OPEN)})\r?\n.*?^{re.escape(_CLOSE)}(?:\r?\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read(text: str, path: Sequence[str]) -> object:
    """The value at ``path``; None when there is none. Raises ConfigError with its place when it is not TOML."""
    try:
        value: object = tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(error)) from None
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def insert(text: str, path: Sequence[str], table: Mapping[str, object]) -> str:
    """``text`` with the table in our block at its end. Raises ConfigError when it is not TOML or has no room for it."""
    if read(text, path) == dict(table):
        return text
    text = remove(text)
    if read(text, path) is not None:
        raise ConfigError(f"{'.'.join(path)} is there already, written by somebody else")
    newline = "\r\n" if "\r\n" in text else "\n"
    joined = bool(text) and not text.endswith("\n")
    body = [_OPEN_JOINED if joined else _OPEN, *_lines(path, table), _CLOSE]
    joint = newline if text else ""
    added = text + (newline if joined else "") + joint + newline.join(body) + newline
    if read(added, path) != dict(table):
        raise ConfigError(f"{path[0]} is written in a form that nothing can be added to")
    return added


def remove(text: str) -> str:
    """``text`` without our block. Unchanged when there is none."""
    match = _BLOCK.search(text)
    if match is None:
        return text
    before = text[: match.start()]
    if match["open"] == _OPEN_JOINED and match.end() == len(text):
        before = before.removesuffix("\n").removesuffix("\r")
    return before + text[match.end() :]


def render(path: Sequence[str], table: Mapping[str, object]) -> str:
    """The table as TOML, for somebody to paste."""
    return "\n".join(_lines(path, table))


def _lines(path: Sequence[str], table: Mapping[str, object]) -> list[str]:
    plain = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    inner = {name: value for name, value in table.items() if isinstance(value, Mapping)}
    lines = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(name)} = {_value(value)}" for name, value in plain.items())]
    for name, value in inner.items():
        lines += _lines([*path, name], value)
    return lines


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    """Strings, numbers, booleans and lists are written in TOML as in JSON, but for the escape of DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
