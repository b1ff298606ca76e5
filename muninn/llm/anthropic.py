"""Anthropic, over its official client. The answer is the input of one forced tool, whose schema is the request's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from muninn.config import AnthropicConfig
from muninn.domain.trust import Location, Purpose, Tier
from muninn.errors import ProviderError
from muninn.llm.gate import PLACEHOLDER, Endpoint, Gate, http_client, http_library
from muninn.llm.keys import Key
from muninn.llm.provider import Client, Health, Pace, finished, persist
from muninn.ports import Completion, Envelope, Request

NAME = "anthropic"
_TOOL = "answer"
_PROBE_BYTES = 64 * 1024


class AnthropicProvider:
    """``key`` is called when a key is needed, so that a missing one is an error of this provider alone."""

    def __init__(self, config: AnthropicConfig, *, gate: Gate, pace: Pace, key: Callable[[], Key | None]) -> None:
        self._endpoint = Endpoint.parse(config.base_url, "llm.anthropic.base_url")
        self._model = config.model
        self._gate = gate
        self._pace = pace
        self._key = key
        self._library = Client("anthropic", remedy="pip install anthropic")

    def complete(self, request: Request, *, deadline: float, max_bytes: int) -> Completion:
        key = self._revealed()

        def ask() -> Completion:
            return self._ask(request, key, deadline=deadline, max_bytes=max_bytes)

        return persist(ask, provider=NAME, pace=self._pace, deadline=deadline)

    def locations(self) -> frozenset[Location]:
        return self._endpoint.possible_locations(NAME)

    def describe(self) -> Health:
        where = self._endpoint.expected_location(NAME)
        return Health(provider=NAME, model=self._model, address=self._endpoint.base_url, location=where)

    def check(self, *, deadline: float) -> Health:
        known = self.describe()
        envelope = Envelope(vault="", tier=Tier.GLOBAL, purpose=Purpose.PROBE, provider=NAME, model=self._model)
        try:
            with self._client(envelope, self._revealed(), deadline, _PROBE_BYTES) as client:
                persist(lambda: client.models.retrieve(self._model), provider=NAME, pace=self._pace, deadline=deadline)
        except ProviderError as error:
            return known.failed(error)
        return known.fine()

    def _ask(self, request: Request, key: str, *, deadline: float, max_bytes: int) -> Completion:
        envelope = Envelope(
            vault=request.vault,
            tier=request.tier,
            purpose=request.purpose,
            provider=NAME,
            model=self._model,
            dream_id=request.dream_id,
        )
        with self._client(envelope, key, deadline, max_bytes) as client:
            answer = client.messages.create(
                model=self._model,
                max_tokens=request.max_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.prompt}],
                tools=[{"name": _TOOL, "description": "Hand in the answer.", "input_schema": dict(request.schema)}],
                tool_choice={"type": "tool", "name": _TOOL},
                timeout=max(deadline - self._pace.clock.monotonic(), 0.001),
            )
        stopped = answer.stop_reason
        if stopped == "refusal":
            raise ProviderError(f"{NAME} {self._model} declined to answer")
        completion = Completion(text=_text(answer.content), provider=NAME, model=self._model)
        return finished(completion, cut_off=stopped in ("max_tokens", "model_context_window_exceeded"))

    def _client(self, envelope: Envelope, key: str, deadline: float, max_bytes: int) -> Any:
        anthropic = self._library.load(clock=self._pace.clock, deadline=deadline)
        client = http_client(
            http_library(anthropic.Anthropic),
            self._gate,
            envelope,
            endpoint=self._endpoint,
            key=key,
            deadline=deadline,
            max_bytes=max_bytes,
        )
        return anthropic.Anthropic(
            api_key=PLACEHOLDER, base_url=self._endpoint.base_url, http_client=client, max_retries=0
        )

    def _revealed(self) -> str:
        if (key := self._key()) is None:
            raise ProviderError("anthropic has no key", hint="set ANTHROPIC_API_KEY or llm.anthropic.key_file")
        return key.reveal()


def _text(blocks: Any) -> str:
    """The tool's input as JSON; where the model wrote text instead, that text."""
    written = []
    for block in blocks:
        kind = getattr(block, "type", None)
        if kind == "tool_use" and getattr(block, "name", None) == _TOOL:
            return json.dumps(block.input, ensure_ascii=False)
        if kind == "text" and isinstance(block.text, str):
            written.append(block.text)
    return "".join(written)
