"""How values look on a terminal. Pure: text in, text out.

Rules: memory text never moves the cursor, changes a colour, rings or reorders what surrounds it; a time is shown in UTC
to the minute; ids are never shortened, because they are there to be copied.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_NEUTRAL: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **dict.fromkeys(_BIDI, "\ufffd"),
    0x2028: "\n",
    0x2029: "\n",
}
_ONE_LINE = {**_NEUTRAL, 0x09: " ", 0x0A: " ", 0x0D: " ", 0x2028: " ", 0x2029: " "}


def plain(value: object) -> str:
    """Text that cannot steer a terminal: control, direction and surrogate characters become visible ones."""
    return str(value).replace("\r\n", "\n").translate(_NEUTRAL)


def one_line(value: object, width: int = 0) -> str:
    """``plain`` on one line, cut to ``width`` characters (0: not cut)."""
    text = " ".join(str(value).translate(_ONE_LINE).split())
    return text if not width or len(text) <= width else text[: width - 1].rstrip() + "…"


def beginning(text: str, *, characters: int, lines: int) -> str:
    """``text``, or as much of its beginning as ``characters`` and ``lines`` allow."""
    cut = "\n".join(text[:characters].split("\n")[:lines])
    return text if len(cut) == len(text) else cut.rstrip() + "…"


def encode(document: object) -> str:
    """Readable JSON in which no character can steer a terminal or break an encoder."""
    import json
    import re

    text = json.dumps(document, ensure_ascii=False, indent=2, default=str)
    unsafe = "[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    return re.sub(unsafe, lambda found: f"\\u{ord(found[0]):04x}", text)


def moment(stamp: object) -> str:
    """``2026-03-28T06:00:12.5+00:00`` → ``2026-03-28 06:00``; anything else as it is."""
    text = one_line(stamp or "")
    return f"{text[:10]} {text[11:16]}" if len(text) >= 16 and text[4:5] == "-" and text[10] in "T " else text


def kin(memory_id: object, document: Mapping[str, Any]) -> str:
    """A memory of another's lineage, by which a person can look it up only where ``gone`` does not list it."""
    name = one_line(memory_id)
    return f"{name}, which was erased or never imported" if memory_id in (document.get("gone") or ()) else name


def number(value: object) -> str:
    """Whole numbers with their thousands set apart by thin spaces, as in ``12 345``."""
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else one_line(value)


def seconds(value: object) -> str:
    return f"{value:.1f} s" if isinstance(value, (int, float)) else ""


def columns(rows: Sequence[tuple[str, ...]], gap: int = 2) -> str:
    """Rows aligned by column; the last column is left ragged."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    space = " " * gap
    return "\n".join(
        space.join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    )


def count(amount: int, singular: str, plural: str = "") -> str:
    return f"{number(amount)} {singular if amount == 1 else plural or _plural(singular)}"


def _plural(word: str) -> str:
    return word[:-1] + "ies" if word.endswith("y") else word + "s"
