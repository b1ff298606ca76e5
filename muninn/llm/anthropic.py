"""Anthropic, over its official client. The answer is the input of one forced tool, whose schema is the request's."""

from __future__ import annotations

import json
from typing import Any

from muninn.errors import ProviderError
from muninn.llm.provider import finished
from muninn.llm.served import HostedModel
from muninn.ports import Completion, Request

_TOOL = "answer"


class AnthropicProvider(HostedModel):
    """A key is always needed."""

    name, client_class, remedy = "anthropic", "Anthropic", "pip install anthropic"

    def _ask(self, request: Request, key: str | None, *, deadline: float, max_bytes: int) -> Completion:
        with self._client(self._envelope(request), key, deadline, max_bytes) as client:
            answer = client.messages.create(
                model=self._model,
                max_tokens=request.max_tokens,
                system=request.system,
                messages=[{"role": "user", "content": request.prompt}],
                tools=[{"name": _TOOL, "description": "Hand in the answer.", "input_schema": dict(request.schema)}],
                tool_choice={"type": "tool", "name": _TOOL},
                timeout=self._seconds(deadline),
            )
        stopped = answer.stop_reason
        if stopped == "refusal":
            raise ProviderError(f"{self.name} {self._model} declined to answer")
        cut_off = stopped in ("max_tokens", "model_context_window_exceeded")
        return finished(self._completion(_text(answer.content)), cut_off=cut_off)

    def _revealed(self) -> str:
        if (key := super()._revealed()) is None:
            raise ProviderError("anthropic has no key", hint="set ANTHROPIC_API_KEY or llm.anthropic.key_file")
        return key


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
