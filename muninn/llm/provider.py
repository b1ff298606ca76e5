"""What the three providers share: tries, the reading of foreign errors, and a health report.

A foreign exception never travels on: its text may quote the prompt, so only its kind is kept.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Thread
from types import ModuleType
from typing import Protocol, TypeVar

from muninn.domain.trust import Location
from muninn.errors import EgressRefusedError, MuninnError, ProviderError
from muninn.llm.gate import ExchangeError
from muninn.ports import Clock, Completion, Provider

TRIES = 2
_FIRST_WAIT = 0.5  # seconds
_LEAST = 1.0  # seconds that must be left for another try
_QUIET = ("anthropic", "openai", "ollama", "httpx", "httpx2", "httpcore", "httpcore2")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """``wait`` blocks for seconds; ``jitter`` gives 0–1."""

    clock: Clock
    wait: Callable[[float], object]
    jitter: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What doctor shows of a provider. None means: not asked, because an earlier answer made it pointless."""

    provider: str
    model: str
    address: str
    location: Location
    reachable: bool | None = None
    model_present: bool | None = None
    note: str = ""

    def failed(self, error: ProviderError) -> Health:
        """As asked in vain: an HTTP status proves that somebody answered, 404 that the model is not there."""
        status = getattr(error, "http_status", None)
        reachable = None if isinstance(error, EgressRefusedError) else status is not None
        return replace(self, reachable=reachable, model_present=False if status == 404 else None, note=str(error))

    def fine(self, *, location: Location | None = None, note: str = "") -> Health:
        """As asked and answered."""
        return replace(self, reachable=True, model_present=True, location=location or self.location, note=note)


class ConfiguredProvider(Provider, Protocol):
    """A provider that can also say how and where it is."""

    def locations(self) -> frozenset[Location]:
        """Where its model may turn out to run, as configured."""
        ...

    def check(self, *, deadline: float) -> Health: ...
    def describe(self) -> Health:
        """What is known without asking anybody."""
        ...


class Client:
    """An official client library, imported when first wanted, and never for longer than the deadline allows.

    An import cannot be broken off: one that takes too long goes on in its thread, and the next request finds it done.
    """

    def __init__(self, name: str, *, remedy: str) -> None:
        self._name = name
        self._remedy = remedy
        self._found: ModuleType | None = None
        self._missing = False

    def load(self, *, clock: Clock, deadline: float) -> ModuleType:
        """The library, its logging turned down. Raises ProviderError."""
        if self._found is None:
            loading = Thread(target=self._import, name=f"import-{self._name}", daemon=True)
            loading.start()
            loading.join(max(0.0, deadline - clock.monotonic()))
        if self._missing:
            raise ProviderError(f"the {self._name} client is not installed", hint=self._remedy)
        if self._found is None:
            raise ProviderError(f"the {self._name} client was still loading when the time was over")
        hush()
        return self._found

    def _import(self) -> None:
        try:
            self._found = importlib.import_module(self._name)
        except Exception:  # a client that cannot be imported is as good as none
            self._missing = True


def persist(ask: Callable[[], T], *, provider: str, pace: Pace, deadline: float) -> T:
    """What ``ask`` returns, tried again once when that can help and the deadline allows it. Raises ProviderError only."""
    for tried in range(1, TRIES + 1):
        try:
            return ask()
        except Exception as error:
            failure = ours(error, provider)
            again = isinstance(failure, ExchangeError) and failure.again and tried < TRIES
            if not again or not _rest(failure, tried, pace, deadline):
                raise failure from None
    raise AssertionError("unreachable: the last try returns or raises")


def _rest(failure: ProviderError, tried: int, pace: Pace, deadline: float) -> bool:
    wait = _FIRST_WAIT * 2 ** (tried - 1) * (0.5 + pace.jitter())
    if isinstance(failure, ExchangeError) and failure.retry_after is not None:
        wait = failure.retry_after + wait * 0.1
    if pace.clock.monotonic() + wait + _LEAST > deadline:
        return False
    pace.wait(wait)
    return True


def ours(error: BaseException, provider: str) -> ProviderError:
    """The ProviderError behind ``error``, found among its causes, or one that names the kind of a foreign failure."""
    seen: BaseException | None = error
    for _ in range(8):
        if isinstance(seen, ProviderError):
            return seen
        if isinstance(seen, MuninnError):
            return ProviderError(seen.message, hint=seen.hint)
        if seen is None:
            break
        seen = seen.__cause__ or seen.__context__
    return ProviderError(f"{provider} answered in a form its client cannot read ({type(error).__name__})")


def finished(completion: Completion, *, cut_off: bool) -> Completion:
    """``completion``, unless it is empty or was cut off. Raises ProviderError."""
    if cut_off:
        raise ProviderError(
            f"{completion.provider} {completion.model} ran out of room before it finished",
            hint="a larger context or fewer memories at a time",
        )
    if not completion.text.strip():
        raise ProviderError(f"{completion.provider} {completion.model} answered with nothing")
    return completion


def hush() -> None:
    """Keep the clients from logging requests: at their debug level they print whole prompts, and the environment can ask for it."""
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
