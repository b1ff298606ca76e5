"""Ollama, over its official client. Local only as far as its server says so: cloud models and remote hosts are found out first."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import Any

from muninn.config import OllamaConfig
from muninn.domain.trust import Location, Purpose, forwards, passes_on, places_for
from muninn.errors import ProviderError
from muninn.llm.gate import ExchangeError, Gate, gate_transport, http_library
from muninn.llm.provider import Health, Pace, finished, ours
from muninn.llm.served import ServedModel
from muninn.ports import Completion, Envelope, Request

_REMEMBERED = 300.0  # seconds for which an answer about a model's whereabouts is believed
_PROBE_BYTES = 8 * 1024 * 1024  # a model's description carries its licence and template
_BLANK_LIMIT = 1000  # characters of unbroken white space
_CONTEXT_STEP, _CONTEXT_CAP = 2048, 131_072  # tokens


class OllamaProvider(ServedModel):
    """It knows no key."""

    name, remedy = "ollama", "pip install ollama"

    def __init__(self, config: OllamaConfig, *, gate: Gate, pace: Pace) -> None:
        super().__init__(config.url, "llm.ollama.url", config.model, gate=gate, pace=pace)
        self._whereabouts: tuple[float, bool] | None = None

    def locations(self) -> frozenset[Location]:
        return frozenset({Location.REMOTE}) if forwards(self._model) else super().locations()

    def describe(self) -> Health:
        known = super().describe()
        return replace(known, location=Location.REMOTE) if forwards(self._model) else known

    def _look(self, envelope: Envelope, *, deadline: float) -> Health:
        if self._runs_elsewhere(envelope, deadline):
            note = "a cloud model: its server passes every prompt on"
            return self.describe().fine(location=Location.REMOTE, note=note)
        return self.describe().fine()

    def _ask(self, request: Request, key: str | None, *, deadline: float, max_bytes: int) -> Completion:
        client = self._client(request, key, deadline, max_bytes)
        parts = client.chat(
            model=self._model,
            messages=[
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            format=dict(request.schema),
            options={"temperature": 0, "num_predict": request.max_tokens, "num_ctx": _context(request)},
            stream=True,
        )
        with closing(parts):  # what is left unread is counted and recorded now
            return self._gather(parts)

    def _client(self, request: Request, key: str | None, deadline: float, max_bytes: int) -> Any:
        ollama = self._library.load(clock=self._pace.clock, deadline=deadline)
        envelope = self._envelope(request)
        if Location.REMOTE not in places_for(request.tier, self.name, purpose=request.purpose):
            envelope = replace(envelope, forwards=self._found_elsewhere(envelope, deadline))
        transport = gate_transport(
            http_library(ollama.Client),
            self._gate,
            envelope,
            endpoint=self._endpoint,
            key=key,
            deadline=deadline,
            max_bytes=max_bytes,
        )
        return ollama.Client(host=self._endpoint.base_url, transport=transport, trust_env=False, follow_redirects=False)

    def _gather(self, parts: object) -> Completion:
        text, blank, end = [], 0, None
        for part in parts:  # type: ignore[attr-defined]
            piece = part.message.content or ""
            if not isinstance(piece, str):
                raise ProviderError(f"{self.name} {self._model} answers with something that is not text")
            text.append(piece)
            kept = piece.rstrip()
            blank = len(piece) - len(kept) if kept else blank + len(piece)
            if blank > _BLANK_LIMIT:
                raise ProviderError(f"{self.name} {self._model} writes nothing but white space")
            if part.done:
                end = part.done_reason or "stop"
                break
        if end is None:
            raise ExchangeError(f"{self.name} {self._model} stopped in mid-answer", again=True)
        return finished(self._completion("".join(text)), cut_off=end not in ("stop", "load"))

    def _found_elsewhere(self, envelope: Envelope, deadline: float) -> bool:
        now = self._pace.clock.monotonic()
        if self._whereabouts is None or self._whereabouts[0] < now:
            probe = replace(envelope, purpose=Purpose.PROBE)
            self._whereabouts = (now + _REMEMBERED, self._runs_elsewhere(probe, deadline))
        return self._whereabouts[1]

    def _runs_elsewhere(self, probe: Envelope, deadline: float) -> bool:
        """Whether the server says that it only fronts for the model. Raises ProviderError when it does not say."""
        body = json.dumps({"model": self._model}).encode()
        url = f"{self._endpoint.base_url}/api/show"
        try:
            answer = self._gate.exchange(
                probe, method="POST", url=url, body=body, deadline=deadline, max_bytes=_PROBE_BYTES
            )
            shown = json.loads(answer)
        except ExchangeError as error:
            if error.http_status == 404:
                raise ExchangeError(
                    f"ollama has no model {self._model}", hint=f"ollama pull {self._model}", status=404
                ) from None
            raise
        except (ValueError, RecursionError) as error:
            raise ours(error, self.name) from None
        if not isinstance(shown, dict):
            raise ProviderError(f"ollama does not describe {self._model}, so it counts as not local")
        return passes_on(shown)


def _context(request: Request) -> int:
    """Tokens of context that hold the prompt and the answer: Ollama cuts silently what does not fit."""
    wanted = (len(request.system.encode()) + len(request.prompt.encode())) // 3 + request.max_tokens + 256
    return min(-(-wanted // _CONTEXT_STEP) * _CONTEXT_STEP, _CONTEXT_CAP)
