"""A service over a fake store, with the hashed embedder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from muninn.config import Config, EmbedConfig
from muninn.embed.registry import Embedders
from muninn.recall.resident import ResidentModel
from muninn.service import MemoryService
from muninn.testing import FakeClock, MemoryStore, SequentialIds


def _service_over(store: MemoryStore, clock: FakeClock | None = None) -> MemoryService:
    config = Config(home=Path("/nowhere"), embed=EmbedConfig(model="hashed"))
    embedders = Embedders(config)
    read = ResidentModel(embedders, config.recall)
    read.load(store)
    return MemoryService(
        store=store, read=read, embedders=embedders, clock=clock or FakeClock(), ids=SequentialIds(), default_vault="default"
    )  # fmt: skip


@pytest.fixture(scope="session")
def service_over() -> Callable[..., MemoryService]:
    """``service_over(store, clock=None)``."""
    return _service_over
