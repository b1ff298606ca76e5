"""hashed: words and their character trigrams, hashed with a sign into 384 dimensions. No model, no file, no language.

It knows spelling, not meaning. For tests, and for machines where no model loads.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from muninn.domain.memory import Matrix
from muninn.embed.local import Encode, LocalModel
from muninn.ports import Calibration

_DIMENSIONS = 384
_WINDOW = 8000  # characters
_WORD = re.compile(r"\w+")
_GRAM_WEIGHT = 0.35


def _features(text: str) -> Iterator[tuple[str, float]]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    for word in words or text.split():
        yield word, 1.0
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], _GRAM_WEIGHT


def _encode(texts: Sequence[str], query: bool) -> Matrix:  # noqa: ARG001
    rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for feature, weight in _features(text):
            code = zlib.crc32(feature.encode("utf-8"))
            row[code % _DIMENSIONS] += weight if code & 0x8000_0000 else -weight
        if not row.any():
            row[0] = 1.0
    return rows


def _load() -> Encode:
    return _encode


MODEL = LocalModel(
    id="hashed/1",
    dimensions=_DIMENSIONS,
    calibration=Calibration(a=0.93, b=0.06),
    window=_WINDOW,
    load=_load,
    remedy="none is needed: it has no parts",
)
