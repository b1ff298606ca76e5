"""How long a dream puts up with models that do not answer: one long silence, and the other vaults are spared it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from muninn.domain.trust import Tier
from muninn.dream.context import Ask

if TYPE_CHECKING:
    from muninn.llm.adjudication import Adjudication
    from muninn.llm.prompts import Group

SILENCE = 5.0  # seconds without any answer


class Patience:
    """For one dream: asks until the models have been silent for long."""

    def __init__(self, asking: Callable[[Tier], Ask | None], monotonic: Callable[[], float]) -> None:
        self._asking = asking
        self._monotonic = monotonic
        self._lost = False

    def ask(self, tier: Tier) -> Ask | None:
        """The models of ``tier``, or None when there are none or patience is lost."""
        asking = None if self._lost else self._asking(tier)
        if asking is None:
            return None

        def patiently(groups: Sequence[Group], seconds: float, dream_id: str) -> Adjudication:
            started = self._monotonic()
            answer = asking(groups, seconds, dream_id)
            self._lost = self._lost or (not answer.asked and self._monotonic() - started >= SILENCE)
            return answer

        return patiently
