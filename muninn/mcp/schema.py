"""Knows whether arguments fit a tool's input schema, and says in words what does not, so that a model can correct itself.

The subset of JSON Schema that our own schemas use; nothing else is understood.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from muninn.errors import UsageError

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def check(value: object, schema: Schema, where: str = "arguments") -> None:
    """Raises UsageError naming the first place where ``value`` does not fit."""
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        raise UsageError(f"{where} must be {' or '.join(kinds)}, not {_shown(value)}")
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{where} is {_shown(value)}", hint=f"one of: {', '.join(map(str, schema['enum']))}")
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        raise UsageError(f"{where} is empty")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            raise UsageError(f"{where} is {value}", hint=f"{low} to {high}")
    if isinstance(value, dict) and "properties" in schema:
        _members(value, schema, where)
    if isinstance(value, list):
        _items(value, schema, where)


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[kind])


def _members(value: Mapping[str, object], schema: Schema, where: str) -> None:
    known: Mapping[str, Schema] = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            raise UsageError(f"{where} lacks {name}", hint=f"known: {', '.join(known)}")
    for name, inner in value.items():
        if name not in known:
            raise UsageError(f"{where} has no {name[:40]!r}", hint=f"known: {', '.join(known) or 'none'}")
        check(inner, known[name], name if where == "arguments" else f"{where}.{name}")


def _items(value: Sequence[object], schema: Schema, where: str) -> None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise UsageError(
            f"{where} has {len(value)} items", hint=f"{schema.get('minItems', 0)} to {schema.get('maxItems', 'any')}"
        )
    items: Schema = schema.get("items", {})
    if items.get("type") == "object":  # the tool looks into each, so that a bad one does not stop the rest
        items = {"type": "object"}
    for number, inner in enumerate(value):
        check(inner, items, f"{where}[{number}]")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else text[:39] + "…"
