"""JSON for the fast path: the interpreter's own C scanner and quoting, without the ``json`` and ``re`` packages.

Loading those costs as much as everything else that ``muninn status`` does. Where an interpreter lacks these parts, or the
data is damaged, the ``json`` package does the work and raises its usual ValueError.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Rules:
    """What the scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner expects an attribute


def parse(data: bytes) -> Any:
    """The value of a JSON text. Raises ValueError, RecursionError."""
    text = data.decode("utf-8").strip(" \t\r\n")
    try:
        from _json import make_scanner

        value, end = make_scanner(_Rules)(text, 0)  # type: ignore[arg-type]  # it reads attributes, whatever has them
    except (ImportError, AttributeError, TypeError, StopIteration):
        import json

        return json.loads(text)
    if end != len(text):
        raise ValueError(f"more than one JSON value (character {end})")
    return value


def compose(value: Any) -> str:
    """``value`` as ASCII JSON on one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{compose(str(key))}: {compose(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(compose, value)) + "]"
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        import json

        return json.dumps(str(value))
    return encode_basestring_ascii(str(value))
