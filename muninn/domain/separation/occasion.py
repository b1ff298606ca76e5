"""Knows when two texts speak of two occasions: lines of a log, steps of one sequence. Both may be true.

An occasion is a timestamp that opens a text, or the number of a step, part or attempt. "The contract ends on 30 June" has
none: a date inside a statement is what it states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from muninn.domain.separation.features import Features
from muninn.domain.separation.refusal import value_differences
from muninn.domain.separation.slots import Part, parts

_COUNTED = frozenset(
    "step phase stage part chapter session round attempt iteration episode lesson lap batch turn sprint "
    "paso fase etapa parte capítulo sesión ronda intento iteración episodio lección vuelta lote turno".split()
)
_WHEN = frozenset(("date", "time", "weekday"))
_OCCASIONAL = _WHEN | {"number"}
_STAMP = re.compile(r"\d{4}-\d\d?-\d\d?(?:T.*)?|\d\d?:\d\d(?::\d\d.*)?|\d\d?/\d\d?/\d{2,4}")


def occasions(left: Features, right: Features, *, events: bool = False) -> bool:
    """Whether the texts state different values, and all of these only say on which occasion. ``events``: both tell what
    happened, so that any date or time does."""
    differs = False
    for one, other in ((left, right), (right, left)):
        stated = {(slot, value) for slot, values in one.values.items() for value in values.keys() - other.stated}
        differs = differs or bool(stated)
        if not _OCCASIONAL.issuperset(slot for slot, _ in stated):
            return False
        open_to_doubt = {(slot, value) for slot, value in stated if not (events and slot in _WHEN)}
        if open_to_doubt and not open_to_doubt.issubset(_marks(one)):
            return False
    return differs and not any(one.slot in ("name", "quoted") for one in value_differences(left, right))


def _marks(text: Features) -> Iterator[tuple[str, str]]:
    """Slot and value of each timestamp and counter."""
    for number, sentence in enumerate((*text.title, *text.body)):
        found = parts(sentence.tokens, text.language)
        if number in (0, len(text.title)):
            yield from _stamp(found)
        yield from _counters(found)


def _stamp(found: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """The dates and times before the first word, if one of them is written as machines do."""
    opening: list[Part] = []
    for part in found:
        if part.slot not in _WHEN and not _STAMP.fullmatch(part.shown):
            break
        opening.append(part)
    if len(opening) < len(found) and any(_STAMP.fullmatch(part.shown) for part in opening):
        yield from ((part.slot, part.value) for part in opening if part.slot)


def _counters(found: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Numbers of a sequence: "Step 3: …", "the attempt 2 of 5", "paso 3/4", "Third attempt …"."""
    for at, part in enumerate(found):
        if part.slot != "number":
            continue
        before = found[at - 1].value.lower() if at else ""
        after = [one.value.lower() for one in found[at + 1 : at + 3]]
        counted = before in _COUNTED and (at == 1 or "/" in part.value or (len(after) > 1 and after[0] in ("of", "de")))
        if counted or (at == 0 and part.value.endswith("th") and after[:1] and after[0] in _COUNTED):
            yield part.slot, part.value
