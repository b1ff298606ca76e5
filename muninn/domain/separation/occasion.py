"""Knows the values that only say on which occasion: which line of a log, which step of a sequence.

That is a timestamp that opens a text, or the number of a step, part or attempt. "The contract ends on 30 June"
has none: a date inside a statement is what it states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from muninn.domain.separation.slots import Part, parts
from muninn.domain.separation.text import Sentence

_COUNTED = frozenset(
    "step phase stage part chapter session round attempt iteration episode lesson lap batch turn sprint "
    "paso fase etapa parte capítulo sesión ronda intento iteración episodio lección vuelta lote turno".split()
)
WHEN = frozenset(("date", "time", "weekday"))
_STAMP = re.compile(r"\d{4}-\d\d?-\d\d?(?:T.*)?|\d\d?:\d\d(?::\d\d.*)?|\d\d?/\d\d?/\d{2,4}")


def marks(title: Sequence[Sentence], body: Sequence[Sentence], tongue: str) -> Iterator[tuple[str, str]]:
    """Slot and value of each timestamp and counter of a text."""
    for number, sentence in enumerate((*title, *body)):
        found = parts(sentence.tokens, tongue)
        if number in (0, len(title)):
            yield from _stamp(found)
        yield from _counters(found)


def _stamp(found: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """The dates and times before the first word, if one of them is written as machines do."""
    opening: list[Part] = []
    for part in found:
        if part.slot not in WHEN and not _STAMP.fullmatch(part.shown):
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
        ordinal = part.value.endswith("th")  # in every language, as ``slots`` writes them
        if counted or (at == 0 and ordinal and after[:1] and after[0] in _COUNTED):
            yield part.slot, part.value
