"""A language model that is a Python function: for tests, demonstrations and dry runs without a server."""

from __future__ import annotations

from collections.abc import Callable

from muninn.domain.trust import Tier
from muninn.errors import EgressRefusedError
from muninn.llm.models import MAX_BYTES
from muninn.ports import Completion, Request


class FunctionModels:
    """Answers with ``function(request)``: the text, or a ProviderError it raises. ``requests`` are those it saw.

    Legal text is refused as the gate would refuse it.
    """

    def __init__(self, function: Callable[[Request], str], *, name: str = "function") -> None:
        self._function = function
        self._name = name
        self.requests: list[Request] = []

    def for_tier(self, tier: Tier) -> tuple[str, ...]:
        return () if tier is Tier.LEGAL else (self._name,)

    def complete(self, request: Request, *, deadline: float, max_bytes: int = MAX_BYTES) -> Completion:  # noqa: ARG002
        if request.tier is Tier.LEGAL:
            raise EgressRefusedError("tier legal: its text never leaves the process")
        self.requests.append(request)
        return Completion(text=self._function(request), provider=self._name, model=self._name)
