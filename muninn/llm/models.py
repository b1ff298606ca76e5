"""The configured language models: which tier may use which, asked in configured order until one answers.

Only providers named in the configuration exist here; a key in the environment is not consent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from typing import Protocol

from muninn.config import LlmConfig
from muninn.domain.trust import PROVIDERS, Purpose, Tier, places_for, providers_for
from muninn.errors import ConfigError, EgressRefusedError, MuninnError, ProviderError
from muninn.llm.anthropic import AnthropicProvider
from muninn.llm.gate import Gate
from muninn.llm.keys import Key, read_key
from muninn.llm.ollama import OllamaProvider
from muninn.llm.openai import OpenAIProvider
from muninn.llm.provider import ConfiguredProvider, Health, Pace
from muninn.ports import Clock, Completion, Envelope, Ids, Ledger, Request

MAX_BYTES = 2 * 1024 * 1024  # of one answer
_SHARE = 2 / 3  # of the time left that a provider may use while others wait behind it


class LanguageModels(Protocol):
    """What a dream needs of the models; ``Models`` and ``FunctionModels`` both are."""

    def for_tier(self, tier: Tier) -> tuple[str, ...]:
        """Names of the providers the tier may use, in order of preference; empty for legal."""
        ...

    def complete(self, request: Request, *, deadline: float, max_bytes: int = MAX_BYTES) -> Completion: ...


class Models:
    """``environ`` holds the keys; ``jitter`` gives 0–1; ``wait`` blocks for seconds (by default until ``close``)."""

    def __init__(
        self,
        config: LlmConfig,
        *,
        ledger: Ledger,
        clock: Clock,
        ids: Ids,
        environ: Mapping[str, str],
        jitter: Callable[[], float],
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self._asleep = Event()
        self._clock = clock
        self._gate = Gate(ledger=ledger, clock=clock, ids=ids)
        pace = Pace(clock=clock, wait=wait or self._asleep.wait, jitter=jitter)
        self._keys = {
            "anthropic": _reader(environ, "ANTHROPIC_API_KEY", config.anthropic.key_file),
            "openai": _reader(environ, "OPENAI_API_KEY", config.openai.key_file),
        }
        names = tuple(dict.fromkeys(config.providers))
        self._providers = {name: self._build(name, config, pace) for name in names}

    @property
    def gate(self) -> Gate:
        """The one gate; embedders behind an address use it too."""
        return self._gate

    def for_tier(self, tier: Tier) -> tuple[str, ...]:
        return self._useful(tier, Purpose.CONSOLIDATE)

    def complete(self, request: Request, *, deadline: float, max_bytes: int = MAX_BYTES) -> Completion:
        """The first answer among the tier's providers. Raises EgressRefusedError or ProviderError naming each failure."""
        names = self._useful(request.tier, request.purpose)
        if not names:
            self._refuse(request)
        failures: list[ProviderError] = []
        for position, name in enumerate(names):
            now = self._clock.monotonic()
            if now >= deadline or self._asleep.is_set():
                break
            limit = deadline if position == len(names) - 1 else now + (deadline - now) * _SHARE
            try:
                return self._providers[name].complete(request, deadline=limit, max_bytes=max_bytes)
            except ProviderError as error:
                failures.append(error)
        raise _summary(failures)

    def status(self, *, deadline: float | None = None) -> list[Health]:
        """Each configured provider; with a ``deadline`` it is asked how it is, without one nothing leaves."""
        if deadline is None:
            return [provider.describe() for provider in self._providers.values()]
        return [provider.check(deadline=deadline) for provider in self._providers.values()]

    def close(self) -> None:
        """Give up what is under way; later requests fail at once."""
        self._asleep.set()
        self._gate.close()

    def key(self, provider: str) -> str | None:
        """The API key of a provider, configured here or not, for an embedder behind the same address."""
        key = self._keys[provider]() if provider in self._keys else None
        return key.reveal() if key is not None else None

    def _useful(self, tier: Tier, purpose: str) -> tuple[str, ...]:
        """Providers the tier may use where they may turn out to run."""
        return tuple(
            name
            for name in providers_for(tier, self._providers, purpose=purpose)
            if self._providers[name].locations() & places_for(tier, name, purpose=purpose)
        )

    def _refuse(self, request: Request) -> None:
        places = ", ".join(f"{health.provider} ({health.location})" for health in self.status())
        why = f"tier {request.tier} may use none of the configured providers: {places or 'there are none'}"
        if request.tier is Tier.LEGAL:
            why = "tier legal: its text never leaves the process"
        envelope = Envelope(
            vault=request.vault,
            tier=request.tier,
            purpose=request.purpose,
            provider=next(iter(self._providers), "none"),
            model="",
            dream_id=request.dream_id,
        )
        self._gate.refuse(envelope, "", why)

    def _build(self, name: str, config: LlmConfig, pace: Pace) -> ConfiguredProvider:
        match name:
            case "ollama":
                return OllamaProvider(config.ollama, gate=self._gate, pace=pace)
            case "anthropic":
                return AnthropicProvider(config.anthropic, gate=self._gate, pace=pace, key=self._keys[name])
            case "openai":
                return OpenAIProvider(config.openai, gate=self._gate, pace=pace, key=self._keys[name])
        raise ConfigError(f"unknown provider {name!r} in llm.providers", hint=f"one of: {', '.join(PROVIDERS)}")


def _reader(environ: Mapping[str, str], name: str, key_file: str) -> Callable[[], Key | None]:
    kept = environ.get(name, "")

    def read() -> Key | None:
        try:
            return read_key({name: kept}, name, key_file)
        except MuninnError as error:
            raise ProviderError(error.message, hint=error.hint) from None

    return read


def _summary(failures: list[ProviderError]) -> ProviderError:
    if not failures:
        return ProviderError("no language model was asked: the time was over")
    if len(failures) == 1:
        return failures[0]
    message = "no language model answered: " + "; ".join(str(error) for error in failures)
    refused = all(isinstance(error, EgressRefusedError) for error in failures)
    return EgressRefusedError(message) if refused else ProviderError(message)
