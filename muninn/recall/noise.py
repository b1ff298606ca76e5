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
from muninn.recall.language import CODES
from muninn.recall.textindex import Floats

UNRELATED = 0.10
"""Calibrated similarity of unrelated texts (ports.Calibration)."""


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
    """The cosine that means nothing, per language code; the calibration's own floor where a model has no centres."""
    known = centres().get(model, {})
    if not known or any(len(centre) != len(query) for centre in known.values()):
        return np.full(len(CODES), (UNRELATED - calibration.b) / calibration.a, np.float32)
    by_language = {language: float(centre @ query) for language, centre in known.items()}
    otherwise = sum(by_language.values()) / len(by_language)
    return np.array([by_language.get(code, otherwise) for code in CODES], np.float32)
