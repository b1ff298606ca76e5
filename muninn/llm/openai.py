"""OpenAI and servers that speak its protocol, over the official client (an optional extra), with strict JSON schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muninn.config import OpenAIConfig
from muninn.domain.trust import Location, Purpose, Tier
from muninn.errors import ProviderError
from muninn.llm.gate import PLACEHOLDER, Endpoint, Gate, http_client, http_library
from muninn.llm.keys import Key
from muninn.llm.provider import Client, Health, Pace, finished, persist
from muninn.ports import Completion, Envelope, Request

NAME = "openai"
_PROBE_BYTES = 1024 * 1024
_THINKING_ROOM = 16_384  # tokens: the official models think inside the same allowance as the answer
_UNSUPPORTED = frozenset({"maxLength", "minLength"})  # by strict schemas


class OpenAIProvider:
    """A key is needed for the official host and sent elsewhere only when there is one and the connection is private."""

    def __init__(self, config: OpenAIConfig, *, gate: Gate, pace: Pace, key: Callable[[], Key | None]) -> None:
        self._endpoint = Endpoint.parse(config.base_url, "llm.openai.base_url")
        self._model = config.model
        self._gate = gate
        self._pace = pace
        self._key = key
        self._library = Client("openai", remedy="pip install 'muninn-memory[openai]'")

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

    def _ask(self, request: Request, key: str | None, *, deadline: float, max_bytes: int) -> Completion:
        envelope = Envelope(
            vault=request.vault,
            tier=request.tier,
            purpose=request.purpose,
            provider=NAME,
            model=self._model,
            dream_id=request.dream_id,
        )
        official = self._endpoint.official_for(NAME)
        room: dict[str, Any] = {"max_tokens": request.max_tokens, "temperature": 0}
        if official:  # its reasoning models take neither of the two
            room = {"max_completion_tokens": max(request.max_tokens, _THINKING_ROOM)}
        with self._client(envelope, key, deadline, max_bytes) as client:
            answer = client.chat.completions.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.prompt},
                ],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": _strict(request.schema)},
                },
                timeout=max(deadline - self._pace.clock.monotonic(), 0.001),
                **room,
            )
        choice = answer.choices[0]
        if getattr(choice.message, "refusal", None):
            raise ProviderError(f"{NAME} {self._model} declined to answer")
        text = choice.message.content
        completion = Completion(text=text if isinstance(text, str) else "", provider=NAME, model=self._model)
        return finished(completion, cut_off=choice.finish_reason in ("length", "content_filter"))

    def _client(self, envelope: Envelope, key: str | None, deadline: float, max_bytes: int) -> Any:
        openai = self._library.load(clock=self._pace.clock, deadline=deadline)
        client = http_client(
            http_library(openai.OpenAI),
            self._gate,
            envelope,
            endpoint=self._endpoint,
            key=key,
            deadline=deadline,
            max_bytes=max_bytes,
        )
        return openai.OpenAI(api_key=PLACEHOLDER, base_url=self._endpoint.base_url, http_client=client, max_retries=0)

    def _revealed(self) -> str | None:
        key = self._key()
        if key is None and self._endpoint.official_for(NAME):
            raise ProviderError("openai has no key", hint="set OPENAI_API_KEY or llm.openai.key_file")
        private = self._endpoint.secure or self._endpoint.expected_location(NAME) is Location.LOOPBACK
        return key.reveal() if key is not None and private else None


def _strict(schema: Any) -> Any:
    """``schema`` without the keywords that strict mode refuses."""
    if isinstance(schema, Mapping):
        return {name: _strict(value) for name, value in schema.items() if name not in _UNSUPPORTED}
    if isinstance(schema, (list, tuple)):
        return [_strict(item) for item in schema]
    return schema
