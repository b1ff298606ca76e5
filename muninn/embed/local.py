"""Embedders that run inside this process: one class, and per model an ``Encode`` function that loads on first use.

The model is loaded once, under a lock, by whoever needs it first. ``Encode`` functions are safe to call from several
threads at a time. Nothing leaves the process, so tier and vault decide nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np

from muninn.domain.memory import Matrix
from muninn.domain.trust import Tier
from muninn.embed.text import capped, prepare
from muninn.errors import ProviderError
from muninn.ports import Calibration

Encode = Callable[[Sequence[str], bool], Matrix]
"""Texts, and whether they are queries, to one row each; unit length not required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """What is known about a model before it is loaded.

    window: letters that are embedded, the rest is left out (see ``prepare``). parallel: two threads embed a batch faster than one.
    familiar: how far words are whole in its vocabulary, 0–1; asked once it is loaded.
    """

    id: str
    dimensions: int
    calibration: Calibration
    window: int
    load: Callable[[], Encode]
    remedy: str
    parallel: bool = False
    familiar: Callable[[Sequence[str]], float] | None = None


# What a model is given at once: larger batches are no faster, and activations take 20 kB a character.
_SHARE_TEXTS = 16
_SHARE_CHARACTERS = 4000


class LocalEmbedder:
    """An in-process ``Embedder``. ``cache``: queries kept; ``workers``: threads for a batch."""

    def __init__(self, model: LocalModel, *, cache: int = 1024, workers: int = 1) -> None:
        self._model = model
        self._workers = workers if model.parallel else 1
        self._lock = Lock()
        self._encode: Encode | None = None
        self._cached_query = lru_cache(maxsize=cache)(self._embed_query)

    @property
    def model(self) -> str:
        return self._model.id

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    @property
    def calibration(self) -> Calibration:
        return self._model.calibration

    @property
    def location(self) -> str:
        return "in-process"

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix:  # noqa: ARG002
        """Shape (len(texts), dimensions). Raises UsageError for blank text, ProviderError when the model cannot load."""
        return self._embed([prepare(text, limit=self._model.window) for text in texts], query=False)

    def query(self, text: str, *, tier: Tier) -> Matrix:  # noqa: ARG002
        """Shape (1, dimensions), read-only: repeated queries share one row. Errors as ``passages``."""
        return self._cached_query(prepare(text, limit=self._model.window))

    def familiar(self, words: Sequence[str]) -> float | None:
        """See ``ports.Embedder``; None for a model that does not say how it cuts words, and for no words."""
        self._ready()
        return self._model.familiar(words) if self._model.familiar and words else None

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        """For each text, whether its end lies beyond what is embedded."""
        return tuple(capped(text, limit=self._model.window) for text in texts)

    def clear_cache(self) -> None:
        """Forget every query text and its vector."""
        self._cached_query.cache_clear()

    def _embed_query(self, text: str) -> Matrix:
        row = self._embed([text], query=True)
        row.flags.writeable = False
        return row

    def _embed(self, texts: list[str], *, query: bool) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        rows = self._encode_all(texts, query=query)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if rows.shape != (len(texts), self.dimensions) or not np.isfinite(norms).all() or not (norms > 0).all():
            raise ProviderError(f"embedder {self.model} gave an unusable vector", hint="run: muninn doctor")
        return np.asarray(rows / norms, dtype=np.float32)

    def _encode_all(self, texts: list[str], *, query: bool) -> Matrix:
        encode = self._ready()
        shares = list(_shares(texts))
        if self._workers == 1 or len(shares) == 1:
            rows = [encode(share, query) for share in shares]
        else:
            with ThreadPoolExecutor(self._workers) as pool:
                rows = list(pool.map(lambda share: encode(share, query), shares))
        return np.concatenate(rows, dtype=np.float32)

    def _ready(self) -> Encode:
        encode = self._encode
        if encode is None:
            with self._lock:
                encode = self._encode or self._load()
                self._encode = encode
        return encode

    def _load(self) -> Encode:
        try:
            return self._model.load()
        except (ImportError, OSError, RuntimeError, ValueError, KeyError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ProviderError(f"embedder {self.model} cannot be loaded: {reason}", hint=self._model.remedy) from error


def _shares(texts: list[str]) -> Iterator[list[str]]:
    share: list[str] = []
    characters = 0
    for text in texts:
        if share and (len(share) == _SHARE_TEXTS or characters + len(text) > _SHARE_CHARACTERS):
            yield share
            share, characters = [], 0
        share.append(text)
        characters += len(text)
    yield share
