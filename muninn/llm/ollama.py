"""Ollama, over its official client. Local only as far as its server says so: cloud models and remote hosts are found out first."""

from __future__ import annotations

import json

from muninn.config import OllamaConfig
from muninn.domain.trust import Location, Purpose, Tier, forwards, passes_on, places_for
from muninn.errors import ProviderError
from muninn.llm.gate import Endpoint, ExchangeError, Gate, gate_transport, http_library
from muninn.llm.provider import Client, Health, Pace, finished, ours, persist
from muninn.ports import Completion, Envelope, Request

NAME = "ollama"
_REMEMBERED = 300.0  # seconds for which an answer about a model's whereabouts is believed
_PROBE_BYTES = 8 * 1024 * 1024  # a model's description carries its licence and template
_BLANK_LIMIT = 1000  # characters of unbroken white space
_CONTEXT_STEP, _CONTEXT_CAP = 2048, 131_072  # tokens


class OllamaProvider:
    def __init__(self, config: OllamaConfig, *, gate: Gate, pace: Pace) -> None:
        self._endpoint = Endpoint.parse(config.url, "llm.ollama.url")
        self._model = config.model
        self._gate = gate
        self._pace = pace
        self._library = Client("ollama", remedy="pip install ollama")
        self._whereabouts: tuple[float, bool] | None = None

    def complete(self, request: Request, *, deadline: float, max_bytes: int) -> Completion:
        def ask() -> Completion:
            return self._ask(request, deadline=deadline, max_bytes=max_bytes)

        return persist(ask, provider=NAME, pace=self._pace, deadline=deadline)

    def locations(self) -> frozenset[Location]:
        return frozenset({Location.REMOTE}) if forwards(self._model) else self._endpoint.possible_locations(NAME)

    def describe(self) -> Health:
        where = Location.REMOTE if forwards(self._model) else self._endpoint.expected_location(NAME)
        return Health(provider=NAME, model=self._model, address=self._endpoint.base_url, location=where)

    def check(self, *, deadline: float) -> Health:
        known = self.describe()
        probe = self._probe_envelope(tier=Tier.GLOBAL, vault="")
        try:
            elsewhere = self._runs_elsewhere(probe, deadline)
        except ProviderError as error:
            return known.failed(error)
        if elsewhere:
            return known.fine(location=Location.REMOTE, note="a cloud model: its server passes every prompt on")
        return known.fine()

    def _ask(self, request: Request, *, deadline: float, max_bytes: int) -> Completion:
        ollama = self._library.load(clock=self._pace.clock, deadline=deadline)
        envelope = Envelope(
            vault=request.vault,
            tier=request.tier,
            purpose=request.purpose,
            provider=NAME,
            model=self._model,
            dream_id=request.dream_id,
            forwards=self._must_not_forward(request) and self._found_elsewhere(request, deadline),
        )
        transport = gate_transport(
            http_library(ollama.Client),
            self._gate,
            envelope,
            endpoint=self._endpoint,
            key=None,
            deadline=deadline,
            max_bytes=max_bytes,
        )
        client = ollama.Client(
            host=self._endpoint.base_url, transport=transport, trust_env=False, follow_redirects=False
        )
        context = _context(request)
        parts = client.chat(
            model=self._model,
            messages=[
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            format=dict(request.schema),
            options={"temperature": 0, "num_predict": request.max_tokens, "num_ctx": context},
            stream=True,
        )
        return self._gather(parts)

    def _gather(self, parts: object) -> Completion:
        text, blank, end = [], 0, None
        for part in parts:  # type: ignore[attr-defined]
            piece = part.message.content or ""
            if not isinstance(piece, str):
                raise ProviderError(f"{NAME} {self._model} answers with something that is not text")
            text.append(piece)
            kept = piece.rstrip()
            blank = len(piece) - len(kept) if kept else blank + len(piece)
            if blank > _BLANK_LIMIT:
                raise ProviderError(f"{NAME} {self._model} writes nothing but white space")
            if part.done:
                end = part.done_reason or "stop"
                break
        if end is None:
            raise ExchangeError(f"{NAME} {self._model} stopped in mid-answer", again=True)
        return finished(
            Completion(text="".join(text), provider=NAME, model=self._model), cut_off=end not in ("stop", "load")
        )

    def _must_not_forward(self, request: Request) -> bool:
        return Location.REMOTE not in places_for(request.tier, NAME, purpose=request.purpose)

    def _found_elsewhere(self, request: Request, deadline: float) -> bool:
        now = self._pace.clock.monotonic()
        if self._whereabouts is None or self._whereabouts[0] < now:
            probe = self._probe_envelope(tier=request.tier, vault=request.vault)
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
            raise ours(error, NAME) from None
        if not isinstance(shown, dict):
            raise ProviderError(f"ollama does not describe {self._model}, so it counts as not local")
        return passes_on(shown)

    def _probe_envelope(self, *, tier: Tier, vault: str) -> Envelope:
        return Envelope(vault=vault, tier=tier, purpose=Purpose.PROBE, provider=NAME, model=self._model)


def _context(request: Request) -> int:
    """Tokens of context that hold the prompt and the answer: Ollama cuts silently what does not fit."""
    wanted = (len(request.system.encode()) + len(request.prompt.encode())) // 3 + request.max_tokens + 256
    return min(-(-wanted // _CONTEXT_STEP) * _CONTEXT_STEP, _CONTEXT_CAP)
