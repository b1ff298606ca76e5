"""A fake server, a ledger in memory, and models wired to both."""

from __future__ import annotations

import importlib
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

import pytest

from muninn.clock import SystemClock, Ulids
from muninn.config import AnthropicConfig, LlmConfig, OllamaConfig, OpenAIConfig
from muninn.domain.memory import Kind, Memory, Provenance, content_hash
from muninn.domain.records import Egress
from muninn.domain.trust import Tier
from muninn.llm.models import Models
from muninn.ports import Request
from tests.fakes.llm_server import FakeLlm

KEYS = {"ANTHROPIC_API_KEY": "sk-ant-canary", "OPENAI_API_KEY": "sk-openai-canary"}


@dataclass
class MemoryLedger:
    """Keeps entries by id as the store does; ``writes`` are all of them in order."""

    entries: dict[str, Egress] = field(default_factory=dict)
    writes: list[Egress] = field(default_factory=list)

    def record(self, entry: Egress) -> None:
        self.writes.append(entry)
        self.entries[entry.id] = entry


class MakeModels(Protocol):
    def __call__(
        self, server: FakeLlm | None = None, *, providers: tuple[str, ...] = ("ollama",), url: str = "",
        environ: Mapping[str, str] = ..., wait: Callable[[float], object] | None = None, model: str = "llama3.2",
    ) -> Models: ...  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def _clients_loaded() -> None:
    """The official clients take seconds to import; no test should pay for it inside a deadline."""
    for name in ("ollama", "anthropic", "openai"):
        importlib.import_module(name)


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def make_models(ledger: MemoryLedger) -> Iterator[MakeModels]:
    made: list[Models] = []
    ids = Ulids()

    def make(
        server: FakeLlm | None = None, *, providers: tuple[str, ...] = ("ollama",), url: str = "",
        environ: Mapping[str, str] = KEYS, wait: Callable[[float], object] | None = lambda _seconds: None,
        model: str = "llama3.2",
    ) -> Models:  # fmt: skip
        base = url or (server.url if server else "http://127.0.0.1:9")
        config = LlmConfig(
            providers=providers,
            ollama=OllamaConfig(url=base, model=model),
            anthropic=AnthropicConfig(base_url=base),
            openai=OpenAIConfig(base_url=f"{base}/v1"),
        )
        models = Models(
            config,
            ledger=ledger,
            clock=SystemClock(),
            ids=ids,
            environ=environ,
            jitter=lambda: 0.5,
            wait=wait,
        )
        made.append(models)
        return models

    yield make
    for models in made:
        models.close()


def deadline(seconds: float = 10.0) -> float:
    return SystemClock().monotonic() + seconds


def request_for(tier: Tier = Tier.PERSONAL, *, prompt: str = '{"groups": []}', vault: str = "default") -> Request:
    return Request(
        purpose="consolidate", vault=vault, tier=tier, system="You tidy.", prompt=prompt,
        schema={"type": "object", "properties": {"merge": {"type": "array", "items": {"type": "string"}}},
                "required": ["merge"], "additionalProperties": False},
        dream_id="01DREAM",
    )  # fmt: skip


def memory(
    memory_id: str, content: str, *, vault: str = "default", tier: Tier = Tier.PERSONAL, day: int = 1, title: str = "",
    kind: Kind = Kind.FACT, pinned: bool = False, valid_from: datetime | None = None,
) -> Memory:  # fmt: skip
    at = datetime(2026, 3, day, 8, 0, tzinfo=UTC)
    return Memory(
        id=memory_id, vault=vault, tier=tier, title=title or content[:40], content=content, content_hash=content_hash(content),
        created_at=at, updated_at=at, learned_at=at, provenance=Provenance(client="test"), title_derived=not title, kind=kind,
        pinned=pinned, valid_from=valid_from,
    )  # fmt: skip


def lan_address() -> str | None:
    """An address of this machine that is not loopback; no packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if address.startswith("127.") else address
