"""Where "unrelated" lies for one query: the mean cosine between it and texts that have nothing to do with anything.

Embedders put some queries near everything, so a constant floor per model lets nonsense through. The floor is taken against
a fixed centre, the mean vector of the English and Spanish calibration sentences, hence depends on the query and the model
only.

``centres.txt``: model and mean vector (little-endian float16, base 85), one a line.
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


@cache
def centres() -> Mapping[str, Floats]:
    """Per model, the mean vector of unrelated texts."""
    found: dict[str, Floats] = {}
    for line in resources.files("muninn.recall").joinpath("centres.txt").read_text("ascii").splitlines():
        model, encoded = line.split(" ")
        found[model] = np.frombuffer(base64.b85decode(encoded), "<f2").astype(np.float32)
    return found


def floor(model: str, query: Floats, calibration: Calibration) -> float:
    """The cosine that means nothing; the calibration's own floor where a model has no centre."""
    centre = centres().get(model)
    if centre is None or len(centre) != len(query):
        return (UNRELATED - calibration.b) / calibration.a
    return float(centre @ query)
