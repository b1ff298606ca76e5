"""Where "unrelated" lies for one query: the mean cosine between it and texts that have nothing to do with anything.

Embedders put some queries near everything and every query nearer to texts of its own language, so one constant floor
per model both hides cross-language matches and lets nonsense through. The floor is taken against fixed centres, the mean
vectors of the calibration sentences of each language, hence depends on the query and the model only.

``centres.txt``: model, language and the mean vector (little-endian float16, base 85), one a line.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from importlib import resources

import numpy as np

from muninn.ports import Calibration
from muninn.recall.textindex import Floats

UNRELATED = 0.10
"""Calibrated similarity of unrelated texts (ports.Calibration)."""

LANGUAGES = ("en", "es")
OTHER = len(LANGUAGES)
"""Index of the floor for texts in any other or no known language."""


@cache
def centres() -> Mapping[str, Mapping[str, Floats]]:
    """Per model and language, the mean vector of unrelated texts."""
    found: dict[str, dict[str, Floats]] = {}
    for line in resources.files("muninn.recall").joinpath("centres.txt").read_text("ascii").splitlines():
        model, language, encoded = line.split(" ")
        vector = np.frombuffer(base64.b85decode(encoded), "<f2").astype(np.float32)
        found.setdefault(model, {})[language] = vector
    return found


def floors(model: str, query: Floats, calibration: Calibration) -> Floats:
    """The cosine that means nothing, per language index; the calibration's own floor where a model has no centres."""
    known = centres().get(model, {})
    if not all(language in known and len(known[language]) == len(query) for language in LANGUAGES):
        return np.full(len(LANGUAGES) + 1, (UNRELATED - calibration.b) / calibration.a, np.float32)
    by_language = [float(known[language] @ query) for language in LANGUAGES]
    return np.array([*by_language, sum(by_language) / len(by_language)], np.float32)


def language_index(language: str | None) -> int:
    """Position of ``language`` in ``floors``."""
    return LANGUAGES.index(language) if language in LANGUAGES else OTHER
