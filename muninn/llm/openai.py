"""OpenAI and servers that speak its protocol, over the official client (an optional extra), with strict JSON schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muninn.domain.trust import Location
from muninn.errors import ProviderError
from muninn.llm.provider import finished
from muninn.llm.served import HostedModel
from muninn.ports import Completion, Request

_THINKING_ROOM = 16_384  # tokens: the official models think inside the same allowance as the answer
_UNSUPPORTED = frozenset({"maxLength", "minLength"})
"""What the strict schemas of the official host do not take; other servers need it."""


class OpenAIProvider(HostedModel):
    """A key is needed for the official host and sent elsewhere only when there is one and the connection is private."""

    name, client_class, remedy = "openai", "OpenAI", "pip install 'muninn-memory[openai]'"

    def _ask(self, request: Request, key: str | None, *, deadline: float, max_bytes: int) -> Completion:
        room: dict[str, Any] = {"max_tokens": request.max_tokens, "temperature": 0}
        schema: Any = dict(request.schema)
        if self._endpoint.official_for(self.name):  # its reasoning models take neither of the two
            room = {"max_completion_tokens": max(request.max_tokens, _THINKING_ROOM)}
            schema = _strict(schema)
        with self._client(self._envelope(request), key, deadline, max_bytes) as client:
            answer = client.chat.completions.create(
                model=self._model,
                messages=[
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.prompt},
                ],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": schema},
                },
                timeout=self._seconds(deadline),
                **room,
            )
        choice = answer.choices[0]
        if getattr(choice.message, "refusal", None):
            raise ProviderError(f"{self.name} {self._model} declined to answer")
        cut_off = choice.finish_reason in ("length", "content_filter")
        return finished(self._completion(choice.message.content), cut_off=cut_off)

    def _revealed(self) -> str | None:
        key = super()._revealed()
        if key is None and self._endpoint.official_for(self.name):
            raise ProviderError("openai has no key", hint="set OPENAI_API_KEY or llm.openai.key_file")
        private = self._endpoint.secure or self._endpoint.expected_location(self.name) is Location.LOOPBACK
        return key if private else None


def _strict(schema: Any) -> Any:
    """``schema`` without the keywords that strict mode refuses."""
    if isinstance(schema, Mapping):
        return {name: _strict(value) for name, value in schema.items() if name not in _UNSUPPORTED}
    if isinstance(schema, (list, tuple)):
        return [_strict(item) for item in schema]
    return schema
