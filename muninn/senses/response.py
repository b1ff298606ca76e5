"""Signals as the answer of a hook: what the agent reads, what the person reads. Facts, a few hundred characters, no orders.

Text for the agent goes into ``hookSpecificOutput.additionalContext`` of the event it answers; ``systemMessage`` is shown to
the person and never reaches the model, so the third step of the ladder uses both.
"""

from __future__ import annotations

from collections.abc import Sequence

from muninn.senses.table import Signal

SIGNAL = "[Proprioception]"
INTERRUPT = "[NOCICEPTIVE INTERRUPT]"
AGENT_LIMIT = 1_200  # characters
PERSON_LIMIT = 300

_PERSON = {
    "en": "muninn: the agent is stuck on one error and may need you: {trouble}",
    "es": "muninn: el agente está atascado en un error y quizá te necesita: {trouble}",
}


def answer(event: str, signals: Sequence[Signal], *, language: str = "en") -> dict[str, object] | None:
    """The JSON to print after ``event``, or None for silence."""
    if not signals:
        return None
    header = INTERRUPT if any(signal.level > 1 for signal in signals) else SIGNAL
    ordered = sorted(signals, key=lambda signal: -signal.level)
    text = "\n".join([header, *(signal.text for signal in ordered)])
    reply = context(event, text[:AGENT_LIMIT])
    trouble = next((signal.person for signal in ordered if signal.person), None)
    if trouble is not None:
        reply["systemMessage"] = _PERSON.get(language, _PERSON["en"]).format(trouble=trouble)[:PERSON_LIMIT]
    return reply


def context(event: str, text: str) -> dict[str, object]:
    """An answer that only the agent reads."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
