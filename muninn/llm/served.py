"""A model behind an address, and what its three protocols have in common: consent to be asked, tries, envelopes, health.

A protocol adds how to put a question (``_ask``) and how to look whether the model is there (``_look``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from muninn.config import AnthropicConfig, OpenAIConfig
from muninn.domain.trust import Location, Purpose, Tier
from muninn.errors import ProviderError
from muninn.llm.gate import PLACEHOLDER, Endpoint, Gate, http_client, http_library
from muninn.llm.keys import Key
from muninn.llm.provider import Client, Health, Pace, persist
from muninn.ports import Completion, Envelope, Request

_PROBE_BYTES = 1024 * 1024


class ServedModel(ABC):
    """``key`` is called when a key is needed, so that a missing one is an error of this provider alone."""

    name: ClassVar[str]
    remedy: ClassVar[str]  # what installs the client, whose module is named as the provider

    def __init__(
        self,
        url: str,
        setting: str,
        model: str,
        *,
        gate: Gate,
        pace: Pace,
        key: Callable[[], Key | None] = lambda: None,
    ) -> None:
        self._endpoint = Endpoint.parse(url, setting)
        self._model = model
        self._gate = gate
        self._pace = pace
        self._key = key
        self._library = Client(self.name, remedy=self.remedy)

    @abstractmethod
    def _ask(self, request: Request, key: str | None, *, deadline: float, max_bytes: int) -> Completion:
        """One try. Any exception may come out."""

    @abstractmethod
    def _look(self, envelope: Envelope, *, deadline: float) -> Health:
        """The model as its server describes it. Raises ProviderError."""

    def complete(self, request: Request, *, deadline: float, max_bytes: int) -> Completion:
        key = self._revealed()

        def ask() -> Completion:
            return self._ask(request, key, deadline=deadline, max_bytes=max_bytes)

        return persist(ask, provider=self.name, pace=self._pace, deadline=deadline)

    def locations(self) -> frozenset[Location]:
        return self._endpoint.possible_locations(self.name)

    def describe(self) -> Health:
        where = self._endpoint.expected_location(self.name)
        return Health(provider=self.name, model=self._model, address=self._endpoint.base_url, location=where)

    def check(self, *, deadline: float) -> Health:
        probe = Envelope(vault="", tier=Tier.GLOBAL, purpose=Purpose.PROBE, provider=self.name, model=self._model)
        try:
            self._revealed()
        except ProviderError as error:
            return replace(self.describe(), note=str(error))
        try:
            return self._look(probe, deadline=deadline)
        except ProviderError as error:
            return self.describe().failed(error)

    def _envelope(self, request: Request) -> Envelope:
        return Envelope(
            vault=request.vault,
            tier=request.tier,
            purpose=request.purpose,
            provider=self.name,
            model=self._model,
            dream_id=request.dream_id,
        )

    def _revealed(self) -> str | None:
        """The key, if one is to be sent. Raises ProviderError when one is needed and there is none."""
        key = self._key()
        return key.reveal() if key is not None else None

    def _completion(self, text: object) -> Completion:
        return Completion(text=text if isinstance(text, str) else "", provider=self.name, model=self._model)


class HostedModel(ServedModel):
    """For the official clients that take an HTTP client of ours and list models."""

    client_class: ClassVar[str]

    def __init__(
        self, config: AnthropicConfig | OpenAIConfig, *, gate: Gate, pace: Pace, key: Callable[[], Key | None]
    ) -> None:
        super().__init__(config.base_url, f"llm.{self.name}.base_url", config.model, gate=gate, pace=pace, key=key)

    def _look(self, envelope: Envelope, *, deadline: float) -> Health:
        with self._client(envelope, self._revealed(), deadline, _PROBE_BYTES) as client:
            look = partial(client.models.retrieve, self._model)
            persist(look, provider=self.name, pace=self._pace, deadline=deadline)
        return self.describe().fine()

    def _client(self, envelope: Envelope, key: str | None, deadline: float, max_bytes: int) -> Any:
        library = self._library.load(clock=self._pace.clock, deadline=deadline)
        official: Any = getattr(library, self.client_class)
        client = http_client(
            http_library(official),
            self._gate,
            envelope,
            endpoint=self._endpoint,
            key=key,
            deadline=deadline,
            max_bytes=max_bytes,
        )
        return official(api_key=PLACEHOLDER, base_url=self._endpoint.base_url, http_client=client, max_retries=0)

    def _seconds(self, deadline: float) -> float:
        return max(deadline - self._pace.clock.monotonic(), 0.001)
